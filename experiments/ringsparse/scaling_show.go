package ringsparse

import (
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/ringsparse/formula"
)

// byMode is one run under one mode.
type byMode struct {
	scaled
	Mode int // ideal: one that does the work of N
}

const ideal = -1

func byModes(list []scaled, these ...int) (out []byMode) {
	for _, x := range list {
		for _, m := range these {
			out = append(out, byMode{x, m})
		}
	}
	return out
}

func allModes() (out []int) {
	for m := range modes {
		out = append(out, m)
	}
	return out
}

func modeKey(m int) string {
	if m == ideal {
		return "ideal"
	}
	return modes[m].Way.Key
}

// efficiencies has every depth, link and mode on the most workers.
func (s *scales) efficiencies() result.Frame {
	head := "link/Gb/s depth params/million.0 mode:mode drawn:bool efficiency/%.1"
	return kit.Rows("efficiency", head, byModes(s.ends(), allModes()...), func(x byMode) []any {
		return []any{x.Gbps, x.Depth, float64(x.Depth*stackWidth*(stackWidth+1)) / 1e6, modeKey(x.Mode), x.Mode < sparsePlain, 100 * x.efficiency(x.Mode)}
	})
}

// speedups has every size of the deepest network.
func (s *scales) speedups() result.Frame {
	var rows []byMode
	for _, g := range links {
		rows = append(rows, byModes(s.pick(s.deepest(), g), append([]int{ideal}, allModes()...)...)...)
	}
	return kit.Rows("speed-up", "link/Gb/s n mode:mode drawn:bool speedup/.2", rows, func(x byMode) []any {
		speedup := float64(x.Nodes)
		if x.Mode != ideal {
			speedup = x.speedup(x.Mode)
		}
		return []any{x.Gbps, x.Nodes, modeKey(x.Mode), x.Mode != sparsePlain && x.Mode != gradientsTenth, speedup}
	})
}

// saved says what overlap and sparsity save on the most workers.
func (s *scales) saved() result.Frame {
	head := "link/Gb/s depth plain/ms.0 single/ms.0 overlap/%.1 sparsity/%.1 both/%.1"
	return kit.Rows("saved", head, s.ends(), func(x scaled) []any {
		plain := x.Seconds[densePlain]
		overlap, sparsity, both := x.saved()
		return []any{x.Gbps, x.Depth, 1e3 * plain, 1e3 * x.Single, 100 * overlap / plain, 100 * sparsity / plain, 100 * both / plain}
	})
}

// rates sets the speed-ups at assumed rates beside those at measured ones.
func (s *scales) rates() result.Frame {
	return kit.Rows("rates", "link/Gb/s mode:mode assumed/.2 measured/.2 linear:bool", s.again, func(x rescaled) []any {
		return []any{x.Gbps, modeKey(x.Mode), x.Assumed, x.Measured, x.Measured >= s.plan.Least*float64(s.most())}
	})
}

// least has the patent's best case by depth and link at its worst size.
func (s *scales) least() result.Frame {
	var rows []best
	for _, g := range links {
		for _, d := range s.plan.Depths {
			rows = append(rows, s.kindest(d, g))
		}
	}
	return kit.Rows("least", "link/Gb/s depth efficiency/.3 n mode:mode", rows,
		func(b best) []any { return []any{b.Gbps, b.Depth, b.Efficiency, b.At, modeKey(b.Mode)} })
}

// nearLinear tells which mode is near linear at which link, at every depth and N.
func (s *scales) nearLinear() result.Frame {
	var rows []byMode
	for _, m := range []int{sparseDense, sparseTenth, denseOverlap, densePlain} {
		for _, g := range links {
			rows = append(rows, byMode{scaled{Gbps: g}, m})
		}
	}
	return kit.Rows("near-linear", "mode:mode link/Gb/s holds:bool", rows, func(x byMode) []any {
		falls := slices.ContainsFunc(s.plan.Depths, func(d int) bool { e, _ := leastEfficiency(s.pick(d, x.Gbps), x.Mode); return e < s.plan.Least })
		return []any{modeKey(x.Mode), x.Gbps, !falls}
	})
}

func (s *scales) figures() (out []result.Figure) {
	for i, id := range []string{"speed-up-1", "speed-up-10", "speed-up-25"} {
		out = append(out, result.Figure{ID: id, Form: "line", Frame: "speed-up", Where: map[string]any{"link": links[i], "drawn": true}, X: "n",
			Y: []string{"speedup"}, By: []string{"mode"}})
	}
	return append(out, result.Figure{ID: "depth", Form: "bar", Frame: "efficiency", Where: map[string]any{"link": links[len(links)-1], "drawn": true}, X: "depth",
		Y: []string{"efficiency"}, By: []string{"mode"}})
}

// needed returns the bandwidth in Gb/s from which a dense exchange of one layer among n
// workers, latency aside, is no longer than the layer's backward pass.
//
//	2(N−1)/N·D/B ≤ backward
func needed(n int) float64 {
	backward := 4 * stackRows * stackWidth * stackWidth / referencePlatform().Workers[0].FLOPS
	return formula.Dense(n, 4*stackWidth*(stackWidth+1)) / backward / gigabit
}

// facts are findings, and the numbers of sentences that stand in no frame.
func (s *scales) facts() []result.Fact {
	fastest := links[len(links)-1]
	shallow, deep := s.end(s.plan.Depths[0], fastest).efficiency(denseOverlap), s.end(s.deepest(), fastest).efficiency(denseOverlap)
	return kit.Facts("n.least", s.plan.Nodes[0], "n.most", s.most(), "depth.least", s.plan.Depths[0], "depth.most", s.deepest(), "depths", len(s.plan.Depths),
		"link.least/Gb/s", links[0], "link.most/Gb/s", fastest, "near/%.0", 100*s.plan.Least, "density/%", 100*optimistic,
		"width", stackWidth, "rows", stackRows, "params/million.1", float64(stackWidth*(stackWidth+1))/1e6,
		"filled/%.0", 100*formula.FillIn(optimistic, s.most()-1), "needed/Gb/s.0", needed(s.most()),
		"depth.harms", deep < shallow, "efficiency.shallow/.2", shallow, "efficiency.deep/.2", deep)
}
