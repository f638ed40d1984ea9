package iteration

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// speeds are the seconds of an iteration under BSP, ASP, SSP, DSSP and DASP, by network.
type speeds map[string][5]float64

func alike(bsp, asp, ssp, dssp, ours float64) speeds {
	out := speeds{}
	for _, m := range setup.Models {
		out[m] = [5]float64{bsp, asp, ssp, dssp, ours}
	}
	return out
}

// viewOf returns a view of both clusters, reference and plausible platforms alike, with two
// seeds a thousandth apart; but are plausible platforms with speeds of their own.
func viewOf(homo, hetero speeds, but func(p plausible) speeds) *view {
	at := map[point][]setup.Summary{}
	put := func(p point, s speeds) {
		for _, run := range p.grid() {
			for _, f := range []float64{1, 1.001} {
				x := s[run.Model][slices.Index(setup.Methods, run.Method)] * f
				at[run] = append(at[run], setup.Summary{Iteration: train.IterationTime{PerWorker: x}, Share: map[string]float64{"QIS": x}})
			}
		}
	}
	for cluster, s := range map[string]speeds{setup.Homogeneous: homo, setup.Heterogeneous: hetero} {
		put(point{Cluster: cluster}, s)
		put(onReference(cluster), s)
		for _, p := range plausibles(cluster) {
			own := s
			if but != nil {
				if x := but(p); x != nil {
					own = x
				}
			}
			put(p.point, own)
		}
	}
	return kit.NewView(&result.Result{Seeds: []uint64{0, 1}}, at)
}

func TestReductions(t *testing.T) {
	// BSP 1, SSP 0.8, DSSP 0.5, DASP 0.4: reductions 60, 50 and 20 %.
	times := alike(1, 0.3, 0.8, 0.5, 0.4)
	v := identical(viewOf(times, times, nil), "dasp", "dssp")
	showRanges(v, setup.Homogeneous)
	f := v.Frame("range")
	for i, want := range []float64{60, 50, 20, 60, 50, 20, 60, 50, 20} {
		row := f.Rows[i]
		if x := row[f.At("saved")].(float64); math.Abs(x-want) > 1e-9 || row[f.At("saved_lo")] == nil || row[f.At("same")] != (i%3 == 2) {
			t.Errorf("%v: saved %g, same run %v, want %g", row[0], x, row[f.At("same")], want)
		}
	}
	if len(v.Claims) != 0 {
		t.Errorf("%d claims are judged: dasp/multiverse does that", len(v.Claims))
	}
}

// The range is over all plausible platforms, and its ends and the nearest are found.
func TestRanges(t *testing.T) {
	all := plausibles(setup.Homogeneous)
	v := viewOf(alike(1, 1, 1, 1, 0.5), alike(1, 1, 1, 1, 1), func(p plausible) speeds {
		switch p.point {
		case all[3].point:
			return alike(1, 1, 1, 1, 0.84) // 16 %: D01 states 16.9 %, tolerance 5
		case all[4].point:
			return speeds{"lenet5": {1, 1, 2, 1, 0.9}, "resnet18": {1, 1, 1, 1, 0.5}, "vgg19_bn": {1, 1, 1, 1, 0.5}}
		}
		return nil
	})
	showRanges(v, setup.Homogeneous)
	f := v.Frame("range")
	get := func(row int, key string) any { return f.Rows[row][f.At(key)] }
	near := all[3]
	if get(0, "within") != 1 || get(0, "nearest_overhead") != 1e3*near.Overhead.Seconds() || get(0, "nearest_link") != near.link ||
		get(0, "nearest_workers") != near.workers {
		t.Errorf("D01: %v", f.Rows[0])
	}
	if x, y := get(0, "least").(float64), get(0, "most").(float64); math.Abs(x-10) > 1e-9 || math.Abs(y-50) > 1e-9 {
		t.Errorf("range %v to %v, want 10 to 50", x, y)
	}
	if lo, hi := get(0, "QIS_least").(float64), get(0, "QIS_most").(float64); math.Abs(lo-50) > 1e-9 || math.Abs(hi-90) > 1e-9 {
		t.Errorf("QIS from %v to %v", lo, hi)
	}
}

func TestInOrder(t *testing.T) {
	good, at := alike(5, 1, 3, 2, 2), point{Cluster: setup.Heterogeneous}
	for _, c := range []struct {
		name  string
		times speeds
		want  bool
	}{{"in order", good, true}, {"DSSP above BSP", alike(5, 1, 3, 10, 2), false}, {"DASP below ASP", alike(5, 1, 3, 2, 0.5), false},
		{"a tie to 0.1 %", alike(5, 1.0005, 3, 2, 1), true}} {
		if got := inOrder(viewOf(good, c.times, nil), at); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestIsLeast(t *testing.T) {
	homo, a, b := alike(1, 1, 1, 1, 1), point{Cluster: setup.Homogeneous}, point{Cluster: setup.Heterogeneous}
	if !isLeast(viewOf(homo, alike(4, 1, 3, 2, 1.5), nil), a, b) || isLeast(viewOf(homo, alike(4, 1, 3, 1.2, 1.5), nil), a, b) {
		t.Error("DASP is least affected where DSSP is not less")
	}
	v := viewOf(homo, alike(4, 1, 3, 1.5, 1.5), nil)
	if !isLeast(v, a, b) {
		t.Error("a tie is no less")
	}
	if p := a.of("lenet5"); !tied(v, p.as("dssp")) || tied(v, p.as("ssp")) || tied(v, p.as("asp")) {
		t.Error("DASP ties with DSSP alone")
	}
}

// identical marks two methods as the same run wherever v has them.
func identical(v *view, a, b string) *view {
	for _, c := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, p := range slices.Concat(onReference(c).grid(), point{Cluster: c}.grid()) {
			if p.Method != a && p.Method != b {
				continue
			}
			for i := range v.At(p) {
				v.At(p)[i].Digest = fmt.Sprintf("%s %s %d", p.Cluster, p.Model, i)
			}
		}
	}
	return v
}

// Runs are the same by their digests, and runs without one are not known to be.
func TestSameRun(t *testing.T) {
	if setup.Same([]setup.Summary{{}}, []setup.Summary{{}}) {
		t.Error("runs without a digest count as the same")
	}
}

// The counts beside D39 and D56: the worst model decides; a pair needs the reference's
// workers, the same link and overhead.
func TestPlausibleCounts(t *testing.T) {
	equal, good, oneModel := alike(1, 1, 1, 1, 1), alike(5, 1, 3, 2, 1.5), alike(5, 1, 3, 2, 1.5)
	oneModel["vgg19_bn"] = [5]float64{5, 1, 6, 2, 1.5} // SSP above BSP
	v := viewOf(equal, good, func(p plausible) speeds {
		switch {
		case p.Cluster == setup.Heterogeneous && p.workers == "mixed6":
			return oneModel
		case p.workers == setup.Straggler:
			return alike(5, 1, 3, 1.2, 1.5) // DSSP is less affected
		}
		return nil
	})
	r := result.Result{Facts: pairFacts(v)}
	for key, want := range map[string]int{"in_order_equal": 36, "in_order_unequal": 24, "pairs": 36, "pairs_least_affected": 24} {
		kittest.WantFact(t, &r, key, want)
	}
}

// ASP is later by more than a thousandth than whoever is quicker, network by network.
func TestASPLater(t *testing.T) {
	for _, x := range []struct {
		name string
		asp  float64
		want int
	}{{"first", 0.3, 0}, {"equal but for rounding", 0.4003, 0}, {"behind DASP alone", 0.45, 3}, {"behind all but BSP", 0.9, 9}, {"last", 1.1, 12}} {
		times := alike(1, x.asp, 0.8, 0.5, 0.4)
		if n := aspLater(viewOf(times, times, nil), point{Cluster: setup.Homogeneous}); n != x.want {
			t.Errorf("%s: later in %d comparisons, want %d", x.name, n, x.want)
		}
	}
}

// A command of three seeds or more gets twenty, a shorter one its own; plausible platforms have one.
func TestSeeds(t *testing.T) {
	if got := moreSeeds([]uint64{7}); !slices.Equal(got, []uint64{7}) {
		t.Errorf("one seed: %v", got)
	}
	if got := moreSeeds([]uint64{0, 1, 2}); len(got) != timingSeeds || got[19] != 19 {
		t.Errorf("three seeds: %v", got)
	}
}
