package browser

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPagesOpen: each page opens from its file, draws all its charts, logs
// nothing and asks for nothing but files of its folder.
func TestPagesOpen(t *testing.T) {
	for _, page := range committed(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			b := newTab(t)
			b.open(page)
			figures := eval[int](b, `document.querySelectorAll("figure.chart").length`)
			if n := b.drawn(); n != figures {
				t.Errorf("%d of %d charts are drawn after scrolling through", n, figures)
			}
			folder := address(filepath.Dir(page)) + "/"
			for _, a := range b.asked() {
				if !strings.HasPrefix(a, folder) && !strings.HasPrefix(a, "data:") {
					t.Errorf("asks for %s, outside %s", a, folder)
				}
			}
		})
	}
}
