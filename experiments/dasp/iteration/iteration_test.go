package iteration

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/claims"
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

func TestReductionsAndRatios(t *testing.T) {
	// BSP 1, SSP 0.8, DSSP 0.5, DASP 0.4: reductions 60, 50 and 20 %.
	times := alike(1, 0.3, 0.8, 0.5, 0.4)
	v := viewOf(times, times, nil)
	showRanges(v, setup.Homogeneous)
	for id, want := range map[string]float64{"D01": 60, "D02": 50, "D03": 20, "D04": 60, "D08": 50, "D09": 20} {
		c := v.Claim(id)
		if x, ok := c.Measured.(float64); !ok || math.Abs(x-want) > 1e-9 || c.Table != "4" || len(c.Samples[0]) != 2 {
			t.Errorf("%s: measured %v, want %g", id, c.Measured, want)
		}
		kittest.WantClaim(t, "reductions", *c, c.Verdict, "plausible-range", "of", 36)
	}
	c := v.Claim("D42")
	if x, ok := c.Measured.([]float64); !ok || !slices.EqualFunc(x, []float64{0.4, 0.8, 0.5}, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("D42: measured %v, want DASP, SSP, DSSP over BSP", c.Measured) // as the row lists them
	}
	kittest.WantClaim(t, "ratios", *c, c.Verdict, "assumed-platform")
	if len(v.Claims) != 9+3 || v.Claim("D45") != nil {
		t.Errorf("%d claims of the homogeneous cluster, want D01–D09 and D42–D44", len(v.Claims))
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
	c := v.Claim("D42")
	i := slices.Index(kittest.Codes(c.Reasons), "plausible-ratios")
	ssp := c.Reasons[i].Args["ratios"].([]map[string]any)[1]
	if c.Reasons[i].Args["of"] != 36 || ssp["method"] != "ssp" || math.Abs(ssp["lo"].(float64)-1) > 1e-9 || math.Abs(ssp["hi"].(float64)-2) > 1e-9 {
		t.Errorf("the ratios' ranges: %v", c.Reasons[i])
	}
}

func TestOrdering(t *testing.T) {
	good := alike(5, 1, 3, 2, 2)
	judge := func(homo, hetero speeds) result.Claim { return ordering(viewOf(homo, hetero, nil)) }
	c := judge(good, good)
	kittest.WantClaim(t, "in order", c, claims.Holds, "D39-order")
	kittest.WantClaim(t, "in order", c, claims.Holds, "D39-plausible", "equal", 36, "equal_of", 36, "unequal", 36)
	kittest.WantClaim(t, "DSSP above BSP", judge(good, alike(5, 1, 3, 10, 2)), claims.Differs,
		"D39-violated", "platform", setup.Heterogeneous, "method", "dssp", "other", "bsp", "ratio", 2.0)
	kittest.WantClaim(t, "DASP below ASP", judge(alike(5, 1, 3, 2, 0.5), good), claims.Differs, "D39-violated",
		"platform", setup.Homogeneous, "method", "asp", "ratio", 2.0)
	kittest.WantClaim(t, "a tie to 0.1 %", judge(good, alike(5, 1.0005, 3, 2, 1)), claims.Holds, "D39-order")
}

func TestLeastAffected(t *testing.T) {
	homo := alike(1, 1, 1, 1, 1)
	judge := func(hetero speeds) result.Claim { return leastAffected(viewOf(homo, hetero, nil)) }
	kittest.WantClaim(t, "DASP least", judge(alike(4, 1, 3, 2, 1.5)), claims.Holds, "D56-plausible", "n", 36, "of", 36)
	kittest.WantClaim(t, "DSSP less", judge(alike(4, 1, 3, 1.2, 1.5)), claims.Differs, "D56-rivals")
	v := viewOf(homo, alike(4, 1, 3, 1.5, 1.5), nil)
	kittest.WantClaim(t, "a tie", leastAffected(v), claims.Holds, "D56-rivals")
	if p := (point{Cluster: setup.Homogeneous}).of("lenet5"); !tied(v, p.as("dssp")) || tied(v, p.as("ssp")) || tied(v, p.as("asp")) {
		t.Error("DASP ties with DSSP alone")
	}
}

// identical marks two methods as the same run wherever v has them.
func identical(v *view, a, b string) *view {
	for _, c := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, p := range reference(c) {
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

// Methods that did exactly the same are no case; a tie of numbers holds where the claim says “at
// most”; an interval over the bound leaves a comparison open.
func TestTies(t *testing.T) {
	times := alike(4, 1, 3, 1, 1)
	v := identical(viewOf(alike(1, 1, 1, 1, 1), times, nil), "dasp", "dssp")
	showRanges(v, setup.Heterogeneous)
	for id, want := range map[string]string{"D12": claims.NoCase, "D15": claims.NoCase, "D18": claims.NoCase, "D10": claims.SameSign} {
		if c := v.Claim(id); c.Verdict != want {
			t.Errorf("%s is %s because %v, want %s", id, c.Verdict, c.Reasons, want)
		}
	}
	if c := leastAffected(v); c.Verdict != claims.Holds || claims.FindingOf(c.Parts[0]) != claims.Holds || claims.FindingOf(c.Parts[2]) != claims.NoCase {
		t.Errorf("D56 is %s: %+v", c.Verdict, c.Parts)
	}
	same := alike(1, 1, 1, 1, 1)
	v = viewOf(same, same, nil)
	if c := leastAffected(v); c.Verdict != claims.Holds {
		t.Errorf("ties of numbers: D56 is %s", c.Verdict)
	}
	for _, b := range setup.Methods {
		identical(v, "dasp", b)
	}
	if c := leastAffected(v); c.Verdict != claims.NoCase {
		t.Errorf("all the same run: D56 is %s", c.Verdict)
	}
	if c := ordering(v); c.Verdict != claims.NoCase {
		t.Errorf("all the same run: D39 is %s", c.Verdict)
	}
	v = viewOf(same, alike(4, 1, 3, 2, 1.5), nil)
	dssp := v.At(point{Cluster: setup.Heterogeneous}.of("vgg19_bn").as("dssp"))
	dssp[0].Iteration.PerWorker, dssp[1].Iteration.PerWorker = 1.4, 1.7
	if c := leastAffected(v); c.Verdict != claims.Undecided {
		t.Errorf("an interval over 1: D56 is %s", c.Verdict)
	}
	if setup.Same([]setup.Summary{{}}, []setup.Summary{{}}) {
		t.Error("runs without a digest count as the same")
	}
}

// The counts beside D39 and D56: the worst model decides; a pair needs the reference's
// workers, the same link and overhead.
func TestPlausibleCounts(t *testing.T) {
	equal, good := alike(1, 1, 1, 1, 1), alike(5, 1, 3, 2, 1.5)
	oneModel := alike(5, 1, 3, 2, 1.5)
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
	kittest.WantClaim(t, "order", ordering(v), claims.Holds, "D39-plausible", "equal", 36, "unequal", 24, "unequal_of", 36)
	kittest.WantClaim(t, "pairs", leastAffected(v), claims.Holds, "D56-plausible", "n", 24, "of", 36)
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
