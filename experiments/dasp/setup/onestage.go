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

// Seconds returns how long one iteration computes on h without jitter: the stages of train.Run,
// each rounded to the nanosecond.
func (c FullSize) Seconds(h *cluster.Host, batch int, launch, overhead time.Duration) (total time.Duration) {
	cfg := train.Config{Batch: batch, Launch: launch, Overhead: overhead}
	for _, l := range cfg.Work(c.Layers) {
		total += h.Duration(l.Forward) + h.Duration(l.Backward)
	}
	return total
}

// InOneStage runs a timing-only configuration as train.Run does, but for the requests: a worker
// waits for its whole gradient, so all stages of a pass end with the last. Their times are added up
// as there, so that events happen at the same picosecond; a test holds the two equal. Had every
// stage a rounding of its own, DSSP would predict other iterations where a link is full: there two
// pushes meet to the nanosecond. One request is several times quicker: a search makes a hundred
// thousand runs, and ResNet-110 has 222 layers. Unlike train.Run, InOneStage takes a Launch or
// Overhead of 0 as none.
func (c FullSize) InOneStage(ctx context.Context, cfg train.Config) (*dasp.Log, error) {
	policy, err := rivals.New(cfg.Sync, *cfg.Options)
	if err != nil {
		return nil, err
	}
	form, err := cfg.Options.F()
	if err != nil {
		return nil, err
	}
	layers := cfg.Work(c.Layers)
	var log *dasp.Log
	rt := virtual.New(cfg.Platform, virtual.Config{Seed: cfg.Seed, WithServer: true, Cores: 1, Whole: true})
	_, err = rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		l, err := dasp.Run(p, dasp.Job{Policy: func() dasp.Policy { return policy }, Layers: layers, Rate: 1,
			MaxPushes: cfg.MaxPushes, F: form, Decision: cluster.Work{Fixed: cfg.Platform.Decision}, Adjustment: cfg.Options.AdjustmentOf(cfg.Sync)})
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
