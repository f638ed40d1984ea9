package dasp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// size is the training of one network in a profile.
type size struct {
	Model     string  `json:"model"`
	Width     float64 `json:"width,omitempty"` // share of the network's channels; 0: all
	Image     int     `json:"image,omitempty"` // side of the images; 0: the network's own
	Batch     int     `json:"batch"`           // images per worker and iteration
	Pushes    int64   `json:"pushes"`          // gradients used
	EvalEvery int64   `json:"eval_every"`      // pushes; a multiple of 6, so that BSP is evaluated at the same ones
	Data      string  `json:"data"`            // "": the paper's where it is found, else the embedded images
	Target    float64 `json:"target"`          // test accuracy that convergence time is taken at
	Rate      float64 `json:"rate"`            // γ; dasp/tuning records how it was chosen, under BSP alone
}

// sizesOf returns the trainings of a profile, in the order of the paper's
// tables. The targets are round numbers that were set before any comparison of
// methods: those of quick before their first run; those of standard from the
// curves of single BSP runs, below what those reach; those of paper unseen, and
// its rates are standard's. Of quick VGG-19-BN's gradients and the evaluations of both large
// networks were changed after a first run of all methods: the notebooks say how.
func sizesOf(profile string) []size {
	switch profile {
	case "ci":
		return []size{{Model: "lenet5", Batch: 16, Pushes: 120, EvalEvery: 24, Target: 0.2, Rate: 0.2}}
	case "standard":
		return []size{
			{Model: "lenet5", Batch: 32, Pushes: 7500, EvalEvery: 150, Data: "mnist", Target: 0.97, Rate: 0.2},
			{Model: "resnet18", Width: 0.125, Image: 32, Batch: 32, Pushes: 1560, EvalEvery: 78, Data: "cifar-10", Target: 0.45, Rate: 0.1},
			{Model: "vgg19_bn", Width: 0.125, Image: 32, Batch: 32, Pushes: 1560, EvalEvery: 78, Data: "cifar-10", Target: 0.45, Rate: 0.05}}
	case "paper":
		return []size{
			{Model: "lenet5", Batch: 64, Pushes: 18750, EvalEvery: 936, Data: "mnist", Target: 0.98, Rate: 0.2},
			{Model: "resnet18", Batch: 64, Pushes: 15624, EvalEvery: 744, Data: "cifar-10", Target: 0.8, Rate: 0.1},
			{Model: "vgg19_bn", Batch: 64, Pushes: 15624, EvalEvery: 744, Data: "cifar-10", Target: 0.8, Rate: 0.05}}
	}
	return []size{
		{Model: "lenet5", Batch: 16, Pushes: 1200, EvalEvery: 60, Target: 0.7, Rate: 0.2},
		{Model: "resnet18", Width: 0.125, Image: 16, Batch: 16, Pushes: 600, EvalEvery: 30, Target: 0.75, Rate: 0.05},
		{Model: "vgg19_bn", Width: 0.125, Image: 16, Batch: 16, Pushes: 480, EvalEvery: 30, Target: 0.55, Rate: 0.02}}
}

// sizeOf returns one network's training.
func sizeOf(profile, model string) size {
	return kit.Find(sizesOf(profile), func(s size) bool { return s.Model == model })
}

// manyRows is LeNet-5's training in tables of many rows: half of standard's.
func manyRows(profile string) size {
	s := sizeOf(profile, "lenet5")
	if profile == "standard" {
		s.Pushes, s.Target = 3750, 0.95
	}
	return s
}

// training is a run of a size on a platform. Its clock is the full network's at the batch of
// Tables 4 and 5: the events are theirs, the gradients are those of the narrower network.
func training(p *cluster.Platform, method string, seed uint64, s size) train.Config {
	o := options()
	return train.Config{Sync: method, Model: s.Model, Width: s.Width, Image: s.Image, Data: s.Data, Platform: p, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, MaxPushes: s.Pushes, EvalEvery: s.EvalEvery, EvalImages: evalImage, Options: &o,
		Clock: &train.Clock{Batch: fullBatch}}
}

// trainedOnce trains a method on p. BSP's parameters do not depend on the cluster: they are
// trained once, on the homogeneous one, and timed on the others by a run without
// arithmetic. That is exact, and a test holds it so.
func trainedOnce(ctx context.Context, env exp.Env, p *cluster.Platform, method string, seed uint64, s size) (cell, error) {
	if method != "bsp" || p.Name == homogeneous {
		return cellOf(ctx, env, training(p, method, seed, s))
	}
	c, err := cellOf(ctx, env, training(load(homogeneous), method, seed, s))
	if err != nil {
		return c, err
	}
	cfg := training(p, method, seed, s)
	cfg.TimingOnly, cfg.EvalEvery = true, -1
	timed, err := cellOf(ctx, env, cfg)
	if err != nil {
		return c, err
	}
	return retime(c, timed)
}

// retime gives a BSP trajectory the clock of another cluster.
func retime(c, timed cell) (cell, error) {
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

// narrower returns how many times the network's channels those trained are.
func (s size) narrower() float64 {
	if s.Width == 0 {
		return 1
	}
	return 1 / s.Width
}

// wanted names the set that the paper trains the network on.
func (s size) wanted() string {
	if s.Model == "lenet5" {
		return "mnist"
	}
	return "cifar-10"
}

// megabytes returns the size of the whole network's gradient.
func (s size) megabytes() float64 { return 4e-6 * float64(costsOf(s.Model).params) }

// seconds estimates a number of gradients with their evaluations on two cores of 2023 with
// engine asm.
func (s size) seconds(pushes int64) float64 {
	perImage := map[string]float64{"lenet5": 0.03e-3, "resnet18": 0.3e-3 * 64, "vgg19_bn": 0.27e-3 * 64}[s.Model]
	if s.Width > 0 {
		perImage *= float64(s.Width * s.Width)
	}
	if s.Image > 0 {
		perImage *= float64(s.Image*s.Image) / (32 * 32)
	}
	return perImage * float64(s.Batch) * float64(pushes)
}

// costs are a network's at full size.
type costs struct {
	params int
	layers []model.LayerInfo
}

func costsOf(name string) costs {
	m := kit.Must(model.New(name))
	return costs{m.NumParams(), m.Layers()}
}

// modelCosts are those of the tables' models.
func modelCosts() map[string]costs {
	out := map[string]costs{}
	for _, name := range models {
		out[name] = costsOf(name)
	}
	return out
}

// seconds is one iteration's computation on a host, without jitter: the stages
// of train.Run, each rounded as it is there, in one sum.
func (c costs) seconds(h *cluster.Host, batch int, launch, overhead time.Duration) (total time.Duration) {
	n, start := float64(batch), float64(launch.Seconds()*train.ReferenceFLOPS)
	for i, l := range c.layers {
		forward := cluster.Work{FLOP: float64(n*l.ForwardFLOP) + start, Bytes: n * l.Bytes}
		if i == 0 {
			forward.FLOP += float64(overhead.Seconds() * train.ReferenceFLOPS)
		}
		total += h.Duration(forward) + h.Duration(cluster.Work{FLOP: float64(n*l.BackwardFLOP) + float64(2*start), Bytes: 2 * n * l.Bytes})
	}
	return total
}

// inOneStage is train.Run of a timing-only configuration with a network's layers in one stage:
// the worker sends its gradient when all of it is there and draws jitter once per iteration, so
// the stages between change no event that the server sees. A test holds the two equal. It is
// several times quicker, and a search makes a hundred thousand; ResNet-110 has 222 layers.
// Unlike train.Run it takes Launch and Overhead as they stand: 0 is none.
func (c costs) inOneStage(ctx context.Context, cfg train.Config) (*dasp.Log, error) {
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
		layer := cluster.Layer{Length: c.params}
		if p.Rank() > 0 {
			layer.Forward.Fixed = c.seconds(&cfg.Platform.Workers[p.Rank()-1], cfg.Batch, cfg.Launch, cfg.Overhead)
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
