package ringsparse

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The supports, fixed before the first run.
const (
	supportEach   = "independent" // every rank draws its own
	supportCommon = "common"      // every rank's lies in one set twice as large
	supportImages = "images"      // real gradients of the MLP's first layer
)

// commonShare is the probability of an entry of the common set.
const commonShare = 0.5

// fillPlan is what a profile runs.
type fillPlan struct {
	Elements  int       `json:"elements"`
	Densities []float64 `json:"densities"`
	Nodes     []int     `json:"nodes"`
	Link      float64   `json:"link"`   // Gb/s, B of S42
	Within    float64   `json:"within"` // the criterion: standard deviations from the formula
}

func planFill(profile string) fillPlan {
	p := fillPlan{Elements: 160_000, Densities: []float64{0.01, 0.08, 0.3}, Nodes: []int{8, 16}, Link: 1, Within: 5}
	switch profile {
	case "ci":
		p.Elements, p.Nodes = 40_000, []int{8}
	case "standard", "paper":
		p.Elements = 3_200_000
	}
	return p
}

// filled is a block's way round the ring under one support, by hop and seed.
type filled struct {
	Support string
	Density float64 // of one rank's; of images measured
	Nodes   int
	Hops    [][]float64 // [seed][receives in the sum]: share that is not +0
	Totals  ringsparse.Totals
	Codecs  [][]int // [hop][codec.ID]: blocks sent so, of all seeds
}

// fillIn measures how sums of sparse blocks become dense.
func fillIn() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/fill-in", Title: "Sums of sparse blocks become dense", Source: "the patent, S52", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p, n := planFill(profile), 0
		for _, k := range p.Nodes {
			n += k
		}
		return float64(seeds*n) * (0.035 + float64(p.Elements*2*len(p.Densities))*25e-9)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planFill(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"plan": plan, "platform": referencePlatform(), "common_share": commonShare, "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(len(plan.Nodes) * len(env.Seeds) * (2*len(plan.Densities) + 1))}
		var all []filled
		for _, n := range plan.Nodes {
			for _, support := range []string{supportEach, supportCommon} {
				for _, d := range plan.Densities {
					f := filled{Support: support, Density: d, Nodes: n}
					for _, seed := range env.Seeds {
						if err := f.run(ctx, plan, seed, drawnTasks(plan, support, d, seed)); err != nil {
							return res, err
						}
						b.Step(fmt.Sprintf("%s, density %g, N = %d", support, d, n))
					}
					all = append(all, f)
				}
			}
			f, err := fillImages(ctx, env, plan, n, res, &b)
			if err != nil {
				return res, err
			}
			all = append(all, f)
		}
		res.Tables = []result.Table{fillTable(plan, all), fillSentTable(plan, all)}
		res.Figures = []result.Figure{fillFigure(plan, all), coincideFigure(plan, all)}
		res.Notes = fillNotes(plan, all)
		res.Status = complete
		return res, nil
	}
	return e
}

// drawnTasks makes tasks of one layer with that support.
func drawnTasks(plan fillPlan, support string, d float64, seed uint64) func(rank int) cluster.Task {
	layers := []cluster.Layer{{Name: "layer", Length: plan.Elements}}
	start := drawStart(seed, layers)
	return func(rank int) cluster.Task {
		return newDrawn(rank, seed, layers, start, func(l int, g []float32, r *rand.Rand) {
			if support == supportCommon {
				scatterWithin(g, d, commonShare, seed, l, r)
				return
			}
			scatter(g, d, r)
		})
	}
}

// fillImages trains one step of the MLP on raw pixels, every rank on its own images.
func fillImages(ctx context.Context, env exp.Env, plan fillPlan, nodes int, res *result.Result, b *exp.Bar) (filled, error) {
	s, err := openImages(env.Engine, env.DataDir, mlpCase())
	if err != nil {
		return filled{}, err
	}
	res.Data, res.Engine = s.data(), s.engineName
	f := filled{Support: supportImages, Nodes: nodes}
	for _, seed := range env.Seeds {
		start := s.start(seed)
		if err := f.run(ctx, plan, seed, func(rank int) cluster.Task { return s.task(seed, rank, nodes, start) }); err != nil {
			return f, err
		}
		f.Density += f.Hops[len(f.Hops)-1][0] / float64(len(env.Seeds))
		b.Step(fmt.Sprintf("images, N = %d", nodes))
	}
	return f, nil
}

// run exchanges the gradients of one step as such, and adds the first layer's path.
func (f *filled) run(ctx context.Context, plan fillPlan, seed uint64, task func(rank int) cluster.Task) error {
	p := withLink(referencePlatform(), plan.Link)
	rt := virtual.New(p, virtual.Config{Seed: seed, Workers: f.Nodes})
	logs, _, err := cluster.Run(ctx, rt, func(p cluster.Proc) (*ringsparse.Log, error) {
		return ringsparse.Run(p, ringsparse.Job{Task: task(p.Rank()), Rate: 0.05, Steps: 1,
			Options: ringsparse.Options{Kinds: "gradients", Bandwidth: plan.Link * gigabit, Rates: referencePlatform().Codecs, LogChoices: true}})
	})
	if err != nil {
		return fmt.Errorf("ringsparse: fill-in, %s, %d ranks: %w", f.Support, f.Nodes, err)
	}
	full, all := make([]float64, f.Nodes), make([]float64, f.Nodes)
	if f.Codecs == nil {
		f.Codecs = make([][]int, f.Nodes)
	}
	for _, log := range logs {
		f.Totals.Merge(log.Totals)
		for _, c := range log.Choices {
			if c.Layer != 0 {
				continue
			}
			n := float64(c.DenseBytes)
			full[c.Hop], all[c.Hop] = full[c.Hop]+float64(n*c.GradientDensity), all[c.Hop]+n
			for len(f.Codecs[c.Hop]) <= int(c.Codec) {
				f.Codecs[c.Hop] = append(f.Codecs[c.Hop], 0)
			}
			f.Codecs[c.Hop][c.Codec]++
		}
	}
	for k := range full {
		full[k] /= all[k]
	}
	f.Hops = append(f.Hops, full)
	return nil
}

// measured returns the mean density after k receives and its interval's half.
func (f *filled) measured(k int) (mean, half float64) {
	var x []float64
	for _, h := range f.Hops {
		x = append(x, h[k])
	}
	return exp.MeanAndHalf(x)
}

// independent is the patent's situation if zeros fell independently.
func (f *filled) independent(k int) float64 { return formula.FillIn(f.Density, k) }

// expected is the closed form of the support that was drawn, independent's for images.
//
//	1−(1−d)^(k+1)   or, within a common set of share d/p,   d/p·(1−(1−p)^(k+1))
func (f *filled) expected(k int) float64 {
	if f.Support == supportCommon {
		return f.Density / commonShare * formula.FillIn(commonShare, k)
	}
	return f.independent(k)
}
