package codedsgd

import (
	"math"

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
			r.Facts = append(s.facts(), s.savingFacts()...)
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
	f := kit.NewSheet("target", "setting:setting nodes asgd±/s.3 ssgd-multicast±/s.3 r cssgd±/s.3 of_ssgd/%.1 of_asgd/%.1")
	for _, v := range fourVariants {
		for i, on := range s.on {
			ssgd, cssgd, asgd, r := s.times(i, v)
			f.Add(v.Key, on.Nodes, sampleOf(asgd).Mean(), sampleOf(ssgd).Mean(), r, sampleOf(cssgd).Mean(),
				saved(meanOf(cssgd), meanOf(ssgd)), saved(meanOf(cssgd), meanOf(asgd)))
		}
	}
	return f.Frame
}

// firstFrame holds the mean times again, a row for each method, and who is first.
func (s *sweep) firstFrame() result.Frame {
	f := kit.NewSheet("first", "setting:setting nodes method:method seconds/s first")
	for _, v := range fourVariants {
		for i, on := range s.on {
			ssgd, cssgd, asgd, _ := s.times(i, v)
			means, first := []float64{meanOf(asgd), meanOf(ssgd), meanOf(cssgd)}, -1
			for k, m := range means {
				if !math.IsNaN(m) && (first < 0 || m < means[first]) {
					first = k
				}
			}
			for k, method := range []string{"asgd", multicast.key(), codedsgdKey} {
				f.Add(v.Key, on.Nodes, method, means[k], k == first)
			}
		}
	}
	return f.Frame
}

// savingsFrame holds the paper's means in every variant.
func (s *sweep) savingsFrame() result.Frame {
	f := kit.NewSheet("savings", "setting:setting ssgd-multicast/%.2 ssgd-unicast/%.2 asgd~/%.2 cut/%.2")
	for _, v := range fourVariants {
		var cut kit.Estimate
		if !v.Whole {
			cut = s.savedOfCut(v)
		}
		asgd, _ := s.savedOfASGD(v, 0)
		f.Add(v.Key, meanSaved(s.on, multicast, v), meanSaved(s.on, unicast, v), asgd, cut)
	}
	return f.Frame
}

// asgdFrame says how ASGD got to the target.
func (s *sweep) asgdFrame() result.Frame {
	f := kit.NewSheet("asgd", "nodes reached runs missed updates/.1 pushes/.1 staleness/versions.2 rate/samples/s.0 cssgd/samples/s.0 ssgd-multicast/samples/s.0")
	for i, on := range s.on {
		pushes, reached := s.pushes(i)
		_, it := on.optimal(judged)
		batch := float64(s.plan.Net.batch(on.Nodes))
		f.Add(on.Nodes, reached, len(s.ends[i]), missing(s.ends[i]), meanOf(s.updates[i]), pushes, s.stale[i], s.rate[i],
			batch/it.Seconds, batch/on.Of[judged.Key][multicast].Seconds)
	}
	f.Kind = result.Trained
	return f.Frame
}

// savingFacts are the savings that the text tells, in the paper's model unless the key
// says otherwise, and what the paper states.
func (s *sweep) savingFacts() (out []result.Fact) {
	asgd := func(v variant, least int) kit.Estimate { e, _ := s.savedOfASGD(v, least); return e }
	last := len(s.on) - 1
	_, cssgd, async, r := s.times(last, judged)
	late := from(s.on, trainedFrom)
	_, mean := uncodedFaster(s.on, judged)
	add := func(key string, e kit.Estimate) { out = append(out, changed(key, e)...) }
	add("saved.multicast", exactly(meanSaved(s.on, multicast, judged)))
	add("saved.unicast", exactly(meanSaved(s.on, unicast, judged)))
	add("saved.asgd", asgd(judged, 0))
	add("saved.cut", s.savedOfCut(judged))
	add("ethernet.multicast", exactly(meanSaved(s.on, multicast, ethernet)))
	add("ethernet.asgd", asgd(ethernet, 0))
	add("most.multicast", exactly(s.on[last].savedAt(judged, multicast)))
	add("most.unicast", exactly(s.on[last].savedAt(judged, unicast)))
	add("most.asgd", exactly(saved(meanOf(cssgd), meanOf(async))))
	add("with-r1.multicast", exactly(mean))
	add("late.multicast", exactly(meanSaved(late, multicast, judged)))
	add("late.asgd", asgd(judged, trainedFrom))
	for _, id := range []string{"C01", "C02", "C03", "C04", "C05", "C06"} {
		c, _ := claims.Get(id)
		out = append(out, kit.Facts("stated."+id+"/%.2", c.Numbers()[0])...)
	}
	return append(out, kit.Facts("most.r", r, "switch.mean/%.1", meanSaved(s.on, multicast, switched),
		"late.nodes", trainedFrom, "early", len(late) > 0 && len(late) < len(s.on))...)
}
