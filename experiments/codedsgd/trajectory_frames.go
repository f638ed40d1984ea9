package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

func codedKey(r int) string { return fmt.Sprintf("cssgd-r%d", r) }

func secondsIn(it iteration) float64 { return it.Seconds }
func bytesIn(it iteration) float64   { return it.Bytes }

// facts returns how a network was trained, and how far whole gradients' own training is
// from the shared one.
func (w *largest) facts() []result.Fact {
	p, n, whole := w.plan, w.plan.most(), w.whole
	var narrower, micro any
	if p.Width > 0 {
		narrower = 1 / p.Width
	}
	if whole.equal {
		micro = whole.micro.Clipped
	}
	return kit.Facts("data:data", w.ssgd[0].Data.Name, "nodes", n, "batch", p.Net.PerNode, "rate", p.Rate, "narrower", narrower,
		"updates", p.Updates, "every", p.Every, "images", p.Images, "runs", len(w.asgd),
		"blocks", p.blocks(n), "q", microBlocks(n, redundancies...), "coarse", p.blocks(n) != microBlocks(n, redundancies...),
		"target/%", 100*w.target, "target.stated/%", 100*statedTarget(p.Net), "target.is-stated", p.Target > 0, "two-nodes", p.Nodes[0] == 2,
		"whole.seed", whole.seed, "whole.updates", whole.updates, "whole.best/%.1", 100*whole.whole.bestIn(whole.updates),
		"micro.best/%.1", 100*whole.micro.bestIn(whole.updates), "clips", whole.whole.Clipped > 0 || whole.micro.Clipped > 0,
		"whole.clipped", whole.whole.Clipped, "micro.clipped", micro)
}

// wholeFrame sets the two trainings beside each other.
func (w *largest) wholeFrame() result.Frame {
	s, whole := kit.NewSheet("whole-gradients", "pieces updates/.1 best/%.2 last/%.2 clipped"), w.whole
	add := func(pieces int, t trajectory, clipped any) {
		s.Add(pieces, updatesTo(t.Curve, w.target), 100*t.bestIn(whole.updates), 100*t.lastIn(whole.updates), clipped)
	}
	if whole.equal {
		add(whole.parts, whole.micro, whole.micro.Clipped)
	} else {
		add(whole.parts, whole.micro, nil)
	}
	add(whole.blocks, whole.whole, whole.whole.Clipped)
	s.Kind = result.Trained
	return s.Frame
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

// exactly is a number that has no spread; NaN is none.
func exactly(x float64) kit.Estimate { return kit.Sample{x}.Mean() }

// than says on which side of a rival what saves x per cent of it is.
func than(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x < 0:
		return "more"
	}
	return "less"
}

// meansFrame holds what CSSGD saves of rivals on the mean over node counts, by r.
func meansFrame(cs []timing, of func(iteration) float64, rivals ...exchange) result.Frame {
	s := kit.NewSheet("means", "rival:method method:method saved/%.1 saved_than:than")
	for _, rival := range rivals {
		for _, r := range redundancies {
			if x := meanSavedBy(cs, judged, r, rival, of); !math.IsNaN(x) {
				s.Add(rival.key(), codedKey(r), math.Abs(x), than(x))
			}
		}
	}
	return s.Frame
}

// addBelow adds a row for each redundancy with which CSSGD is below a rival on some
// number of nodes; first are its first two cells.
func addBelow(s *kit.Sheet, cs []timing, v variant, rival exchange, of func(iteration) float64, first ...any) {
	for _, l := range lowerOn(cs, v, rival, of) {
		var nodes []any
		for _, n := range l["nodes"].([]int) {
			nodes = append(nodes, n)
		}
		s.Add(first[0], first[1], codedKey(l["r"].(int)), nodes)
	}
}

// savedAt returns what CSSGD at the better r saves of a rival's time in variant v.
func (c timing) savedAt(v variant, rival exchange) float64 {
	_, it := c.optimal(v)
	return saved(it.Seconds, c.Of[v.Key][rival].Seconds)
}

// betterFrame holds CSSGD at the better r of 2 and 3 beside SSGD, in every variant.
func betterFrame(cs []timing) result.Frame {
	s := kit.NewSheet("better", "setting:setting nodes r multicast/%.1 unicast/%.1 ahead r1_faster")
	for _, v := range fourVariants {
		for _, on := range cs {
			r, it := on.optimal(v)
			s.Add(v.Key, on.Nodes, r, on.savedAt(v, multicast), on.savedAt(v, unicast), on.savedAt(v, multicast) > 0,
				on.Of[v.Key][unicast].Seconds < it.Seconds)
		}
	}
	return s.Frame
}

// loadFrame says how Q, and with it communication over computation, goes with the nodes.
func loadFrame(cs []timing) result.Frame {
	s := kit.NewSheet("load", "nodes q ratio/.3")
	for _, c := range cs {
		it := c.Of[judged.Key][unicast]
		s.Add(c.Nodes, microBlocks(c.Nodes, redundancies...), it.Seconds/it.Compute-1)
	}
	return s.Frame
}
