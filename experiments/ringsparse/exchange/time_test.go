package exchange

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/internal/oktest"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// The virtual time of whole exchanges is a sum of Ta or Tb, to the nanosecond; one nanosecond more is found.
func TestExactCosts(t *testing.T) {
	plan := planRule()
	direct, coded, err := exactCosts(t.Context(), plan, 3)
	oktest.Nil(t, err)
	if len(direct) != 15 || len(coded) != 14 || kit.CountIf(direct, exactCost.equal) != 15 || kit.CountIf(coded, exactCost.equal) != 14 {
		t.Fatalf("%d of %d direct, %d of %d coded are equal", kit.CountIf(direct, exactCost.equal), len(direct), kit.CountIf(coded, exactCost.equal), len(coded))
	}
	for i, c := range judgeCosts(plan, direct, coded) {
		kittest.WantVerdict(t, c, claims.Equal, []string{"P02", "P03"}[i])
	}
	direct[3].Measured++
	coded[0].Expected = new(big.Rat).Add(coded[0].Expected, big.NewRat(1, 3))
	for i, c := range judgeCosts(plan, direct, coded) {
		kittest.WantVerdict(t, c, claims.Differs, []string{"P02", "P03"}[i])
		if got, want := c.Found.Args["equal"], []int{14, 13}[i]; got != want {
			t.Errorf("%s: equal in %v, want %d", c.ID, got, want)
		}
	}
}

// One zero by hand at 1 Gb/s: four bytes take 32 ns; coded they are a byte, 8 ns, and
// 2 ns each for packing and unpacking. The printed rule sends the four bytes.
func TestPrintedRuleIsDearer(t *testing.T) {
	c := newRuleCheck(rulePlan{Largest: 1})
	if c.Cases != 6 || c.RightWrong != 0 || c.Wrong != c.Cases-c.Ties || c.Smallest.Elements != 1 || c.Smallest.NonZeros != 0 || c.Smallest.Gbps != 1 {
		t.Errorf("%+v of %+v", c.Smallest, c)
	}
	if ta, tb := c.Smallest.Ta, c.Smallest.Tb; math.Abs(ta-32) > 1e-9 || math.Abs(tb-12) > 1e-9 {
		t.Errorf("Ta %g ns, Tb %g ns", ta, tb)
	}
	v := judgeRule(c)
	if kittest.WantVerdict(t, v, claims.Differs, "text-error"); v.Found.Code != "P04-corrected" {
		t.Errorf("found %v", v.Found)
	}
	c.Wrong, c.RightWrong = 1, 1
	if kittest.WantVerdict(t, judgeRule(c), claims.Differs, "P04"); judgeRule(c).Found.Code != "P04-both" {
		t.Errorf("found %v", judgeRule(c).Found)
	}
	c.Wrong = 0
	kittest.WantVerdict(t, judgeRule(c), claims.Equal, "P04")
	c.RightWrong = 0 // nothing was found out
	kittest.WantVerdict(t, judgeRule(c), claims.Differs, "P04")
}

// Two layers on two ranks by hand: steps of 5 and 7 bytes, then of 2 and 9, each the larger of the two ranks'.
func TestStepSums(t *testing.T) {
	choices := []ringsparse.Choice{
		{Layer: 0, Hop: 0, Bytes: 5}, {Layer: 0, Hop: 0, Bytes: 3}, {Layer: 0, Hop: 1, Gather: true, Bytes: 7}, {Layer: 0, Hop: 1, Gather: true, Bytes: 1},
		{Layer: 1, Hop: 0, Bytes: 2}, {Layer: 1, Hop: 0, Bytes: 2}, {Layer: 1, Hop: 1, Gather: true, Bytes: 4}, {Layer: 1, Hop: 1, Gather: true, Bytes: 9},
	}
	if most, mean := stepSums(choices, 2); most != 23 || mean != 16.5 {
		t.Errorf("%g and %g, want 23 and 16.5", most, mean)
	}
	choices[2].Bytes, choices[3].Bytes = 0, 0
	if most, _ := stepSums(choices[:4], 4); most != 5 { // of four ranks two sent nothing
		t.Errorf("%g, want 5", most)
	}
}

func TestSlowestVerdicts(t *testing.T) {
	of := func(distance float64) []uneven {
		return []uneven{{Seconds: kit.Sample{1, 1}, Distances: kit.Sample{0, distance}}}
	}
	good := slowCheck{Plan: planSlow(), Equal: 1, One: 4, At: 4.1, Uneven: of(0.01)}
	v := judgeSlowest(good)
	kittest.WantVerdict(t, v, claims.Holds, "P11")
	if len(v.Parts) != 2 || !*v.Parts[0].Holds || !*v.Parts[1].Holds || v.Reasons[len(v.Reasons)-2].Args["one"] != 4. || len(v.Parts[1].Samples) != 2 {
		t.Errorf("parts %v, %v", v.Parts, v.Reasons)
	}
	bad := good
	bad.One = 3.8
	if v = judgeSlowest(bad); v.Verdict != claims.Differs || *v.Parts[0].Holds || !*v.Parts[1].Holds {
		t.Errorf("a link that costs less: %s, %v", v.Verdict, v.Parts)
	}
	bad = good
	bad.Uneven = of(0.06)
	if v = judgeSlowest(bad); v.Verdict != claims.Differs || *v.Parts[1].Holds {
		t.Errorf("blocks that cost more: %s, %v", v.Verdict, v.Parts)
	}

	v = judgeGrowth([]growth{{2, 1}, {10, 1.8}, {16, 1.875}})
	if kittest.WantVerdict(t, v, claims.Differs, "P12"); math.Abs(v.Reasons[len(v.Reasons)-1].Args["more"].(float64)-4.1666667) > 1e-6 {
		t.Errorf("%v", v.Reasons)
	}
	kittest.WantVerdict(t, judgeGrowth([]growth{{2, 1.8}, {16, 1.875}}), claims.Holds, "P12")
}

// race returns what was timed of one network at all links, with the same seconds of every way but
// those given, on 8 and 16 workers.
func race(at8 map[string]float64, at16 map[string]float64) timed {
	works := []setup.Network{{Key: "embedding", Layers: make([]cluster.Layer, 1)}, {Key: "resnet18", Layers: make([]cluster.Layer, 1)}}
	t := timed{plan: timePlan{Nodes: []int{8, 16}}, works: works, assumed: grid{}}
	for _, c := range gridPoints(works, setup.Ways, setup.Links, t.plan.Nodes) {
		l := setup.Iteration{Seconds: 4}
		for way, s := range map[int]map[string]float64{8: at8, 16: at16}[c.Nodes] {
			if way == c.Way {
				l.Seconds = s
			}
		}
		t.assumed[c] = l
	}
	t.measured = t.assumed
	return t
}

// Who is fastest, by hand: the dense ring where it ties, and a way that was not run never.
func TestFastest(t *testing.T) {
	x, c := race(map[string]float64{"gradients": 2, "printed": 1}, nil), gridPoint{"embedding", "", 1, 8}
	if x.assumed.fastestOf(c) != "printed" || x.assumed.fastestOf(gridPoint{"embedding", "", 1, 16}) != "dense" {
		t.Errorf("%s and %s", x.assumed.fastestOf(c), x.assumed.fastestOf(gridPoint{"embedding", "", 1, 16}))
	}
	delete(x.assumed, gridPoint{"embedding", "printed", 1, 8})
	if x.assumed.fastestOf(c) != "gradients" {
		t.Error(x.assumed.fastestOf(c))
	}
	c.Way = "gradients"
	if x.assumed.gain(c) != 2 || x.assumed.slower(c, "ringsparse") != -50 {
		t.Errorf("gain %g, slower by %g %%", x.assumed.gain(c), x.assumed.slower(c, "ringsparse"))
	}
}

// Counts by hand: on 8 workers gradients alone and the printed rule are faster than
// RingSparse, on 16 RingSparse is the fastest of all.
func TestTimeFacts(t *testing.T) {
	x := race(map[string]float64{"ringsparse": 3, "gradients": 2, "printed": 2.5}, map[string]float64{"ringsparse": 1})
	r := result.Result{Facts: x.facts(), Frames: []result.Frame{x.fastest(), x.elsewhere()}}
	for key, want := range map[string]any{"cases": 12, "fastest.ringsparse": 6, "alone.faster": 6, "alone.faster.measured": 6, "dearer": 6, "dearer.any": true,
		"dearer.n": 8, "dearer.work": "embedding", "dearer.ms": 3000., "dearer.printed": 2500., "ringsparse.beats": 8, "gradients.beats": 4,
		"gradients.beats.of": 8} {
		if f := r.Fact(key); f == nil || f.Value != want {
			t.Errorf("%s: %v, want %v", key, f, want)
		}
	}
	if rows := fmt.Sprint(r.Frames[0].Rows); rows != "[[1 0 4 0 4] [10 0 4 0 4] [25 0 4 0 4]]" {
		t.Errorf("fastest: %s", rows)
	}
	if rows := r.Frames[1].Rows; len(rows) != 12 || fmt.Sprint(rows[0]) != "[embedding gradients 1]" {
		t.Errorf("elsewhere: %v", rows)
	}
	if x = race(map[string]float64{"ringsparse": 3, "printed": 3}, nil); fmt.Sprint(x.packOnce()) != fmt.Sprint(kit.Facts("dearer", 0, "dearer.any", false)) {
		t.Error(x.packOnce())
	}
}

// At 10 Gb/s a byte takes 0.8 ns: of a float32's 32 bits one is the bitmap's, and packing and unpacking at 13.6 and 13
// GB/s cost 0.188 of sending it. At 2 GB/s they cost more than sending.
func TestMeasuredRatesMoveTheBreakEven(t *testing.T) {
	if d := breakEven(setup.MeasuredRates, 10); d < 0.7806 || d > 0.7809 {
		t.Errorf("%g", d)
	}
	if d := breakEven(setup.Platform().Codecs, 10); d > -0.281 || d < -0.282 {
		t.Errorf("%g", d)
	}
	f := setup.RateFrame()
	if row := fmt.Sprint(f.Rows[0], f.Rows[2]); row != "[bitmap 2 2 13.6 13] [count 10 <nil> 30 <nil>]" {
		t.Error(row)
	}
}

// A run is charged the rates that it is given; the dense ring has nothing to charge.
func TestRatesAreCharged(t *testing.T) {
	w := setup.Stack(2, 0.1)
	time := func(way string, rates []cluster.CodecRate) float64 {
		l := oktest.Must(w.Run(t.Context(), setup.Case{Way: setup.WayOf(way), Gbps: 10, Nodes: 4, Rates: rates}))(t)
		return l.Seconds
	}
	if a, b := time("dense", nil), time("dense", setup.MeasuredRates); a != b {
		t.Errorf("dense: %g and %g", a, b)
	}
	if a, b := time("gradients", nil), time("gradients", setup.MeasuredRates); b >= a {
		t.Errorf("gradients: %g s at the platform's rates, %g s at the measured", a, b)
	}
	if a, b := time("ringsparse", nil), time("ringsparse", setup.Platform().Codecs); a != b {
		t.Errorf("the platform's rates: %g and %g", a, b)
	}
}

func TestTimeRuns(t *testing.T) {
	oktest.Slow(t)
	if r := kittest.RunCI(t, Time()); len(r.Claims) != 5 || len(r.Frames) != 13 || len(r.Figures) != 3 {
		t.Errorf("%d claims, %d frames, %d figures", len(r.Claims), len(r.Frames), len(r.Figures))
	}
}
