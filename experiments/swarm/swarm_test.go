package swarm_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/method"
	"gradsync/experiments/swarm"
	"gradsync/internal/oktest"
)

// seeds is how many seeds of each method the sweep runs.
func seeds() int {
	switch {
	case os.Getenv("GRADSYNC_LONG") != "":
		return 10_000
	case testing.Short():
		return 16
	}
	return 128
}

// TestSweep: some seeds of every method keep all promises, and all kinds of fault happen in them.
func TestSweep(t *testing.T) {
	r := oktest.Must(swarm.Run(t.Context(), swarm.Config{Seeds: seeds()}))(t)
	if f := r.Failure; f != nil {
		t.Fatalf("gradsync swarm --method %s --seed %d: %+v", f.Method, f.Seed, *f)
	}
	if len(r.Tallies) != len(method.Names()) {
		t.Fatalf("%d methods ran, want all %d", len(r.Tallies), len(method.Names()))
	}
	for _, l := range r.Tallies {
		m, _ := method.Get(l.Method)
		if l.Seeds != seeds() || l.Twice == 0 || l.Pauses == 0 || l.Slow == 0 {
			t.Errorf("%+v: want %d seeds with pauses and slowness", l, seeds())
		}
		none := !testing.Short() && l.Ended["all workers have left"] == 0 // rare in a few seeds
		if m.Family == method.Server && (l.Crashes == 0 || l.Left == 0 || l.Joined == 0 || none) {
			t.Errorf("%+v: want crashes, ended leases, workers that come back, and runs that all have left", l)
		}
		if swarm.Survives(l.Method) && (l.Crashes == 0 || l.Left == 0) {
			t.Errorf("%+v: want crashes, and ranks that are lost", l)
		}
		t.Logf("%-16s %d seeds, %.0f a minute", l.Method, l.Seeds, l.Rate)
	}
}

// TestASeedNamesARun: the same for ever, another by seed and by method, whatever ran before.
func TestASeedNamesARun(t *testing.T) {
	digests := map[string]bool{}
	for _, name := range []string{"dasp", "ssp", "cssgd", "ring"} {
		for seed := range uint64(8) {
			s := swarm.Judge(t.Context(), name, seed)
			if again := swarm.Judge(t.Context(), name, seed); again.Digest != s.Digest || again.Cluster != s.Cluster {
				t.Errorf("%s, seed %d: %+v, then %+v", name, seed, s, again)
			}
			digests[s.Digest] = true
		}
	}
	if len(digests) != 32 {
		t.Errorf("%d digests of 32 runs", len(digests))
	}
}

// TestEnds: by the number of seeds, by time, by a context; bad configurations are one line.
func TestEnds(t *testing.T) {
	r, err := swarm.Run(t.Context(), swarm.Config{Methods: []string{"asp", "naive"}, First: 7, For: 40 * time.Millisecond})
	if err != nil || len(r.Tallies) != 2 || r.Tallies[0].Seeds == 0 || r.Tallies[0].Seconds > 10 {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	last := 0.0
	_, err = swarm.Run(ctx, swarm.Config{Methods: []string{"bsp"}, Seeds: 1e6, Progress: func(_ string, seeds int, share float64) {
		if share <= last || seeds%64 != 0 {
			t.Errorf("progress %g after %g, %d seeds", share, last, seeds)
		}
		if last = share; seeds >= 128 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for want, c := range map[string]swarm.Config{"no end": {}, `no method "x": known are bsp`: {Methods: []string{"x"}, Seeds: 1}} {
		if _, err := swarm.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSomeSeedsHoldGradientsBack: of ringsparse, with losses and without; the threshold is part of what names a run.
func TestSomeSeedsHoldGradientsBack(t *testing.T) {
	held := map[bool]int{}
	for seed := range uint64(128) {
		if s := swarm.Judge(t.Context(), "ringsparse", seed); strings.Contains(s.Cluster, ", threshold 0.") {
			if held[s.Left > 0]++; !strings.Contains(s.Cluster, "kinds gradients") {
				t.Errorf("seed %d: %s", seed, s.Cluster)
			}
		}
	}
	if held[true] < 4 || held[false] < 4 {
		t.Errorf("%d of 128 runs with losses have a threshold, %d of those without, want 4 at least", held[true], held[false])
	}
}
