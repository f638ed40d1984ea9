package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/train"
)

// largest are a network's trainings on the largest number of nodes, all of them whole.
type largest struct {
	plan   schooling
	seeds  []uint64
	ssgd   []trajectory // per seed: SSGD and CSSGD
	asgd   []trajectory // per run, seeds in turn
	top    crossing
	picked choice  // of the paper's rule, in its message model
	target float64 // a share
	whole  wholeRun
}

// largest trains on the largest number of nodes, times the exchanges there, and
// chooses the target.
func (s *school) largest(net network) (largest, error) {
	p := schoolingOf(s.env.Profile, net)
	w := largest{plan: p, seeds: p.seedsOf(s.env.Seeds)}
	n := p.most()
	var err error
	if w.ssgd, err = s.all(p.synchronousLessons(n, w.seeds, 0)); err != nil {
		return w, err
	}
	if w.asgd, err = s.asynchronous(p, n, w.seeds, p.Updates); err != nil {
		return w, err
	}
	if w.top, err = s.crossing(net, n); err != nil {
		return w, err
	}
	w.picked = chooseLevel(w.curves(judged))
	w.target = p.Target
	if w.target == 0 {
		w.target = float64(w.picked.Picked) / 100
	}
	w.whole, err = s.wholeGradients(&w)
	return w, err
}

// curves are those of SSGD with multicast, CSSGD at its best redundancy and ASGD.
func (w *largest) curves(v variant) [][][]train.Point {
	_, best := w.top.optimal(v)
	out := make([][][]train.Point, 3)
	for _, t := range w.ssgd {
		out[0] = append(out[0], clocked(t.Curve, w.top.Of[v.Key][multicast].Seconds))
		out[1] = append(out[1], clocked(t.Curve, best.Seconds))
	}
	for _, t := range w.asgd {
		out[2] = append(out[2], t.Curve)
	}
	return out
}

// asynchronous trains ASGD on n nodes as often as the plan says; runs beyond the
// seeds take seeds of their own.
func (s *school) asynchronous(p schooling, n int, seeds []uint64, updates int64) ([]trajectory, error) {
	var lessons []lesson
	for i := range max(p.Runs, len(seeds)) {
		lessons = append(lessons, lesson{fmt.Sprintf("%s, %d nodes, ASGD, run %d", p.Net.Title, n, i+1), p.asynchronous(n, runSeed(seeds, i), updates)})
	}
	return s.all(lessons)
}

// synchronousLessons are the trainings of all seeds on n nodes, up to a target; 0: whole.
func (p schooling) synchronousLessons(n int, seeds []uint64, target float64) (out []lesson) {
	for _, seed := range seeds {
		cfg := p.synchronous(n, seed)
		cfg.TargetAccuracy = target
		out = append(out, lesson{fmt.Sprintf("%s, %d nodes, synchronous, seed %d", p.Net.Title, n, seed), cfg})
	}
	return out
}

// aloneLessons are the trainings of the network alone.
func (p schooling) aloneLessons(seeds []uint64) (out []lesson) {
	for _, seed := range seeds {
		out = append(out, lesson{fmt.Sprintf("%s alone, seed %d", p.Net.Title, seed), p.serial(p.most(), seed)})
	}
	return out
}

// runSeed is the seed of ASGD's run i: the seeds themselves, then others.
func runSeed(seeds []uint64, i int) uint64 {
	if i < len(seeds) {
		return seeds[i]
	}
	return seeds[i%len(seeds)] + 10_000*uint64(i/len(seeds))
}

// crossing times every exchange that is compared on n nodes, at full width.
func (s *school) crossing(net network, n int) (crossing, error) {
	c := crossing{Nodes: n, Of: map[string]map[exchange]iteration{}}
	for _, v := range grounds {
		c.Of[v.Key] = map[exchange]iteration{}
		for _, x := range compared(n) {
			it, err := timeSetting(s.ctx, s.env, v.on(net, n, x))
			if err != nil {
				return c, err
			}
			c.Of[v.Key][x] = it
		}
	}
	return c, nil
}

// course is a network on every number of nodes, to the target.
type course struct {
	largest
	on      []crossing  // per number of nodes
	updates [][]float64 // to the target, [nodes][seed]; NaN: not reached
	ends    [][]float64 // of ASGD, seconds to the target, [nodes][run]; NaN: not reached
	rate    []float64   // samples per second of ASGD, by nodes
	stale   []float64   // mean staleness of ASGD, by nodes
}

// toTarget goes on from largest: the other numbers of nodes are trained up to the
// target.
func (s *school) toTarget(net network) (course, error) {
	w, err := s.largest(net)
	c := course{largest: w}
	if err != nil {
		return c, err
	}
	p := c.plan
	for _, n := range p.Nodes {
		ts := w.ssgd
		if n != p.most() {
			if ts, err = s.all(p.synchronousLessons(n, w.seeds, w.target)); err != nil {
				return c, err
			}
		}
		var updates []float64
		for _, t := range ts {
			updates = append(updates, reach(t.Curve, w.target, updatesOf))
		}
		c.updates = append(c.updates, updates)
		on, err := s.crossing(net, n)
		if err != nil {
			return c, err
		}
		c.on = append(c.on, on)
	}
	return c, nil
}

// longer bounds ASGD's runs below the largest number of nodes: at first so many times
// the updates that synchronous training took, then twice as many, until every run
// reaches the target or is as long as those on the largest.
const longer = 3

// race goes on from toTarget: ASGD on every number of nodes.
func (s *school) race(net network) (course, error) {
	c, err := s.toTarget(net)
	if err != nil {
		return c, err
	}
	for i, n := range c.plan.Nodes {
		ts := c.asgd
		if n != c.plan.most() {
			if ts, err = s.lengthen(c, n, c.updates[i]); err != nil {
				return c, err
			}
		}
		var at, rates, stale []float64
		for _, t := range ts {
			at = append(at, reach(t.Curve, c.target, secondsOf))
			last := t.Curve[len(t.Curve)-1]
			rates = append(rates, float64(last.Pushes)*float64(net.PerNode)/last.Seconds)
			stale = append(stale, t.Staleness)
		}
		c.ends, c.rate, c.stale = append(c.ends, at), append(c.rate, meanOf(rates)), append(c.stale, meanOf(stale))
	}
	return c, nil
}

func (s *school) lengthen(c course, n int, synchronous []float64) ([]trajectory, error) {
	length := c.plan.Updates
	if m := maxOf(synchronous); !math.IsNaN(m) {
		length = min(length, longer*int64(math.Ceil(m))+1)
	}
	for {
		ts, err := s.asynchronous(c.plan, n, c.seeds, length)
		if err != nil || length == c.plan.Updates {
			return ts, err
		}
		all := true
		for _, t := range ts {
			all = all && t.best() >= c.target
		}
		if all {
			return ts, nil
		}
		length = min(2*length, c.plan.Updates)
	}
}

// maxOf is the largest, NaN if one is.
func maxOf(x []float64) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, v)
	}
	return m
}
