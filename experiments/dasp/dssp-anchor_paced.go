package dasp

import (
	"context"
	"time"

	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// paced is train.Run for a timing-only cfg with a server on virtual time, to the
// nanosecond's rounding, with one computation per pass in place of one per layer:
// a worker sends nothing before its whole gradient is there, and jitter is drawn
// once per iteration, so that only the sum counts. ResNet-110 has 222 layers and
// these runs have hundred thousands of iterations.
func paced(ctx context.Context, cfg train.Config) (*dasp.Log, error) {
	m, err := model.New(cfg.Model)
	if err != nil {
		return nil, err
	}
	policy, err := rivals.New(cfg.Sync, *cfg.Options)
	if err != nil {
		return nil, err
	}
	var log *dasp.Log // written by rank 0, read after the run
	rt := virtual.New(cfg.Platform, virtual.Config{Seed: cfg.Seed, WithServer: true})
	_, err = rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		layer := cluster.Layer{Name: cfg.Model, Length: m.NumParams()}
		job := dasp.Job{Policy: func() dasp.Policy { return policy }, Rate: 1, MaxPushes: cfg.MaxPushes, Decision: cluster.Work{Fixed: cfg.Platform.Decision}}
		if w := p.Rank() - 1; w >= 0 {
			layer.Forward.Fixed, layer.Backward.Fixed = passes(&cfg.Platform.Workers[w], m.Layers(), float64(cfg.Batch))
		}
		job.Layers = []cluster.Layer{layer}
		l, err := dasp.Run(p, job)
		if p.Rank() == 0 {
			log = l
		}
		return nil, err
	})
	return log, err
}

// passes are the durations of a forward and a backward pass of a batch on h: the
// layers' rooflines, what starting a layer costs, once and twice, and before the
// first what an iteration costs.
func passes(h *cluster.Host, layers []model.LayerInfo, batch float64) (forward, backward time.Duration) {
	launch, overhead := train.DefaultLaunch.Seconds()*train.ReferenceFLOPS, train.DefaultOverhead.Seconds()*train.ReferenceFLOPS
	var f, b float64
	for i, l := range layers {
		flop := float64(batch*l.ForwardFLOP) + launch
		if i == 0 {
			flop += overhead
		}
		f += h.Seconds(cluster.Work{FLOP: flop, Bytes: batch * l.Bytes})
		b += h.Seconds(cluster.Work{FLOP: float64(batch*l.BackwardFLOP) + 2*launch, Bytes: 2 * batch * l.Bytes})
	}
	return time.Duration(f * 1e9), time.Duration(b * 1e9)
}
