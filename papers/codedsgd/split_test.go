package codedsgd_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gradsync/papers/codedsgd"
)

// samplesOf returns how many samples each node has.
func samplesOf(a *codedsgd.Assignment, bounds []int) []int {
	samples, m := make([]int, a.Nodes()), (len(bounds)-1)/a.Blocks()
	for q := range a.Blocks() {
		for _, i := range a.Holders(q) {
			samples[i] += bounds[(q+1)*m] - bounds[q*m]
		}
	}
	return samples
}

// "The number of samples on each node can follow its speed": where no node is faster
// than n/r average ones, samples are r·|F|·v/Σv to within a sample per holder; a
// faster one has the whole batch and the others share what they have by speed.
func TestSection21SamplesFollowSpeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		r := rapid.IntRange(1, n).Draw(t, "r")
		a := sure(codedsgd.Assign(n, r))(t)
		speeds := rapid.SliceOfN(rapid.Float64Range(0.1, 4), n, n).Draw(t, "speeds")
		m := rapid.IntRange(1, 3).Draw(t, "m")
		const batch = 5000
		bounds := a.Split(batch, m*a.Blocks(), speeds)
		if bounds[0] != 0 || bounds[len(bounds)-1] != batch || !slices.IsSorted(bounds) {
			t.Fatalf("bounds %v", bounds)
		}
		// Shares by bisection, apart from the code: min(1, c·v) that add up to r.
		lo, hi := 0., 1e6
		share := func(c float64) (s float64) {
			for _, v := range speeds {
				s += min(1, c*v)
			}
			return s
		}
		for range 200 {
			if mid := (lo + hi) / 2; share(mid) < float64(r) {
				lo = mid
			} else {
				hi = mid
			}
		}
		for i, got := range samplesOf(a, bounds) {
			if want := batch * min(1, hi*speeds[i]); math.Abs(float64(got)-want) > 1.5 {
				t.Errorf("n=%d r=%d speeds %v: node %d has %d samples, want %g", n, r, speeds, i, got, want)
			}
		}
	})
}

// Equal speeds give equal blocks; a node of half the speed half the samples; one that
// is faster than all others together has all blocks at r = 2.
func TestSplitByHand(t *testing.T) {
	for _, x := range []struct {
		n, r, batch int
		speeds      []float64
		want        []int
	}{
		{4, 2, 600, []float64{3, 3, 3, 3}, []int{300, 300, 300, 300}},
		{3, 2, 500, []float64{1, 2, 2}, []int{200, 400, 400}},
		{3, 1, 400, []float64{1, 2, 1}, []int{100, 200, 100}},
		{3, 2, 300, []float64{10, 1, 2}, []int{300, 100, 200}},
		{4, 4, 99, []float64{1, 2, 3, 4}, []int{99, 99, 99, 99}},
		{2, 1, 3, []float64{1, 1e9}, []int{0, 3}},
		{4, 2, 600, []float64{1e308, 1e308, 1e308, 1e308}, []int{300, 300, 300, 300}}, // their sum is no float64
		{3, 2, 500, []float64{5e307, 1e308, 1e308}, []int{200, 400, 400}},
		{3, 2, 300, []float64{1e308, 1e-300, 2e-300}, []int{300, 100, 200}},
	} {
		a := assignment(t, x.n, x.r)
		if got := samplesOf(a, a.Split(x.batch, a.Blocks(), x.speeds)); !slices.Equal(got, x.want) {
			t.Errorf("%+v: nodes have %v", x, got)
		}
	}
	for _, bad := range []func(){
		func() { assignment(t, 4, 2).Split(10, 7, nil) }, func() { assignment(t, 4, 2).Split(-1, 6, nil) },
		func() { assignment(t, 4, 2).Split(10, 6, []float64{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}
