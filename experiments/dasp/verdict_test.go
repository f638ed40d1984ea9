package dasp

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

func wantVerdict(t *testing.T, name string, c result.Claim, verdict, inWhy string) {
	t.Helper()
	if c.Verdict != verdict || !strings.Contains(c.Why, inWhy) {
		t.Errorf("%s: %s is %q because %q, want %q because …%q…", name, c.ID, c.Verdict, c.Why, verdict, inWhy)
	}
}

func TestWithinSmax(t *testing.T) {
	wantVerdict(t, "within", withinSmax(make([]cell, 2), smax), claims.SameSign, "2 seeds")
	wantVerdict(t, "beyond", withinSmax(make([]cell, 2), smax+1), claims.Differs, "7 versions")
}
