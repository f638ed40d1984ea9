package convergence

import (
	"math"
	"testing"

	"gradsync/experiments/codedsgd/timing"
)

// A reduction by hand: ratios 1/2 and 1/4 on two node counts for one seed, 1/2 and
// 1/2 for the other: means 3/8 and 1/2, geometric mean √(3/16).
func TestReductionOver(t *testing.T) {
	ours, base := [][]float64{{1, 2}, {1, 3}}, [][]float64{{2, 4}, {4, 6}}
	e := reductionOver(ours, base)
	x, ci := e.Value, e.CI
	if want := 100 * (1 - math.Sqrt(3./16)); math.Abs(x-want) > 1e-9 {
		t.Errorf("%g %%, want %g", x, want)
	}
	if ci == nil || !(ci[0] < x && x < ci[1]) {
		t.Errorf("interval %v of %g", ci, x)
	}
	if e := reductionOver([][]float64{{1}}, [][]float64{{2}}); e.CI != nil {
		t.Errorf("one seed has the interval %v", e.CI)
	}
	if e := reductionOver([][]float64{{1, 3}}, [][]float64{{1, 2}}); !(e.Value < 0) {
		t.Errorf("who is slower saves %g %%", e.Value)
	}
	if g := groups([]float64{1, 2, 3, 4, 5}, 2); len(g[0]) != 3 || g[1][1] != 4 {
		t.Errorf("groups %v", g)
	}
}

// at returns timings with the same iterations in every variant: seconds and bytes of SSGD
// unicast, multicast, CSSGD r = 2 and, if there are three nodes, r = 3.
func at(nodes int, seconds, bytes [4]float64) iterations {
	c := iterations{Nodes: nodes, Of: map[string]map[timing.Exchange]timing.Iteration{}}
	for _, v := range timedVariants {
		c.Of[v.Key] = map[timing.Exchange]timing.Iteration{}
		for i, x := range compared(nodes) {
			c.Of[v.Key][x] = timing.Iteration{Seconds: seconds[i], Bytes: bytes[i]}
		}
	}
	return c
}

func TestOptimal(t *testing.T) {
	if r, it := at(4, [4]float64{9, 8, 3, 2}, [4]float64{}).optimal(timing.Judged); r != 3 || it.Seconds != 2 {
		t.Errorf("r = %d, %g s", r, it.Seconds)
	}
	if r, _ := at(4, [4]float64{9, 8, 3, 3}, [4]float64{}).optimal(timing.Judged); r != 2 {
		t.Errorf("of equals r = %d", r)
	}
	if r, _ := at(2, [4]float64{9, 8, 3}, [4]float64{}).optimal(timing.Judged); r != 2 {
		t.Errorf("with two nodes r = %d", r)
	}
	cs := []iterations{at(2, [4]float64{8, 8, 4}, [4]float64{}), at(4, [4]float64{16, 4, 8, 6}, [4]float64{})}
	if x := meanSaved(cs, timing.Multicast, timing.Judged); math.Abs(x-0) > 1e-9 { // +50 and −50 %
		t.Errorf("of multicast %g %%", x)
	}
	if x := meanSaved(cs, timing.Unicast, timing.Ethernet); math.Abs(x-(50+62.5)/2) > 1e-9 {
		t.Errorf("of unicast %g %%", x)
	}
}
