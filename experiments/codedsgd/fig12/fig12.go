// Package fig12 holds Figures 12 and 13: the time per batch against the redundancy.
package fig12

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/papers/codedsgd/formula"
)

// Experiments lists Figures 12 and 13.
func Experiments() []exp.Experiment { return []exp.Experiment{fig12(), fig13()} }

// fig12 shows the DNN's time per batch, and judges the claims on both networks.
func fig12() exp.Experiment {
	return timeOverRedundancy("fig12", "Fig. 12", setup.DNN, func(t *timer, s *networkTimes) ([]result.Claim, error) {
		second := networkTimes{Net: setup.CNN, Timed: map[string]byRedundancy{}}
		var err error
		if second.Timed[timing.Judged.Key], err = t.byRedundancy(setup.CNN, codedsgd.CSSGD, timing.Judged); err != nil {
			return nil, err
		}
		if err := t.model(&second); err != nil {
			return nil, err
		}
		both := []*networkTimes{s, &second}
		return []result.Claim{judgeBest("C10", s), judgeModel(both), judgeRange("C25", setup.DNN.Best, s), judgeOneBest(both, len(t.env.Seeds))}, nil
	})
}

// fig13 shows the CNN's time per batch.
func fig13() exp.Experiment {
	return timeOverRedundancy("fig13", "Fig. 13", setup.CNN, func(_ *timer, s *networkTimes) ([]result.Claim, error) {
		return []result.Claim{judgeBest("C11", s), judgeRange("C26", setup.CNN.Best, s)}, nil
	})
}

// timeOverRedundancy makes Figure 12 or 13, the time per batch against the redundancy.
func timeOverRedundancy(id, source string, net setup.Network, judge func(*timer, *networkTimes) ([]result.Claim, error)) exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/" + id, Source: "CSSGD, " + source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			return 0.3 + 0.2*float64(len(ratiosOf(profile))) + 0.5*float64(seeds*iterationsOf(profile))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"platform": kit.Platform(setup.Platform()), "network": net, "nodes": setup.Anchor, "redundancies": timing.AllRedundancies(),
				"micro_blocks": setup.MicroBlocks(setup.Anchor, timing.AllRedundancies()...), "variants": timing.Variants,
				"without_code": uncodedWays, "sweep": ratiosOf(profile),
				"iterations": iterationsOf(profile), "model_tolerance": modelTolerance}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			t := &timer{ctx, env, &exp.Bar{Env: env, Total: float64(len(timing.Variants) + 3 + len(ratiosOf(env.Profile)))}}
			s, err := t.network(net)
			if err != nil {
				return err
			}
			if r.Claims, err = judge(t, &s); err != nil {
				return err
			}
			r.Facts = slices.Concat(s.settingFacts(), s.modelFacts(), s.sweepFacts(), s.gainFacts())
			r.Frames = append([]result.Frame{s.timesFrame(), s.settingsFrame(), loadsFrame(), s.rivalsFrame()}, s.sweepFrames()...)
			r.Figures = []result.Figure{
				{ID: "best", Form: "line", Frame: "times", X: "r", Y: []string{timing.Judged.Key, "micro-medium-overlap", "exact", "short"}},
				{ID: "media", Form: "line", Frame: "times", X: "r", Y: []string{timing.Judged.Key, "micro-switch", "whole-medium", "whole-switch"}},
				{ID: "ratio", Form: "line", Frame: "sweep", X: "ratio", Y: []string{"drawn", "medium", "switch", "whole"}, Log: "x"}}
			return nil
		}}.Experiment()
}

func (s *networkTimes) timesFrame() result.Frame {
	columns := "r"
	for _, v := range timing.Variants {
		columns += " " + v.Key + "±/ms.1"
	}
	for _, p := range uncodedWays {
		columns += " " + p.Key + "/ms.1"
	}
	f := kit.NewSheet("times", columns+" ideal/ms.2 exact/ms.2 exact_off/%.3 short/ms.2 short_off/%.1 ideal_switch/ms.2 bound/ms.2 load/.1")
	for i, r := range timing.AllRedundancies() {
		row := []any{r}
		for _, v := range timing.Variants {
			row = append(row, s.Timed[v.Key][i].Mean().Times(1e3))
		}
		for _, p := range uncodedWays {
			row = append(row, 1e3*stat.Mean(s.Timed[p.Key][i], nil))
		}
		exact, short := s.modelled(timing.Exact, r), s.modelled(timing.Short, r)
		f.Add(append(row, 1e3*s.Ideal[i], 1e3*exact, 100*(s.Ideal[i]/exact-1), 1e3*short, 100*(s.Ideal[i]/short-1),
			1e3*s.OnSwitch[i], 1e3*s.Calc*receivers(setup.Anchor, r, s.ratio()), load(r))...)
	}
	return f.Frame
}

// modelled returns the seconds of a form of the time model at the measured parts.
func (s *networkTimes) modelled(f timing.Form, r int) float64 {
	return s.Calc * f.Batch(setup.Anchor, r, s.ratio())
}

// load returns (28), the gradients that CSSGD sends of its C(n,r) blocks.
func load(r int) float64 { return formula.Coding(setup.Anchor, r) }

// loadsFrame holds the loads of whole gradients up to the paper's best r.
func loadsFrame() result.Frame {
	return kit.Rows("loads", "r load/.1", timing.AllRedundancies()[:setup.DNN.Best], func(r int) []any { return []any{r, load(r)} })
}

func (s *networkTimes) settingsFrame() result.Frame {
	return kit.Rows("settings", "setting:setting best least/ms.1 one/ms.1 shown", timing.Variants, func(v timing.Variant) []any {
		t := s.Timed[v.Key]
		return []any{v.Key, t.best(), 1e3 * t.least(), 1e3 * t.means()[0], !v.Overlap}
	})
}

// sweepFrames lists the best r by ratio, and every r that is the best of whole gradients
// at some ratio.
func (s *networkTimes) sweepFrames() []result.Frame {
	f, whole := kit.NewSheet("sweep", "ratio real/.2 drawn/.2 exact short medium switch whole"), kit.NewSheet("whole-best", "r")
	var seen []int
	for _, p := range s.Sweep {
		f.Add(p.Ratio, p.Real, min(p.Real, setup.Anchor), p.Exact, p.Short, p.Medium, p.Switch, p.Whole)
		if !slices.Contains(seen, p.Whole) {
			whole.Add(p.Whole)
			seen = append(seen, p.Whole)
		}
	}
	return []result.Frame{f.Frame, whole.Frame}
}

// rivalsFrame sets CSSGD at its best r beside the other methods, all without overlap.
func (s *networkTimes) rivalsFrame() result.Frame {
	f := kit.NewSheet("rivals", "rival:rival load/gradients.1 medium/ms.1 medium_r switch/ms.1 switch_r")
	for _, x := range s.Rivals {
		f.Add(x.Key, x.Load, 1e3*x.Medium, nil, 1e3*x.Switch, nil)
	}
	for _, what := range []string{"micro", "whole"} {
		medium, onSwitch := s.Timed[what+"-medium"], s.Timed[what+"-switch"]
		f.Add("cssgd-"+what, nil, 1e3*medium.least(), medium.best(), 1e3*onSwitch.least(), onSwitch.best())
	}
	return f.Frame
}

// settingFacts tells how it was timed, and the effect of overlap on the judged variant.
func (s *networkTimes) settingFacts() []result.Fact {
	v, stated, overlap := s.judged(), s.Net.Best, s.Timed["micro-medium-overlap"]
	onSwitch := s.Timed["micro-switch"].means()
	q, others := setup.MicroBlocks(setup.Anchor, timing.AllRedundancies()...), setup.Q(setup.Anchor)
	return kit.Facts("nodes", setup.Anchor, "q", q, "q.others", others, "at-once", q/others, "batch", s.Net.Batch(setup.Anchor),
		"coding/GB/s", train.CodingRate/1e9, "jitter/%", 100*setup.Platform().Workers[0].Jitter,
		"iterations", iterationsOf(s.Profile), "iterations.whole", timing.Iterations, "cut", s.Profile == "quick",
		"stated", stated, "as-stated", v.best() == stated, "best", v.best(), "overlap.less/%.0", 100*(1-overlap.least()/v.least()),
		"switch.least/ms.0", 1e3*slices.Min(onSwitch), "switch.most/ms.0", 1e3*slices.Max(onSwitch))
}

// modelFacts sets the simulation where nothing takes time but computing and bytes beside
// the forms of the time model.
func (s *networkTimes) modelFacts() []result.Fact {
	exact, _ := offBy(timing.Exact, s)
	short, at := offBy(timing.Short, s)
	excess, atSwitch := 0.0, 1 // above what the receivers' links allow
	for i, t := range s.OnSwitch {
		if x := t/(s.Calc*receivers(setup.Anchor, i+1, s.ratio())) - 1; x > excess {
			excess, atSwitch = x, i+1
		}
	}
	rho := new(big.Rat).SetFloat64(s.ratio())
	return kit.Facts("calc/ms.1", 1e3*s.Calc, "comm/ms.1", 1e3*s.Comm, "ratio/.2", s.ratio(), "r-star/.2", codedsgd.RStar(setup.Anchor, rho, false),
		"exact.best", timing.Exact.Best(setup.Anchor, s.ratio()), "short.best", timing.Short.Best(setup.Anchor, s.ratio()),
		"exact.off/%", 100*math.Abs(exact), "short.off/%.1", 100*math.Abs(short), "short.side:side", sideOf(short), "short.r", at,
		"switch.excess/%", 100*excess, "switch.excess.r", atSwitch, "switch.follows", excess < 0.01)
}

// sweepFacts tells where the simulation follows the model over the ratios; on a switch the
// best r is 1 below a ratio of n − 1 and n above.
func (s *networkTimes) sweepFacts() []result.Fact {
	onSwitch := kit.CountIf(s.Sweep, func(p ratioPoint) bool {
		return p.Switch == map[bool]int{true: setup.Anchor, false: 1}[p.Ratio > setup.Anchor-1]
	})
	from, to := timing.Exact.Ratios(2)
	_, last := timing.Exact.Ratios(3)
	jump := jumps(s.Sweep, func(p ratioPoint) int { return p.Switch }) && jumps(s.Sweep, func(p ratioPoint) int { return p.Whole })
	return kit.Facts("ratios.all", len(ratiosOf("standard")), "ratios.switch", onSwitch, "switch.bound", setup.Anchor-1, "jumps", jump,
		"range.2.from", from, "range.2.to", to, "range.3.to", last)
}

// jumps reports whether only the first and the last value occur.
func jumps(sweep []ratioPoint, of func(ratioPoint) int) bool {
	first, last := of(sweep[0]), of(sweep[len(sweep)-1])
	return !slices.ContainsFunc(sweep, func(p ratioPoint) bool { return of(p) != first && of(p) != last })
}

// gainFacts tells whose gain it is that CSSGD beats SSGD with multicasts on a switch with
// overlap, the setting where coding appears to help: the code's, or redundancy's and
// overlap's.
func (s *networkTimes) gainFacts() []result.Fact {
	v, p := s.Timed[timing.Switched.Key].means(), s.Timed["plain-switch-overlap"].means()
	ssgd, best := p[0], timing.BestOf(v[:slices.Max(setup.Redundancies)])
	whose := "redundancy"
	switch {
	case v[best-1] >= ssgd:
		whose = "none"
	case p[best-1] > v[best-1]:
		whose = "code"
	}
	return kit.Facts("gain:gain", whose, "gain.r", best, "gain.size/%.0", 100*(1-v[best-1]/ssgd),
		"gain.coded/ms.0", 1e3*v[best-1], "gain.plain/ms.0", 1e3*p[best-1], "gain.ssgd/ms.0", 1e3*ssgd)
}

// judgeBest judges C10 or C11: the r with the least mean time per batch of the judged
// variant, with the interval of each seed's own. The platform was fitted to the claim.
func judgeBest(id string, s *networkTimes) result.Claim {
	v := s.judged()
	seeds := v.bests()
	f := claims.Number(float64(v.best()), seeds.Mean().CI, seeds, len(seeds))
	f.Network, f.Differs = s.Net.Model, []result.Reason{result.Because("fitted")}
	f.Notes = []result.Reason{result.Because("chosen-ratio")}
	for _, r := range seeds {
		if int(r) != v.best() {
			f.Notes = append(f.Notes, result.Because("seed-has", "r", int(r)))
		}
	}
	f.Notes = append(f.Notes, result.Because("best-elsewhere"))
	return claims.Verdict(id, f)
}

// modelTolerance is C19's bound on how far, at every r, the simulated time is from the
// model's.
const modelTolerance = 0.05

// offBy returns the relative difference of simulated times from a form at the measured
// Tcalc and Tcomm that is largest in size, a share of the form's time and less than 0
// where the simulation is sooner, and the r where it is.
func offBy(f timing.Form, s *networkTimes) (worst float64, at int) {
	for i, t := range s.Ideal {
		want := s.modelled(f, i+1)
		if d := (t - want) / want; math.Abs(d) > math.Abs(worst) || at == 0 {
			worst, at = d, i+1
		}
	}
	return worst, at
}

// sideOf says on which side of a form's time the simulated one is.
func sideOf(d float64) string {
	if d < 0 {
		return "below"
	}
	return "above"
}

// receivers returns the time per batch on a switch, in units of Tcalc: every node takes
// in (n−r)/n of the batch's gradients by its own link, whatever they are coded in.
func receivers(n, r int, rho float64) float64 {
	return float64(r) + rho*float64(n-r)/float64(n-1)
}

// judgeModel judges C19: the printed form decides, the exact one stands beside it. Both
// networks; the simulation has neither overlap nor latency.
func judgeModel(nets []*networkTimes) result.Claim {
	var short, exact float64
	var at int
	for _, s := range nets {
		if d, r := offBy(timing.Short, s); math.Abs(d) > math.Abs(short) || at == 0 {
			short, at = d, r
		}
		d, _ := offBy(timing.Exact, s)
		exact = max(exact, math.Abs(d))
	}
	f := claims.Identity(math.Abs(short) <= modelTolerance, result.Because("C19-found", "off", 100*math.Abs(short), "side", sideOf(short), "r", at))
	f.Notes = []result.Reason{result.Because("C19"), result.Because("C19-exact", "exact", 100*exact), result.Because("C19-run", "nodes", setup.Anchor)}
	return claims.Verdict("C19", f)
}

// judgeRange judges C25 or C26: the ratios at which r is the best of 8 nodes, derived anew
// from both forms, and the savings at their ends. Nothing is found: the closed form is worked out again
// from the document's own best r.
func judgeRange(id string, r int, s *networkTimes) result.Claim {
	ranges, saved, text := make([][]float64, 2), make([][]float64, 2), make([]string, 2)
	for i, form := range []timing.Form{timing.Exact, timing.Short} {
		lo, hi := form.Ratios(r)
		ranges[i], text[i] = []float64{lo, hi}, fmt.Sprintf("%g-%g", lo, hi)
		saved[i] = []float64{100 * form.Saving(setup.Anchor, lo), 100 * form.Saving(setup.Anchor, hi)}
	}
	c, _ := claims.Get(id)
	found := result.Because("range-found", "exact", ranges[0], "short", ranges[1])
	f := claims.Identity(text[0]+" (exact) / "+text[1]+" (1/r model)" == c.Value, found)
	inside := kit.CountIf(s.Sweep, func(p ratioPoint) bool {
		return (p.Ratio >= ranges[0][0] && p.Ratio <= ranges[0][1]) == (p.Medium == r)
	})
	f.Network, f.Input = s.Net.Model, true
	f.Notes = []result.Reason{result.Because("range-saved", "exact", saved[0], "short", saved[1]),
		result.Because("range-simulated", "r", r, "inside", inside, "of", len(s.Sweep))}
	return claims.Verdict(id, f)
}

// oneBest reports whether times fall strictly to one minimum and rise strictly after.
func oneBest(seconds []float64) bool {
	best := timing.BestOf(seconds) - 1
	for i := range seconds[1:] {
		if falls, rises := seconds[i+1] < seconds[i], seconds[i+1] > seconds[i]; i < best && !falls || i >= best && !rises {
			return false
		}
	}
	return true
}

// steps finds, for every r and the next, whether the time falls before the best r and rises after it,
// each by the interval of the difference paired by seed.
func steps(v byRedundancy) (findings []string) {
	for i := range v[1:] {
		ci := v[i+1].Minus(v[i]).CI
		if i+1 < v.best() {
			findings = append(findings, claims.LessThan(ci, 0))
		} else {
			findings = append(findings, claims.MoreThan(ci, 0))
		}
	}
	return findings
}

// judgeOneBest judges C34, of the judged variant and both networks, by the interval of every step.
func judgeOneBest(nets []*networkTimes, seeds int) result.Claim {
	var parts []result.Part
	var each []map[string]any
	for _, s := range nets {
		v := s.judged()
		all := steps(v)
		open := kit.CountIf(all, func(f string) bool { return f == claims.Undecided })
		each = append(each, map[string]any{"model": s.Net.Model, "one": oneBest(v.means()), "r": v.best(), "open": open})
		part := kit.Part(float64(v.best()), false, "model", s.Net.Model)
		part.Samples = v.bests()
		parts = append(parts, claims.Mark(part, claims.Every(all...)))
	}
	found := result.Because("C34-found", "networks", each)
	f := claims.OfParts(parts, seeds, &found)
	f.Notes = []result.Reason{result.Because("C34")}
	return claims.Verdict("C34", f)
}
