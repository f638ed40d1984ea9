package reports

import (
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// The page that compares all methods is of no document: it judges nothing and cites nobody, and every other
// page of the same rank leads to it.
func TestCompareIsNoDocument(t *testing.T) {
	oktest.Slow(t)
	page := pageOf(t, "compare.html")
	for _, no := range []string{`id="bib-paper"`, `class="tallied"`, `compare/claims.html`, `compare/code.html`} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, yes := range []string{`href="compare/example-when.html"`, `id="bib-gradsync"`, `href="compare/provenance.html"`} {
		if !strings.Contains(page, yes) {
			t.Errorf("the page lacks %q", yes)
		}
	}
	for _, name := range []string{"index.html", "playground.html"} {
		if bar := cut(t, pageOf(t, name), `<header class="bar">`, "</header>"); !strings.Contains(bar, `compare.html"`) {
			t.Errorf("the bar of %s does not lead there", name)
		}
	}
	index := pageOf(t, "index.html")
	if list := cut(t, index, `<ul class="docs">`, "</ul>"); strings.Contains(list, "compare") || strings.Count(list, "<li>") != 4 {
		t.Error("the list of documents is not the four documents")
	}
	if !strings.Contains(index, "Which method when") {
		t.Error("the index does not lead to the comparison")
	}
}
