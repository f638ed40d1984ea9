package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// screens are how tall a result's page may be, in windows, by the window's width.
var screens = map[int64]float64{1280: 4, 390: 6}

// onPhone are the pages that may be taller on a phone: there each row of their document's own table is a card.
var onPhone = map[string]float64{"codedsgd/proof.html": 9, "dasp/table7.html": 7}

// A result's page is short, and its figures can be read, in a window and on a phone: with GRADSYNC_LONG every one, else
// every sixth.
func TestResultPagesAreShort(t *testing.T) {
	pages := oktest.Must(filepath.Glob(filepath.Join(folder(t), "*", "*.html")))(t)
	n := 0
	for _, page := range pages {
		raw := oktest.Must(os.ReadFile(page))(t)
		if !strings.Contains(string(raw), `class="one result-page"`) {
			continue
		}
		if n++; !long && n%6 != 0 {
			continue
		}
		name := filepath.Base(filepath.Dir(page)) + "/" + filepath.Base(page)
		t.Run(name, func(t *testing.T) {
			b, widths := newTab(t), []int64{1280, 390}
			said := fmt.Sprintf("%d KB", len(raw)/1000)
			for _, w := range widths {
				tall := int64(900)
				if w < 600 {
					tall = 844
				}
				if b.size(w, tall); w == widths[0] {
					b.open(page)
				}
				b.frames(2)
				has := eval[float64](b, `document.documentElement.scrollHeight`) / float64(tall)
				said += fmt.Sprintf(", %.1f screens of %d", has, w)
				most := screens[w]
				if w == 390 {
					most = max(most, onPhone[name])
				}
				if has > most {
					t.Errorf("%.1f screens at %d px, at most %v", has, w, most)
				}
				b.complain(b.faults())
				if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > w {
					t.Errorf("%d px wide in a window of %d", wide, w)
				}
			}
			t.Logf("%s, %v elements", said, eval[int](b, `document.querySelectorAll("*").length`))
		})
	}
	if n < 50 {
		t.Errorf("%d pages of results", n)
	}
}
