package convergence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fourVariants are the variants on which times and traffic to the target are taken: what
// travels, and over what. The claims are judged on the first, as in Fig. 12.
var fourVariants = []timing.Variant{timing.Judged, timing.Switched, timing.VariantOf("whole-medium"), timing.Ethernet}

// timedVariants are these, and those of constant cutting, which stand beside.
var timedVariants = slices.Concat(fourVariants, timing.EvenVariants)

// iterations holds an iteration of each exchange on a number of nodes, by the key of the
// variant.
type iterations struct {
	Nodes int
	Of    map[string]map[timing.Exchange]timing.Iteration
}

// compared lists the synchronous methods that Figures 8 to 11 compare, in the paper's order.
// A redundancy above n has no blocks and is left out.
func compared(n int) []timing.Exchange {
	return synchronous(setup.Drawn(n))
}

// synchronous lists both kinds of SSGD, and CSSGD at each redundancy.
func synchronous(rs []int) []timing.Exchange {
	out := []timing.Exchange{timing.Unicast, timing.Multicast}
	for _, r := range rs {
		out = append(out, timing.Coded(r))
	}
	return out
}

// among says of which redundancies CSSGD Optimal is the best.
type among struct {
	key string // of the enumeration among
	of  func(nodes int) []int
}

// The claims are judged on everyR; drawnR stands beside.
var everyR, drawnR = among{"every", setup.Choices}, among{"drawn", setup.Drawn}

// optimal returns "CSSGD Optimal" (§3.2.5): of all redundancies the one whose iteration is
// shortest, the smaller of equals.
func (c iterations) optimal(v timing.Variant) (r int, it timing.Iteration) { return c.best(v, everyR) }

// best returns the best of some redundancies.
func (c iterations) best(v timing.Variant, a among) (r int, it timing.Iteration) {
	for _, k := range a.of(c.Nodes) {
		x, ok := c.Of[v.Key][timing.Coded(k)]
		if ok && (r == 0 || x.Seconds < it.Seconds) {
			r, it = k, x
		}
	}
	return r, it
}

// saved returns which part of base ours saves, in per cent.
func saved(ours, base float64) float64 { return 100 * (1 - ours/base) }

// meanSaved returns which part of a rival's time on the same trajectory CSSGD saves at its
// best redundancy, in per cent, as a mean over node counts. Both make the same updates, so
// that it is the mean of ratios of iteration times and has no spread over seeds.
func meanSaved(cs []iterations, rival timing.Exchange, v timing.Variant) float64 {
	return meanSavedAt(cs, rival, v, everyR)
}

// meanSavedAt is meanSaved at the best of some redundancies.
func meanSavedAt(cs []iterations, rival timing.Exchange, v timing.Variant, a among) float64 {
	return stat.Mean(kit.Each(cs, func(c iterations) float64 { return c.savedAt(v, rival, a) }), nil)
}

// meanSavedBy returns which part of a rival's cost CSSGD saves, in per cent, as a mean over
// the redundancies rs and the node counts that have them; NaN where none has.
func meanSavedBy(cs []iterations, rival timing.Exchange, of func(timing.Iteration) float64, rs ...int) float64 {
	sum, cases := 0.0, 0
	for _, c := range cs {
		for _, r := range rs {
			if x, ok := c.Of[timing.Judged.Key][timing.Coded(r)]; ok {
				sum, cases = sum+saved(of(x), of(c.Of[timing.Judged.Key][rival])), cases+1
			}
		}
	}
	return sum / float64(cases)
}

// meanReduction returns C31's measure of a network: which part of a rival's time per batch
// CSSGD saves, as a mean over redundancies and node counts.
func meanReduction(cs []iterations, rival timing.Exchange) float64 {
	return meanSavedBy(cs, rival, secondsIn, setup.Redundancies...)
}

// trainedFrom is the number of nodes, and classes, from which means are also given by
// themselves: two and three classes are told apart after few updates.
const trainedFrom = 4

func from(cs []iterations, nodes int) []iterations {
	return slices.DeleteFunc(slices.Clone(cs), func(c iterations) bool { return c.Nodes < nodes })
}

// reductionOver returns the part of base that ours saves over node counts, [nodes][seed], in
// per cent: 100·(1 − the geometric mean over seeds) of
//
//	R_s = 1/|n| · Σ_n ours[n][s]/base[n][s]
//
// It panics without pairs; where a target is not reached there is no number.
func reductionOver(ours, base [][]float64) kit.Estimate {
	if len(ours) == 0 || len(ours) != len(base) || len(ours[0]) == 0 {
		panic("codedsgd: a reduction needs pairs")
	}
	ratios := make([]float64, len(ours[0]))
	for s := range ratios {
		sum := 0.0
		for n := range ours {
			sum += ours[n][s] / base[n][s]
		}
		ratios[s] = sum / float64(len(ours))
	}
	return sampleOf(ratios).Over(slices.Repeat(kit.Sample{1}, len(ratios))).Saved()
}

// sampleOf returns x as a sample, empty where one of them is no number.
func sampleOf(x []float64) kit.Sample { return kit.Sample(x).Map(func(v float64) float64 { return v }) }

// groups deals runs to seeds in turn: run i is of seed i mod seeds.
func groups(runs []float64, seeds int) [][]float64 {
	out := make([][]float64, seeds)
	for i, x := range runs {
		out[i%seeds] = append(out[i%seeds], x)
	}
	return out
}

// race says in which variant CSSGD is set beside ASGD, at the best of which redundancies, and
// from how many nodes on.
type race struct {
	on    timing.Variant
	among among
	least int
	// cut: ASGD's gradients are cut as CSSGD's are. Else a push is one sum.
	cut bool
	// wide: the server's link carries what the n links of CSSGD's medium carry together.
	wide bool
}

// alike is the race on which claims are judged. It is alike in bytes, not in capacity: CSSGD's
// medium has that of n links, the server's link that of one. wide is alike in both; it stands beside the verdict and
// judges nothing.
var (
	alike = race{on: timing.Judged, among: everyR, cut: true}
	wide  = race{on: timing.Judged, among: everyR, cut: true, wide: true}
)

// cutting returns by which factor ASGD takes longer on the i-th number of nodes if its n pushes bring Q
// gradients over a number of links of the server, which then set its pace where they are slower than ASGD is:
//
//	seconds of n pushes = max(those of the run, Q·bytes of a gradient / (links·B))
//
// It is 1 where whole gradients travel: there a push is one.
func (s *byNodes) cutting(i int, v timing.Variant, links int) float64 {
	if v.Whole {
		return 1
	}
	run := float64(s.plan.Net.Batch(s.on[i].Nodes)) / s.rate[i]
	// SSGD Multicast sends each of Q gradients once.
	least := s.on[i].Of[v.Key][timing.Multicast].Bytes / (float64(links) * setup.Platform().Server.Bandwidth)
	return max(least/run, 1)
}

// wideReason says what CSSGD saves of ASGD's time where the server has its medium.
func (s *byNodes) wideReason() result.Reason {
	e := s.saving(wide)
	r := result.Because("asgd-wide", "saved", e.Value, "interval", e.CI != nil)
	if e.CI != nil {
		r.Args["lo"], r.Args["hi"] = e.CI[0], e.CI[1]
	}
	return r
}

// pairs returns the times to the target of CSSGD and of ASGD, [nodes][seed], where every run
// reaches it, and the places of those numbers of nodes. A seed's time of ASGD is the mean of
// its runs.
func (s *byNodes) pairs(x race) (ours, base [][]float64, places []int) {
	for i, on := range s.on {
		if on.Nodes < x.least || math.IsNaN(stat.Mean(s.updates[i], nil)) || math.IsNaN(stat.Mean(s.ends[i], nil)) {
			continue
		}
		_, it := on.best(x.on, x.among)
		factor, links := 1.0, 1
		if x.wide {
			links = on.Nodes
		}
		if x.cut {
			factor = s.cutting(i, x.on, links)
		}
		var o, b []float64
		for seed, runs := range groups(s.ends[i], len(s.seeds)) {
			o, b = append(o, s.updates[i][seed]*it.Seconds), append(b, factor*stat.Mean(runs, nil))
		}
		ours, base, places = append(ours, o), append(base, b), append(places, i)
	}
	return ours, base, places
}

// savedOf returns which part of ASGD's time CSSGD saves, and the node counts that have both
// times; no number where there are none.
func (s *byNodes) savedOf(x race) (e kit.Estimate, nodes []int) {
	ours, base, places := s.pairs(x)
	for _, i := range places {
		nodes = append(nodes, s.on[i].Nodes)
	}
	if len(nodes) > 0 {
		e = reductionOver(ours, base)
	}
	return e, nodes
}

// saving is the number of savedOf alone.
func (s *byNodes) saving(x race) kit.Estimate {
	e, _ := s.savedOf(x)
	return e
}

// times returns the three algorithms' times to the target on the i-th number of nodes, per
// run; ASGD's also if its gradients are cut as CSSGD's are.
func (s *byNodes) times(i int, v timing.Variant) (ssgd, cssgd, asgd, cut []float64, r int) {
	on := s.on[i]
	r, it := on.optimal(v)
	for _, u := range s.updates[i] {
		ssgd, cssgd = append(ssgd, u*on.Of[v.Key][timing.Multicast].Seconds), append(cssgd, u*it.Seconds)
	}
	for _, x := range s.ends[i] {
		cut = append(cut, s.cutting(i, v, 1)*x)
	}
	return ssgd, cssgd, s.ends[i], cut, r
}

// pairsFrame holds, by seed, the times behind the savings of ASGD's time that are judged: the
// updates and the time of CSSGD, and the mean time of the seed's runs of ASGD, by itself and cut.
func (s *byNodes) pairsFrame() result.Frame {
	f := kit.NewSheet("pairs", "nodes seed updates/.2 r cssgd/s.3 asgd/s.3 cut/s.3 over_asgd/.3 over_cut/.3")
	cssgd, asgd, places := s.pairs(race{on: timing.Judged, among: everyR})
	_, cut, _ := s.pairs(alike)
	for k, i := range places {
		r, _ := s.on[i].optimal(timing.Judged)
		for seed, x := range cssgd[k] {
			f.Add(s.on[i].Nodes, s.seeds[seed], s.updates[i][seed], r, x, asgd[k][seed], cut[k][seed], x/asgd[k][seed], x/cut[k][seed])
		}
	}
	return kit.As(result.Trained, f.Frame)
}

// pushes returns how many of ASGD's pushes over n lead to the target, a mean over the
// runs that reach it, and how many do; NaN: none.
func (s *byNodes) pushes(i int) (mean float64, reached int) {
	sum := 0.0
	for _, x := range s.ends[i] {
		if !math.IsNaN(x) {
			reached, sum = reached+1, sum+x
		}
	}
	if reached == 0 {
		return math.NaN(), 0
	}
	return sum / float64(reached) * s.rate[i] / float64(s.plan.Net.Batch(s.on[i].Nodes)), reached
}

func secondsIn(it timing.Iteration) float64 { return it.Seconds }

func bytesIn(it timing.Iteration) float64 { return it.Bytes }

// facts returns how a network was trained, and how far whole gradients' own training is
// from the shared one.
func (w *largest) facts() []result.Fact {
	p, n, micro, part := w.plan, w.plan.most(), w.ssgd[0], w.plan.Updates/w.plan.Part
	var narrower any
	if p.Width > 0 {
		narrower = 1 / p.Width
	}
	return kit.Facts("data:data", w.ssgd[0].Data.Name, "nodes", n, "batch", p.Net.PerNode, "rate", p.Rate, "narrower", narrower,
		"updates", p.Updates, "every", p.Every, "images", p.Images, "runs", len(w.asgd),
		"blocks", p.blocks(n), "q", setup.Q(n), "coarse", p.blocks(n) != setup.Q(n),
		"target/%", 100*w.target, "target.stated/%", 100*statedTarget(p.Net), "target.is-stated", p.Target > 0, "two-nodes", p.Nodes[0] == 2,
		"whole.seed", w.seeds[0], "whole.updates", part, "whole.best/%.1", 100*w.whole.bestIn(part),
		"micro.best/%.1", 100*micro.bestIn(part), "clips", w.whole.Clipped > 0 || micro.Clipped > 0,
		"whole.clipped", w.whole.Clipped, "micro.clipped", w.comparable(micro.Clipped))
}

// comparable returns the elements that the shared training clipped, nothing if the training
// of whole gradients is only a part of it.
func (w *largest) comparable(clipped int64) any {
	if w.plan.Part > 1 {
		return nil
	}
	return clipped
}

func (w *largest) wholeFrame() result.Frame {
	s, n, part := kit.NewSheet("whole-gradients", "pieces updates/.1 best/%.2 last/%.2 clipped"), w.plan.most(), w.plan.Updates/w.plan.Part
	add := func(pieces int, t trajectory, clipped any) {
		s.Add(pieces, updatesTo(t.Curve, w.target), 100*t.bestIn(part), 100*t.lastIn(part), clipped)
	}
	add(w.plan.blocks(n), w.ssgd[0], w.comparable(w.ssgd[0].Clipped))
	add(n, w.whole, w.whole.Clipped)
	return kit.As(result.Trained, s.Frame)
}

// changed returns the facts that say a saving in words: the saving, its size, and whether
// that is more or less than the rival's.
func changed(key string, e kit.Estimate) []result.Fact {
	x := e.Value
	if e.N == 0 {
		x = math.NaN()
	}
	return kit.Facts(key+"/%.1", e, key+".size/%.1", math.Abs(x), key+".than:than", than(x))
}

// exactly returns a number without spread; NaN is none.
func exactly(x float64) kit.Estimate { return kit.Sample{x}.Mean() }

// than says on which side of a rival a saving of x per cent is.
func than(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x < 0:
		return "more"
	}
	return "less"
}

// meansFrame lists CSSGD's savings of rivals on the mean over node counts, by r.
func meansFrame(cs []iterations, of func(timing.Iteration) float64, rivals ...timing.Exchange) result.Frame {
	s := kit.NewSheet("means", "rival:method method:method saved/%.1 saved_than:than")
	for _, rival := range rivals {
		for _, m := range meansOf(cs, rival, of) {
			s.Add(rival.Key(), timing.Coded(m["r"].(int)).Key(), m["size"], m["than"])
		}
	}
	return s.Frame
}

// addBelow adds a row for each redundancy with which CSSGD is below a rival on some
// number of nodes; first are its first two cells.
func addBelow(s *kit.Sheet, cs []iterations, v timing.Variant, rival timing.Exchange, of func(timing.Iteration) float64, first ...any) {
	for _, l := range lowerOn(cs, v, rival, of) {
		var nodes []any
		for _, n := range l["nodes"].([]int) {
			nodes = append(nodes, n)
		}
		s.Add(first[0], first[1], timing.Coded(l["r"].(int)).Key(), nodes)
	}
}

// savedAt returns which part of a rival's time CSSGD saves in variant v at the best of some
// redundancies.
func (c iterations) savedAt(v timing.Variant, rival timing.Exchange, a among) float64 {
	_, it := c.best(v, a)
	return saved(it.Seconds, c.Of[v.Key][rival].Seconds)
}

// betterFrame holds CSSGD at its best r, and at the best that the paper draws, beside SSGD.
func betterFrame(cs []iterations) result.Frame { return bestFrame("better", cs, fourVariants) }

// evenFrame holds the same where the batch is cut alike on any number of nodes.
func evenFrame(cs []iterations) result.Frame { return bestFrame("even", cs, timing.EvenVariants) }

func bestFrame(id string, cs []iterations, variants []timing.Variant) result.Frame {
	s := kit.NewSheet(id, "setting:setting nodes r multicast/%.1 unicast/%.1 ahead drawn_r drawn_multicast/%.1 drawn_unicast/%.1")
	for _, v := range variants {
		for _, on := range cs {
			r, _ := on.optimal(v)
			drawn, _ := on.best(v, drawnR)
			x := on.savedAt(v, timing.Multicast, everyR)
			s.Add(v.Key, on.Nodes, r, x, on.savedAt(v, timing.Unicast, everyR), x > 0,
				drawn, on.savedAt(v, timing.Multicast, drawnR), on.savedAt(v, timing.Unicast, drawnR))
		}
	}
	return s.Frame
}

// loadFrame says how communication over computation goes with the nodes: with Q(n), and with
// constant cutting on a medium of all links, and of as many links on any number of nodes.
func loadFrame(cs []iterations) result.Frame {
	return kit.Rows("load", "nodes q ratio/.3 even/.3 fixed/.3", cs, func(c iterations) []any {
		ratio := func(v timing.Variant) float64 {
			it := c.Of[v.Key][timing.Unicast]
			return it.Seconds/it.Compute - 1
		}
		return []any{c.Nodes, setup.Q(c.Nodes), ratio(timing.Judged), ratio(timing.EvenVariants[0]), ratio(timing.EvenVariants[1])}
	})
}
