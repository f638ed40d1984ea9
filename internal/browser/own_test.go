package browser

import (
	"path/filepath"
	"testing"

	"gradsync/reports"
)

// TestOwnPages: the one page that a student hands in of his own comparison has no fault at a phone's width
// nor at a desk's, in either theme and language, and prints on three sheets of A4: with one table, and with
// a table for each of four links.
func TestOwnPages(t *testing.T) {
	started(t)
	const most = 3
	for _, name := range []string{"sample", "links"} {
		t.Run(name, func(t *testing.T) {
			pages, err := reports.Render(reports.Options{Results: filepath.Join("../../experiments/own/testdata", name), Experiment: "own/" + name,
				Out: t.TempDir(), SingleFile: true})
			if err != nil {
				t.Fatal(err)
			}
			b := newTab(t)
			for i, x := range []look{{390, "light", "en"}, {390, "dark", "zh"}, {1280, "light", "zh"}, {1280, "dark", "en"}} {
				b.size(x.width, 8000)
				b.media("screen", "prefers-color-scheme", x.theme, "prefers-reduced-motion", "reduce")
				if i == 0 {
					b.open(pages[len(pages)-1])
					b.unfold(true)
				}
				eval[any](b, `(l => l.checked === (`+js(x.lang)+` === "zh") || l.click())(document.getElementById("lang"))`)
				b.step(x.theme+" "+x.lang, looked)
			}
			b.unfold(false)
			b.step("printed", printed)
			n := len(sheet.FindAll(b.paper(), -1))
			t.Logf("%s: %d sheets", filepath.Base(pages[len(pages)-1]), n)
			if n > most {
				t.Errorf("%d sheets of A4, at most %d", n, most)
			}
		})
	}
}
