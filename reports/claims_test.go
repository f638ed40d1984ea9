package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
)

// A claim in words is judged by a criterion in words, which the page prints
// instead of a tolerance; a claim of numbers has its tolerance.
func TestClaimsInWordsShowTheirCriterion(t *testing.T) {
	p09, _ := claims.Get("P09")
	row := claimOn(t, pageOf(t, "ringsparse/example-choice.html"), "P09")
	if !strings.Contains(row, "<b>Criterion:</b> "+typeset.Pretty(p09.ToleranceWhy)) || strings.Contains(row, "±") {
		t.Errorf("P09: %s", row)
	}
	page := pageOf(t, "ring/example-cost.html")
	if row := claimOn(t, page, "B05"); strings.Contains(row, "Criterion") || !strings.Contains(row, "±0.108") {
		t.Errorf("B05: %s", row)
	}
	if row := claimOn(t, page, "B14"); !strings.Contains(row, "650–700"+typeset.NBSP+"ms") || !strings.Contains(row, "Criterion:</b> a range") {
		t.Errorf("B14: %s", row)
	}
	// D42 states a list of numbers: its reason is no criterion, and its numbers have names.
	row = claimOn(t, pageOf(t, "dasp/example5.html"), "D42")
	if strings.Contains(row, "Criterion") {
		t.Errorf("a list of numbers has a criterion: %s", row)
	}
	for _, want := range []string{"DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720", "DASP/BSP 0.819; SSP/BSP 0.8; DSSP/BSP −1",
		"DASP/BSP [0.8100, 0.8300]; SSP/BSP –; DSSP/BSP [−2, 0]"} {
		if !strings.Contains(strings.ReplaceAll(row, typeset.NBSP, " "), want) {
			t.Errorf("D42 lacks %q: %s", want, row)
		}
	}
}

// A claim out of scope is in no count and no row of its document's page, and the page says where its reason stands.
func TestClaimsOutOfScopeAreNotCounted(t *testing.T) {
	file := ran.File{Result: &result.Result{Claims: []result.Claim{{ID: "X01", Verdict: claims.NotRun}, {ID: "X13", Verdict: claims.Differs}}}, Stem: "anchor"}
	l := loaded{File: file}
	for _, c := range file.Claims {
		l.ClaimRows = append(l.ClaimRows, notebook.ClaimRow{Claim: c})
	}
	var doc paperPage
	doc.judge([]loaded{l}, &linkedView{Href: "dasp/anchor.html"})
	s := doc.Judged[0].Sides[0]
	if len(s.Rows) != 1 || s.Rows[0].ID != "X13" || len(s.Outside) != 1 || s.Outside[0].ID != "X01" || len(s.Tally) != 1 || s.Tally[0].Key != claims.Differs {
		t.Errorf("%d rows, %d outside, counted %v", len(s.Rows), len(s.Outside), s.Tally)
	}
	if n := claimCount([]loaded{l}); n != 1 {
		t.Errorf("%d claims counted, want 1", n)
	}
	doc.showEach()
	r, err := newRenderer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.pages.ExecuteTemplate(&b, "judgedblocks", doc.Judged); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "Out of scope") || !strings.Contains(text, `href="dasp/anchor.html#claim-`+s.Outside[0].Anchor+`">X01</a>`) {
		t.Errorf("the block reads %s", text)
	}
}

// Every row of the blog and of the patent has its criterion or its tolerance, and
// says why, so that no verdict of theirs is without a rule.
func TestEveryRowHasARule(t *testing.T) {
	rows := map[string]int{}
	for _, c := range claims.All() {
		if c.Paper != "ring" && c.Paper != "ringsparse" && c.Paper != "CSSGD" {
			continue
		}
		rows[c.Paper]++
		if c.Tolerance == nil || c.ToleranceWhy == "" {
			t.Errorf("%s has no rule: tolerance %v, %q", c.ID, c.Tolerance, c.ToleranceWhy)
		}
	}
	if rows["ring"] != 22 || rows["ringsparse"] != 14 || rows["CSSGD"] != 35 { // counted by hand in claims.csv
		t.Errorf("rows %v", rows)
	}
}

// Each page calls its source what it is.
func TestPagesCallTheSourceWhatItIs(t *testing.T) {
	for name, words := range map[string][]string{
		"ring.html":       {"What the blog claims", "the authors of the blog", "Bringing HPC Techniques", "<h3>The blog</h3>"},
		"ringsparse.html": {"What the patent claims", "the inventors of the patent", "一种面向大规模深度神经网络的分布式训练方法", "<h3>The patent</h3>"},
		"codedsgd.html":   {"What the paper claims", "一种基于分布式编码的同步梯度下降算法", "10.19678/j.issn.1000-3428.0057340", ">corrected<", "<h3>The paper</h3>"},
		"dasp.html":       {"What the paper claims", "the authors of the paper", "<h3>The paper</h3>"},
	} {
		page := pageOf(t, name)
		for _, w := range words {
			if !strings.Contains(page, w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
		if noun := words[len(words)-1]; noun != "<h3>The paper</h3>" && strings.Contains(page, "the paper’s") {
			t.Errorf("%s speaks of a paper", name)
		}
	}
}
