package reports

import (
	"html"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	pages "gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
)

// A claim in words is judged by a criterion in words, which the page prints
// instead of a tolerance; a claim of numbers has its tolerance.
func TestClaimsInWordsShowTheirCriterion(t *testing.T) {
	oktest.Slow(t)
	p09, _ := claims.Get("P09")
	row := claimOn(t, pageOf(t, "ringsparse/example-choice.html"), "P09")
	if !strings.Contains(row, ">criterion</th><td>"+html.EscapeString(typeset.Pretty(p09.ToleranceWhy))) || strings.Contains(row, "±") {
		t.Errorf("P09: %s", row)
	}
	page := pageOf(t, "ring/example-cost.html")
	if row := claimOn(t, page, "B05"); strings.Contains(row, "criterion") || !strings.Contains(row, "±0.108") {
		t.Errorf("B05: %s", row)
	}
	if row := claimOn(t, page, "B14"); !strings.Contains(row, "650–700"+typeset.NBSP+"ms") || !strings.Contains(row, ">criterion</th><td>a range") {
		t.Errorf("B14: %s", row)
	}
	// D42 states a list of numbers: its reason is no criterion, and its numbers have names.
	row = claimOn(t, pageOf(t, "dasp/example5.html"), "D42")
	if strings.Contains(row, "criterion") {
		t.Errorf("a list of numbers has a criterion: %s", row)
	}
	for _, want := range []string{"DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720", "DASP/BSP 0.819; SSP/BSP 0.8; DSSP/BSP −1",
		"DASP/BSP [0.8100, 0.8300]; SSP/BSP –; DSSP/BSP [−2, 0]"} {
		if !strings.Contains(strings.ReplaceAll(row, typeset.NBSP, " "), want) {
			t.Errorf("D42 lacks %q: %s", want, row)
		}
	}
}

// A claim out of scope, and one of a text that a document cites, stand apart in the list and are in no count.
func TestClaimsOutOfScopeAreNotCounted(t *testing.T) {
	file := ran.File{Result: &result.Result{ID: "dasp/anchor", Profile: "quick", Status: result.Complete,
		Claims: []result.Claim{{ID: "X01", Verdict: claims.NotRun}, {ID: "X13", Verdict: claims.Differs},
			{ID: "D01", Verdict: claims.Differs}}}, Stem: "anchor"}
	l := loaded{File: file}
	for _, c := range file.Claims {
		l.ClaimRows = append(l.ClaimRows, notebook.ClaimRow{Claim: c})
	}
	r := oktest.Must(newRenderer(Options{}))(t)
	doc := r.claimsOf(cited.Find("dasp"), []loaded{l})
	if len(doc.Groups) != 2 || doc.Groups[0].ID != "judged" || doc.Groups[0].Rows[0].ID != "D01" || doc.Groups[1].ID != "left" ||
		len(doc.Groups[1].Rows) != 2 {
		t.Errorf("groups %+v", doc.Groups)
	}
	if ts := counted(file.Claims); len(ts) != 1 || ts[0].Key != claims.WordNot || ts[0].N != 1 {
		t.Errorf("counted %v", ts)
	}
}

// Each claim of a list has what every profile found; where one lacks the experiment, the first stands.
func TestTheListHasAllProfiles(t *testing.T) {
	page := pageOfTwins(t, "dasp/claims.html")
	row := cut(t, page, `<tr id="D10"`, "</tr>")
	if strings.Count(row, `class="profiled `) != 4 || !strings.Contains(row, `data-k="holds"`) || !strings.Contains(row, `data-k="not"`) {
		t.Errorf("D10: %s", row)
	}
	for _, want := range []string{`<div class="filters`, `<option value="holds"`, `id="restated"`, `id="inputs"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the list lacks %s", want)
		}
	}
	for _, v := range pages.Verdicts { // those that some claim has can be chosen
		if strings.Contains(page, `<option value="`+v.Key+`"`) != strings.Contains(page, `data-k="`+v.Key+`"`) {
			t.Errorf("verdict %s", v.Key)
		}
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
	oktest.Slow(t)
	for name, words := range map[string][]string{
		"ring.html":       {"A blog, rebuilt from its text", "Bringing HPC Techniques", "The blog itself"},
		"ringsparse.html": {"A patent, rebuilt from its text", "一种面向大规模深度神经网络的分布式训练方法", "The patent itself"},
		"codedsgd.html":   {"A paper, rebuilt from its text", "一种基于分布式编码的同步梯度下降算法", "10.19678/j.issn.1000-3428.0057340", "The paper itself"},
		"dasp.html":       {"A paper, rebuilt from its text", "The paper itself"},
	} {
		page := pageOf(t, name)
		for _, w := range words {
			if !strings.Contains(page, w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
}
