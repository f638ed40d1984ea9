package reports

import (
	"strings"
	"testing"

	"gradsync/reports/page"
)

// Beside a page without the section of an experiment, nothing leads there.
func TestPlaygroundLeadsWhereASectionIs(t *testing.T) {
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	frame, err := page.NewFrame(true)
	if err != nil {
		t.Fatal(err)
	}
	for ring, want := range map[string]bool{
		`<p id="bytes"></p><section id="placement">`:                             true,
		`<p id="bytes"></p><section id="placement-ci"><a href="#placement"></a>`: false,
	} {
		out := page.Outputs{"ring.html": []byte(ring)}
		if err := addPlayground(out, r.pages, frame, []string{"index.html", "ring.html"}, ""); err != nil {
			t.Fatal(err)
		}
		page := string(out["playground.html"])
		if got := strings.Contains(page, `href="ring.html#placement"`); got != want || !strings.Contains(page, `href="ring.html#bytes"`) {
			t.Errorf("beside %s there is a link to #placement: %v", ring, got)
		}
		for _, not := range []string{`href="ring.html#break-even"`, `href="dasp.html`} {
			if strings.Contains(page, not) {
				t.Errorf("a link leads nowhere: %s", not)
			}
		}
	}
}
