package dasp

import (
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

func wantVerdict(t *testing.T, name string, c result.Claim, verdict, inWhy string) {
	t.Helper()
	if c.Verdict != verdict || !strings.Contains(c.Why, inWhy) {
		t.Errorf("%s: %s is %q because %q, want %q because …%q…", name, c.ID, c.Verdict, c.Why, verdict, inWhy)
	}
}
