package reports

import (
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/page"
)

// weighed is a page with a bit of everything that is counted or not.
const weighed = `<!doctype html>
<html lang="en"><head><title>not seen</title></head><body><header class="bar">not seen</header>
<main class="one result-page"><input type="radio"/>
<div class="profiled finding p-standard"><p><span class="en">Three words here 45 %</span><span class="zh">四个汉字</span></p></div>
<div class="profiled finding p-quick"><p>not shown</p><table></table></div>
<table><tr><td>ResNet-18</td></tr></table><figure></figure><details><summary>folded</summary><table></table><p>not seen</p></details></main></body></html>`

func TestWeigh(t *testing.T) {
	w := oktest.Must(Weigh([]byte(weighed)))(t)
	if want := (Weight{Words: [2]int{4, 3}, Bytes: len(weighed), Nodes: strings.Count(weighed, "<") - strings.Count(weighed, "</") - 1, Tables: 1,
		Figures: 1}); w != want {
		t.Errorf("%+v, want %+v", w, want)
	}
	if _, err := Weigh([]byte("<p><b>x</p></b><i")); err == nil {
		t.Error("no tree is weighed")
	}
}

// A page that is over its budget is named with what is too much.
func TestOverBudget(t *testing.T) {
	long := strings.Replace(weighed, "Three words here", strings.Repeat("so many words ", 300), 1)
	lines, err := OverBudget(page.Outputs{"dasp/a.html": []byte(weighed), "dasp/b.html": []byte(long), "playground.html": make([]byte, 9e6),
		"assets/x.js": make([]byte, 9e6)})
	if want := []string{"dasp/b.html: 901 words in English, at most 700"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v, want %q", lines, err, want)
	}
	tables := strings.Replace(weighed, "<figure>", "<table></table><table></table><figure></figure><figure>", 1)
	if lines, _ = OverBudget(page.Outputs{"dasp/c.html": []byte(tables)}); len(lines) != 2 {
		t.Errorf("%q, want tables and figures", lines)
	}
	heavy := strings.Replace(weighed, "</main>", "<!--"+strings.Repeat("x", 90_000)+"--></main>", 1)
	if lines, _ = OverBudget(page.Outputs{"dasp/d.html": []byte(heavy), "dasp/claims.html": []byte("<html><!--" + strings.Repeat("x", allKB*1000-1000) +
		"--></html>")}); len(lines) != 4 {
		t.Errorf("%q, want both pages, the average and the sum", lines)
	}
}
