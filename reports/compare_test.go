package reports

import (
	"strings"
	"testing"

	"gradsync/reports/cited"
)

// The page that compares all methods is of no document: it claims nothing, cites
// nobody, and every other page leads to it.
func TestCompareIsNoDocument(t *testing.T) {
	page := pageOf(t, "compare.html")
	for _, no := range []string{`id="claims"`, `id="formulas"`, `id="algorithms"`, "claims, and what we found", `id="bib-paper"`, `class="citation"`,
		`href="#claims"`, "the authors of the comparison"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, yes := range []string{"Invented: take the invented method", `id="example-when"`, `id="prov-example-when"`, `id="bib-gradsync"`} {
		if !strings.Contains(page, yes) {
			t.Errorf("the page lacks %q", yes)
		}
	}
	if short, results := strings.Index(page, `<h2 id="short">`), strings.Index(page, `id="results-h"`); short < 0 || results < short {
		t.Errorf("in short at %d, the results at %d", short, results)
	}
	own := pageOf(t, "compare/example-when.html")
	answer, figure, table := strings.Index(own, "Invented: take"), strings.Index(own, `id="example-when-bars"`), strings.Index(own, `id="example-when-times"`)
	if answer < 0 || figure < answer || table < figure {
		t.Errorf("the answer at %d, the figure at %d, the table at %d", answer, figure, table)
	}
	for _, name := range pageNames() {
		want := 1
		if name == "compare.html" {
			want = 0
		}
		bar := cut(t, pageOf(t, name), `<header class="bar">`, "</header>")
		if n := strings.Count(bar, `compare.html"`); n != want {
			t.Errorf("the bar of %s leads there %d times, want %d", name, n, want)
		}
	}
	index := pageOf(t, "index.html")
	if list := cut(t, index, `<ul class="papers">`, "</ul>"); strings.Contains(list, "compare") || strings.Count(list, "<li ") != 4 {
		t.Error("the list of documents is not the four documents")
	}
	if !strings.Contains(cut(t, index, `<section id="compare"`, "</section>"), "Which method when") {
		t.Error("the index does not lead to the comparison")
	}
}

// Only a page with verdicts says what profiles that disagree are.
func TestDisagreementIsExplainedWhereThereAreVerdicts(t *testing.T) {
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, judged := range [][]claimBlock{nil, {{}}} {
		var b strings.Builder
		if err := r.pages.ExecuteTemplate(&b, "reading", &paperPage{Paper: &cited.Documents[0], Several: true, Judged: judged}); err != nil {
			t.Fatal(err)
		}
		page := english(b.String())
		if !strings.Contains(page, "neither corrects the other.") || strings.Contains(page, "two verdicts differ") != (judged != nil) {
			t.Errorf("with %d blocks of claims the page reads\n%s", len(judged), page)
		}
	}
}
