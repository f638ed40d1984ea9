package convergence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fig8 and fig10 show the time to the target over the number of nodes.
func fig8() exp.Experiment {
	return timeToTarget("fig8", "Fig. 8", setup.DNN, func(_ *trainer, s *byNodes) ([]result.Claim, error) {
		return []result.Claim{judgeFaster(s.on), judgeMulticast(s.on)}, nil
	})
}

func fig10() exp.Experiment {
	return timeToTarget("fig10", "Fig. 10", setup.CNN, func(t *trainer, s *byNodes) ([]result.Claim, error) {
		dnns, err := t.timeAll(setup.DNN)
		if err != nil {
			return nil, err
		}
		return []result.Claim{judgeMatters(dnns, s.on)}, nil
	})
}

// timeAll times a network's exchanges alone, without its training.
func (t *trainer) timeAll(net setup.Network) (out []iterations, err error) {
	for _, n := range planOf(t.env.Profile, net).Nodes {
		on, err := t.time(net, n)
		if err != nil {
			return nil, err
		}
		out = append(out, on)
	}
	return out, nil
}

// timeToTarget makes Fig. 8 or 10: SSGD with unicast and with multicast, CSSGD with
// r = 2 and r = 3.
func timeToTarget(id, source string, net setup.Network, judge func(*trainer, *byNodes) ([]result.Claim, error)) exp.Experiment {
	return exhibit{id: id, source: source, nets: []setup.Network{net}, scope: toTarget,
		show: func(t *trainer, r *result.Result, all []byNodes) (err error) {
			s := &all[0]
			if r.Claims, err = judge(t, s); err != nil {
				return err
			}
			r.Facts = append(s.facts(), kit.Facts("switch.mean/%.1", meanSaved(s.on, timing.Multicast, timing.Switched))...)
			r.Frames = []result.Frame{s.timeFrame(), s.soonerFrame(), betterFrame(s.on), meansFrame(s.on, secondsIn, timing.Multicast, timing.Unicast),
				loadFrame(s.on), s.wholeFrame()}
			for _, v := range fourVariants {
				f := result.Figure{Form: "line", Frame: "time", Where: map[string]any{"setting": v.Key}, X: "nodes", By: []string{"method"}, Log: "y"}
				if v.Key == timing.Judged.Key || v.Key == timing.Ethernet.Key {
					f.ID, f.Y = "times-"+v.Key, []string{"seconds"}
					r.Figures = append(r.Figures, f)
				}
				f.ID, f.Y = "share-"+v.Key, []string{"share"}
				r.Figures = append(r.Figures, f)
			}
			return nil
		}}.experiment()
}

func (s *byNodes) timeFrame() result.Frame {
	f := kit.NewSheet("time", "setting:setting nodes method:method iteration/ms.1 compute/ms.1 updates±/.1 seconds/s.3 "+
		"saved_multicast/%.1 saved_unicast/%.1 share/.3 idle missed")
	for _, v := range fourVariants {
		for i, on := range s.on {
			of, updates := on.Of[v.Key], s.updates[i]
			for _, x := range compared(on.Nodes) {
				t := of[x].Seconds
				f.Add(v.Key, on.Nodes, x.Key(), 1e3*t, 1e3*of[x].Compute, sampleOf(updates).Mean(), stat.Mean(updates, nil)*t,
					saved(t, of[timing.Multicast].Seconds), saved(t, of[timing.Unicast].Seconds), t/of[timing.Multicast].Seconds, x.Redundancy == on.Nodes, missing(updates))
			}
		}
	}
	return f.Frame
}

// soonerFrame holds where CSSGD is sooner than either SSGD.
func (s *byNodes) soonerFrame() result.Frame {
	f := kit.NewSheet("sooner", "setting:setting rival:method method:method nodes")
	for _, v := range fourVariants {
		for _, rival := range []timing.Exchange{timing.Multicast, timing.Unicast} {
			addBelow(f, s.on, v, rival, secondsIn, v.Key, rival.Key())
		}
	}
	return f.Frame
}

func missing(x []float64) int { return kit.CountIf(x, math.IsNaN) }

// fig9 and fig11 show the traffic to the target over the number of nodes.
func fig9() exp.Experiment {
	return traffic("fig9", "Fig. 9", setup.DNN, func(*trainer, *byNodes) ([]result.Claim, error) { return nil, nil })
}

// fig11 has the claim on both networks' traffic: of the DNN it needs an iteration's
// bytes alone, for all methods make the same updates.
func fig11() exp.Experiment {
	return traffic("fig11", "Fig. 11", setup.CNN, func(t *trainer, s *byNodes) ([]result.Claim, error) {
		dnns, err := t.timeAll(setup.DNN)
		if err != nil {
			return nil, err
		}
		return []result.Claim{judgeLess(networkIterations{setup.CNN.Model, s.on}, networkIterations{setup.DNN.Model, dnns})}, nil
	})
}

// traffic makes Fig. 9 or 11: bytes until the target, of all nodes together.
func traffic(id, source string, net setup.Network, judge func(*trainer, *byNodes) ([]result.Claim, error)) exp.Experiment {
	return exhibit{id: id, source: source, nets: []setup.Network{net}, scope: toTarget,
		show: func(t *trainer, r *result.Result, all []byNodes) (err error) {
			s := &all[0]
			if r.Claims, err = judge(t, s); err != nil {
				return err
			}
			idle := kit.CountIf(s.on, func(c iterations) bool { return slices.Contains(setup.Redundancies, c.Nodes) }) // points with r = n send nothing
			r.Facts = append(s.facts(), kit.Facts("idle", idle)...)
			r.Frames = []result.Frame{s.trafficFrame(), s.lessFrame(), meansFrame(s.on, bytesIn, timing.Multicast)}
			for _, model := range []string{"micro", "whole"} {
				for _, y := range []string{"once", "receivers"} {
					r.Figures = append(r.Figures, result.Figure{ID: "traffic-" + model + "-" + y, Form: "line", Frame: "traffic",
						Where: map[string]any{"messages": model, "idle": false}, X: "nodes", Y: []string{y}, By: []string{"method"}, Log: "y"})
				}
			}
			return nil
		}}.experiment()
}

func (s *byNodes) trafficFrame() result.Frame {
	f := kit.NewSheet("traffic", "messages:messages nodes method:method updates/.1 packets once/GB.3 receivers/GB.3 "+
		"of_multicast/%.1 of_receivers/%.1 idle missed")
	for _, v := range []timing.Variant{timing.Judged, timing.Ethernet} {
		for i, on := range s.on {
			updates, plain := stat.Mean(s.updates[i], nil), on.Of[v.Key][timing.Multicast]
			for _, x := range compared(on.Nodes) {
				it := on.Of[v.Key][x]
				f.Add(v.Messages(), on.Nodes, x.Key(), updates, it.Packets, updates*it.Bytes/1e9, updates*it.Delivered/1e9,
					100*it.Bytes/plain.Bytes, 100*it.Bytes/plain.Delivered, x.Redundancy == on.Nodes, missing(s.updates[i]))
			}
		}
	}
	return f.Frame
}

// lessFrame holds where CSSGD sends less than SSGD Multicast, by how bytes are counted.
func (s *byNodes) lessFrame() result.Frame {
	f := kit.NewSheet("less", "messages:messages counted:counted method:method nodes")
	for _, v := range []timing.Variant{timing.Judged, timing.Ethernet} {
		addBelow(f, s.on, v, timing.Multicast, bytesIn, v.Messages(), "once")
		addBelow(f, s.on, v, timing.Multicast, func(it timing.Iteration) float64 { return it.Delivered }, v.Messages(), "receivers")
	}
	return f.Frame
}

// fig14 and fig15 set the three algorithms side by side over the number of nodes.
func fig14() exp.Experiment {
	return threeAlgorithms("fig14", "Fig. 14", setup.DNN, func(t *trainer, s *byNodes) []result.Claim {
		return []result.Claim{judgeSSGD("C01", setup.DNN, s.on, s.differs(true)), judgeASGD("C02", s), judgeASGD("C03", s),
			judgeRuns(t.env.Profile, t.env.Seeds), judgeScaling(s)}
	})
}

func fig15() exp.Experiment {
	return threeAlgorithms("fig15", "Fig. 15", setup.CNN, func(_ *trainer, s *byNodes) []result.Claim {
		differs := s.differs(true)
		return []result.Claim{judgeSSGD("C04", setup.CNN, s.on, differs), judgeSSGD("C05", setup.CNN, s.on, differs), judgeASGD("C06", s)}
	})
}

// threeAlgorithms makes Fig. 14 or 15: ASGD, SSGD Multicast and CSSGD at its best r.
func threeAlgorithms(id, source string, net setup.Network, judge func(*trainer, *byNodes) []result.Claim) exp.Experiment {
	return exhibit{id: id, source: source, nets: []setup.Network{net}, scope: toRace,
		show: func(t *trainer, r *result.Result, all []byNodes) error {
			s := &all[0]
			r.Claims = judge(t, s)
			r.Facts = append(s.facts(), s.savingFacts()...)
			r.Frames = append(s.raceFrames(), s.asgdFrame(), s.pairsFrame(), betterFrame(s.on), evenFrame(s.on), loadFrame(s.on))
			for _, v := range fourVariants {
				r.Figures = append(r.Figures, result.Figure{ID: "times-" + v.Key, Form: "line", Frame: "first", Where: map[string]any{"setting": v.Key},
					X: "nodes", Y: []string{"seconds"}, By: []string{"method"}, Log: "y"})
			}
			return nil
		}}.experiment()
}

// raceFrames lists, of every variant and number of nodes, the times to the target, the mean
// times again with a row for each method, and who is first; and the paper's means, by each
// reading. ASGD is first or not as its gradients are cut alike.
func (s *byNodes) raceFrames() []result.Frame {
	target := kit.NewSheet("target", "setting:setting nodes asgd±/s.3 cut±/s.3 ssgd-multicast±/s.3 r cssgd±/s.3 of_ssgd/%.1 of_asgd/%.1 of_cut/%.1")
	first := kit.NewSheet("first", "setting:setting nodes method:method seconds/s first")
	for _, v := range fourVariants {
		for i, on := range s.on {
			ssgd, cssgd, asgd, cut, r := s.times(i, v)
			methods, runs := []string{timing.Multicast.Key(), cssgdKey, "asgd", cutKey}, [][]float64{ssgd, cssgd, asgd, cut}
			racing := []int{0, 1, 3}
			if v.Whole { // there a push is one whole gradient anyway
				methods, runs, racing = methods[:3], runs[:3], []int{0, 1, 2}
			}
			var means []float64
			for _, x := range runs {
				means = append(means, stat.Mean(x, nil))
			}
			soonest := math.Inf(1)
			for _, k := range racing {
				if means[k] < soonest { // NaN: a run does not reach the target
					soonest = means[k]
				}
			}
			for k, method := range methods {
				first.Add(v.Key, on.Nodes, method, means[k], slices.Contains(racing, k) && means[k] == soonest)
			}
			likewise := kit.Sample(nil)
			ofCut := math.NaN()
			if !v.Whole {
				likewise, ofCut = sampleOf(cut), saved(means[1], means[3])
			}
			target.Add(v.Key, on.Nodes, sampleOf(asgd).Mean(), likewise.Mean(), sampleOf(ssgd).Mean(), r, sampleOf(cssgd).Mean(),
				saved(means[1], means[0]), saved(means[1], means[2]), ofCut)
		}
	}
	return []result.Frame{target.Frame, first.Frame, s.savingsFrame()}
}

// savingsFrame holds the means over numbers of nodes in every variant, at the best of all
// redundancies and of those that the paper draws.
func (s *byNodes) savingsFrame() result.Frame {
	f := kit.NewSheet("savings", "setting:setting among:among ssgd-multicast/%.2 ssgd-unicast/%.2 asgd~/%.2 cut~/%.2")
	for _, v := range timedVariants {
		for _, a := range []among{everyR, drawnR} {
			var cut kit.Estimate
			if !v.Whole {
				cut = s.saving(race{on: v, among: a, cut: true})
			}
			f.Add(v.Key, a.key, meanSavedAt(s.on, timing.Multicast, v, a), meanSavedAt(s.on, timing.Unicast, v, a),
				s.saving(race{on: v, among: a}), cut)
		}
	}
	return f.Frame
}

// cutKey names ASGD whose gradients are cut as CSSGD's are.
const cutKey = "asgd-cut"

func (s *byNodes) asgdFrame() result.Frame {
	f := kit.NewSheet("asgd", "nodes reached runs missed updates/.1 pushes/.1 staleness/versions.2 rate/samples/s.0 "+
		"cssgd/samples/s.0 ssgd-multicast/samples/s.0")
	for i, on := range s.on {
		pushes, reached := s.pushes(i)
		_, it := on.optimal(timing.Judged)
		batch := float64(s.plan.Net.Batch(on.Nodes))
		f.Add(on.Nodes, reached, len(s.ends[i]), missing(s.ends[i]), stat.Mean(s.updates[i], nil), pushes, s.stale[i], s.rate[i],
			batch/it.Seconds, batch/on.Of[timing.Judged.Key][timing.Multicast].Seconds)
	}
	return kit.As(result.Trained, f.Frame)
}

// savingFacts returns the savings that the text tells, in the paper's model unless the key
// says otherwise, and the paper's own: at the best of all redundancies with Q(n); at the
// better of those that are drawn; and of constant cutting, on a medium of all links and on
// one of as many links on any number of nodes.
func (s *byNodes) savingFacts() (out []result.Fact) {
	last := len(s.on) - 1
	_, cssgd, async, cut, r := s.times(last, timing.Judged)
	late := from(s.on, trainedFrom)
	add := func(key string, e kit.Estimate) { out = append(out, changed(key, e)...) }
	for _, x := range []struct {
		key string
		on  timing.Variant
		among
	}{{"saved", timing.Judged, everyR}, {"drawn", timing.Judged, drawnR}, {"even", timing.EvenVariants[0], everyR}, {"fixed", timing.EvenVariants[1], everyR}} {
		add(x.key+".multicast", exactly(meanSavedAt(s.on, timing.Multicast, x.on, x.among)))
		add(x.key+".unicast", exactly(meanSavedAt(s.on, timing.Unicast, x.on, x.among)))
		add(x.key+".asgd", s.saving(race{on: x.on, among: x.among}))
		add(x.key+".cut", s.saving(race{on: x.on, among: x.among, cut: true}))
	}
	add("ethernet.multicast", exactly(meanSaved(s.on, timing.Multicast, timing.Ethernet)))
	add("ethernet.asgd", s.saving(race{on: timing.Ethernet, among: everyR}))
	add("most.multicast", exactly(s.on[last].savedAt(timing.Judged, timing.Multicast, everyR)))
	add("most.unicast", exactly(s.on[last].savedAt(timing.Judged, timing.Unicast, everyR)))
	add("most.asgd", exactly(saved(stat.Mean(cssgd, nil), stat.Mean(async, nil))))
	add("most.cut", exactly(saved(stat.Mean(cssgd, nil), stat.Mean(cut, nil))))
	add("late.multicast", exactly(meanSaved(late, timing.Multicast, timing.Judged)))
	add("late.cut", s.saving(race{on: timing.Judged, among: everyR, least: trainedFrom, cut: true}))
	for _, id := range []string{"C01", "C02", "C03", "C04", "C05", "C06"} {
		c, _ := claims.Get(id)
		out = append(out, kit.Facts("stated."+id+"/%.2", c.Numbers()[0])...)
	}
	return append(out, kit.Facts("most.r", r, "switch.mean/%.1", meanSaved(s.on, timing.Multicast, timing.Switched),
		"late.nodes", trainedFrom, "early", len(late) > 0 && len(late) < len(s.on), "even", setup.Even, "even.per-batch", setup.EvenPerBatch,
		"even.links", setup.Anchor)...)
}
