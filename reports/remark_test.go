package reports

import (
	"fmt"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// A tally says how many of its claims the seeds do not decide and how many were given,
// each of its own verdict only, and a row says it beside its verdict.
func TestTalliesSayWhatIsUndecidedAndGiven(t *testing.T) {
	open := result.Claim{Verdict: claims.Differs, Remark: claims.UndecidedRemark}
	given := result.Claim{Verdict: claims.Equal, Remark: claims.GivenRemark}
	ts := count([]result.Claim{open, given, {Verdict: claims.Differs, Remark: claims.GivenRemark}, {Verdict: claims.Differs}, {Verdict: claims.Equal}, given,
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
	if n := len(made([]loaded{{Result: &result.Result{Claims: []result.Claim{given}}}})); n != 1 {
		t.Errorf("%d remarks to explain, want 1", n)
	}
	if remarkOn(result.Claim{Verdict: claims.Within}).Word.En() != "" {
		t.Error("a remark on a claim that needs none")
	}
}

// Pages show the remarks in the bar, in the rows and in the legend.
func TestThePageShowsRemarks(t *testing.T) {
	page := pageOf(t, "dasp.html")
	for _, want := range []string{`<span class="of">(1 undecided)`, "the value of no effect"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, page := range []string{page, pageOf(t, "dasp/example5.html")} {
		if row := claimOn(t, page, "D16"); !strings.Contains(row, `<span class="remark">undecided</span>`) {
			t.Errorf("the row lacks the remark: %s", row)
		}
	}
	if strings.Contains(pageOf(t, "compare.html"), "the value of no effect") {
		t.Error("a page without the remark explains it")
	}
}
