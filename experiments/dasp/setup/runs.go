package setup

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// Run runs cfg, or returns what an earlier call or an interrupted command kept of it.
func Run(ctx context.Context, env exp.Env, cfg train.Config) (Summary, error) {
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (Summary, error) { return Summarise(o, cfg.TimingOnly && cfg.Sync == "bsp"), nil })
}

// Training returns the configuration that trains a network at size s on p. Its clock is the full
// network's at the batch of Tables 4 and 5, so that events happen as there; gradients are computed
// by the narrower network.
func Training(p *cluster.Platform, method string, seed uint64, s Size) train.Config {
	o := Options()
	return train.Config{Sync: method, Model: s.Model, Width: s.Width, Image: s.Image, Data: s.Data, Platform: p, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, MaxPushes: s.Pushes, EvalEvery: s.EvalEvery, EvalImages: EvalImages, Options: &o,
		Clock: &train.Clock{Batch: FullBatch}}
}

// TrainOnce trains a method on p. BSP's parameters do not depend on the cluster: BSP is trained on
// the homogeneous cluster alone, and a run without arithmetic gives the times on others. That is
// exact; a test compares both.
func TrainOnce(ctx context.Context, env exp.Env, p *cluster.Platform, method string, seed uint64, s Size) (Summary, error) {
	if method != "bsp" || p.Name == Homogeneous {
		return Run(ctx, env, Training(p, method, seed, s))
	}
	c, err := Run(ctx, env, Training(Load(Homogeneous), method, seed, s))
	if err != nil {
		return c, err
	}
	cfg := Training(p, method, seed, s)
	cfg.TimingOnly, cfg.EvalEvery = true, -1
	timed, err := Run(ctx, env, cfg)
	if err != nil {
		return c, err
	}
	return retime(c, timed)
}

// retime returns timed, the run on another cluster, with what c learnt under BSP.
func retime(c, timed Summary) (Summary, error) {
	curve := slices.Clone(c.Curve)
	for i := range curve {
		v := curve[i].Updates
		if v < 1 || v > int64(len(timed.Updates)) {
			return c, fmt.Errorf("dasp: BSP was evaluated at version %d, the timed run has %d", v, len(timed.Updates))
		}
		curve[i].Seconds = timed.Updates[v-1]
	}
	timed.Curve, timed.Accuracy, timed.Data, timed.Engine = curve, c.Accuracy, c.Data, c.Engine
	return timed, nil
}

// Timing returns the configuration of a timing-only run at full model size.
func Timing(p *cluster.Platform, method, model string, seed uint64) train.Config {
	o := Options()
	return train.Config{Sync: method, Model: model, Platform: p, Seed: seed, Batch: FullBatch,
		MaxPushes: Workers * PerWorker, Warmup: Warmup, Options: &o, TimingOnly: true}
}
