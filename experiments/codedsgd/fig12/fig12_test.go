package fig12

import (
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// flat returns the times of a network whose judged variant takes the given times, all others 1 s at every r.
func flat(seconds ...float64) *networkTimes {
	s := &networkTimes{Net: setup.DNN, Calc: 1, Comm: 8, Timed: map[string]byRedundancy{}, Sweep: []ratioPoint{{Ratio: 8, Medium: 3}, {Ratio: 2, Medium: 2}}}
	timed := func(key string, of func(r int) float64) {
		for r := range seconds {
			s.Timed[key] = append(s.Timed[key], kit.Sample{of(r), of(r)})
		}
	}
	for i, v := range timing.Variants {
		timed(v.Key, func(r int) float64 {
			if i == 0 {
				return seconds[r]
			}
			return 1
		})
	}
	for _, p := range uncodedWays {
		timed(p.Key, func(int) float64 { return 1 })
	}
	return s
}

func TestBestRedundancyIsJudged(t *testing.T) {
	s := flat(5, 4, 3, 4, 5, 6, 7, 8)
	c := judgeBest("C10", s)
	kittest.JudgedAs(t, c, claims.SameSign, "chosen-ratio", true, "best-elsewhere", true, "fitted", true, "seed-has", nil)
	if c.Measured != 3.0 || c.Remark != "" {
		t.Errorf("r = 3: %v, %s", c.Measured, c.Remark)
	}
	kittest.JudgedAs(t, judgeBest("C11", s), claims.Differs)
	s.judged()[1] = kit.Sample{1, 7} // of one seed r = 2 is the best
	kittest.JudgedAs(t, judgeBest("C10", s), claims.Undecided, "seed-has.r", 2)
	if b := timing.BestOf([]float64{2, 1, 1}); b != 2 {
		t.Errorf("of equal times r = %d, want the smaller, 2", b)
	}
}

func TestOneBest(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want bool
	}{{[]float64{3, 2, 1, 2}, true}, {[]float64{1, 2, 3}, true}, {[]float64{3, 2, 1}, true}, {[]float64{3, 1, 2, 1.5}, false},
		{[]float64{3, 1, 1, 2}, false}, {[]float64{2, 3, 1, 2}, false}} {
		if got := oneBest(c.x); got != c.want {
			t.Errorf("%v: %v", c.x, got)
		}
	}
	good, bad := flat(3, 2, 1, 2), flat(3, 1, 2, 1.5)
	kittest.JudgedAs(t, judgeOneBest([]*networkTimes{good, good}, 3), claims.Holds)
	if c := judgeOneBest([]*networkTimes{good, bad}, 3); c.Verdict != claims.Differs || !*c.Parts[0].Holds || *c.Parts[1].Holds {
		t.Error(c.Verdict, c.Parts)
	}
	open := flat(3, 2, 1, 2)
	open.judged()[3] = kit.Sample{0.9, 3.1} // the mean rises after the minimum, and one seed falls
	c := judgeOneBest([]*networkTimes{good, open}, 2)
	kittest.JudgedAs(t, c, claims.Undecided, "C34-found.networks", []map[string]any{{"model": "mlp", "one": true, "r": 3, "open": 0},
		{"model": "mlp", "one": true, "r": 3, "open": 1}})
	if p := c.Parts[1]; len(p.Samples) != 2 || p.Samples[0] != 4 || p.Samples[1] != 3 {
		t.Errorf("each seed's best: %v", p.Samples)
	}
}

// At r = 8 the printed form has Tcomm/8 where nothing is exchanged: for ρ = 8 it is 9 and the exact one 8.
func TestModelIsJudged(t *testing.T) {
	s := flat(1)
	for r := 1; r <= setup.Anchor; r++ {
		s.Ideal = append(s.Ideal, timing.Exact.Batch(setup.Anchor, r, 8))
	}
	if d, at := offBy(timing.Exact, s); d != 0 || at != 1 {
		t.Errorf("the exact form is off by %g at %d from itself", d, at)
	}
	// T(4): exact 4 + 8·4/28 = 5.142857, printed 6: off by 1/7 of the printed.
	if d, at := offBy(timing.Short, s); at != 4 || d > -0.1428 || d < -0.1429 {
		t.Errorf("the printed form is off by %g at r = %d", d, at)
	}
	kittest.JudgedAs(t, judgeModel([]*networkTimes{s}), claims.Differs, "C19-found.off", 14.29, "C19-found.side", "below",
		"C19-found.r", 4, "C19-exact.exact", 0)
	for r := 1; r <= setup.Anchor; r++ {
		s.Ideal[r-1] = 1.04 * timing.Short.Batch(setup.Anchor, r, 8)
	}
	kittest.JudgedAs(t, judgeModel([]*networkTimes{s}), claims.Equal) // 4 % off the printed form everywhere
	s.Ideal[2] *= 1.06 / 1.04
	kittest.JudgedAs(t, judgeModel([]*networkTimes{s}), claims.Differs, "C19-found.off", 6, "C19-found.side", "above", "C19-found.r", 3)
}

func TestRangesAreDerivedAnew(t *testing.T) {
	s := flat(1)
	kittest.JudgedAs(t, judgeRange("C25", 3, s), claims.Input, "range-saved.exact", []float64{32, 52.17}, "range-saved.short", []float64{28.57, 46.15},
		"range-simulated.inside", 2)
	kittest.JudgedAs(t, judgeRange("C26", 2, s), claims.Input, "range-saved.exact", []float64{0, 32}, "range-saved.short", []float64{0, 28.57})
	kittest.JudgedAs(t, judgeRange("C25", 4, s), claims.Input, "other-words", true) // the range of r = 4 is not that of 3
}

// On a switch a node's own link is the bound: n = 8, r = 3, ρ = 7: 3 + 7·5/7.
func TestReceiversBound(t *testing.T) {
	kittest.Near(t, "receivers", receivers(8, 3, 7), 8, 1e-12)
	kittest.Near(t, "r = n", receivers(8, 8, 7), 8, 1e-12)
}

// The results at ci's size: the simulation follows the exact form, the claims are C10,
// C19, C25 and C34, and the switch takes what its receivers' links allow.
func TestFig12(t *testing.T) {
	oktest.Slow(t)
	kittest.Ran(t, fig13(), "ci", 0)
	res := kittest.Ran(t, fig12(), "ci", 0)
	for i, want := range []string{"C10 undecided", "C19 differs", "C25 input", "C34 undecided"} {
		if c := res.Claims[i]; c.ID+" "+c.Verdict != want {
			t.Errorf("%s %s, want %s", c.ID, c.Verdict, want)
		}
	}
	for r := 1; r <= setup.Anchor; r++ {
		at := func(key string) float64 { return kittest.CellAt(t, res, "times", key, "r", r).(float64) }
		kittest.Near(t, "exact form", at("ideal"), at("exact"), 0.005*at("exact"))
		kittest.Near(t, "the receivers' bound", at("ideal_switch"), at("bound"), 0.005*at("bound"))
	}
	// Loads by hand: 7·56 unicasts and 56 multicasts of micro-blocks, 8·7 and 8 of sums, 2·7 of the ring.
	for i, want := range []float64{392, 56, 56, 8, 14} {
		kittest.Near(t, "load", kittest.CellAt(t, res, "rivals", "load", "rival", otherMethods()[i].Key).(float64), want, 1e-9*want)
	}
}

// The result says whose gain it is: the code's only as far as the same redundancy without it takes longer.
func TestWhoseGainItIs(t *testing.T) {
	set := func(s *networkTimes, key string, x []float64) {
		for i, v := range x {
			s.Timed[key][i] = kit.Sample{v}
		}
	}
	for _, c := range []struct {
		coded, plain []float64
		whose        string
		r            int
		size         float64
	}{
		{[]float64{1.2, 1.1, 0.9, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "redundancy", 3, 25},
		{[]float64{1.2, 0.9, 1.1, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "code", 2, 25},
		{[]float64{1.3, 1.3, 1.25, 0.5}, []float64{1.2, 1, 0.8, 0.4}, "none", 3, 100 - 125/1.2},
	} {
		s := flat(1, 1, 1, 1)
		set(s, timing.Switched.Key, c.coded)
		set(s, "plain-switch-overlap", c.plain)
		f := s.gainFacts()
		if kittest.Fact(t, f, "gain") != c.whose || kittest.Fact(t, f, "gain.r") != c.r {
			t.Errorf("gain %v at r = %v, want %s at %d", kittest.Fact(t, f, "gain"), kittest.Fact(t, f, "gain.r"), c.whose, c.r)
		}
		kittest.Near(t, "gain", kittest.Fact(t, f, "gain.size").(float64), c.size, 1e-9)
	}
	p := uncodedWays[slices.IndexFunc(uncodedWays, func(p uncoded) bool { return p.Key == "plain-switch-overlap" })]
	if v := timing.VariantOf(p.Variant); v.Key != timing.Switched.Key || v.Whole || v.Shared || !v.Overlap || p.Method != otherMethods()[1].Exchange.Method {
		t.Errorf("%+v and %+v are not micro-blocks on a switch with overlap", v, p)
	}
}

// Only quick was cut, and its result says so; the frame of settings has every variant.
func TestStudySaysWhatWasCut(t *testing.T) {
	s := flat(5, 4, 3, 4, 5, 6, 7, 8)
	for profile, cut := range map[string]bool{"quick": true, "ci": false, "standard": false} {
		if s.Profile = profile; kittest.Fact(t, s.settingFacts(), "cut") != cut {
			t.Errorf("%s: cut is not %v", profile, cut)
		}
	}
	r := &result.Result{Frames: []result.Frame{s.settingsFrame()}}
	if n := len(r.Frames[0].Rows); n != len(timing.Variants) || kittest.CellAt(t, r, "settings", "best", "setting", "micro-medium") != 3 ||
		kittest.CellAt(t, r, "settings", "least", "setting", "micro-medium") != 3000.0 ||
		kittest.CellAt(t, r, "settings", "one", "setting", "micro-medium") != 5000.0 {
		t.Error(r.Frames[0].Rows)
	}
}
