package setup

import (
	"context"
	"fmt"
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// FullSize holds the parameters and layers of a network at full size.
type FullSize struct {
	Params int
	Layers []model.LayerInfo
}

// FullSizeOf returns the full size of the network called name.
func FullSizeOf(name string) FullSize {
	m := kit.Must(model.New(name))
	return FullSize{m.NumParams(), m.Layers()}
}

// Seconds returns how long one iteration computes on h without jitter. It adds up the stages of
// train.Run, each rounded as there.
func (c FullSize) Seconds(h *cluster.Host, batch int, launch, overhead time.Duration) (total time.Duration) {
	n, start := float64(batch), float64(launch.Seconds()*train.ReferenceFLOPS)
	for i, l := range c.Layers {
		forward := cluster.Work{FLOP: float64(n*l.ForwardFLOP) + start, Bytes: n * l.Bytes}
		if i == 0 {
			forward.FLOP += float64(overhead.Seconds() * train.ReferenceFLOPS)
		}
		total += h.Duration(forward) + h.Duration(cluster.Work{FLOP: float64(n*l.BackwardFLOP) + float64(2*start), Bytes: 2 * n * l.Bytes})
	}
	return total
}

// InOneStage runs a timing-only configuration as train.Run does, but with all layers of the
// network in one stage. A worker sends its gradient when all of it is there and draws jitter once
// per iteration, so the server sees the same events; a test holds the two equal. One stage is
// several times quicker: a search makes a hundred thousand runs, and ResNet-110 has 222 layers.
// Unlike train.Run, InOneStage takes a Launch or Overhead of 0 as none.
func (c FullSize) InOneStage(ctx context.Context, cfg train.Config) (*dasp.Log, error) {
	policy, err := rivals.New(cfg.Sync, *cfg.Options)
	if err != nil {
		return nil, err
	}
	form, err := cfg.Options.F()
	if err != nil {
		return nil, err
	}
	var log *dasp.Log
	rt := virtual.New(cfg.Platform, virtual.Config{Seed: cfg.Seed, WithServer: true, Cores: 1})
	_, err = rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		layer := cluster.Layer{Length: c.Params}
		if p.Rank() > 0 {
			layer.Forward.Fixed = c.Seconds(&cfg.Platform.Workers[p.Rank()-1], cfg.Batch, cfg.Launch, cfg.Overhead)
		}
		l, err := dasp.Run(p, dasp.Job{Policy: func() dasp.Policy { return policy }, Layers: []cluster.Layer{layer}, Rate: 1,
			MaxPushes: cfg.MaxPushes, F: form, Decision: cluster.Work{Fixed: cfg.Platform.Decision}})
		if p.Rank() == 0 {
			log = l
		}
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("dasp: %s of %s in one stage: %w", cfg.Sync, cfg.Model, err)
	}
	return log, nil
}
