package virtual_test

import (
	"context"
	"math"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// reference is the design's link: α = 50 µs, 1.25 GB/s.
var reference = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}

const elements = 25_000_000 // of 4 bytes: 100 MB

// finishes returns every rank's finishing time of one ring all-reduce.
func finishes(t *testing.T, p *cluster.Platform, n int, cfg virtual.Config) []time.Duration {
	t.Helper()
	ends, _, err := cluster.Run(context.Background(), virtual.New(p, cfg), func(p cluster.Proc) (time.Duration, error) {
		err := collective.RingAllReduceTiming(p, 0, n)
		return p.Now(), err
	})
	must(t, err)
	return ends
}

// Figures of the design's table: three Go implementations and SimGrid S4U with CM02, none of which has frame headers.
// SimGrid spreads bytes evenly where we have ragged chunks of whole floats: the longest is < 4e-5 longer.
func TestRingTimesAreSimGrids(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for n, want := range map[int]float64{64: 0.163800, 256: 0.184875, 1024: 0.262142} {
		if n > race.Less(1024, 256) {
			continue
		}
		p := cluster.Uniform(n, reference, nil)
		got := maxOf(finishes(t, p, elements, virtual.Config{Headerless: true})).Seconds()
		if math.Abs(got/want-1) > 4e-5 {
			t.Errorf("N=%d: %.6f s, SimGrid %.6f s", n, got, want)
		}
		if want := formula.RingTime(n, 4*elements, 50e-6, 1.25e9); math.Abs(got/want-1) > 1e-4 {
			t.Errorf("N=%d: %.9f s, closed form %.9f s", n, got, want)
		}
	}
}

func maxOf(ds []time.Duration) time.Duration {
	var m time.Duration
	for _, d := range ds {
		m = max(m, d)
	}
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
