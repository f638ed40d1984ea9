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
	fullBatch = 64   // images per iteration, by which all tables are timed
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
