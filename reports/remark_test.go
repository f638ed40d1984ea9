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

// A page explains the remarks that its claims have.
func TestRemarksThatWereMade(t *testing.T) {
	given := result.Claim{Verdict: claims.Equal, Remark: claims.GivenRemark}
	if n := len(made([]loaded{{File: ran.File{Result: &result.Result{Claims: []result.Claim{given}}}}})); n != 1 {
		t.Errorf("%d remarks to explain, want 1", n)
	}
}
