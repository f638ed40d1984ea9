package reports

import (
	"strings"
	"testing"

	"gradsync/reports/page"
)

// Beside pages without the formula or the experiment, nothing leads there.
func TestPlaygroundLeadsWhereAPageIs(t *testing.T) {
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	frame, err := page.NewFrame(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		out := page.Outputs{"ring/code.html": []byte(`<p id="bytes"></p>`)}
		pages := []string{"index.html", "ring.html", "ring/code.html"}
		if want {
			out["ring/placement.html"], pages = []byte("<p></p>"), append(pages, "ring/placement.html")
		}
		if err := addPlayground(out, r.pages, frame, pages, ""); err != nil {
			t.Fatal(err)
		}
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
