package reports

import (
	"fmt"
	"html/template"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// The page that compares all methods is of no document: it claims nothing, cites
// nobody, and every other page leads to it.
func TestCompareIsNoDocument(t *testing.T) {
	page := pageOf(t, "compare.html")
	for _, no := range []string{`id="claims"`, `id="formulas"`, `id="algorithms"`, "claims, and what we found", `id="bib-paper"`, `class="citation"`, `href="#claims"`, "the authors of the comparison"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, yes := range []string{"Invented: take the invented method", `id="when"`, `id="prov-when"`, `id="bib-gradsync"`} {
		if !strings.Contains(page, yes) {
			t.Errorf("the page lacks %q", yes)
		}
	}
	if short, results := strings.Index(page, `<h2 id="short">`), strings.Index(page, `id="results-h"`); short < 0 || results < short {
		t.Errorf("in short at %d, the results at %d", short, results)
	}
	answer, notes, figure, more := strings.Index(page, `id="when-advice"`), strings.Index(page, `<ul class="notes">`), strings.Index(page, `id="when-bars"`), strings.Index(page, `id="when-more"`)
	if answer < 0 || notes < answer || figure < notes || more < figure {
		t.Errorf("the answer at %d, the sentences at %d, the figure at %d, another table at %d", answer, notes, figure, more)
	}
	for _, name := range pageNames {
		want := 1
		if name == "compare.html" {
			want = 0
		}
		bar := cut(t, pageOf(t, name), `<header class="bar">`, "</header>")
		if n := strings.Count(bar, `href="compare.html"`); n != want {
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
	tr, err := newTranslator()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.New("").Funcs(tr.funcs()).ParseFS(templates, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, claims := range [][]claimTable{nil, {{}}} {
		var b strings.Builder
		if err := tmpl.ExecuteTemplate(&b, "reading", &paperPage{Paper: &papers[0], Several: true, Claims: claims}); err != nil {
			t.Fatal(err)
		}
		page := english(b.String())
		if !strings.Contains(page, "neither corrects the other.") || strings.Contains(page, "two verdicts differ") != (claims != nil) {
			t.Errorf("with %d tables of claims the page reads\n%s", len(claims), page)
		}
	}
}

// All methods of the four documents can stand in one figure and be told apart.
func TestAllMethodsAreToldApart(t *testing.T) {
	var series []result.Series
	for _, m := range compared {
		series = append(series, result.Series{Name: m, Group: m})
	}
	of := looks(series)
	for i, a := range compared {
		for _, b := range compared[:i] {
			if l := of[a]; l.like(of[b]) || l.Colour == of[b].Colour && fmt.Sprint(l.Dash, l.Symbol) == fmt.Sprint(of[b].Dash, of[b].Symbol) {
				t.Errorf("%s and %s both are %s with one texture or one dash", a, b, of[a].Colour)
			}
		}
	}
}
