package browser

import (
	"path/filepath"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports"
)

// TestSingleFiles: a page that holds everything asks for nothing but itself, and
// is drawn and worked like the others.
func TestSingleFiles(t *testing.T) {
	started(t)
	results := oktest.Must(quick("ring"))(t)
	pages := oktest.Must(reports.Render(reports.Options{Results: results, Out: t.TempDir(), SingleFile: true}))(t)
	if len(pages) < 8 {
		t.Fatalf("%d pages are rendered, want an index, the page of the ring and its results", len(pages))
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			b := newTab(t)
			b.open(page)
			for _, bad := range eval[[]string](b, `(`+plotless+`)()`) {
				t.Error(bad)
			}
			eval[any](b, `document.getElementById("theme").click()`)
			if n := eval[int](b, `document.querySelectorAll(".widget").length`); n > 0 {
				b.media("screen", "prefers-reduced-motion", "reduce")
				work(b, 0)
			}
			real := 0
			for _, a := range b.asked() {
				if len(a) < 5 || a[:5] != "data:" {
					real++
				}
				if real > 1 {
					t.Errorf("asks for %.200s", a)
				}
			}
			if real != 1 {
				t.Errorf("%d requests, want 1, the page", real)
			}
		})
	}
}
