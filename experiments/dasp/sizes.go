package dasp

import (
	"fmt"

	"gradsync/experiments/train"
	"gradsync/shared/cluster"
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
	for _, s := range sizesOf(profile) {
		if s.Model == model {
			return s
		}
	}
	panic(fmt.Sprintf("dasp: profile %s does not train %s", profile, model))
}

// manyRows is LeNet-5's training in tables of many rows: half of standard's.
func manyRows(profile string) size {
	s := sizeOf(profile, "lenet5")
	if profile == "standard" {
		s.Pushes, s.Target = 3750, 0.95
	}
	return s
}

// training is a run of a size on a platform. Its clock is the full network's at
// the batch of Tables 4 and 5: the events are theirs, the gradients are those of
// the narrower network.
func training(p *cluster.Platform, method string, seed uint64, s size) train.Config {
	o := options()
	return train.Config{Sync: method, Model: s.Model, Width: s.Width, Image: s.Image, Data: s.Data, Platform: p, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, MaxPushes: s.Pushes, EvalEvery: s.EvalEvery, EvalImages: evalImage, Options: &o,
		Clock: &train.Clock{Batch: fullBatch}}
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
func (s size) megabytes() float64 {
	c, err := costsOf(s.Model)
	if err != nil {
		panic(err) // the networks are constants of this package
	}
	return 4e-6 * float64(c.params)
}

// percent is the target in words.
func (s size) percent() string { return fmt.Sprintf("%.4g %%", 100*s.Target) }

// how says how a size's numbers are made, for captions.
func (s size) how() string {
	net, clock := title[s.Model], fmt.Sprintf("the clock is that of Tables 4 and 5 (batch %d)", fullBatch)
	if s.Width > 0 {
		net += fmt.Sprintf(" of 1/%g of its channels on %d×%[2]d images", 1/s.Width, s.Image)
		clock = fmt.Sprintf("the clock is the full network's, as in Tables 4 and 5 (batch %d)", fullBatch)
	}
	return fmt.Sprintf("%s, batch %d, γ = %g; %s", net, s.Batch, s.Rate, clock)
}

// seconds estimates so many gradients with their evaluations on two cores of
// 2023 with engine asm.
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
