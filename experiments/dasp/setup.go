package dasp

import (
	"gradsync/experiments/platforms"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// methods are the paper's five, in the order of its tables.
var methods = []string{"bsp", "asp", "ssp", "dssp", "dasp"}

// models are the paper's three, in the order of its tables.
var models = []string{"lenet5", "resnet18", "vgg19_bn"}

var title = map[string]string{
	"lenet5": "LeNet-5", "resnet18": "ResNet-18", "vgg19_bn": "VGG-19-BN",
	"bsp": "BSP", "asp": "ASP", "ssp": "SSP", "dssp": "DSSP", "dasp": "DASP",
	homogeneous: "homogeneous cluster", heterogeneous: "heterogeneous cluster",
}

// The paper's two clusters, as platform files.
const (
	homogeneous   = "homogeneous6"
	heterogeneous = "heterogeneous6"
)

// Hyper-parameters of every run. The paper's Table 3 is lost; table3.go gives
// the reason for each and how sure we are.
const (
	workers   = 6    // §3.1, stated
	smin      = 3    // versions; dasp/thresholds records how they were chosen,
	smax      = 6    // before any accuracy run
	alpha     = 0.5  // eq. (1)
	sspBound  = 3    // clocks
	dsspLower = 3    // clocks
	dsspUpper = 15   // clocks
	rate      = 0.2  // γ; dasp/tuning records how it was chosen, under BSP alone
	fullBatch = 64   // images per iteration of the timing-only tables
	perWorker = 150  // iterations of each worker in the timing-only tables
	warmup    = 10   // of them left out of the means
	evalImage = 1000 // test images per evaluation on the way
)

// options returns the methods' parameters for the paper's six workers.
func options() rivals.Options {
	o := rivals.Defaults(workers)
	o.Smin, o.Smax, o.Alpha = smin, smax, alpha
	o.Staleness, o.Lower, o.Upper = sspBound, dsspLower, dsspUpper
	return o
}

// load returns an embedded platform; the names are constants of this package,
// so a failure is a programmer's mistake.
func load(name string) *cluster.Platform {
	p, err := platforms.Load(name)
	if err != nil {
		panic(err)
	}
	return p
}

// size is how long a LeNet-5 training is in a profile.
type size struct {
	Batch     int     `json:"batch"`      // images per worker and iteration
	Pushes    int64   `json:"pushes"`     // gradients used
	EvalEvery int64   `json:"eval_every"` // pushes; a multiple of 6, so that BSP is evaluated at the same ones
	Data      string  `json:"data"`       // "": MNIST where it is found, else the embedded images
	Target    float64 `json:"target"`     // test accuracy that convergence time is taken at
}

// sizeOf returns the training of a profile. The targets are round numbers that
// were set before any comparison of methods; no run of standard or paper was
// seen before theirs.
func sizeOf(profile string) size {
	switch profile {
	case "ci":
		return size{Batch: 16, Pushes: 120, EvalEvery: 24, Target: 0.2}
	case "standard":
		return size{Batch: 32, Pushes: 3750, EvalEvery: 150, Data: "mnist", Target: 0.95}
	case "paper":
		return size{Batch: 64, Pushes: 18750, EvalEvery: 936, Data: "mnist", Target: 0.98}
	}
	return size{Batch: 16, Pushes: 1200, EvalEvery: 120, Target: 0.7}
}
