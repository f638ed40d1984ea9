package codedsgd

import (
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fig14 and fig15 set the three algorithms side by side over the number of nodes.
func fig14() exp.Experiment {
	return threeAlgorithms("fig14", "Fig. 14", dnn, func(t *trainer, s *sweep) []result.Claim {
		return []result.Claim{judgeSSGD("C01", dnn, s.on, s.differs(true)), judgeASGD("C02", s), judgeASGD("C03", s),
			judgeRuns(t.env.Profile, t.env.Seeds), judgeScaling(s)}
	})
}

func fig15() exp.Experiment {
	return threeAlgorithms("fig15", "Fig. 15", cnn, func(_ *trainer, s *sweep) []result.Claim {
		differs := s.differs(true)
		return []result.Claim{judgeSSGD("C04", cnn, s.on, differs), judgeSSGD("C05", cnn, s.on, differs), judgeASGD("C06", s)}
	})
}

// threeAlgorithms is Fig. 14 or 15: ASGD, SSGD Multicast and CSSGD at the better of
// r = 2 and 3.
func threeAlgorithms(id, source string, net network, judge func(*trainer, *sweep) []result.Claim) exp.Experiment {
	return figure{id: id, source: source, nets: []network{net}, depth: toRace,
		show: func(t *trainer, r *result.Result, all []sweep) error {
			s := &all[0]
			r.Claims = judge(t, s)
			r.Facts = append(append(s.facts(), switchFacts(s.on)...), s.savingFacts()...)
			r.Frames = []result.Frame{s.targetFrame(), s.firstFrame(), s.savingsFrame(), s.asgdFrame(), betterFrame(s.on), loadFrame(s.on)}
			for _, v := range fourVariants {
				r.Figures = append(r.Figures, result.Figure{ID: "times-" + v.Key, Form: "line", Frame: "first", Where: map[string]any{"setting": v.Key},
					X: "nodes", Y: []string{"seconds"}, By: []string{"method"}, Log: "y"})
			}
			return nil
		}}.experiment()
}

// targetFrame holds the times to the target, in every variant on every number of nodes.
func (s *sweep) targetFrame() result.Frame {
	type row struct {
		v variant
		i int
	}
	var rows []row
	for _, v := range fourVariants {
		for i := range s.on {
			rows = append(rows, row{v, i})
		}
	}
	half := func(key string, of func(ssgd, cssgd, asgd []float64) []float64) kit.Col[row] {
		return kit.Half(key, "s", 3, func(r row) kit.Estimate {
			ssgd, cssgd, asgd, _ := s.times(r.i, r.v)
			return sampleOf(of(ssgd, cssgd, asgd)).Mean()
		})
	}
	return kit.Frame("target", rows, kit.Word("setting", "setting", func(r row) string { return r.v.Key }),
		kit.Count("nodes", "", func(r row) int { return s.on[r.i].Nodes }),
		half("asgd", func(_, _, asgd []float64) []float64 { return asgd }), half(multicast.key(), func(ssgd, _, _ []float64) []float64 { return ssgd }),
		kit.Count("r", "", func(r row) int { best, _ := s.on[r.i].optimal(r.v); return best }),
		half(codedsgdKey, func(_, cssgd, _ []float64) []float64 { return cssgd }),
		kit.Num("of_ssgd", "%", 1, func(r row) float64 {
			ssgd, cssgd, _, _ := s.times(r.i, r.v)
			return saved(meanOf(cssgd), meanOf(ssgd))
		}),
		kit.Num("of_asgd", "%", 1, func(r row) float64 {
			_, cssgd, asgd, _ := s.times(r.i, r.v)
			return saved(meanOf(cssgd), meanOf(asgd))
		}))
}

// firstFrame holds the mean times again, a row for each method, and who is first.
func (s *sweep) firstFrame() result.Frame {
	type row struct {
		v       variant
		nodes   int
		method  string
		seconds float64
		first   bool
	}
	var rows []row
	for _, v := range fourVariants {
		for i, on := range s.on {
			ssgd, cssgd, asgd, _ := s.times(i, v)
			least, at := math.Inf(1), -1
			for k, x := range [][]float64{asgd, ssgd, cssgd} {
				m := meanOf(x)
				if rows = append(rows, row{v, on.Nodes, []string{"asgd", multicast.key(), codedsgdKey}[k], m, false}); m < least {
					least, at = m, len(rows)-1
				}
			}
			if at >= 0 {
				rows[at].first = true
			}
		}
	}
	return kit.Frame("first", rows, kit.Word("setting", "setting", func(r row) string { return r.v.Key }),
		kit.Count("nodes", "", func(r row) int { return r.nodes }),
		kit.Word("method", "method", func(r row) string { return r.method }), kit.Num("seconds", "s", kit.AsIs, func(r row) float64 { return r.seconds }),
		kit.Flag("first", func(r row) bool { return r.first }))
}

// savingsFrame holds the paper's means in every variant.
func (s *sweep) savingsFrame() result.Frame {
	return kit.Frame("savings", fourVariants, kit.Word("setting", "setting", func(v variant) string { return v.Key }),
		kit.Num(multicast.key(), "%", 2, func(v variant) float64 { return meanSaved(s.on, multicast, v) }),
		kit.Num(unicast.key(), "%", 2, func(v variant) float64 { return meanSaved(s.on, unicast, v) }),
		kit.Interval("asgd", "%", 2, func(v variant) kit.Estimate { e, _ := s.savedOfASGD(v, 0); return e }),
		kit.Num("cut", "%", 2, func(v variant) float64 {
			if e := s.savedOfCut(v); e.N > 0 && !v.Whole {
				return e.Value
			}
			return math.NaN()
		}))
}

// asgdFrame says how ASGD got to the target.
func (s *sweep) asgdFrame() result.Frame {
	rows := make([]int, len(s.on))
	for i := range rows {
		rows[i] = i
	}
	rate := func(key string, of func(on timing) iteration) kit.Col[int] {
		return kit.Num(key, "samples/s", 0, func(i int) float64 { return float64(s.plan.Net.batch(s.on[i].Nodes)) / of(s.on[i]).Seconds })
	}
	f := kit.Frame("asgd", rows, kit.Count("nodes", "", func(i int) int { return s.on[i].Nodes }),
		kit.Count("reached", "", func(i int) int { _, n := s.pushes(i); return n }), kit.Count("runs", "", func(i int) int { return len(s.ends[i]) }),
		kit.Count("missed", "", func(i int) int { return missing(s.ends[i]) }),
		kit.Num("updates", "", 1, func(i int) float64 { return meanOf(s.updates[i]) }),
		kit.Num("pushes", "", 1, func(i int) float64 { x, _ := s.pushes(i); return x }),
		kit.Num("staleness", "versions", 2, func(i int) float64 { return s.stale[i] }),
		kit.Num("rate", "samples/s", 0, func(i int) float64 { return s.rate[i] }),
		rate(codedsgdKey, func(on timing) iteration { _, it := on.optimal(judged); return it }),
		rate(multicast.key(), func(on timing) iteration { return on.Of[judged.Key][multicast] }))
	f.Kind = result.Trained
	return f
}

// stated are the claims on the paper's mean savings.
var stated = []string{"C01", "C02", "C03", "C04", "C05", "C06"}

// savingFacts are the savings that the text tells, in the paper's model unless the key
// says otherwise.
func (s *sweep) savingFacts() (out []result.Fact) {
	asgd := func(v variant, least int) kit.Estimate { e, _ := s.savedOfASGD(v, least); return e }
	last := len(s.on) - 1
	_, cssgd, async, _ := s.times(last, judged)
	r, it := s.on[last].optimal(judged)
	late := from(s.on, trainedFrom)
	_, mean := uncodedFaster(s.on, judged)
	add := func(key string, e kit.Estimate) { out = append(out, changed(key, e)...) }
	add("saved.multicast", exactly(meanSaved(s.on, multicast, judged)))
	add("saved.unicast", exactly(meanSaved(s.on, unicast, judged)))
	add("saved.asgd", asgd(judged, 0))
	add("saved.cut", s.savedOfCut(judged))
	add("ethernet.multicast", exactly(meanSaved(s.on, multicast, ethernet)))
	add("ethernet.asgd", asgd(ethernet, 0))
	add("most.multicast", exactly(saved(it.Seconds, s.on[last].Of[judged.Key][multicast].Seconds)))
	add("most.unicast", exactly(saved(it.Seconds, s.on[last].Of[judged.Key][unicast].Seconds)))
	add("most.asgd", exactly(saved(meanOf(cssgd), meanOf(async))))
	add("with-r1.multicast", exactly(mean))
	add("late.multicast", exactly(meanSaved(late, multicast, judged)))
	add("late.asgd", asgd(judged, trainedFrom))
	for _, c := range claims.All() {
		if x := c.Numbers(); c.Paper == "CSSGD" && len(x) == 1 && slices.Contains(stated, c.ID) {
			out = append(out, kit.Number("stated."+c.ID, "%", 2, x[0]))
		}
	}
	out = append(out, kit.Counted("most.r", "", r), kit.Counted("late.nodes", "", trainedFrom))
	return append(out, kit.Whether("early", len(late) > 0 && len(late) < len(s.on)))
}
