package browser

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/*.js
var probes embed.FS

// complaint is what a probe found: of which kind, where, and in what words.
type complaint struct{ Kind, At, What string }

// judge runs the probes of layout and contrast in the page.
func (b *tab) judge() []complaint {
	b.t.Helper()
	return b.probe("layout(T).concat(contrast(T))")
}

// probe is what an expression over the texts T of the page finds.
func (b *tab) probe(expression string) []complaint {
	b.t.Helper()
	script := ""
	for _, name := range []string{"common", "layout", "contrast"} {
		text, err := probes.ReadFile("testdata/" + name + ".js")
		if err != nil {
			b.t.Fatal(err)
		}
		script += string(text)
	}
	return eval[[]complaint](b, "(function () {"+script+"; const T = probe.texts(); return "+expression+"; })()")
}

// TestPages: each page opens from its file, and at the width of a phone, a tablet and
// a desk it draws all its charts and asks for nothing but files of its folder; light
// and dark and in Chinese no text is cut off, covered, outside the window or hard to
// read. A page is loaded once, at the width of a phone, and the window then widened.
func TestPages(t *testing.T) {
	for _, page := range committed(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			for i, width := range []int64{390, 768, 1280} {
				b.size(width, 8000) // fewer steps to scroll, and the same layout
				b.media("screen", "prefers-color-scheme", "light", "prefers-reduced-motion", "reduce")
				if i == 0 {
					b.open(page)
				}
				if n, all := b.drawn(), eval[int](b, `document.querySelectorAll("figure.chart").length`); n != all {
					t.Errorf("%d px: %d of %d charts are drawn after scrolling through", width, n, all)
				}
				b.report(fmt.Sprintf("%d px, light", width), b.judge())
				boxes := eval[string](b, boxesScript)
				b.media("screen", "prefers-color-scheme", "dark", "prefers-reduced-motion", "reduce")
				b.frames(3)
				if eval[string](b, boxesScript) == boxes { // nothing moved: only colours are others
					b.report(fmt.Sprintf("%d px, dark", width), b.probe("contrast(T)"))
				} else {
					b.report(fmt.Sprintf("%d px, dark", width), b.judge())
				}
				if width == 768 {
					continue // Chinese is shorter than English, and stands on a tablet as on one of the two others
				}
				eval[any](b, `document.getElementById("lang").click()`)
				b.frames(3)
				b.report(fmt.Sprintf("%d px, Chinese", width), b.judge())
				eval[any](b, `document.getElementById("lang").click()`)
			}
			inside := address(filepath.Dir(page)) + "/"
			for _, a := range b.asked() {
				if !strings.HasPrefix(a, inside) && !strings.HasPrefix(a, "data:") {
					t.Errorf("asks for %.200s, outside %s", a, inside)
				}
			}
		})
	}
}

// boxesScript is where all boxes of a page are, but for those of drawings and formulas.
const boxesScript = `[...document.querySelectorAll("body *:not(svg *, math *)")].map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round); }).join(" ")`

// report fails the test with what the probes found in a state of the page.
func (b *tab) report(state string, found []complaint) {
	b.t.Helper()
	for _, c := range found {
		b.t.Errorf("%s: %s: %s: %s", state, c.Kind, c.At, c.What)
	}
}
