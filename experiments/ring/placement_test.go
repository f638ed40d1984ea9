package ring

import (
	"math"
	"slices"
	"strings"
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
		if all, _ := a.crossings(); (all == 5) != a.Contiguous {
			t.Errorf("%s: %d links leave a node, contiguous is %t", a.Key, all, a.Contiguous)
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
			out = append(out, placed{arrangement{Contiguous: i == 0 || i == 3}, s})
		}
		return out
	}
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 3.1, 0.39, 2.7)), claims.SameSign, "1500 to 3100")
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 3.1, 0.39, 2.7)), claims.SameSign, "one network card for all its GPUs is assumed")
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 3.1, 1.6, 2.7)), claims.Differs, "")   // shuffled nodes are no better than pairs
	wantVerdict(t, judgePlacement(made(0.39, 1.5, 0.40, 0.39, 2.7)), claims.Differs, "") // interleaved costs 2.6 %
}

// A rival that sends less, one that is faster, and a ring that sends too much speak
// against the ring; a tie does not.
func TestOptimalityIsJudged(t *testing.T) {
	run := func(seconds float64, bytes int64) timed {
		x := timed{Seconds: seconds}
		x.Sent = append(x.Sent, sentBytes(bytes), sentBytes(1))
		return x
	}
	// N = 4, K = 400 bytes: the bound is 600.
	trialOf := func(ring timed, other timed) []trial {
		return []trial{{Ranks: 4, Elements: 100, Runs: []timed{ring, other, run(9, 900), run(9, 900)}}}
	}
	small := []trial{{Ranks: 40, Elements: 300, Runs: []timed{run(3, 1), run(2, 1), run(5, 1), run(5, 1)}}}
	for name, c := range map[string]struct {
		equal   []trial
		verdict string
	}{
		"tie":      {trialOf(run(1, 600), run(1, 600)), claims.SameSign},
		"rounding": {trialOf(run(1, 604), run(0.995, 600)), claims.SameSign},
		"too much": {trialOf(run(1, 608), run(1, 700)), claims.Differs},
		"less":     {trialOf(run(1, 604), run(1, 596)), claims.Differs},
		"faster":   {trialOf(run(1, 600), run(0.98, 600)), claims.Differs},
		"worse":    {trialOf(run(1, 600), run(5, 800)), claims.SameSign},
	} {
		if c := judgeOptimal(c.equal, small); !strings.Contains(c.Why, "ring loses up to 1.2 kB") {
			t.Errorf("%s: %s", name, c.Why)
		}
		if got := judgeOptimal(c.equal, small); got.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s: %s", name, got.Verdict, c.verdict, got.Why)
		}
	}
}

func TestCrossover(t *testing.T) {
	of := func(ring ...float64) (out []trial) {
		for i, r := range ring {
			out = append(out, trial{Elements: 10 << i, Runs: []timed{{Seconds: r}, {Seconds: 1}}})
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
		wantVerdict(t, c, claims.SameSign, "takes over")
	}
	wantVerdict(t, judgeHops(6e9, 6e9)[0], claims.SameSign, "tolerance")
}

func TestNodesOfTheHierarchicalRing(t *testing.T) {
	for n, want := range map[int]int{2: 1, 6: 3, 7: 1, 12: 6, 16: 8, 40: 8} {
		if got := nodeOf(n); got != want {
			t.Errorf("%d ranks in nodes of %d, want %d", n, got, want)
		}
	}
}

func sentBytes(n int64) cluster.Traffic { return cluster.Traffic{Messages: 1, Bytes: n} }

// Who ties is found by bytes and time; only a hierarchical ring can be the ring
// itself.
func TestTies(t *testing.T) {
	run := func(seconds float64, bytes int64) timed {
		return timed{Seconds: seconds, Sent: []cluster.Traffic{sentBytes(bytes)}}
	}
	ring, slow, more := run(1, 600), run(2, 600), run(1, 900)
	equal := []trial{{Ranks: 4, Runs: []timed{ring, ring, ring, slow}}, {Ranks: 7, Runs: []timed{ring, more, ring, slow}}, {Ranks: 8, Runs: []timed{ring, run(1.005, 604), ring, slow}}}
	if got := tieNote(equal); got != " Halving-doubling ties where N is 4, 8; the hierarchical ring ties at all of them (it is the ring itself where N is 7, which no inner ring divides)." {
		t.Error(got)
	}
	if got := tieNote([]trial{{Ranks: 4, Runs: []timed{ring, more, slow, slow}}}); got != " None ties." {
		t.Error(got)
	}
	for share, want := range map[float64]string{0: "no longer", 4e-5: "no longer", 0.0125: "1.25 % longer"} {
		if got := longer(share); got != want {
			t.Errorf("%g: %s", share, got)
		}
	}
}
