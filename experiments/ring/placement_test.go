package ring

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/shared/cluster"
)

// Every order has every GPU once; the named ones cross nodes as often as they must.
func TestArrangements(t *testing.T) {
	list := arrangements([]uint64{7})
	if len(list) != 3+1+randomOrders {
		t.Fatalf("%d orders", len(list))
	}
	for _, a := range list {
		sorted := slices.Sorted(slices.Values(a.Order))
		for i, g := range sorted {
			if g != i || len(sorted) != blogGPUs {
				t.Fatalf("%s: %v", a.Key, a.Order)
			}
		}
		if all, _ := a.crossings(); (all == 5) != a.Together {
			t.Errorf("%s: %d links leave a node, together is %t", a.Key, all, a.Together)
		}
	}
	for i, want := range [][2]int{{5, 1}, {20, 4}, {40, 8}} {
		if all, most := list[i].crossings(); all != want[0] || most != want[1] {
			t.Errorf("%s: %d and %d links, want %v", list[i].Key, all, most, want)
		}
	}
	if again := arrangements([]uint64{7}); !slices.Equal(again[5].Order, list[5].Order) {
		t.Error("a seed draws another order the second time")
	}
}

func TestPlacementIsJudged(t *testing.T) {
	made := func(seconds ...float64) (out []placed) {
		for i, s := range seconds {
			key := []string{"adjacent", "pairs", "interleaved", "shuffled", "random"}[i]
			out = append(out, placed{arrangement{Key: key, Together: key == "adjacent" || key == "shuffled"}, s})
		}
		return out
	}
	good := judgePlacement(made(0.39, 1.5, 3.1, 0.39, 2.7))
	if wantVerdict(t, good, claims.Holds, "B21-card"); arg(good, "B21")["least"] != 1500. || arg(good, "B21")["most"] != 3100. ||
		arg(good, "B21")["orders"] != 3 {
		t.Error(good.Reasons)
	}
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 3.1, 1.6, 2.7)), claims.Differs, "B21")   // shuffled nodes are no better than pairs
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 0.40, 0.39, 2.7)), claims.Differs, "B21") // interleaved costs 2.6 %
}

// A rival that sends less, one that is faster, and a ring that sends too much speak against the ring; a tie does not.
func TestOptimalityIsJudged(t *testing.T) {
	run := func(seconds float64, bytes int64) exchangeRun {
		x := exchangeRun{Seconds: seconds}
		x.Sent = append(x.Sent, sentBytes(bytes), sentBytes(1))
		return x
	}
	// N = 4, K = 400 bytes: the bound is 600.
	trialOf := func(ring exchangeRun, other exchangeRun) []rivalRuns {
		return []rivalRuns{{Ranks: 4, Elements: 100, Runs: []exchangeRun{ring, other, run(9, 900), run(9, 900)}}}
	}
	small := []rivalRuns{{Ranks: 40, Elements: 300, Runs: []exchangeRun{run(3, 1), run(2, 1), run(5, 1), run(5, 1)}}}
	for name, c := range map[string]struct {
		equal   []rivalRuns
		verdict string
	}{
		"tie":      {trialOf(run(1, 600), run(1, 600)), claims.Holds},
		"rounding": {trialOf(run(1, 604), run(0.995, 600)), claims.Holds},
		"too much": {trialOf(run(1, 608), run(1, 700)), claims.Differs},
		"less":     {trialOf(run(1, 604), run(1, 596)), claims.Differs},
		"faster":   {trialOf(run(1, 600), run(0.98, 600)), claims.Differs},
		"worse":    {trialOf(run(1, 600), run(5, 800)), claims.Holds},
	} {
		got := judgeOptimal(c.equal, small)
		if wantVerdict(t, got, c.verdict, "B19"); arg(got, "B19")["kilobytes"] != 1.2 {
			t.Errorf("%s: %v", name, got.Reasons)
		}
	}
}

func TestCrossover(t *testing.T) {
	of := func(ring ...float64) (out []rivalRuns) {
		for i, r := range ring {
			out = append(out, rivalRuns{Elements: 10 << i, Runs: []exchangeRun{{Seconds: r}, {Seconds: 1}}})
		}
		return out
	}
	if got := crossover(of(2, 0.5, 2, 0.5, 0.5)); got != 4*80 {
		t.Errorf("%g", got)
	}
	if got := crossover(of(0.5, 2)); !math.IsNaN(got) {
		t.Errorf("%g", got)
	}
}

// The links of the platform are the blog's.
func TestHops(t *testing.T) {
	within, between, err := hops(t.Context(), blogCluster())
	if err != nil || math.Abs(within/blogWithin-1) > 1e-3 || math.Abs(between/blogSlowest-1) > 1e-3 {
		t.Errorf("%g and %g bytes/s, %v", within, between, err)
	}
	for _, c := range judgeHops(within, between) {
		wantVerdict(t, c, claims.Input, "taken-over")
	}
	wantVerdict(t, judgeHops(6e9, 6e9)[0], claims.Input, "gap")
}

func TestNodesOfTheHierarchicalRing(t *testing.T) {
	for n, want := range map[int]int{2: 1, 6: 3, 7: 1, 12: 6, 16: 8, 40: 8} {
		if got := nodeOf(n); got != want {
			t.Errorf("%d ranks in nodes of %d, want %d", n, got, want)
		}
	}
}

func sentBytes(n int64) cluster.Traffic { return cluster.Traffic{Messages: 1, Bytes: n} }

// Who ties is found by bytes and time.
func TestTies(t *testing.T) {
	run := func(seconds float64, bytes int64) exchangeRun {
		return exchangeRun{seconds, cluster.Trace{Sent: []cluster.Traffic{sentBytes(bytes)}}}
	}
	ring, slow, more := run(1, 600), run(2, 600), run(1, 900)
	for i, want := range [][4]bool{{true, true, true, false}, {true, false, true, false}, {true, true, true, false}} {
		x := [][]exchangeRun{{ring, ring, ring, slow}, {ring, more, ring, slow}, {ring, run(1.005, 604), ring, slow}}[i]
		for k := range x {
			if got := (rivalRuns{Ranks: 4, Runs: x}).ties(k); got != want[k] {
				t.Errorf("trial %d, rival %d ties: %t", i, k, got)
			}
		}
	}
}
