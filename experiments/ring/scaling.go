package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// The blog's cluster.
const (
	blogPlatform = "ring40"
	blogGPUs     = 40
	blogPerNode  = 8
	blogSlowest  = 6e9  // bytes per second between nodes
	blogWithin   = 10e9 // and within a node
)

// scalingPlan is what a profile runs.
type scalingPlan struct {
	GPUs  []int `json:"gpus"`
	Steps int   `json:"steps"` // on 40 GPUs
}

// steps is proportionally more on fewer GPUs, where an iteration is cheap to run
// and its mean over jitter needs them.
func (p scalingPlan) steps(gpus int) int { return p.Steps * min((blogGPUs+gpus-1)/gpus, mostTimes) }

// mostTimes bounds the factor of steps.
const mostTimes = 20

func planScaling(profile string) scalingPlan {
	switch profile {
	case "ci":
		return scalingPlan{GPUs: []int{1, 2, 8, 10, 16, 40}, Steps: 2}
	case "quick":
		return scalingPlan{GPUs: []int{1, 2, 3, 4, 6, 8, 9, 10, 12, 16, 20, 24, 32, 40}, Steps: 3}
	}
	p := scalingPlan{Steps: 10}
	if profile == "paper" {
		p.Steps = 300 // as the blog
	}
	for n := 1; n <= blogGPUs; n++ {
		p.GPUs = append(p.GPUs, n)
	}
	return p
}

// blogCluster loads the platform; it is embedded, so a failure is a programmer's
// mistake.
func blogCluster() *cluster.Platform {
	p, err := platforms.Load(blogPlatform)
	if err != nil {
		panic(err)
	}
	return p
}

// calm is p without jitter: the same computation always takes the same time.
func calm(p *cluster.Platform) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
}

// point is one number of GPUs; the laps are by seed.
type point struct {
	GPUs           int
	Overlap, Plain []lap   // with and without overlap
	Exchange       float64 // seconds of one all-reduce of all parameters alone
	Equal          float64 // the same on equal links without latency, as fast as the slowest of the blog's
}

// spread is one stack at 40 GPUs, without jitter.
type spread struct {
	Stack          stack
	Overlap, Plain float64 // seconds of an iteration
}

// scaling runs the blog's iteration on 1 to 40 GPUs.
func scaling() exp.Experiment {
	e := exp.Experiment{ID: "ring/scaling", Title: "From one GPU to forty", Source: "the blog, Applying the Allreduce to Deep Learning", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p, messages := planScaling(profile), 0.0
		for _, n := range p.GPUs {
			messages += float64(2 * n * (n - 1) * 10 * 2 * p.steps(n) * seeds)
		}
		return 1 + messages/0.7e6
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan, p, ref := planScaling(env.Profile), blogCluster(), deepSpeech()
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"plan": plan, "platform": p, "stacks": stacksOf(env.Profile), "single": blogSingle, "batch": blogBatch, "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(len(plan.GPUs)*len(env.Seeds) + len(stacksOf(env.Profile)))}
		points, err := scalePoints(ctx, p, ref, plan, env.Seeds, &b)
		if err != nil {
			return res, err
		}
		wide, err := scaleSpreads(ctx, p, stacksOf(env.Profile), &b)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{scalingTable(points), spreadTable(wide), stackTable(ref)}
		res.Figures = []result.Figure{throughputFigure(points), iterationFigure(points)}
		res.Claims = judgeScaling(ref, points, wide)
		res.Notes = scalingNotes(points, wide)
		res.Status = complete
		return res, nil
	}
	return e
}

func scalePoints(ctx context.Context, p *cluster.Platform, s stack, plan scalingPlan, seeds []uint64, b *exp.Bar) ([]point, error) {
	var out []point
	for _, n := range plan.GPUs {
		x := point{GPUs: n}
		for _, on := range []struct {
			p    *cluster.Platform
			into *float64
		}{{p, &x.Exchange}, {ideal(n, blogSlowest), &x.Equal}} {
			alone, err := onVirtual(ctx, on.p, n, func(p cluster.Proc) error {
				return collective.RingAllReduceTiming(p, 0, s.params())
			})
			if err != nil {
				return nil, err
			}
			*on.into = alone.Seconds
		}
		for _, seed := range seeds {
			it := iteration{Stack: s, Overlap: true, Steps: plan.steps(n), Seed: seed}
			with, err := it.run(ctx, p, n)
			if err != nil {
				return nil, err
			}
			it.Overlap = false
			without, err := it.run(ctx, p, n)
			if err != nil {
				return nil, err
			}
			with.Trace, without.Trace = nil, nil
			x.Overlap, x.Plain = append(x.Overlap, with), append(x.Plain, without)
			b.Step(fmt.Sprintf("%d GPUs", n))
		}
		out = append(out, x)
	}
	return out, nil
}

func scaleSpreads(ctx context.Context, p *cluster.Platform, list []stack, b *exp.Bar) ([]spread, error) {
	quiet := calm(p)
	var out []spread
	for _, s := range list {
		x := spread{Stack: s}
		for _, overlap := range []bool{true, false} {
			l, err := iteration{Stack: s, Overlap: overlap, Steps: 1}.run(ctx, quiet, blogGPUs)
			if err != nil {
				return nil, err
			}
			if overlap {
				x.Overlap = l.Seconds
			} else {
				x.Plain = l.Seconds
			}
		}
		out = append(out, x)
		b.Step(s.Title)
	}
	return out, nil
}
