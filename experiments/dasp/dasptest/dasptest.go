// Package dasptest holds what the tests of several rooms of experiments/dasp share.
package dasptest

import (
	"testing"

	"gradsync/experiments/train"
)

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
