package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/reports/cited"
)

// Without scripts the table stands open and the widget takes no room; the diagram of a
// document stands on its page too.
func TestWidgetsLeaveTheTable(t *testing.T) {
	root := t.TempDir()
	of := map[string]string{"codedsgd/accounting": "accounting-loads", "codedsgd/fig2": "fig2-packets-3-2", "dasp/walk": "walk-events", "ring/steps": "steps-transfers", "ringsparse/decisions": "decisions-hops"}
	for id := range of {
		r, err := result.Read(result.Path("../experiments/results", id, "quick"))
		if err != nil {
			t.Fatal(err)
		}
		put(t, root, r)
	}
	files, err := renderFrom(root, false)
	if err != nil {
		t.Fatal(err)
	}
	for id, anchor := range of {
		page := files[id+".html"]
		box := cut(t, page, `<div class="tablebox" id="`+anchor+`"`, `class="tools"`)
		if !strings.Contains(box, `hidden="hidden"><script type="application/json">`) || !strings.Contains(box, `<table class="data"`) {
			t.Errorf("%s has no hidden widget beside its table: %.600s", id, box)
		}
		if strings.Contains(box, "<details") && !strings.Contains(box, `<details class="rows" open="open">`) {
			t.Errorf("%s: the table is closed for a reader without scripts", id)
		}
		if n := strings.Count(page, `src="../assets/widgets.js"`); n != 1 {
			t.Errorf("%s loads the widgets %d times", id, n)
		}
	}
	for _, p := range cited.Documents {
		page := files[p.Key+".html"]
		if n := strings.Count(page, `class="widget idea`); p.Diagram != "" && n != 1 || n != strings.Count(page, `src="assets/widgets.js"`) {
			t.Errorf("the page of %s has %d diagrams", p.Key, n)
		}
		at := strings.Index(page, `class="widget idea`)
		if id, _, _ := strings.Cut(p.Diagram, "#"); p.Diagram != "" && !strings.Contains(page[at:], `<a href="`+id+`.html">`) {
			t.Errorf("the diagram of %s does not lead to its numbers", p.Key)
		}
	}
	if strings.Contains(files["index.html"], "widgets.js") || strings.Contains(pageOf(t, "dasp/example5.html"), "widgets.js") {
		t.Error("a page without widgets loads them")
	}
}
