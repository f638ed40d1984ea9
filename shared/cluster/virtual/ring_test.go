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

func TestRingOf1024RanksEqualsTheMaxPlusRecurrence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, n := range []int{2, 3, 64, race.Less(1024, 256)} {
		p := cluster.Uniform(n, reference, nil)
		for i := range p.Workers { // links of many speeds, so that no two ranks agree by chance
			p.Workers[i].Bandwidth *= 1 + float64(i%7)/10
			p.Workers[i].Latency += time.Duration(i%5) * 777 * time.Nanosecond
		}
		m, err := collective.NewMaxPlus(p, cluster.HeaderBytes)
		must(t, err)
		want, err := m.Ring(t.Context(), elements, nil)
		must(t, err)
		for r, got := range finishes(t, p, elements, virtual.Config{}) {
			if want := time.Duration(want[r] / 1000); got != want {
				t.Fatalf("N=%d rank %d: %v, max-plus recurrence %v", n, r, got, want)
			}
		}
	}
}

func TestRingOf100MBMatchesTheClosedForm(t *testing.T) {
	for _, n := range race.Less([]int{2, 16, 64, 256}, []int{2, 16, 64}) { // 1,024 without headers below
		p := cluster.Uniform(n, reference, nil)
		got := maxOf(finishes(t, p, elements, virtual.Config{})).Seconds()
		// With its header each message is longer by that many bytes.
		want := formula.RingTime(n, 4*elements+float64(n*cluster.HeaderBytes), 50e-6, 1.25e9)
		if math.Abs(got/want-1) > 1e-4 {
			t.Errorf("N=%d: %.9f s, closed form %.9f s", n, got, want)
		}
	}
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
