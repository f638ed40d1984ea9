package scaling

import (
	"fmt"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse/formula"
)

// efficiencies returns the frame of every depth, link and mode on the most workers.
func (s *timings) efficiencies() result.Frame {
	out := kit.NewSheet("efficiency", "link/Gb/s depth params/million.0 mode:mode drawn:bool efficiency/%.1")
	for _, x := range s.ends() {
		for m, mode := range modes {
			out.Add(x.Gbps, x.Depth, float64(x.Depth*setup.StackWidth*(setup.StackWidth+1))/1e6, mode.Way.Key, m < sparsePlain, 100*x.efficiency(m))
		}
	}
	return out.Frame
}

// speedups returns the frame of every size of the deepest network; ideal does the work of N.
func (s *timings) speedups() result.Frame {
	out := kit.NewSheet("speed-up", "link/Gb/s n mode:mode drawn:bool speedup/.2")
	for _, g := range setup.Links {
		for _, x := range s.pick(s.deepest(), g) {
			out.Add(g, x.Nodes, "ideal", true, float64(x.Nodes))
			for m, mode := range modes {
				out.Add(g, x.Nodes, mode.Way.Key, m != sparsePlain && m != gradientsTenth, x.speedup(m))
			}
		}
	}
	return out.Frame
}

// saved returns the frame of what overlap and sparsity save on the most workers.
func (s *timings) saved() result.Frame {
	head := "link/Gb/s depth plain/ms.0 single/ms.0 overlap/%.1 sparsity/%.1 both/%.1"
	return kit.Rows("saved", head, s.ends(), func(x timing) []any {
		plain := x.Seconds[densePlain]
		overlap, sparsity, both := x.saved()
		return []any{x.Gbps, x.Depth, 1e3 * plain, 1e3 * x.Single, 100 * overlap / plain, 100 * sparsity / plain, 100 * both / plain}
	})
}

// least returns the frame of the patent's best case by depth and link at its worst size.
func (s *timings) least() result.Frame {
	out := kit.NewSheet("least", "link/Gb/s depth efficiency/.3 n mode:mode")
	for _, g := range setup.Links {
		for _, d := range s.plan.Depths {
			b := s.kindest(d, g)
			out.Add(g, d, b.Efficiency, b.At, modes[b.Mode].Way.Key)
		}
	}
	return out.Frame
}

// nearLinear returns the frame of which mode is near linear at which link, at every depth and N.
func (s *timings) nearLinear() result.Frame {
	out := kit.NewSheet("near-linear", "mode:mode link/Gb/s holds:bool")
	for _, m := range []int{sparseDense, sparseTenth, denseOverlap, densePlain} {
		for _, g := range setup.Links {
			out.Add(modes[m].Way.Key, g, !slices.ContainsFunc(s.plan.Depths, func(d int) bool {
				e, _ := leastEfficiency(s.pick(d, g), m)
				return e < s.plan.Least
			}))
		}
	}
	return out.Frame
}

func (s *timings) figures() (out []result.Figure) {
	for _, g := range setup.Links {
		out = append(out, result.Figure{ID: fmt.Sprintf("speed-up-%g", g), Form: "line", Frame: "speed-up", X: "n", Y: []string{"speedup"},
			By: []string{"mode"}, Where: map[string]any{"link": g, "drawn": true}})
	}
	return append(out, result.Figure{ID: "depth", Form: "bar", Frame: "efficiency", X: "depth", Y: []string{"efficiency"}, By: []string{"mode"},
		Where: map[string]any{"link": setup.Links[len(setup.Links)-1], "drawn": true}})
}

// needed returns the bandwidth in Gb/s from which a dense exchange of one layer among n
// workers, latency aside, is no longer than the layer's backward pass.
//
//	2(N−1)/N·D/B ≤ backward
func needed(n int) float64 {
	backward := 4 * setup.StackRows * setup.StackWidth * setup.StackWidth / setup.Platform().Workers[0].FLOPS
	return formula.Dense(n, 4*setup.StackWidth*(setup.StackWidth+1)) / backward / setup.Gigabit
}

// facts returns findings, and the numbers of sentences that stand in no frame.
func (s *timings) facts() []result.Fact {
	fastest := setup.Links[len(setup.Links)-1]
	shallow, deep := s.end(s.plan.Depths[0], fastest).efficiency(denseOverlap), s.end(s.deepest(), fastest).efficiency(denseOverlap)
	return kit.Facts("n.least", s.plan.Nodes[0], "n.most", s.most(), "depth.least", s.plan.Depths[0], "depth.most", s.deepest(),
		"depths", len(s.plan.Depths), "link.least/Gb/s", setup.Links[0], "link.most/Gb/s", fastest, "near/%.0", 100*s.plan.Least, "density/%", 100*optimistic,
		"width", setup.StackWidth, "rows", setup.StackRows, "params/million.1", float64(setup.StackWidth*(setup.StackWidth+1))/1e6,
		"filled/%.0", 100*formula.FillIn(optimistic, s.most()-1), "needed/Gb/s.0", needed(s.most()),
		"depth.harms", deep < shallow, "efficiency.shallow/.2", shallow, "efficiency.deep/.2", deep)
}
