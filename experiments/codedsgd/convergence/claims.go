package convergence

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// differs lists what sets a network's trainings apart from the paper's; the target is
// left out where the level itself is judged.
func (w *largest) differs(target bool) (out []result.Reason) {
	p := w.plan
	if d := w.ssgd[0].Data; d != nil && d.Name != p.Net.Data {
		out = append(out, result.Because("data", "used", d.Name, "images", d.Train, "wanted", p.Net.Data))
	}
	if p.Width > 0 {
		out = append(out, result.Because("width", "by", 1/p.Width))
	}
	if p.most() != 10 {
		out = append(out, result.Because("fewer-nodes", "nodes", p.most(), "stated", 10))
	}
	if target && p.Target == 0 {
		out = append(out, result.Because("rule-target", "percent", 100*w.target, "stated", 100*statedTarget(p.Net)))
	}
	return slices.Clip(out)
}

// judgeLevel judges C07 and C08: the level, in per cent, that the rule picks seed by seed, on the mean,
// against the paper's. Of all seeds at once the rule picks c's.
func judgeLevel(id string, c pickedLevel, seeds kit.Sample, differs []result.Reason) result.Claim {
	if c.Picked == 0 {
		return claims.Verdict(id, claims.Found{Missing: []result.Reason{result.Because("level-none")}})
	}
	e := seeds.Mean()
	f := claims.Number(e.Value, e.CI, seeds, len(seeds))
	f.Differs, f.Notes = differs, []result.Reason{result.Because("level-best", "percent", 100*c.Best), result.Because("level-by-seed", "levels", []float64(seeds))}
	if slices.ContainsFunc(differs, func(d result.Reason) bool { return d.Code == "data" }) {
		f.Notes = append(f.Notes, result.Because("level-other-data"))
	}
	if c.Below {
		f.Notes = append(f.Notes, result.Because("level-below", "points", levelsBelow))
	}
	if c.lowest() {
		f.Notes = append(f.Notes, result.Because("level-lowest"))
	}
	return claims.Verdict(id, f)
}

// judgeFaster judges C21, CSSGD's time to the target below both SSGDs' at
// every node count with both redundancies that are possible there. All make the same
// updates, so that times to the target are ordered as iteration times.
func judgeFaster(cs []iterations) result.Claim {
	return judgeBelow("C21", secondsIn, []timing.Exchange{timing.Unicast, timing.Multicast}, switchReason(cs), networkIterations{setup.DNN.Model, cs})
}

// judgeLess judges C20, fewer bytes with CSSGD than with SSGD multicast, a multicast
// counted once in both, at every node count of both networks.
func judgeLess(all ...networkIterations) result.Claim {
	return judgeBelow("C20", bytesIn, []timing.Exchange{timing.Multicast}, nil, all...)
}

// networkIterations holds the timings of one network.
type networkIterations struct {
	model string
	on    []iterations
}

func judgeBelow(id string, of func(timing.Iteration) float64, rivals []timing.Exchange, notes []result.Reason, all ...networkIterations) result.Claim {
	var f claims.Found
	below, idle := 0, 0
	var cs []iterations
	for _, net := range all {
		cs = append(cs, net.on...)
	}
	var beside []result.Reason
	for _, rival := range rivals {
		for _, net := range all {
			for _, c := range net.on {
				for _, r := range setup.Redundancies {
					x, ok := c.Of[timing.Judged.Key][timing.Coded(r)]
					if !ok {
						continue
					}
					base := of(c.Of[timing.Judged.Key][rival])
					holds := of(x) < base
					below, idle = below+setup.One(holds), idle+setup.One(holds && r == c.Nodes)
					f.Parts = append(f.Parts, result.Part{Value: saved(of(x), base), Holds: &holds,
						Of: map[string]string{"model": net.model, "rival": rival.Key(), "method": timing.Coded(r).Key(), "nodes": strconv.Itoa(c.Nodes)}})
				}
			}
		}
		beside = append(beside, result.Because("lower-than", "rival", rival.Key(), "lower", lowerOn(cs, timing.Judged, rival, of)),
			result.Because("mean-change", "rival", rival.Key(), "means", meansOf(cs, rival, of)))
	}
	cases := len(f.Parts)
	holds, found := below == cases, result.Because(id+"-found", "below", below, "cases", cases, "idle", idle)
	f.Finding, f.Words = claims.Whether(holds), &found
	f.Notes = append(append(beside, result.Because("our-reading")), notes...)
	return claims.Verdict(id, f)
}

// lowerOn lists with which redundancy, and on how many nodes, CSSGD is below a rival.
func lowerOn(cs []iterations, v timing.Variant, rival timing.Exchange, of func(timing.Iteration) float64) []map[string]any {
	out := []map[string]any{}
	for _, r := range setup.Redundancies {
		var nodes []int
		for _, on := range cs {
			if x, ok := on.Of[v.Key][timing.Coded(r)]; ok && of(x) < of(on.Of[v.Key][rival]) && !slices.Contains(nodes, on.Nodes) {
				nodes = append(nodes, on.Nodes)
			}
		}
		if slices.Sort(nodes); len(nodes) > 0 {
			out = append(out, map[string]any{"r": r, "nodes": nodes})
		}
	}
	return out
}

// meansOf lists the mean savings over node counts of every r.
func meansOf(cs []iterations, rival timing.Exchange, of func(timing.Iteration) float64) []map[string]any {
	out := []map[string]any{}
	for _, r := range setup.Redundancies {
		if x := meanSavedBy(cs, rival, of, r); !math.IsNaN(x) {
			out = append(out, map[string]any{"r": r, "size": math.Abs(x), "than": than(x)})
		}
	}
	return out
}

// switchReason says where CSSGD at its best r is ahead of SSGD Multicast when
// micro-blocks travel over a switch.
func switchReason(cs []iterations) []result.Reason {
	var ahead []map[string]any
	for _, c := range cs {
		r, it := c.optimal(timing.Switched)
		if x := saved(it.Seconds, c.Of[timing.Switched.Key][timing.Multicast].Seconds); x > 0 {
			ahead = append(ahead, map[string]any{"saved": x, "nodes": c.Nodes, "r": r})
		}
	}
	mean := meanSaved(cs, timing.Multicast, timing.Switched)
	if ahead == nil {
		return []result.Reason{result.Because("switch-none", "mean", mean)}
	}
	return []result.Reason{result.Because("switch-ahead", "ahead", ahead, "mean", mean)}
}

// judgeMulticast judges C35, SSGD with multicast sooner at the target than with
// unicast, at every node count at which a multicast has more than one receiver: with
// two nodes both send the same messages, there are no two ways to compare, and all that
// is asked is that they take the same time. So it was written before any run, and the
// claim says so, for the criterion to the letter knows no such exception.
func judgeMulticast(cs []iterations) result.Claim {
	var f claims.Found
	all := true
	var ratios, onSwitch []map[string]any
	for _, c := range cs {
		onSwitch = append(onSwitch, map[string]any{"nodes": c.Nodes,
			"ratio": c.Of[timing.Ethernet.Key][timing.Multicast].Seconds / c.Of[timing.Ethernet.Key][timing.Unicast].Seconds})
		ratio := c.Of[timing.Judged.Key][timing.Multicast].Seconds / c.Of[timing.Judged.Key][timing.Unicast].Seconds
		holds := ratio < 1 || c.Nodes == 2 && ratio <= 1+1e-9
		all = all && holds
		part := result.Part{Of: map[string]string{"nodes": strconv.Itoa(c.Nodes)}, Value: ratio}
		if c.Nodes > 2 || !holds {
			part.Holds = &holds
		}
		f.Parts = append(f.Parts, part)
		ratios = append(ratios, map[string]any{"nodes": c.Nodes, "ratio": ratio})
	}
	two := cs[0].Nodes == 2
	found := result.Because("C35-found", "sooner", all, "two", two)
	f.Finding, f.Words = claims.Whether(all), &found
	f.Notes = []result.Reason{result.Because("C35", "ratios", ratios, "two", two, "switch", onSwitch)}
	return claims.Verdict("C35", f)
}

// judgeMatters judges C31. The rival is SSGD that pays for every receiver, as the
// paper's own model charges it ((19), §3.2.4): against multicast there is, on most node
// counts, no saving that could matter less.
func judgeMatters(dnns, cnns []iterations) result.Claim {
	d, c := meanReduction(dnns, timing.Unicast), meanReduction(cnns, timing.Unicast)
	nothing := map[[2]bool]string{{true, true}: "both", {true, false}: setup.CNN.Model, {false, true}: setup.DNN.Model, {}: "none"}[[2]bool{c <= 0, d <= 0}]
	last := func(cs []iterations) []iterations { return cs[len(cs)-1:] }
	found := result.Because("C31-found", "cnn", c, "dnn", d, "nothing", nothing)
	f := claims.Holding(c < d, 0, &found)
	f.Parts = []result.Part{{Of: map[string]string{"model": setup.CNN.Model}, Value: c}, {Of: map[string]string{"model": setup.DNN.Model}, Value: d}}
	f.Notes = []result.Reason{result.Because("C31", "nodes", last(cnns)[0].Nodes, "cnn", meanReduction(last(cnns), timing.Unicast),
		"dnn", meanReduction(last(dnns), timing.Unicast),
		"cnn_multicast", meanReduction(cnns, timing.Multicast), "dnn_multicast", meanReduction(dnns, timing.Multicast))}
	return claims.Verdict("C31", f)
}

// judgeScaling judges C33: neither ASGD nor CSSGD at its best redundancy is within a
// tenth of linear in samples per second from the fewest to the most nodes, and at the
// most some redundancy above the fewest's best is at least as fast as that. ASGD's factor is paired by
// seed and judged by its interval; CSSGD's has no seeds.
func judgeScaling(s *byNodes) result.Claim {
	cs, net := s.on, s.plan.Net
	few, many := cs[0], cs[len(cs)-1]
	linear := float64(many.Nodes) / float64(few.Nodes)
	r, x := few.optimal(timing.Judged)
	_, y := many.optimal(timing.Judged)
	up := float64(net.Batch(many.Nodes)) / y.Seconds / (float64(net.Batch(few.Nodes)) / x.Seconds)
	async := s.rateOf(len(s.rates) - 1).Over(s.rateOf(0))
	bound := (1 - claims.Tolerance("C33")) * linear
	part := func(x float64, holds bool, of ...string) result.Part { return kit.Part(x, holds, of...) }
	asgd := part(async.Value, false, "method", "asgd")
	asgd.CI95, asgd.Samples = async.CI, async.Samples
	parts := []result.Part{claims.Mark(asgd, claims.LessThan(async.CI, bound)), part(up, up < bound, "method", "cssgd")}
	raised := []map[string]any{}
	above := among{of: func(n int) []int { return setup.Choices(n)[min(r, n):] }}
	k, z := many.best(timing.Judged, above)
	if k > 0 {
		ratio := z.Seconds / many.Of[timing.Judged.Key][timing.Coded(r)].Seconds
		raised = append(raised, map[string]any{"r": k, "ratio": ratio})
		parts = append(parts, part(ratio, ratio <= 1, "method", timing.Coded(k).Key(), "rival", timing.Coded(r).Key(), "nodes", strconv.Itoa(many.Nodes)))
	} else { // nothing is above r
		parts = append(parts, claims.Mark(result.Part{Of: map[string]string{"nodes": strconv.Itoa(many.Nodes)}}, claims.Differs))
	}
	found := result.Because("C33-found", "few", few.Nodes, "many", many.Nodes, "asgd", async.Value, "cssgd", up)
	f := claims.OfParts(parts, len(s.seeds), &found)
	f.Notes = []result.Reason{result.Because("C33", "linear", linear, "bound", bound, "few", few.Nodes, "r", r,
		"many", many.Nodes, "raised", raised), s.growth()}
	return claims.Verdict("C33", f)
}

// rateOf returns ASGD's samples per second on the i-th number of nodes, seed by seed: the mean of a
// seed's runs.
func (s *byNodes) rateOf(i int) kit.Sample {
	return kit.Each(groups(s.rates[i], len(s.seeds)), func(runs []float64) float64 { return stat.Mean(runs, nil) })
}

// growth tells of ASGD as §3.2.5 does, beyond samples per second: from the
// fewest to the most nodes its staleness and the way to the target.
func (s *byNodes) growth() result.Reason {
	i, k := 0, len(s.on)-1
	cssgd := func(i int) float64 { _, x, _, _, _ := s.times(i, timing.Judged); return stat.Mean(x, nil) }
	pushes := func(i int) float64 { x, _ := s.pushes(i); return x }
	orNone := func(x float64) any {
		if math.IsNaN(x) {
			return nil
		}
		return x
	}
	span := func(of func(i int) float64) []any { return []any{orNone(of(i)), orNone(of(k))} }
	return result.Because("C33-growth", "few", s.on[i].Nodes, "many", s.on[k].Nodes,
		"stale", span(func(i int) float64 { return s.stale[i] }), "pushes", span(pushes),
		"updates", span(func(i int) float64 { return stat.Mean(s.updates[i], nil) }),
		"asgd", span(func(i int) float64 { return stat.Mean(s.ends[i], nil) }), "cssgd", span(cssgd))
}

// judgeRuns judges C12 by the network that ASGD is trained on the least often. A profile of fewer
// runs has not run the paper's protocol.
func judgeRuns(profile string, seeds []uint64) result.Claim {
	least := math.MaxInt
	why := result.Because("C12")
	why.Args = map[string]any{}
	for _, net := range setup.Networks() {
		p := planOf(profile, net)
		runs := max(p.Runs, len(p.seedsOf(seeds)))
		least = min(least, runs)
		why.Args[net.Key] = runs
	}
	f := claims.Number(float64(least), nil, nil, 0)
	f.Input = true
	if stated, _ := claims.Get("C12"); f.Values[0] < stated.Numbers()[0] {
		f = claims.Found{Missing: []result.Reason{result.Because("C12-fewer", "least", least)}}
	}
	f.Notes = []result.Reason{why}
	return claims.Verdict("C12", f)
}

// judgeSSGD judges C01, C04 and C05: which part of SSGD's time CSSGD saves at its best
// redundancy, a mean over node counts, a multicast costing its sender once in both.
func judgeSSGD(id string, net setup.Network, cs []iterations, differs []result.Reason) result.Claim {
	f := claims.Number(meanSaved(cs, timing.Multicast, timing.Judged), nil, nil, 0)
	f.Rival, f.Network, f.Differs = timing.Multicast.Key(), net.Model, differs
	var per []map[string]any
	for _, c := range cs {
		r, it := c.optimal(timing.Judged)
		x := saved(it.Seconds, c.Of[timing.Judged.Key][timing.Multicast].Seconds)
		per = append(per, map[string]any{"nodes": c.Nodes, "saved": x, "r": r, "idle": r == c.Nodes})
		f.Parts = append(f.Parts, result.Part{Of: map[string]string{"nodes": strconv.Itoa(c.Nodes), "method": timing.Coded(r).Key()}, Value: x})
	}
	f.Notes = []result.Reason{result.Because("saved-by-nodes", "nodes", per), result.Because("same-updates"),
		result.Because("saved-otherwise", "unicast", meanSaved(cs, timing.Unicast, timing.Judged), "whole", meanSaved(cs, timing.Multicast, timing.Ethernet))}
	if few := from(cs, trainedFrom); len(few) > 0 && len(few) < len(cs) {
		f.Notes = append(f.Notes, result.Because("saved-late", "nodes", trainedFrom, "saved", meanSaved(few, timing.Multicast, timing.Judged)))
	}
	f.Notes = append(append(f.Notes, switchReason(cs)...),
		beside(func(v timing.Variant, a among) float64 { return meanSavedAt(cs, timing.Multicast, v, a) }), result.Because("assumed-nodes"))
	return claims.Verdict(id, f)
}

// beside says what a mean saving is by the readings that it is not judged by: at the better of
// the redundancies that are drawn, and of constant cutting, on a medium of all links and on
// one of as many links on any number of nodes.
func beside(of func(v timing.Variant, a among) float64) result.Reason {
	even, fixed := timing.EvenVariants[0], timing.EvenVariants[1]
	return result.Because("saved-beside", "drawn", of(timing.Judged, drawnR), "even", of(even, everyR), "fixed", of(fixed, everyR))
}

// judgeASGD judges C02, C03 and C06: the same against ASGD whose gradients are cut alike,
// paired by seed.
func judgeASGD(id string, s *byNodes) result.Claim {
	e, nodes := s.savedOf(alike)
	if len(nodes) == 0 {
		return claims.Verdict(id, claims.Found{Missing: []result.Reason{result.Because("asgd-none")}, Rival: "asgd", Network: s.plan.Net.Model})
	}
	f := claims.Number(e.Value, e.CI, e.Samples, len(s.seeds))
	f.Rival, f.Network, f.Differs = "asgd", s.plan.Net.Model, s.differs(true)
	one := s.saving(race{on: timing.Judged, among: everyR})
	sum := result.Because("asgd-one-sum", "saved", one.Value, "interval", one.CI != nil)
	if one.CI != nil {
		sum.Args["lo"], sum.Args["hi"] = one.CI[0], one.CI[1]
	}
	f.Notes = []result.Reason{result.Because("asgd-pairs", "nodes", nodes, "runs", len(s.asgd)), result.Because("asgd-cut"), s.wideReason(), sum}
	if left := len(s.on) - len(nodes); left > 0 {
		f.Notes = append(f.Notes, result.Because("asgd-left", "n", left))
	}
	late := alike
	late.least = trainedFrom
	if late, some := s.savedOf(late); len(some) > 0 && len(some) < len(nodes) {
		f.Notes = append(f.Notes, result.Because("saved-late", "nodes", trainedFrom, "saved", late.Value))
	}
	f.Notes = append(f.Notes, beside(func(v timing.Variant, a among) float64 { return s.saving(race{on: v, among: a, cut: true}).Value }),
		result.Because("assumed-nodes"))
	return claims.Verdict(id, f)
}
