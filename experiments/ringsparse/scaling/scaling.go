// Package scaling asks whether N workers do nearly the work of N, on networks of any depth
// (Experiment), and what overlap alone saves of an iteration (Overlap).
package scaling

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
)

// optimistic is the density of the runs that favour the patent. Gradients of stacks of
// linear layers are dense.
const optimistic = 0.1

// scalePlan holds what a profile runs.
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

// mode is a way of exchanging with gradients of a density.
type mode struct {
	Way     setup.Way `json:"way"`
	Density float64   `json:"density"`
	// Free lets counting, turning, packing and unpacking take no time: a bound.
	Free bool `json:"free"`
}

// modes, in the order of the columns: the ring as it was, with overlap, and RingSparse
// on dense gradients, on sparse ones, and with sparsity alone; then what is gained by
// not turning gradients into weights, and by work that costs nothing.
var modes = []mode{
	{setup.Way{Key: "dense-plain", Options: ringsparse.Options{Kinds: "gradients", Codec: "dense", NoOverlap: true}}, 1, false},
	{setup.Way{Key: "dense", Options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}}, 1, false},
	{setup.Way{Key: "ringsparse", Options: ringsparse.Options{}}, 1, false},
	{setup.Way{Key: "ringsparse-10", Options: ringsparse.Options{}}, optimistic, false},
	{setup.Way{Key: "ringsparse-10-plain", Options: ringsparse.Options{NoOverlap: true}}, optimistic, false},
	{setup.Way{Key: "gradients-10", Options: ringsparse.Options{Kinds: "gradients"}}, optimistic, false},
	{setup.Way{Key: "ringsparse-10-free", Options: ringsparse.Options{}}, optimistic, true},
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

// rateModes are the modes timed again at the measured rates, on the deepest network
// and the most workers.
var rateModes = []int{sparseDense, sparseTenth, gradientsTenth}

// timing has the seconds of an iteration by mode, for one depth, link and size.
type timing struct {
	Depth   int
	Gbps    float64
	Nodes   int
	Single  float64 // one worker, nothing to exchange
	Seconds []float64
}

// speedup returns the work done per time over one worker's: every worker has its own batch.
func (s timing) speedup(mode int) float64 { return float64(s.Nodes) * s.Single / s.Seconds[mode] }

// efficiency returns the speed-up over N.
func (s timing) efficiency(mode int) float64 { return s.Single / s.Seconds[mode] }

// saved returns the seconds that overlap and sparsity each take off the dense ring's iteration
// without overlap, and both together.
func (s timing) saved() (overlap, sparsity, both float64) {
	plain := s.Seconds[densePlain]
	return plain - s.Seconds[denseOverlap], plain - s.Seconds[sparsePlain], plain - s.Seconds[sparseTenth]
}

// timings holds what was timed of a profile.
type timings struct {
	plan scalePlan
	all  []timing
}

// Experiment returns the experiment that asks for near-linear speed-up at any depth.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/scaling", Source: "the patent, abstract and benefits", Kind: result.TimingOnly,
		Profiles: exp.Profiles, Seedless: true,
		Seconds: func(profile string, _ int) float64 {
			p, messages := planScale(profile), 0
			for _, n := range p.Nodes {
				for _, d := range p.Depths {
					messages += 2 * n * (n - 1) * d * len(modes) * len(setup.Links)
				}
			}
			n := slices.Max(p.Nodes)
			messages += 2 * n * (n - 1) * slices.Max(p.Depths) * len(rateModes) * len(setup.Links)
			return 0.2 + float64(messages)/0.3e6
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planScale(profile), "platform": kit.Platform(setup.Platform()), "links": setup.Links, "width": setup.StackWidth,
				"rows": setup.StackRows, "modes": modes, "measured_rates": setup.MeasuredRates}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) (err error) {
			s := timings{plan: planScale(env.Profile)}
			b := exp.Bar{Env: env, Total: float64(len(s.plan.Depths)*len(setup.Links)*len(s.plan.Nodes) + 1)}
			if err = s.run(ctx, &b); err != nil {
				return err
			}
			rates, err := s.rates(ctx)
			if err != nil {
				return err
			}
			b.Step("measured rates")
			r.Facts = s.facts()
			r.Frames = []result.Frame{setup.RateFrame(), s.efficiencies(), s.speedups(), s.saved(), rates, s.least(), s.nearLinear()}
			r.Figures = s.figures()
			r.Claims = []result.Claim{s.judgeNearLinear(), s.judgeAnyDepth()}
			return nil
		}}.Experiment()
}

// run runs every depth, link, size and mode.
func (s *timings) run(ctx context.Context, b *exp.Bar) error {
	for _, depth := range s.plan.Depths {
		for _, gbps := range setup.Links {
			single := 0.0
			for _, n := range s.plan.Nodes {
				x := timing{Depth: depth, Gbps: gbps, Nodes: n}
				for _, m := range modes {
					w := setup.Stack(depth, m.Density)
					l, err := w.Run(ctx, setup.Case{Way: m.Way, Gbps: gbps, Nodes: n, Free: m.Free})
					if err != nil {
						return err
					}
					x.Seconds = append(x.Seconds, l.Seconds)
				}
				if n == 1 {
					single = x.Seconds[densePlain]
				}
				x.Single = single
				s.all = append(s.all, x)
				b.Step(fmt.Sprintf("%d layers, %g Gb/s, N = %d", depth, gbps, n))
			}
		}
	}
	return nil
}

// rates runs rateModes at setup.MeasuredRates, and sets the speed-ups at assumed rates beside them.
func (s *timings) rates(ctx context.Context) (result.Frame, error) {
	out := kit.NewSheet("rates", "link/Gb/s mode:mode assumed/.2 measured/.2 linear:bool")
	for _, g := range setup.Links {
		x := s.end(s.deepest(), g)
		for _, m := range rateModes {
			w := setup.Stack(x.Depth, modes[m].Density)
			l, err := w.Run(ctx, setup.Case{Way: modes[m].Way, Gbps: g, Nodes: x.Nodes, Rates: setup.MeasuredRates})
			if err != nil {
				return out.Frame, err
			}
			measured := float64(x.Nodes) * x.Single / l.Seconds
			out.Add(g, modes[m].Way.Key, x.speedup(m), measured, measured >= s.plan.Least*float64(s.most()))
		}
	}
	return out.Frame, nil
}

func (s *timings) deepest() int { return s.plan.Depths[len(s.plan.Depths)-1] }
func (s *timings) most() int    { return s.plan.Nodes[len(s.plan.Nodes)-1] }

// pick returns the runs of a depth and link, by size.
func (s *timings) pick(depth int, gbps float64) (out []timing) {
	for _, x := range s.all {
		if x.Depth == depth && x.Gbps == gbps {
			out = append(out, x)
		}
	}
	return out
}

// end returns the run of a depth and link on the most workers.
func (s *timings) end(depth int, gbps float64) timing {
	list := s.pick(depth, gbps)
	return list[len(list)-1]
}

// ends lists the runs of every link and depth on the most workers.
func (s *timings) ends() (out []timing) {
	for _, g := range setup.Links {
		for _, d := range s.plan.Depths {
			out = append(out, s.end(d, g))
		}
	}
	return out
}

// leastEfficiency returns the worst over sizes of a mode, and where it is.
func leastEfficiency(list []timing, mode int) (least float64, at int) {
	least = 2
	for _, s := range list {
		if e := s.efficiency(mode); e < least {
			least, at = e, s.Nodes
		}
	}
	return least, at
}

// bestCase is the patent's at a depth and link: RingSparse with overlap on dense or
// on sparse gradients, whichever is nearer to linear at its worst size.
type bestCase struct {
	Depth      int
	Gbps       float64
	Efficiency float64
	At, Mode   int
}

func (s *timings) kindest(depth int, gbps float64) bestCase {
	out := bestCase{Depth: depth, Gbps: gbps}
	for _, m := range []int{sparseDense, sparseTenth} {
		if e, n := leastEfficiency(s.pick(depth, gbps), m); e > out.Efficiency {
			out.Efficiency, out.At, out.Mode = e, n, m
		}
	}
	return out
}

// part returns b as one comparison of a claim.
func (s *timings) part(b bestCase) result.Part {
	return kit.Part(b.Efficiency, b.Efficiency >= s.plan.Least, "depth", fmt.Sprint(b.Depth), "gbps", fmt.Sprint(b.Gbps), "mode", modes[b.Mode].Way.Key)
}

func (s *timings) because(code string, b bestCase, more ...any) result.Reason {
	args := []any{"layers", b.Depth, "link", b.Gbps, "efficiency", b.Efficiency, "n", b.At, "mode", modes[b.Mode].Way.Key}
	return result.Because(code, append(args, more...)...)
}

// judgeNearLinear judges P09 on the deepest network over the reference link.
func (s *timings) judgeNearLinear() result.Claim {
	b := s.kindest(s.deepest(), setup.Links[0])
	list := s.pick(b.Depth, setup.Links[0])
	dense, _ := leastEfficiency(list, sparseDense)
	tenth, _ := leastEfficiency(list, sparseTenth)
	words := s.because("P09-found", b)
	found := claims.Holding(b.Efficiency >= s.plan.Least, 0, &words)
	found.Notes = []result.Reason{s.because("P09", b, "least", s.plan.Nodes[0], "most", s.most(), "dense", dense, "tenth", tenth,
		"density", 100*optimistic, "wanted", s.plan.Least)}
	for _, g := range setup.Links {
		x := s.kindest(b.Depth, g)
		if g != setup.Links[0] {
			found.Notes = append(found.Notes, s.because("P09-link", x))
		}
		found.Parts = append(found.Parts, s.part(x))
	}
	last := s.end(b.Depth, setup.Links[len(setup.Links)-1])
	found.Notes = append(found.Notes, result.Because("P09-dense", "speedup", last.speedup(denseOverlap), "n", last.Nodes, "link", last.Gbps))
	return claims.Verdict("P09", found)
}

// judgeAnyDepth judges P13.
func (s *timings) judgeAnyDepth() result.Claim {
	var each []result.Reason
	var parts []result.Part
	var all []float64
	for _, d := range s.plan.Depths {
		b := s.kindest(d, setup.Links[0])
		all, each, parts = append(all, b.Efficiency), append(each, s.because("P13-depth", b)), append(parts, s.part(b))
	}
	worst := slices.Min(all)
	ok, words := worst >= s.plan.Least, result.Because("P13-found", "efficiency", worst, "depths", len(all))
	found := claims.Holding(ok, 0, &words)
	found.Parts = parts
	code := "P13-changes"
	if slices.Max(all)-worst < 0.01 {
		code = "P13-same"
	}
	found.Notes = append([]result.Reason{result.Because("P13", "link", setup.Links[0], "wanted", s.plan.Least)}, each...)
	found.Notes = append(found.Notes, result.Because(code, "first", all[0], "least", s.plan.Depths[0], "last", all[len(all)-1], "most", s.deepest()))
	if code == "P13-same" && !ok {
		found.Notes = append(found.Notes, result.Because("P13-link", "link", setup.Links[0]))
	}
	return claims.Verdict("P13", found)
}
