package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// KindPush is the host's share of one push of a training: what messages, server and optimiser take
// where the arithmetic of the network takes nothing.
const KindPush = "push"

// CopyUpdate is the peer of KindPush: one copy of the parameters and one update of them, on one thread.
const CopyUpdate = "copy+update"

// pushPlatform is the cluster of KindPush, in virtual time.
const pushPlatform = "heterogeneous6"

// idleBackend computes nothing. It is registered in the worker's own process, so that no training can ask for it.
const idleBackend = "idle"

// PushContenders lists the contenders of KindPush, CopyUpdate first, then methods.
func PushContenders() []string { return []string{CopyUpdate, "dasp", "asp", "bsp", "ring"} }

// PushCase returns the case of a network in full width with the aims set for the host: the time of a push, and the
// memory of a whole training of six workers. Only the methods whose updates take one gradient have an aim.
func PushCase(network string, batch int) Case {
	c := Case{Title: fmt.Sprintf("%s, batch %d, 6 workers, nothing computed", network, batch), Peer: CopyUpdate,
		Job: Job{Kind: KindPush, Model: network, Batch: batch, Threads: 2}}
	for _, method := range []string{"dasp", "asp"} {
		c.Aims = append(c.Aims, Aim{Measure: Cost, Bound: 2.5, Contender: method}, Aim{Measure: Peak, Bound: 1.2e9, Contender: method})
	}
	return c
}

// idle is a Stepper that computes nothing: it says at once that all gradients are there, and writes one number per layer.
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

var errIdle = errors.New("bench: the idle backend has no outputs")

func (idle) Logits(_, _ []float32, _ int) ([]float32, error) { return nil, errIdle }

func (idle) SetStats([]float32) {}

func (idle) Observe(_, _ []float32, _ int, _ float32) error { return nil }

func (idle) InferenceGradient(_, _, _ []float32, _ []uint8) (float64, error) { return 0, errIdle }

// openPush opens a training, or the peer. A step is one push.
func openPush(j Job) (*Task, error) {
	m, err := network(j)
	if err != nil {
		return nil, err
	}
	if j.Contender == CopyUpdate {
		return openCopyUpdate(m.NumParams()), nil
	}
	on, err := platforms.Load(pushPlatform)
	if err != nil {
		return nil, err
	}
	train.Backends[idleBackend] = func(m *model.Model, _ int) (model.Stepper, error) { return idle{m.Layers()}, nil }
	const endless = 1 << 40
	group := 1
	if j.Contender == "bsp" || j.Contender == "ring" {
		group = len(on.Workers) // whose gradients make one update
	}
	cfg := train.Config{Sync: j.Contender, Model: j.Model, Width: j.Width, Image: j.Image, Batch: j.Batch, Platform: on, Backend: idleBackend,
		MaxPushes: endless, EvalEvery: -1, Rate: rate, Threads: 1}
	t, err := openTraining(cfg)
	if err == nil {
		t.Group = group
	}
	return t, err
}

// openCopyUpdate opens the peer for n parameters.
func openCopyUpdate(n int) *Task {
	params, grads, sent := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range grads {
		grads[i] = 1e-3
	}
	sgd := optim.SGD{Rate: rate}
	return &Task{Class: "–", Run: func(steps int) error {
		for range steps {
			sgd.Step(params, grads)
			copy(sent, params)
		}
		runtime.KeepAlive(sent)
		return nil
	}}
}

// gate lets a training make its pushes step by step: between two orders it stands still after an update.
type gate struct {
	orders chan int64 // how many pushes to go on for
	told   chan int64 // the pushes made, once they are
	until  int64
	ctx    context.Context
}

// pass is the training's Progress.
func (g *gate) pass(pushes, _ int64) {
	for pushes >= g.until {
		select {
		case g.told <- pushes:
		case <-g.ctx.Done():
			return
		}
		select {
		case n := <-g.orders:
			g.until = pushes + n
		case <-g.ctx.Done():
			return
		}
	}
}

// openTraining starts cfg and returns once its first update is made.
func openTraining(cfg train.Config) (*Task, error) {
	ctx, cancel := context.WithCancel(context.Background())
	g := &gate{orders: make(chan int64), told: make(chan int64), until: 1, ctx: ctx}
	cfg.Progress = g.pass
	ended := make(chan error, 1)
	go func() {
		_, err := train.Run(ctx, cfg)
		ended <- err
	}()
	wait := func() error {
		select {
		case <-g.told:
			return nil
		case err := <-ended:
			ended <- err
			if err == nil {
				err = errors.New("bench: the training has ended")
			}
			return err
		}
	}
	end := func() {
		cancel()
		<-ended
	}
	if err := wait(); err != nil {
		cancel()
		return nil, err
	}
	return &Task{Class: "–", Close: end, Run: func(steps int) error {
		select {
		case g.orders <- int64(steps):
			return wait()
		case err := <-ended:
			ended <- err
			return err
		}
	}}, nil
}
