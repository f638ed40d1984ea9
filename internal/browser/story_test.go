package browser

import (
	"path/filepath"
	"strings"
	"testing"
)

// tallest is how tall pages may be, in windows of 1280 by 900 and of 390 by 844 px, by the end of their names;
// the first that fits holds, and zero sets no bound.
var tallest = []struct {
	name       string
	desk, hand float64
}{
	{"index.html", 4, 5}, {"playground.html", 0, 9}, {"compare.html", 7, 8}, {"/code.html", 0, 8}, {"/claims.html", 0, 0}, {"/provenance.html", 0, 0},
	{"/assumptions.html", 0, 8}, {"ring.html", 7, 12}, {"ringsparse.html", 7, 12}, {"dasp.html", 7, 12}, {"codedsgd.html", 7, 12},
}

// Stories and the pages beside them are short, and their figures and words can be read, in a window and on a phone.
func TestStoriesAreShort(t *testing.T) {
	n := 0
	for _, page := range committed(t) {
		for _, most := range tallest {
			if !strings.HasSuffix("/"+page, most.name) && page != most.name {
				continue
			}
			n++
			t.Run(page, func(t *testing.T) {
				b := newTab(t)
				for i, w := range []struct {
					wide, tall int64
					most       float64
				}{{1280, 900, most.desk}, {390, 844, most.hand}} {
					if b.size(w.wide, w.tall); i == 0 {
						b.open(filepath.Join(folder(t), page))
					}
					b.frames(2)
					has := eval[float64](b, `document.documentElement.scrollHeight`) / float64(w.tall)
					t.Logf("%.1f screens of %d px", has, w.wide)
					if w.most > 0 && has > w.most {
						t.Errorf("%.1f screens at %d px, at most %v", has, w.wide, w.most)
					}
					b.complain(b.faults())
					if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > w.wide {
						t.Errorf("%d px wide in a window of %d", wide, w.wide)
					}
				}
			})
			break
		}
	}
	if n < 20 {
		t.Errorf("%d pages", n)
	}
}
