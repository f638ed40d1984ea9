package setup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// Size says how a profile trains one network.
type Size struct {
	Model     string  `json:"model"`
	Width     float64 `json:"width,omitempty"` // share of the network's channels; 0: all
	Image     int     `json:"image,omitempty"` // side of the images; 0: the network's own
	Batch     int     `json:"batch"`           // images per worker and iteration
	Pushes    int64   `json:"pushes"`          // gradients used
	EvalEvery int64   `json:"eval_every"`      // pushes; a multiple of 6, so that BSP is evaluated at the same ones
	Data      string  `json:"data"`            // "": the paper's where it is found, else the embedded images
	Target    float64 `json:"target"`          // test accuracy, the highest of the targets
	Step      float64 `json:"step"`            // from one target to the next
	Rate      float64 `json:"rate"`            // γ; dasp/tuning records how it was chosen, under BSP alone
}

// Targets returns the test accuracies that a convergence time is averaged over, the lowest first.
func (s Size) Targets() []float64 { return kit.Targets(s.Target, s.Step) }

// SizesOf returns the sizes of a profile, in the order of the paper's tables. The targets were
// declared before the first run that is judged by five of them, from the results committed by then
// (three seeds, five methods, two clusters, links of 10 Gb/s), by a rule that compares no methods. For
// the two large networks the highest is the largest multiple of 5 % that every one of those runs
// reaches within 60 % of the horizon, Pushes, so that hardly a run misses it; quick's horizon of 360 gradients gives
// ResNet-18 70 % and VGG-19-BN 60 %. The step is 5 points, or as many fewer as leave the lowest target above the first
// evaluation of each of those runs. LeNet-5 has a single target, set in quick before the first run and in standard below
// what single BSP runs reach, and so has paper, which nobody has run.
func SizesOf(profile string) []Size {
	switch profile {
	case "ci":
		return []Size{{Model: "lenet5", Batch: 16, Pushes: 120, EvalEvery: 24, Target: 0.2, Step: 0.02, Rate: 0.2}}
	case "standard":
		return []Size{
			{Model: "lenet5", Batch: 32, Pushes: 7500, EvalEvery: 150, Data: "mnist", Target: 0.97, Step: 0.05, Rate: 0.2},
			{Model: "resnet18", Width: 0.125, Image: 32, Batch: 32, Pushes: 1560, EvalEvery: 78, Data: "cifar-10", Target: 0.4, Step: 0.03, Rate: 0.1},
			{Model: "vgg19_bn", Width: 0.125, Image: 32, Batch: 32, Pushes: 1560, EvalEvery: 78, Data: "cifar-10", Target: 0.4, Step: 0.03, Rate: 0.05}}
	case "paper":
		return []Size{
			{Model: "lenet5", Batch: 64, Pushes: 18750, EvalEvery: 936, Data: "mnist", Target: 0.98, Step: 0.05, Rate: 0.2},
			{Model: "resnet18", Batch: 64, Pushes: 15624, EvalEvery: 744, Data: "cifar-10", Target: 0.8, Step: 0.05, Rate: 0.1},
			{Model: "vgg19_bn", Batch: 64, Pushes: 15624, EvalEvery: 744, Data: "cifar-10", Target: 0.8, Step: 0.05, Rate: 0.05}}
	}
	return []Size{
		{Model: "lenet5", Batch: 16, Pushes: 1200, EvalEvery: 60, Target: 0.7, Step: 0.05, Rate: 0.2},
		{Model: "resnet18", Width: 0.125, Image: 16, Batch: 16, Pushes: 360, EvalEvery: 30, Target: 0.7, Step: 0.04, Rate: 0.05},
		{Model: "vgg19_bn", Width: 0.125, Image: 16, Batch: 16, Pushes: 360, EvalEvery: 30, Target: 0.6, Step: 0.05, Rate: 0.02}}
}

// SizeOf returns the size of one network. It panics if the profile has none.
func SizeOf(profile, model string) Size {
	return kit.Find(SizesOf(profile), func(s Size) bool { return s.Model == model })
}

// Narrower returns how many times as many channels the whole network has as the trained one.
func (s Size) Narrower() float64 {
	if s.Width == 0 {
		return 1
	}
	return 1 / s.Width
}

// Wanted names the data set that the paper trains the network on.
func (s Size) Wanted() string {
	if s.Model == "lenet5" {
		return "mnist"
	}
	return "cifar-10"
}

// Megabytes returns the size of the whole network's gradient.
func (s Size) Megabytes() float64 { return 4e-6 * float64(FullSizeOf(s.Model).Params) }

// Seconds estimates how long a number of pushes takes, with evaluations, on two cores of 2023
// with engine asm.
func (s Size) Seconds(pushes int64) float64 {
	perImage := map[string]float64{"lenet5": 0.03e-3, "resnet18": 0.3e-3 * 64, "vgg19_bn": 0.27e-3 * 64}[s.Model]
	if s.Width > 0 {
		perImage *= float64(s.Width * s.Width)
	}
	if s.Image > 0 {
		perImage *= float64(s.Image*s.Image) / (32 * 32)
	}
	return perImage * float64(s.Batch) * float64(pushes)
}

// Run runs cfg, or returns what an earlier call or an interrupted command kept of it.
func Run(ctx context.Context, env exp.Env, cfg train.Config) (Summary, error) {
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (Summary, error) { return Summarise(o, cfg.TimingOnly && cfg.Sync == "bsp"), nil })
}

// Training returns the configuration that trains a network at size s on p. Its clock is the full
// network's, at the reference's batch and host's cost on its platforms and at FullBatch elsewhere, so
// that events happen as in Tables 4 and 5; gradients are computed by the narrower network.
func Training(p *cluster.Platform, method string, seed uint64, s Size) train.Config {
	o, clock, overhead := Options(), FullBatch, time.Duration(0) // 0: train's default
	if p.Name == Reference || p.Name == ReferenceEqual {
		clock, overhead = ReferenceBatch, ReferenceOverhead
	}
	return train.Config{Sync: method, Model: s.Model, Width: s.Width, Image: s.Image, Data: s.Data, Platform: p, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, MaxPushes: s.Pushes, EvalEvery: s.EvalEvery, EvalImages: EvalImages, Server: train.Server{Options: &o},
		Clock: &train.Clock{Batch: clock}, Overhead: overhead}
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
		MaxPushes: Workers * PerWorker, Warmup: Warmup, Server: train.Server{Options: &o}, TimingOnly: true}
}

// OnReference returns the configuration of a timing-only run on the reference, of a cluster's kind.
func OnReference(cluster, method, model string, seed uint64) train.Config {
	cfg := Timing(Load(ReferenceOf(cluster)), method, model, seed)
	cfg.Batch, cfg.Overhead = ReferenceBatch, ReferenceOverhead
	return cfg
}
