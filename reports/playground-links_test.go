package reports

import (
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/page"
)

// Beside pages without the formula or the experiment, nothing leads there.
func TestPlaygroundLeadsWhereAPageIs(t *testing.T) {
	r, frame := oktest.Must(newRenderer(Options{}))(t), oktest.Must(page.NewFrame(true))(t)
	for _, want := range []bool{true, false} {
		out := page.Outputs{"ring/code.html": []byte(`<p id="bytes"></p>`)}
		pages := []string{"index.html", "ring.html", "ring/code.html"}
		if want {
			out["ring/placement.html"], pages = []byte("<p></p>"), append(pages, "ring/placement.html")
		}
		oktest.Nil(t, addPlayground(out, r.pages, frame, pages, ""))
		page := string(out["playground.html"])
		if got := strings.Contains(page, `href="ring/placement.html"`); got != want || !strings.Contains(page, `href="ring/code.html#bytes"`) {
			t.Errorf("with that page %v: a link to placement %v", want, got)
		}
		for _, not := range []string{`href="ring/code.html#break-even"`, `href="dasp`} {
			if strings.Contains(cut(t, page, `<main`, "</main>"), not) {
				t.Errorf("a link leads nowhere: %s", not)
			}
		}
	}
}
