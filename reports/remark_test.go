package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/ran"
)

// Pages show the remarks in the bar, in the rows and in the legend.
func TestThePageShowsRemarks(t *testing.T) {
	page := pageOf(t, "dasp.html")
	for _, want := range []string{`<span class="of">(1 derived)`, "it follows from what the source states", "The first rule that fits decides"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, page := range []string{page, pageOf(t, "dasp/example5.html")} {
		if row := claimOn(t, page, "D16"); !strings.Contains(row, `v-undecided`) {
			t.Errorf("the row is not undecided: %s", row)
		}
	}
	if strings.Contains(pageOf(t, "compare.html"), "it follows from what the source states") {
		t.Error("a page without the remark explains it")
	}
}

// A page explains the remarks that its claims have.
func TestRemarksThatWereMade(t *testing.T) {
	derived := result.Claim{Verdict: claims.Equal, Remark: claims.DerivedRemark}
	if n := len(made([]loaded{{File: ran.File{Result: &result.Result{Claims: []result.Claim{derived}}}}})); n != 1 {
		t.Errorf("%d remarks to explain, want 1", n)
	}
}
