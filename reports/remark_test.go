package reports

import (
	"fmt"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// A tally says how many of its claims the seeds do not decide and how many were given,
// each of its own verdict only, and a row says it beside its verdict.
func TestTalliesSayWhatIsUndecidedAndGiven(t *testing.T) {
	open := result.Claim{Verdict: claims.Differs, Why: "the 95 % interval [-1, 1] contains the null 0"}
	given := result.Claim{Verdict: claims.Equal, Why: claims.SetAsStated}
	both := open
	both.Differs = []string{claims.TakenOver}
	ts := count([]result.Claim{open, given, both, {Verdict: claims.Differs}, {Verdict: claims.Equal}, given, {Verdict: claims.Within, Source: "DASP, derived"}})
	got := ""
	for _, x := range ts {
		got += fmt.Sprintf("%s %d", x.Key, x.N)
		for _, p := range x.Of {
			got += fmt.Sprintf(" %s %d", p.Key, p.N)
		}
		got += "; "
	}
	if want := "equal 3 given 2; within 1 derived 1; differs 3 undecided 2; "; got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if n := len(made([]loaded{{Result: &result.Result{Claims: []result.Claim{given}}}})); n != 1 {
		t.Errorf("%d remarks to explain, want 1", n)
	}
	if remarkOn(result.Claim{Verdict: claims.Within}).Word != "" {
		t.Error("a remark on a claim that needs none")
	}
}

// The fixture's page shows the remarks in the bar, in the rows and in the legend.
func TestThePageShowsRemarks(t *testing.T) {
	page := pageOf(t, "dasp.html")
	for _, r := range fixture() {
		for _, c := range r.Claims {
			if remarkOn(c).Key == "undecided" {
				for _, want := range []string{`<span class="of">(`, `<span class="remark">`, "the value of no effect"} {
					if !strings.Contains(page, want) {
						t.Errorf("the page lacks %q", want)
					}
				}
				return
			}
		}
	}
	t.Error("no claim of the fixture is undecided")
}
