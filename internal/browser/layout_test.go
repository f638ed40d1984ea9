package browser

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

//go:embed testdata/*.js
var probes embed.FS

// complaint describes a defect that a probe found: its kind, its place, and words.
type complaint struct{ Kind, At, What string }

// judge runs the probes of layout, contrast and faults in the page.
func (b *tab) judge() []complaint {
	b.t.Helper()
	return probed[[]complaint](b, `const B = probe.boxes(), T = probe.texts(B); return layout(T, B).concat(contrast(T), faults(T));`)
}

// faults runs the probe of faults alone, which is the cheapest.
func (b *tab) faults() []complaint {
	b.t.Helper()
	return probed[[]complaint](b, `return faults(probe.texts(probe.boxes()));`)
}

// probed returns the value of a function whose body knows the probes.
func probed[T any](b *tab, body string) T {
	b.t.Helper()
	script := ""
	for _, name := range []string{"common", "layout", "contrast", "faults"} {
		text := oktest.Must(probes.ReadFile("testdata/" + name + ".js"))(b.t)
		script += string(text)
	}
	return eval[T](b, "(function () {"+script+";"+body+"})()")
}

// look is the state of a window.
type look struct {
	width       int64
	theme, lang string
}

// looks are the states in which a page is judged, each by one change from the one before, since every change takes
// time. Chinese is shorter than English, and stands on a tablet as on one of the two others. A page of several profiles
// shows them in turn, another in each look.
var looks = []look{
	{390, "light", "en"}, {390, "dark", "en"}, {390, "dark", "zh"}, {1280, "dark", "zh"}, {1280, "dark", "en"},
	{1280, "light", "en"}, {768, "light", "en"}, {768, "dark", "en"},
}

// looksOf returns the looks in which the i-th page is judged: with GRADSYNC_LONG all, else
// of a document every fourth, and of every fourth result's page one, by turns.
func looksOf(page string, i int) (out []look) {
	for k, x := range looks {
		document := !strings.Contains(page, "/")
		if long || document && k%4 == i%4 || !document && i%4 == 0 && k == i/4%len(looks) {
			out = append(out, x)
		}
	}
	return out
}

// TestPages: each page opens from its file and asks for nothing but files of its folder,
// and at the width of a phone, a tablet and a desk all its plots stand; light and
// dark and in Chinese no text is cut off, covered, outside the window or hard to read.
// Then nothing of it moves by itself, and, of documents and with GRADSYNC_LONG of all, it is
// printed, what is folded with the rest. A page is loaded once.
func TestPages(t *testing.T) {
	t.Parallel()
	for n, page := range committed(t) {
		all := looksOf(page, n)
		if len(all) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			for i, x := range all {
				b.size(x.width, 8000) // fewer steps to scroll, and the same layout
				b.media("screen", "prefers-color-scheme", x.theme, "prefers-reduced-motion", "reduce")
				if i == 0 {
					b.open(filepath.Join(folder(t), page))
					b.unfold(true)
				}
				eval[any](b, fmt.Sprintf(`(all => all.length && all[%d %% all.length].click())(document.querySelectorAll("input.profile"))`, i))
				eval[any](b, `(l => l.checked === (`+js(x.lang)+` === "zh") || l.click())(document.getElementById("lang"))`)
				b.step(fmt.Sprintf("%d px, %s, %s", x.width, x.theme, x.lang), looked)
			}
			b.size(1280, 900)
			b.step("calm", calm)
			if long || !strings.Contains(page, "/") {
				b.unfold(false)
				b.step("printed", printed)
			}
			inside := address(folder(t)) + "/"
			for _, a := range b.asked() {
				if !strings.HasPrefix(a, inside) && !strings.HasPrefix(a, "data:") {
					t.Errorf("asks for %.200s, outside %s", a, inside)
				}
			}
		})
	}
}

// looked judges a page as it is.
func looked(b *tab) {
	b.settled()
	for _, bad := range eval[[]string](b, `(`+plotless+`)()`) {
		b.t.Error(bad)
	}
	b.complain(b.judge())
}

// complain fails the test with what the probes found.
func (b *tab) complain(found []complaint) {
	b.t.Helper()
	for _, c := range found {
		b.t.Errorf("%s: %s: %s", c.Kind, c.At, c.What)
	}
}
