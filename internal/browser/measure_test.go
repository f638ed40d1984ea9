package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports"
)

// TestMeasure writes the table of all pages: GRADSYNC_LONG=1 go test ./internal/browser -run TestMeasure -v.
// The last column is when a page's scripts have run and it answers, which depends on the machine and is
// reported alone; what is bounded other tests hold.
func TestMeasure(t *testing.T) {
	if !long {
		t.Skip("measures every page with GRADSYNC_LONG")
	}
	table := []string{"| page | screens at 1280 / 390 px | words | KB | elements | A4 | ms to interaction |", "|---|---|---|---|---|---|---|"}
	b := newTab(t)
	for _, name := range committed(t) {
		file := filepath.Join(folder(t), name)
		raw := oktest.Must(os.ReadFile(file))(t)
		w := oktest.Must(reports.Weigh(raw))(t)
		var screens [2]float64
		b.media("screen", "prefers-color-scheme", "light")
		b.size(1280, 900)
		b.open(file)
		b.frames(2)
		ready := eval[float64](b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
		for i, at := range [][2]int64{{1280, 900}, {390, 844}} {
			b.size(at[0], at[1])
			b.frames(2)
			screens[i] = eval[float64](b, `document.documentElement.scrollHeight`) / float64(at[1])
		}
		b.size(688, 1000) // A4 without its margins
		b.media("print")
		pdf := b.paper()
		if len(pdf) == 0 || ready <= 0 || screens[0] <= 0 || w.Words[0] == 0 {
			t.Errorf("%s: %d bytes of PDF, %g ms, %g screens, %d words", name, len(pdf), ready, screens[0], w.Words[0])
		}
		table = append(table, fmt.Sprintf("| %s | %.1f / %.1f | %d | %d | %d | %d | %.0f |", strings.TrimSuffix(name, ".html"), screens[0], screens[1],
			w.Words[0], (len(raw)+999)/1000, w.Nodes, len(sheet.FindAll(pdf, -1)), ready))
	}
	t.Log("\n" + strings.Join(table, "\n"))
}
