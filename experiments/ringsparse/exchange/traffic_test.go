package exchange

import (
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/portable"
)

// Three ranks and ten elements by hand: 14, 13 and 13 elements are sent, 2·2·10 in
// all, and a layer of 720,720 elements takes 4/3 of its 2,882,880 bytes in ns.
func TestRingCount(t *testing.T) {
	good := ringCount{Nodes: 3, Elements: 10, Sent: []int64{56, 52, 52}, Nanoseconds: 3843840}
	if w := good.wrong(); w != nil {
		t.Error(w)
	}
	late, more := good, good
	late.Nanoseconds++
	more.Sent = []int64{56, 52, 56}
	for _, c := range []ringCount{late, more} {
		if c.wrong() == nil {
			t.Errorf("%+v passes", c)
		}
		bad := judgeRing(planTraffic("ci"), []ringCount{good, c})
		if kittest.WantVerdict(t, bad, claims.Differs, "P01"); bad.Found.Code != "P01-wrong" || bad.Found.Args["n"] != 3 {
			t.Errorf("found %v", bad.Found)
		}
	}
	kittest.WantVerdict(t, judgeRing(planTraffic("ci"), []ringCount{good}), claims.Equal, "P01")
}

// Real rings of every N agree with T.
func TestCountRings(t *testing.T) {
	rings := oktest.Must(countRings(t.Context(), 1009, 0, &exp.Bar{}))(t)
	if bad := wrongRings(rings); len(rings) != mostRanks || len(bad) > 0 {
		t.Errorf("%d rings, %v", len(rings), bad)
	}
}

// Timing-only bytes are those of random vectors of the same densities.
func TestModelledBytesAreCountedBytes(t *testing.T) {
	oktest.Slow(t)
	works, plan := oktest.Must(setup.Networks(exp.Env{Seeds: []uint64{0}}))(t), planTraffic("ci")
	counts := oktest.Must(countReal(t.Context(), plan, works, []uint64{0}, &exp.Bar{}))(t)
	if len(counts) != 4 {
		t.Fatalf("%d counts", len(counts))
	}
	for _, c := range counts {
		if off := c.off(); !c.Own && math.Abs(off) > 100*plan.Within || c.Own && off < 0 {
			t.Errorf("%s, own %t: off by %g %%", c.Way, c.Own, off)
		}
	}
}

// The all-gather overtakes where it stays above.
func TestCross(t *testing.T) {
	byPoint := grid{}
	put := func(way string, n int, bytes int64) {
		l := setup.Iteration{}
		l.Totals.Sent.Bytes = bytes
		byPoint[gridPoint{"a", way, 1, n}] = l
	}
	nodes := []int{2, 4, 8}
	for i, n := range nodes {
		put("dense", n, 100)
		put("ringsparse", n, 50)
		put("all-gather", n, []int64{60, 50, 51}[i])
	}
	if got := byPoint.cross("a", nodes); got != 8 {
		t.Errorf("overtakes at %d, want 8", got)
	}
	put("all-gather", 8, 50)
	if got := byPoint.cross("a", nodes); got != 0 {
		t.Errorf("overtakes at %d, want never", got)
	}
}

func TestTrafficRuns(t *testing.T) {
	oktest.Slow(t)
	r := kittest.RunCI(t, Traffic())
	if len(r.Claims) != 1 || len(r.Figures) != 2 || len(r.Frame("dense-ring").Rows) != mostRanks || len(r.Frame("bytes").Rows) != 3*7*3*3 {
		t.Errorf("%d claims, %d figures, %d rings", len(r.Claims), len(r.Figures), len(r.Frame("dense-ring").Rows))
	}
	if len(r.Data) != 1 || r.Engine == "" {
		t.Errorf("trained on %v by %q", r.Data, r.Engine)
	}
}
