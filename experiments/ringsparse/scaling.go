package ringsparse

import (
	"context"
	"fmt"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// The stacks: square layers of one width, so that depth changes nothing but how many
// there are. 100 of them are 300 million parameters. Stated before the first run.
const (
	stackWidth = 1732
	stackRows  = 4096 // rows that pass through every layer: 8 sequences of 512 tokens per worker
)

// optimistic is the density of the runs that favour the patent. Gradients of stacks of
// linear layers are dense.
const optimistic = 0.1

// scalePlan is what a profile runs.
type scalePlan struct {
	Depths []int   `json:"depths"`
	Nodes  []int   `json:"nodes"`
	Least  float64 `json:"least"` // the criterion: speed-up over N, at every N
}

func planScale(profile string) scalePlan {
	p := scalePlan{Depths: []int{4, 12, 36, 100}, Nodes: []int{1, 2, 4, 8, 16, 32}, Least: 1 - claims.Tolerance("P09")}
	switch profile {
	case "ci":
		p.Depths, p.Nodes = []int{4, 12}, []int{1, 2, 8}
	case "standard", "paper":
		p.Nodes = []int{1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}
	}
	return p
}

// newStack is a network of so many square layers with gradients of one density.
func newStack(depth int, density float64) workload {
	w := workload{Key: fmt.Sprintf("stack%d", depth), Title: fmt.Sprintf("%d layers", depth)}
	if depth == 1 {
		w.Title = "1 layer"
	}
	work := cluster.Work{FLOP: 2 * stackRows * stackWidth * stackWidth}
	for i := range depth {
		l := cluster.Layer{Name: fmt.Sprintf("layer%d", i+1), Offset: i * stackWidth * (stackWidth + 1), Length: stackWidth * (stackWidth + 1), Forward: work, Backward: cluster.Work{FLOP: 2 * work.FLOP}}
		w.Layers, w.Density, w.Row = append(w.Layers, l), append(w.Density, density), append(w.Row, 1)
	}
	return w
}

// mode is a way of exchanging with gradients of a density.
type mode struct {
	Way     way     `json:"way"`
	Density float64 `json:"density"`
	// Free lets counting, turning, packing and unpacking take no time: a bound.
	Free bool `json:"free"`
}

// modes, in the order of the columns: the ring as it was, with overlap, and RingSparse
// on dense gradients, on sparse ones, and with sparsity alone; then what is gained by
// not turning gradients into weights, and by work that costs nothing.
var modes = []mode{
	{way{"dense-plain", "dense, no overlap", ringsparse.Options{Kinds: "gradients", Codec: "dense", NoOverlap: true}}, 1, false},
	{way{"dense", "dense, overlap", ringsparse.Options{Kinds: "gradients", Codec: "dense"}}, 1, false},
	{way{"ringsparse", "RingSparse, d = 100 %", ringsparse.Options{}}, 1, false},
	{way{"ringsparse-10", "RingSparse, d = 10 %", ringsparse.Options{}}, optimistic, false},
	{way{"ringsparse-10-plain", "RingSparse, d = 10 %, no overlap", ringsparse.Options{NoOverlap: true}}, optimistic, false},
	{way{"gradients-10", "gradients alone, d = 10 %", ringsparse.Options{Kinds: "gradients"}}, optimistic, false},
	{way{"ringsparse-10-free", "the same, work free", ringsparse.Options{}}, optimistic, true},
}

// Indices of modes.
const (
	densePlain = iota
	denseOverlap
	sparseDense
	sparseTenth
	sparsePlain
	gradientsTenth
	sparseFree
)

// scaled is seconds of an iteration by mode, for one depth, link and size.
type scaled struct {
	Depth   int
	Gbps    float64
	Nodes   int
	Single  float64 // one worker, nothing to exchange
	Seconds []float64
}

// speedup is the work done per time over one worker's: every worker has its own batch.
func (s *scaled) speedup(mode int) float64 { return float64(s.Nodes) * s.Single / s.Seconds[mode] }

// efficiency is that over N.
func (s *scaled) efficiency(mode int) float64 { return s.Single / s.Seconds[mode] }

// scaling asks for near-linear speed-up at any depth.
func scaling() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/scaling", Title: "Speed-up at any depth", Source: "the patent, abstract and benefits", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		p, messages := planScale(profile), 0
		for _, n := range p.Nodes {
			for _, d := range p.Depths {
				messages += 2 * n * (n - 1) * d * len(modes) * len(links)
			}
		}
		n := p.Nodes[len(p.Nodes)-1]
		messages += 2 * n * (n - 1) * p.Depths[len(p.Depths)-1] * len(rateModes) * len(links)
		return 0.2 + float64(messages)/0.3e6
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planScale(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"plan": plan, "platform": referencePlatform(), "links": links, "width": stackWidth, "rows": stackRows, "modes": modes, "measured_rates": measuredRates})
		b := exp.Bar{Env: env, Total: float64(len(plan.Depths)*len(links)*len(plan.Nodes) + 1)}
		all, err := scaleAll(ctx, plan, &b)
		if err != nil {
			return res, err
		}
		again, err := scaleMeasured(ctx, plan, all)
		if err != nil {
			return res, err
		}
		b.Step("measured rates")
		res.Tables = []result.Table{efficiencyTable(plan, all), speedupTable(plan, all), savedTable(plan, all), rescaledTable(plan, again)}
		for _, g := range links {
			res.Figures = append(res.Figures, speedupFigure(plan, all, g))
		}
		res.Figures = append(res.Figures, depthFigure(plan, all))
		res.Claims = []result.Claim{judgeNearLinear(plan, all), judgeAnyDepth(plan, all)}
		res.Notes = scalingNotes(plan, all, again)
		res.Status = complete
		return res, nil
	}
	return e
}

// scaleAll runs every depth, link, size and mode.
func scaleAll(ctx context.Context, plan scalePlan, b *exp.Bar) ([]scaled, error) {
	var out []scaled
	for _, depth := range plan.Depths {
		for _, gbps := range links {
			single := 0.0
			for _, n := range plan.Nodes {
				s := scaled{Depth: depth, Gbps: gbps, Nodes: n}
				for _, m := range modes {
					w := newStack(depth, m.Density)
					l, err := w.run(ctx, leg{way: m.Way, gbps: gbps, nodes: n, free: m.Free})
					if err != nil {
						return nil, err
					}
					s.Seconds = append(s.Seconds, l.Seconds)
				}
				if n == 1 {
					single = s.Seconds[densePlain]
				}
				s.Single = single
				out = append(out, s)
				b.Step(fmt.Sprintf("%d layers, %s, N = %d", depth, linkName(gbps), n))
			}
		}
	}
	return out, nil
}

// pick are the runs of a depth and link, by size.
func pick(all []scaled, depth int, gbps float64) (out []*scaled) {
	for i := range all {
		if all[i].Depth == depth && all[i].Gbps == gbps {
			out = append(out, &all[i])
		}
	}
	return out
}

// leastEfficiency is the worst over sizes of a mode, and where it is.
func leastEfficiency(list []*scaled, mode int) (least float64, at int) {
	least = 2
	for _, s := range list {
		if e := s.efficiency(mode); e < least {
			least, at = e, s.Nodes
		}
	}
	return least, at
}

// kindest is the patent's best case: RingSparse with overlap on dense or on sparse
// gradients, whichever is nearer to linear at its worst size.
func kindest(list []*scaled) (least float64, at, mode int) {
	for _, m := range []int{sparseDense, sparseTenth} {
		if e, n := leastEfficiency(list, m); e > least {
			least, at, mode = e, n, m
		}
	}
	return least, at, mode
}

// judgeNearLinear judges P09 on the deepest network over the reference link.
func judgeNearLinear(plan scalePlan, all []scaled) result.Claim {
	depth := plan.Depths[len(plan.Depths)-1]
	list := pick(all, depth, links[0])
	least, at, mode := kindest(list)
	dense, _ := leastEfficiency(list, sparseDense)
	tenth, _ := leastEfficiency(list, sparseTenth)
	note := fmt.Sprintf("%d layers at %s, least over N = %d to %d: efficiency %.2f with dense gradients, %.2f at density %g %%; wanted %.2f. The better of the two is judged", depth, linkName(links[0]), plan.Nodes[0], plan.Nodes[len(plan.Nodes)-1], dense, tenth, 100*optimistic, plan.Least)
	for _, g := range links[1:] {
		e, n, m := kindest(pick(all, depth, g))
		note += fmt.Sprintf("; at %s %.2f (%s, N = %d)", linkName(g), e, modes[m].Way.Title, n)
	}
	ends := pick(all, depth, links[len(links)-1])
	last := ends[len(ends)-1]
	note += fmt.Sprintf("; the dense ring with overlap does the work of %.1f of %d at %s", last.speedup(denseOverlap), last.Nodes, linkName(last.Gbps))
	return holds("P09", least >= plan.Least, 0, fmt.Sprintf("efficiency %.2f at N = %d (%s)", least, at, modes[mode].Way.Title), note)
}

// judgeAnyDepth judges P13.
func judgeAnyDepth(plan scalePlan, all []scaled) result.Claim {
	ok, worst, best := true, 2.0, 0.0
	var parts []string
	for _, d := range plan.Depths {
		e, n, m := kindest(pick(all, d, links[0]))
		ok, worst, best = ok && e >= plan.Least, min(worst, e), max(best, e)
		parts = append(parts, fmt.Sprintf("%d layers: %.3f at N = %d (%s)", d, e, n, modes[m].Way.Title))
	}
	first, last := plan.Depths[0], plan.Depths[len(plan.Depths)-1]
	e0, _, _ := kindest(pick(all, first, links[0]))
	e1, _, _ := kindest(pick(all, last, links[0]))
	depth := fmt.Sprintf("depth changes it, from %.3f with %d layers to %.3f with %d", e0, first, e1, last)
	if best-worst < 0.01 {
		depth = fmt.Sprintf("depth changes next to nothing, %.3f with %d layers and %.3f with %d", e0, first, e1, last)
		if !ok {
			depth += fmt.Sprintf("; what fails is the speed-up at %s, P09's link and criterion", linkName(links[0]))
		}
	}
	return holds("P13", ok, 0, fmt.Sprintf("efficiency from %.2f over %d depths", worst, len(plan.Depths)),
		fmt.Sprintf("least efficiency over N at %s, wanted %.2f at every depth: %s. It runs at every depth and N; %s", linkName(links[0]), plan.Least, strings.Join(parts, "; "), depth))
}
