package page

import (
	"fmt"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// A tally says how many of its claims the seeds do not decide and how many were given,
// each of its own verdict only, and a row says it beside its verdict.
func TestTalliesSayWhatIsUndecidedAndGiven(t *testing.T) {
	open := result.Claim{Verdict: claims.Differs, Remark: claims.UndecidedRemark}
	given := result.Claim{Verdict: claims.Equal, Remark: claims.GivenRemark}
	ts := Count([]result.Claim{open, given, {Verdict: claims.Differs, Remark: claims.GivenRemark}, {Verdict: claims.Differs}, {Verdict: claims.Equal}, given,
		{Verdict: claims.Within, Remark: claims.DerivedRemark}})
	got := ""
	for _, x := range ts {
		got += fmt.Sprintf("%s %d", x.Key, x.N)
		for _, p := range x.Of {
			got += fmt.Sprintf(" %s %d", p.Key, p.N)
		}
		got += "; "
	}
	if want := "equal 3 given 2; within 1 derived 1; differs 3 undecided 1 given 1; "; got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if RemarkOn(result.Claim{Verdict: claims.Within}).Word.En() != "" {
		t.Error("a remark on a claim that needs none")
	}
}

// Every kind and every verdict has its words in both languages.
func TestWordsOfKindsAndVerdicts(t *testing.T) {
	two := func(what string, texts ...notebook.Both) {
		for _, s := range texts {
			if s.En() == "" || s.Zh() == "" {
				t.Errorf("%s: %q, %q", what, s.En(), s.Zh())
			}
		}
	}
	for _, k := range KindOrder {
		two(k, Kinds[k], kindNames[k])
	}
	for _, v := range Verdicts {
		two(v.Key, v.Word, v.Means)
	}
	for _, r := range Remarks {
		two(r.Key, r.Word, r.Means)
	}
	if len(Kinds) != len(KindOrder) || len(kindNames) != len(KindOrder) {
		t.Errorf("%d kinds, %d in order, %d names", len(Kinds), len(KindOrder), len(kindNames))
	}
}
