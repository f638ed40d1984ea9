package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
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
