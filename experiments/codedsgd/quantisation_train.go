package codedsgd

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// precision trains what the page needs.
type precision struct {
	ctx   context.Context
	env   exp.Env
	kinds []arithmetic
	bar   *exp.Bar
}

// learnt is one training.
type learnt struct {
	Accuracy  float64 // on all test images
	Loss      float64 // mean cross-entropy of the last evaluation's
	Distance  float64 // of the parameters from float32's, relative to how far those went
	Saturated int64   // elements of gradients that int32 could not hold
	Elements  int64   // that were quantised
}

// precisionStudy is one network.
type precisionStudy struct {
	Plan   precisionPlan
	Kinds  []arithmetic
	Learnt [][]learnt // by arithmetic, by seed
	// Clipped is the share of saturated elements in the first updates, by cut (Q(n), n,
	// 1), by clipping range.
	Clipped [][]float64
	Cuts    []int
	Largest []float64 // element of a block's gradient at fresh parameters, by Plan.Sums
	Data    *result.Data
	Engine  string
}

// blocksOf is into how many blocks an arithmetic cuts the batch of n nodes.
func (a arithmetic) blocksOf(n int) int {
	switch a.Blocks {
	case 0:
		return microBlocks(n, redundancies...)
	case -1:
		return n
	}
	return a.Blocks
}

// config is a training: one node computes all blocks, which gives the parameters of
// any number of nodes.
func (p precisionPlan) config(a arithmetic, seed uint64, env exp.Env) train.Config {
	c := train.Config{Sync: codedsgd.SSGDMulticast, Model: p.Net.Model, Width: p.Width, Classes: classes(p.Nodes), Data: p.Data,
		DataDir: env.DataDir, Engine: env.Engine,
		Platform: firstNodes(calm(referencePlatform()), 1), Workers: 1, Seed: seed, BatchSize: p.Net.batch(p.Nodes), Rate: p.Rate,
		MaxUpdates: p.Updates, EvalEvery: p.Updates, EvalImages: 1 << 20, Launch: -1, Overhead: -1}
	if a.Float {
		c.Sync = "ring"
		return c
	}
	c.Coded = &codedsgd.Options{Redundancy: 1, MicroBlocks: a.blocksOf(p.Nodes), Range: a.Range}
	return c
}

// trained are one seed's trainings, by arithmetic.
type trained struct {
	Learnt []learnt
	Data   *result.Data
	Engine string
}

// clippedCounts are the clipped shares and the largest elements of one network.
type clippedCounts struct {
	Clipped [][]float64
	Largest []float64
}

// study trains and counts all of one network.
func (w *precision) study(p precisionPlan) (s precisionStudy, err error) {
	s = precisionStudy{Plan: p, Kinds: w.kinds, Learnt: make([][]learnt, len(w.kinds)), Cuts: []int{microBlocks(p.Nodes, redundancies...), p.Nodes, 1}}
	set, err := train.OpenData(p.Data, w.env.DataDir, p.Net.Model)
	if err != nil {
		return s, err
	}
	for _, seed := range w.env.Seeds {
		one, err := kit.Keep(w.ctx, w.env, []any{p, w.kinds, seed, set.SHA256, w.env.Engine}, func(string) (trained, error) { return w.train(p, seed) })
		if err != nil {
			return s, err
		}
		for i, l := range one.Learnt {
			s.Learnt[i] = append(s.Learnt[i], l)
		}
		s.Data, s.Engine = one.Data, one.Engine
		w.bar.Step(fmt.Sprintf("%s, seed %d", p.Net.Title, seed))
	}
	counts, err := kit.Keep(w.ctx, w.env, []any{p, clippingRanges, w.env.Seeds[0], set.SHA256, w.env.Engine}, func(string) (c clippedCounts, err error) {
		if c.Clipped, err = w.saturation(p, s.Cuts); err == nil {
			c.Largest, err = w.largest(p)
		}
		return c, err
	})
	s.Clipped, s.Largest = counts.Clipped, counts.Largest
	w.bar.Step(p.Net.Title + ", saturation")
	return s, err
}

// train runs all arithmetics of one seed; the first is what distances are from.
func (w *precision) train(p precisionPlan, seed uint64) (out trained, err error) {
	dir, err := os.MkdirTemp("", "codedsgd")
	if err != nil {
		return out, fmt.Errorf("codedsgd: a folder for parameters: %w", err)
	}
	defer os.RemoveAll(dir)
	m, err := model.Build(model.Spec{Name: p.Net.Model, Width: p.Width, Classes: classes(p.Nodes)})
	if err != nil {
		return out, fmt.Errorf("codedsgd: %w", err)
	}
	start := make([]float32, m.NumParams())
	m.Init(start, cluster.Stream(seed, -1, "data", "init"))
	var first []float32
	for _, a := range w.kinds {
		c := p.config(a, seed, w.env)
		c.Save = filepath.Join(dir, a.Key+".safetensors")
		o, err := train.Run(w.ctx, c)
		if err != nil {
			return out, fmt.Errorf("codedsgd: %s, %s: %w", p.Net.Key, a.Key, err)
		}
		params := make([]float32, m.NumParams())
		if err := train.LoadState(c.Save, m, p.Width, params, nil); err != nil {
			return out, err
		}
		if first == nil {
			first = params
		}
		l := learnt{Accuracy: *o.TestAccuracy, Loss: o.Curve[len(o.Curve)-1].Loss, Distance: distance(params, first) / distance(first, start)}
		if o.Coded != nil {
			l.Saturated, l.Elements = o.Coded.Totals.Saturated, o.Updates*int64(a.blocksOf(p.Nodes)*m.NumParams())
		}
		out = trained{append(out.Learnt, l), o.Data, o.Engine}
	}
	return out, nil
}

// distance is the Euclidean one.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// saturation counts in the first updates what each range cannot hold, by cut.
func (w *precision) saturation(p precisionPlan, cuts []int) ([][]float64, error) {
	m, err := model.Build(model.Spec{Name: p.Net.Model, Width: p.Width, Classes: classes(p.Nodes)})
	if err != nil {
		return nil, fmt.Errorf("codedsgd: %w", err)
	}
	var out [][]float64
	for _, cut := range cuts {
		var row []float64
		for _, limit := range clippingRanges {
			c := p.config(arithmetic{Range: limit, Blocks: cut}, w.env.Seeds[0], w.env)
			c.MaxUpdates, c.EvalEvery = p.Short, -1
			o, err := train.Run(w.ctx, c)
			if err != nil {
				return nil, fmt.Errorf("codedsgd: %s, range %g: %w", p.Net.Key, limit, err)
			}
			row = append(row, float64(o.Coded.Totals.Saturated)/float64(p.Short*int64(cut*m.NumParams())))
		}
		out = append(out, row)
	}
	return out, nil
}

// largest is the largest element of the gradient of the first images, a sum, at fresh
// parameters and with ten classes.
func (w *precision) largest(p precisionPlan) ([]float64, error) {
	var out []float64
	for _, images := range p.Sums {
		g, err := train.Gradient(train.GradConfig{Name: p.Net.Model, Width: p.Width, Seed: w.env.Seeds[0], Data: p.Data, DataDir: w.env.DataDir,
			Engine: w.env.Engine, To: images})
		if err != nil {
			return nil, err
		}
		most := 0.0
		for _, v := range g.Grads {
			most = max(most, math.Abs(float64(v)))
		}
		out = append(out, most*float64(images))
	}
	return out, nil
}
