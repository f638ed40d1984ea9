// Package dasptest holds what the tests of several rooms of experiments/dasp share.
package dasptest

import (
	"fmt"
	"testing"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// Codes returns the codes of reasons.
func Codes(list []result.Reason) (out []string) {
	for _, r := range list {
		out = append(out, r.Code)
	}
	return out
}

// WantClaim demands a verdict, and a reason of that code with the arguments args, given as name and
// value in turn. An empty code demands no reason.
func WantClaim(t *testing.T, name string, c result.Claim, verdict, code string, args ...any) {
	t.Helper()
	if c.Verdict != verdict {
		t.Errorf("%s: %s is %s, want %s: %v", name, c.ID, c.Verdict, verdict, c.Reasons)
	}
	for _, r := range c.Reasons {
		if r.Code != code {
			continue
		}
		for i := 0; i+1 < len(args); i += 2 {
			if got := r.Args[args[i].(string)]; fmt.Sprint(got) != fmt.Sprint(args[i+1]) {
				t.Errorf("%s: %s of %s is %v, want %v", name, args[i], code, got, args[i+1])
			}
		}
		return
	}
	if code != "" {
		t.Errorf("%s: %s has the reasons %v, want %s", name, c.ID, c.Reasons, code)
	}
}

// Timed makes a short timing-only run with its log.
func Timed(t *testing.T, cfg train.Config) *train.Outcome {
	t.Helper()
	cfg.Engine, cfg.MaxPushes, cfg.Warmup = "portable", 300, 0
	o, err := train.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
