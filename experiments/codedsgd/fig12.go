package codedsgd

import (
	"context"
	"math"
	"math/big"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// fig12 and fig13 are the time per batch against the redundancy.
func fig12() exp.Experiment {
	return redundancyStudy("fig12", "Fig. 12", dnn, bestDNN, func(t *timer, s *study) ([]result.Claim, error) {
		second := study{Net: cnn, Timed: map[string]byRedundancy{}}
		var err error
		if second.Timed[judged.Key], err = t.byRedundancy(cnn, codedsgd.CSSGD, judged); err != nil {
			return nil, err
		}
		if err := t.model(&second); err != nil {
			return nil, err
		}
		both := []*study{s, &second}
		return []result.Claim{judgeBest("C10", s), judgeModel(both), judgeRange("C25", bestDNN, s), judgeOneBest(both, len(t.env.Seeds))}, nil
	})
}

func fig13() exp.Experiment {
	return redundancyStudy("fig13", "Fig. 13", cnn, bestCNN, func(_ *timer, s *study) ([]result.Claim, error) {
		return []result.Claim{judgeBest("C11", s), judgeRange("C26", bestCNN, s)}, nil
	})
}

// redundancyStudy is Figure 12 or 13: stated is the best redundancy of the paper.
func redundancyStudy(id, source string, net network, stated int, judge func(*timer, *study) ([]result.Claim, error)) exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/" + id, Source: "CSSGD, " + source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			return 0.3 + 0.2*float64(len(sweepOf(profile))) + 0.5*float64(seeds*iterationsOf(profile))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"platform": kit.Platform(referencePlatform()), "network": net, "nodes": anchor, "redundancies": allRedundancies(),
				"micro_blocks": microBlocks(anchor, allRedundancies()...), "variants": variants, "without_code": plains, "sweep": sweepOf(profile),
				"iterations": iterationsOf(profile), "model_tolerance": modelTolerance}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			t := &timer{ctx, withOneMemo(env), &exp.Bar{Env: env, Total: float64(len(variants) + 3 + len(sweepOf(env.Profile)))}}
			s, err := t.study(net)
			if err != nil {
				return err
			}
			if r.Claims, err = judge(t, &s); err != nil {
				return err
			}
			r.Facts = slices.Concat(s.settingFacts(stated), s.modelFacts(), s.sweepFacts(), s.gainFacts())
			r.Frames = []result.Frame{s.timesFrame(), s.settingsFrame(), s.sweepFrame(), s.wholeBestFrame(), loadsFrame(), s.rivalsFrame()}
			r.Figures = []result.Figure{
				{ID: "best", Form: "line", Frame: "times", X: "r", Y: []string{judged.Key, "micro-medium-overlap", "exact", "short"}},
				{ID: "media", Form: "line", Frame: "times", X: "r", Y: []string{judged.Key, "micro-switch", "whole-medium", "whole-switch"}},
				{ID: "ratio", Form: "line", Frame: "sweep", X: "ratio", Y: []string{"drawn", "medium", "switch", "whole"}, Log: "x"}}
			return nil
		}}.Experiment()
}

// timesFrame holds all that is timed or modelled by r.
func (s *study) timesFrame() result.Frame {
	ms := func(key string, of func(r int) float64) kit.Col[int] {
		return kit.Num(key, "ms", 2, func(r int) float64 { return 1e3 * of(r) })
	}
	off := func(key string, digits int, f form) kit.Col[int] {
		return kit.Num(key, "%", digits, func(r int) float64 { return 100 * (s.Ideal[r-1]/s.modelled(f, r) - 1) })
	}
	cols := []kit.Col[int]{kit.Count("r", "", func(r int) int { return r })}
	for _, v := range variants {
		cols = append(cols, kit.Half(v.Key, "ms", 1, func(r int) kit.Estimate { return s.Timed[v.Key][r-1].Mean().Times(1e3) }))
	}
	for _, p := range plains {
		cols = append(cols, kit.Mean(p.Key, "ms", 1, func(r int) kit.Estimate { return s.Timed[p.Key][r-1].Mean().Times(1e3) }))
	}
	return kit.Frame("times", allRedundancies(), append(cols, ms("ideal", func(r int) float64 { return s.Ideal[r-1] }),
		ms("exact", func(r int) float64 { return s.modelled(forms[0], r) }), off("exact_off", 3, forms[0]),
		ms("short", func(r int) float64 { return s.modelled(forms[1], r) }), off("short_off", 1, forms[1]),
		ms("ideal_switch", func(r int) float64 { return s.OnSwitch[r-1] }),
		ms("bound", func(r int) float64 { return s.Calc * receivers(anchor, r, s.ratio()) }),
		kit.Num("load", "", 1, load))...)
}

// load returns (28), the gradients that CSSGD sends of its C(n,r) blocks.
func load(r int) float64 { return float64(choose(anchor, r+1)) * float64(r+1) / float64(r) }

// loadsFrame holds the loads of whole gradients up to the paper's best r.
func loadsFrame() result.Frame {
	return kit.Frame("loads", []int{1, 2, 3}, kit.Count("r", "", func(r int) int { return r }), kit.Num("load", "", 1, load))
}

// modelled returns the seconds of a form of the time model at the measured parts.
func (s *study) modelled(f form, r int) float64 { return s.Calc * f.batch(anchor, r, s.ratio()) }

// settingsFrame holds the best redundancy of every variant.
func (s *study) settingsFrame() result.Frame {
	return kit.Frame("settings", variants, kit.Word("setting", "setting", func(v variant) string { return v.Key }),
		kit.Count("best", "", func(v variant) int { return s.Timed[v.Key].best() }),
		kit.Num("least", "ms", 1, func(v variant) float64 { return 1e3 * s.Timed[v.Key].least() }),
		kit.Num("one", "ms", 1, func(v variant) float64 { return 1e3 * s.Timed[v.Key].means()[0] }),
		kit.Flag("shown", func(v variant) bool { return !v.Overlap }))
}

func (s *study) sweepFrame() result.Frame {
	best := func(key string, of func(sweepPoint) int) kit.Col[sweepPoint] { return kit.Count(key, "", of) }
	return kit.Frame("sweep", s.Sweep, kit.Num("ratio", "", kit.AsIs, func(p sweepPoint) float64 { return p.Ratio }),
		kit.Num("real", "", 2, func(p sweepPoint) float64 { return p.Real }),
		kit.Num("drawn", "", 2, func(p sweepPoint) float64 { return min(p.Real, anchor) }),
		best("exact", func(p sweepPoint) int { return p.Exact }), best("short", func(p sweepPoint) int { return p.Short }),
		best("medium", func(p sweepPoint) int { return p.Medium }), best("switch", func(p sweepPoint) int { return p.Switch }),
		best("whole", func(p sweepPoint) int { return p.Whole }))
}

// wholeBestFrame holds every r that is the best of whole gradients at some ratio.
func (s *study) wholeBestFrame() result.Frame {
	var seen []int
	for _, p := range s.Sweep {
		if !slices.Contains(seen, p.Whole) {
			seen = append(seen, p.Whole)
		}
	}
	return kit.Frame("whole-best", seen, kit.Count("r", "", func(r int) int { return r }))
}

// rivalsFrame sets CSSGD at its best r beside the other methods, all without overlap.
func (s *study) rivalsFrame() result.Frame {
	type row struct {
		rival
		medium, onSwitch any // best r
	}
	var rows []row
	for _, x := range s.Rivals {
		rows = append(rows, row{x, nil, nil})
	}
	for _, what := range []string{"micro", "whole"} {
		medium, onSwitch := s.Timed[what+"-medium"], s.Timed[what+"-switch"]
		rows = append(rows, row{rival{Key: "cssgd-" + what, Medium: medium.least(), Switch: onSwitch.least(), Load: math.NaN()}, medium.best(), onSwitch.best()})
	}
	return kit.Frame("rivals", rows, kit.Word("rival", "rival", func(r row) string { return r.Key }),
		kit.Num("load", "gradients", 1, func(r row) float64 { return r.Load }),
		kit.Num("medium", "ms", 1, func(r row) float64 { return 1e3 * r.Medium }), kit.Any("medium_r", "", func(r row) any { return r.medium }),
		kit.Num("switch", "ms", 1, func(r row) float64 { return 1e3 * r.Switch }), kit.Any("switch_r", "", func(r row) any { return r.onSwitch }))
}

// settingFacts say how it was timed, and what the judged variant and overlap give.
func (s *study) settingFacts(stated int) []result.Fact {
	v, overlap := s.judged(), s.Timed["micro-medium-overlap"]
	onSwitch := s.Timed["micro-switch"].means()
	q, others := microBlocks(anchor, allRedundancies()...), microBlocks(anchor, redundancies...)
	return []result.Fact{kit.Counted("nodes", "", anchor), kit.Counted("q", "", q), kit.Counted("q.others", "", others), kit.Counted("at-once", "", q/others),
		kit.Counted("batch", "", s.Net.batch(anchor)), kit.Number("coding", "GB/s", kit.AsIs, train.CodingRate/1e9),
		kit.Number("jitter", "%", kit.AsIs, 100*referencePlatform().Workers[0].Jitter),
		kit.Counted("iterations", "", iterationsOf(s.Profile)), kit.Counted("iterations.whole", "", timedIterations), kit.Whether("cut", s.Profile == "quick"),
		kit.Counted("stated", "", stated), kit.Whether("as-stated", v.best() == stated), kit.Counted("best", "", v.best()),
		kit.Number("overlap.less", "%", 0, 100*(1-overlap.least()/v.least())),
		kit.Number("switch.least", "ms", 0, 1e3*slices.Min(onSwitch)), kit.Number("switch.most", "ms", 0, 1e3*slices.Max(onSwitch))}
}

// modelFacts set the simulation where nothing takes time but computing and bytes beside
// the forms of the time model.
func (s *study) modelFacts() []result.Fact {
	exact, _ := offBy(forms[0], s)
	short, at := offBy(forms[1], s)
	excess, atSwitch := 0.0, 1 // above what the receivers' links allow
	for i, t := range s.OnSwitch {
		if x := t/(s.Calc*receivers(anchor, i+1, s.ratio())) - 1; x > excess {
			excess, atSwitch = x, i+1
		}
	}
	best := func(f form) int { return modelBest(f, s.ratio()) }
	rho := new(big.Rat).SetFloat64(s.ratio())
	return []result.Fact{kit.Number("calc", "ms", 1, 1e3*s.Calc), kit.Number("comm", "ms", 1, 1e3*s.Comm), kit.Number("ratio", "", 2, s.ratio()),
		kit.Number("r-star", "", 2, codedsgd.RStar(anchor, rho, false)), kit.Counted("exact.best", "", best(forms[0])),
		kit.Counted("short.best", "", best(forms[1])),
		kit.Number("exact.off", "%", kit.AsIs, 100*math.Abs(exact)), kit.Number("short.off", "%", 1, 100*math.Abs(short)),
		kit.Finding("short.side", "side", sideOf(short)), kit.Counted("short.r", "", at),
		kit.Number("switch.excess", "%", kit.AsIs, 100*excess), kit.Counted("switch.excess.r", "", atSwitch), kit.Whether("switch.follows", excess < 0.01)}
}

// sweepFacts count where the simulation follows the model over the ratios.
func (s *study) sweepFacts() []result.Fact {
	same, onSwitch := 0, 0
	for _, p := range s.Sweep {
		if p.Medium == p.Exact {
			same++
		}
		if bound := map[bool]int{true: anchor, false: 1}[p.Ratio > anchor-1]; p.Switch == bound {
			onSwitch++
		}
	}
	first, last := s.Sweep[0], s.Sweep[len(s.Sweep)-1]
	two, three := ends(2), ends(3)
	return []result.Fact{kit.Counted("ratios", "", len(s.Sweep)), kit.Counted("ratios.all", "", len(sweepOf("standard"))),
		kit.Counted("ratios.exact", "", same), kit.Counted("ratios.switch", "", onSwitch),
		kit.Number("ratio.first", "", kit.AsIs, first.Ratio), kit.Number("ratio.last", "", kit.AsIs, last.Ratio),
		kit.Number("range.2.from", "", kit.AsIs, two[0]), kit.Number("range.2.to", "", kit.AsIs, two[1]), kit.Number("range.3.to", "", kit.AsIs, three[1]),
		kit.Counted("switch.bound", "", anchor-1),
		kit.Whether("jumps", jumps(s.Sweep, func(p sweepPoint) int { return p.Switch }) && jumps(s.Sweep, func(p sweepPoint) int { return p.Whole })),
		kit.Counted("medium.first", "", first.Medium), kit.Counted("medium.last", "", last.Medium),
		kit.Counted("switch.first", "", first.Switch), kit.Counted("switch.last", "", last.Switch),
		kit.Counted("whole.first", "", first.Whole), kit.Counted("whole.last", "", last.Whole)}
}

// jumps reports whether only the first and the last value occur.
func jumps(sweep []sweepPoint, of func(sweepPoint) int) bool {
	first, last := of(sweep[0]), of(sweep[len(sweep)-1])
	return !slices.ContainsFunc(sweep, func(p sweepPoint) bool { return of(p) != first && of(p) != last })
}

// gainFacts say whose gain it is that CSSGD beats SSGD with multicasts on a switch with
// overlap, the setting where coding appears to help: the code's, or redundancy's and
// overlap's.
func (s *study) gainFacts() []result.Fact {
	v, p := s.Timed[switched.Key].means(), s.Timed["plain-switch-overlap"].means()
	ssgd, best := p[0], bestOf(v[:slices.Max(redundancies)])
	whose := "redundancy"
	switch {
	case v[best-1] >= ssgd:
		whose = "none"
	case p[best-1] > v[best-1]:
		whose = "code"
	}
	return []result.Fact{kit.Finding("gain", "gain", whose), kit.Counted("gain.r", "", best), kit.Number("gain.size", "%", 0, 100*(1-v[best-1]/ssgd)),
		kit.Number("gain.coded", "ms", 0, 1e3*v[best-1]), kit.Number("gain.plain", "ms", 0, 1e3*p[best-1]), kit.Number("gain.ssgd", "ms", 0, 1e3*ssgd)}
}
