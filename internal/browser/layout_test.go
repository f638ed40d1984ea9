package browser

import (
	"embed"
	"fmt"
	"path/filepath"
	"testing"
)

//go:embed testdata/*.js
var probes embed.FS

// complaint is what a probe found: of which kind, where, and in what words.
type complaint struct{ Kind, At, What string }

// judge runs the probes of layout and contrast in the page.
func (b *tab) judge() []complaint {
	b.t.Helper()
	script := ""
	for _, name := range []string{"common", "layout", "contrast"} {
		text, err := probes.ReadFile("testdata/" + name + ".js")
		if err != nil {
			b.t.Fatal(err)
		}
		script += string(text)
	}
	return eval[[]complaint](b, "(function () {"+script+"; return layout().concat(contrast()); })()")
}

// TestLayout: at the width of a phone, a tablet and a desk, light and dark, no
// text is cut off, covered, outside the window or hard to read.
func TestLayout(t *testing.T) {
	for _, page := range committed(t) {
		for _, width := range []int64{390, 768, 1280} {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(page), width), func(t *testing.T) {
				b := newTab(t)
				b.size(width, 1200)
				b.media("screen", "prefers-color-scheme", "light", "prefers-reduced-motion", "reduce")
				b.open(page)
				b.drawn()
				for _, theme := range []string{"light", "dark"} {
					b.media("screen", "prefers-color-scheme", theme, "prefers-reduced-motion", "reduce")
					b.frames(3)
					for _, c := range b.judge() {
						t.Errorf("%s: %s: %s: %s", theme, c.Kind, c.At, c.What)
					}
				}
				eval[any](b, `document.getElementById("lang").click()`)
				b.frames(3)
				for _, c := range b.judge() {
					t.Errorf("Chinese: %s: %s: %s", c.Kind, c.At, c.What)
				}
			})
		}
	}
}
