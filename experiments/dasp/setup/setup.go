package setup

import (
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

func FirstSeed(seeds []uint64) []uint64 { return seeds[:min(1, len(seeds))] }

var (
	Methods = []string{"bsp", "asp", "ssp", "dssp", "dasp"} // the paper's five, in the order of its tables
	Models  = []string{"lenet5", "resnet18", "vgg19_bn"}    // its three, likewise
	States  = []string{"QIS", "WSS", "FSS"}                 // DASP's
)

// The paper's two clusters, as platform files.
const (
	Homogeneous   = "homogeneous6"
	Heterogeneous = "heterogeneous6"
)

// Hyper-parameters of every run. The paper's Table 3 is lost; dasp/table3 gives the reason
// for each and how sure we are.
const (
	Workers    = 6    // §3.1, stated
	Smin       = 3    // versions; dasp/thresholds records how they were chosen,
	Smax       = 6    // before any accuracy run
	Alpha      = 0.5  // eq. (1)
	SSPBound   = 3    // clocks
	DSSPLower  = 3    // clocks
	DSSPUpper  = 15   // clocks
	FullBatch  = 64   // images per iteration, by which all tables are timed
	PerWorker  = 150  // iterations of each worker in the timing-only tables
	Warmup     = 10   // of them left out of the means
	EvalImages = 1000 // test images per evaluation on the way
)

// Options returns the methods' parameters for the paper's six workers.
func Options() rivals.Options {
	o := rivals.Defaults(Workers)
	o.Smin, o.Smax, o.Alpha = Smin, Smax, Alpha
	o.Staleness, o.Lower, o.Upper = SSPBound, DSSPLower, DSSPUpper
	return o
}

// Settings are the facts that captions of every table of methods need.
func Settings() []result.Fact {
	return kit.Facts("workers", Workers, "smin/versions", Smin, "smax/versions", Smax, "alpha", Alpha, "clock_batch", FullBatch,
		"evaluation_images", EvalImages)
}

func Load(name string) *cluster.Platform { return kit.Must(platforms.Load(name)) }

func Milliseconds(d time.Duration) float64 { return 1e3 * d.Seconds() }

// Baselines are the methods that the paper states a reduction against.
var Baselines = []string{"bsp", "ssp", "dssp"}

// SameTime is how far an order may be violated before it counts: two methods that do the same
// differ by less than this through their events' rounding.
const SameTime = 1e-3

// WithoutCI are the profiles of experiments that are too long for ci.
var WithoutCI = []string{"quick", "standard", "paper"}

const Straggler = "straggler6"
