package codedsgd

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

func verdictIs(t *testing.T, c result.Claim, want string, words ...string) {
	t.Helper()
	if c.Verdict != want {
		t.Errorf("%s: %s, want %s: %v, %s", c.ID, c.Verdict, want, c.Measured, c.Why)
	}
	for _, w := range words {
		if text, _ := c.Measured.(string); !strings.Contains(text+c.Why, w) {
			t.Errorf("%s does not say %q: %v, %s", c.ID, w, c.Measured, c.Why)
		}
	}
}

func TestJudgeFinals(t *testing.T) {
	ok := finals{Title: "DNN", Serial: []float64{0.9, 0.92}, SSGD: []float64{0.9, 0.901}, ASGD: []float64{0.95, 0.9}}
	verdictIs(t, judgeFinals([]finals{ok, ok}), claims.SameSign, "SSGD and CSSGD: -0.95 points", "ASGD: +1.50 points")
	low := ok
	low.ASGD = []float64{0.899, 0.899} // 1.1 points below
	verdictIs(t, judgeFinals([]finals{ok, low}), claims.Differs, "1.10 points below")
	if c := judgeFinals([]finals{ok}); strings.Contains(c.Why, "times the updates: ") || !strings.Contains(c.Why, changedAfter) {
		t.Errorf("C30: %s", c.Why)
	}
	long := ok
	long.Times, long.Longer = 2, []float64{0.93, 0.93}
	verdictIs(t, judgeFinals([]finals{long, ok}), claims.SameSign, "in 2 times the updates: DNN, SSGD and CSSGD: -2.95 points; DNN, ASGD: -0.50 points; the serial")
	low = ok
	low.SSGD = []float64{0.8, 0.9}
	verdictIs(t, judgeFinals([]finals{low, ok}), claims.Differs)
}
