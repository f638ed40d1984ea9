package ringsparse

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// source makes the tasks of one case and seed.
type source struct {
	start  []float32
	layers []cluster.Layer
	task   func(rank, ranks int) cluster.Task
}

// open makes the tasks of c, and names in res what they are trained on and by.
func (c decisionCase) open(env exp.Env, seed uint64, res *result.Result) (source, error) {
	if c.Model == "embedding" {
		t, start := defaultEmbedding().texts(seed), defaultEmbedding().start(seed)
		return source{start, defaultEmbedding().layers(c.Batch), func(rank, _ int) cluster.Task { return t.task(rank, c.Batch, start) }}, nil
	}
	s, err := openImages(env.Engine, env.DataDir, c)
	if err != nil {
		return source{}, err
	}
	if res.Engine = s.engineName; c.Key == "mlp" {
		res.Data = s.data()
	}
	start := s.start(seed)
	return source{start, s.layers(), func(rank, ranks int) cluster.Task { return s.task(seed, rank, ranks, start) }}, nil
}

// decideCase runs one case and seed with all numbers of ranks and both tie rules.
func decideCase(ctx context.Context, env exp.Env, plan decisionPlan, c decisionCase, seed uint64, res *result.Result, b *exp.Bar) ([]decided, error) {
	src, err := c.open(env, seed, res)
	if err != nil {
		return nil, err
	}
	var mask []bool
	if c.Pruned {
		dense, err := walk(ctx, src, nil, c, seed, walkOf{ranks: plan.Ranks[0], steps: plan.Dense,
			options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}})
		if err != nil {
			return nil, err
		}
		if err := vec.FromBytes(src.start, dense.Params); err != nil {
			return nil, err
		}
		mask = prune(src.start, src.layers, c.Keep)
	}
	var out []decided
	for _, n := range plan.Ranks {
		for _, o := range plan.optionsOf(c) {
			o.Bandwidth, o.Rates, o.Codecs, o.LogChoices = plan.Link*gigabit, referencePlatform().Codecs, candidateNames, true
			d, err := walk(ctx, src, mask, c, seed, walkOf{ranks: n, steps: plan.Steps, links: [2]float64{plan.Link * gigabit, plan.Other * gigabit}, options: o})
			if err != nil {
				return nil, err
			}
			d.Params = nil
			out = append(out, d)
			b.Step(fmt.Sprintf("%s, N = %d, seed %d", c.Title, n, seed))
		}
	}
	return out, nil
}

// walkOf is how a walk goes.
type walkOf struct {
	ranks   int
	steps   int64
	links   [2]float64 // bytes per second that the choices are tallied for
	options ringsparse.Options
}

// walk trains so many steps in virtual time, every rank from src.start. All ranks
// must end with the same bits.
func walk(ctx context.Context, src source, mask []bool, c decisionCase, seed uint64, o walkOf) (decided, error) {
	type end struct {
		Log    ringsparse.Log
		Seen   zeros
		Hash   string
		Params []byte // of rank 0
	}
	d := decided{Case: c, Ranks: o.ranks, Kinds: o.options.Kinds, Tie: o.options.Tie, Seed: seed, Steps: o.steps, Layers: src.layers}
	rt := virtual.New(withLink(referencePlatform(), 1), virtual.Config{Seed: seed, Workers: o.ranks})
	ends, _, err := cluster.Run(ctx, rt, func(p cluster.Proc) (end, error) {
		w := &watched{Task: src.task(p.Rank(), o.ranks), rate: c.Rate, mask: mask, maskGradient: c.MaskGradient}
		log, err := ringsparse.Run(p, ringsparse.Job{Task: w, Rate: c.Rate, Steps: o.steps, Mask: mask, Options: o.options})
		if err != nil {
			return end{}, err
		}
		e := end{Log: *log, Seen: w.seen, Hash: train.ParamsHash(w.Params())}
		if p.Rank() == 0 {
			e.Params = vec.AppendBytes(nil, w.Params())
		}
		return e, nil
	})
	if err != nil {
		return d, fmt.Errorf("ringsparse: %s on %d ranks: %w", c.Key, o.ranks, err)
	}
	for rank, e := range ends {
		if e.Hash != ends[0].Hash {
			return d, fmt.Errorf("ringsparse: %s on %d ranks: rank %d ends with other parameters than rank 0", c.Key, o.ranks, rank)
		}
		d.tally(e.Log.Choices, o.links)
		d.Totals.Merge(e.Log.Totals)
		d.Seen.add(e.Seen)
	}
	d.Params = ends[0].Params
	return d, nil
}
