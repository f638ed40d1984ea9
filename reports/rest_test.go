package reports

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// What rows of a story have shown and what they leave add up to what is counted; rows that show more are refused.
func TestRowsAddUpToTheCount(t *testing.T) {
	counts := counted([]result.Claim{{ID: "D01", Verdict: claims.Differs}, {ID: "D02", Verdict: claims.Differs}, {ID: "D03", Verdict: claims.Undecided},
		{ID: "D42", Verdict: claims.Differs, Remark: claims.DerivedRemark}})
	rest, err := unshown(counts, map[string]int{claims.WordNot: 1})
	if err != nil || len(rest) != 2 || rest[0].Key != claims.WordNot || rest[0].N != 1 || rest[1].Key != claims.WordCannot || rest[1].N != 1 {
		t.Errorf("rest %v, %v", rest, err)
	}
	if counts[0].N != 2 {
		t.Errorf("the counts changed: %v", counts)
	}
	if rest, err := unshown(counts, map[string]int{claims.WordNot: 2, claims.WordCannot: 1}); err != nil || len(rest) != 0 {
		t.Errorf("rest %v, %v, want none", rest, err)
	}
	for _, shown := range []map[string]int{{claims.WordNot: 3}, {claims.WordHolds: 1}} {
		if _, err := unshown(counts, shown); err == nil {
			t.Errorf("rows that show %v are accepted", shown)
		}
	}
}

// Expected words: written by hand.
func TestChipsCount(t *testing.T) {
	for l, want := range [2]string{"1 does not hold", "1 项不成立"} {
		html := string(chips(l, []string{claims.WordHolds, claims.WordNot, claims.WordHolds}))
		first := strings.Index(html, "v-"+claims.WordHolds)
		if first < 0 || strings.Index(html, "v-"+claims.WordNot) < first || !strings.Contains(html, ">"+want+"<") || strings.Count(html, "chip") != 2 {
			t.Errorf("%s", html)
		}
		if one := string(chips(l, []string{claims.WordNot})); strings.Contains(one, "1") {
			t.Errorf("one claim: %s", one)
		}
	}
}
