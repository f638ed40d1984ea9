package bench

import (
	"context"
	"errors"
	"testing"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// workers says how many train, and how many pushes a step has: of bsp and ring, whose updates take all gradients, one
// update.
const workers = 6

// push makes six pushes of a training in virtual time whose network computes nothing, or six copies and updates of as many
// parameters.
func push(tb testing.TB, k keys, by string, measure func(work, func() error) error) error {
	m, err := network(k)
	if err != nil {
		return err
	}
	if by == "copy+update" {
		params, grads, sent := make([]float32, m.NumParams()), make([]float32, m.NumParams()), make([]float32, m.NumParams())
		sgd := optim.SGD{Rate: learningRate}
		return measure(work{}, func() error {
			for range workers {
				sgd.Step(params, grads)
				copy(sent, params)
			}
			return nil
		})
	}
	on, err := platforms.Load("heterogeneous6")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(tb.Context())
	made, ended := make(chan int64), make(chan error, 1)
	train.Backends["idle"] = func(m *model.Model, _ int) (model.Stepper, error) { return idle{m.Layers()}, nil }
	go func() {
		_, err := train.Run(ctx, train.Config{Sync: k["sync"], Model: k["model"], Batch: k.Int("batch", 64), Platform: on,
			Backend: "idle", MaxPushes: 1 << 40, EvalEvery: -1, Rate: learningRate, Threads: 1, Progress: func(pushes, _ int64) {
				select {
				case made <- pushes:
				case <-ctx.Done():
				}
			}})
		ended <- err
	}()
	at := int64(0)
	err = measure(work{}, func() error {
		for until := at + workers; at < until; {
			select {
			case at = <-made:
			case err := <-ended:
				ended <- nil
				return errors.Join(errors.New("the training has ended"), err)
			}
		}
		return nil
	})
	cancel()
	<-ended
	return err
}

// idle computes nothing: it says at once that all gradients are there, and writes one number per layer.
type idle struct{ layers []model.LayerInfo }

func (s idle) Gradient(_, grads, _ []float32, _ []uint8, on tensor.OnGrad) (float64, error) {
	for i := len(s.layers) - 1; i >= 0; i-- {
		g := grads[s.layers[i].Offset:][:s.layers[i].Length]
		if len(g) > 0 {
			g[0] = 1e-3
		}
		if on == nil {
			continue
		}
		if err := on(i, g); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

var errIdle = errors.New("the idle backend has no outputs")

func (idle) Logits(_, _ []float32, _ int) ([]float32, error) { return nil, errIdle }

func (idle) SetStats([]float32) {}

func (idle) Observe(_, _ []float32, _ int, _ float32) error { return nil }

func (idle) InferenceGradient(_, _, _ []float32, _ []uint8) (float64, error) { return 0, errIdle }
