// Package setup holds what the experiments of the DASP paper share: its clusters, networks and
// parameters, how long each network is trained, the configurations of a training and of a
// timing-only run, and Summary, the numbers kept of a run, with the columns that show them.
//
// A timing-only run sends the same messages and takes the same decisions as a training, at the
// paper's full model sizes, without the arithmetic. A training keeps the full network's clock and
// computes the gradients of a network that two cores can train.
package setup

import (
	"fmt"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// FirstSeed returns the first of seeds, for experiments that need no interval.
func FirstSeed(seeds []uint64) []uint64 { return seeds[:min(1, len(seeds))] }

// The paper's methods, networks and states.
var (
	Methods = []string{"bsp", "asp", "ssp", "dssp", "dasp"} // the paper's five, in the order of its tables
	Models  = []string{"lenet5", "resnet18", "vgg19_bn"}    // its three networks, likewise
	States  = []string{"QIS", "WSS", "FSS"}                 // of DASP
)

// The clusters, as platform files: the paper's two, and one with a single slow worker.
const (
	Homogeneous   = "homogeneous6"
	Heterogeneous = "heterogeneous6"
	Straggler     = "straggler6"
)

// The reference of Tables 4 to 7: the laboratory nearest to the middle of the second block of
// dasp/multiverse, as platform files, with its batch and its cost of an iteration beside the layers,
// on the reference device, which scales with the card. A middle is a weak choice: it is the nearest in
// 25 % of the bootstrap's resamples, the next laboratory in 21 %. The files' notes do not say so, since
// every kept training is named by its platform file whole.
const (
	Reference         = "reference6"       // unequal workers
	ReferenceEqual    = "reference6-equal" // equal workers
	ReferenceBatch    = 128
	ReferenceOverhead = time.Millisecond
)

// ReferenceOf returns the reference's platform file for one of the paper's two clusters.
func ReferenceOf(cluster string) string {
	if cluster == Heterogeneous {
		return Reference
	}
	return ReferenceEqual
}

// The parameters of every run. The paper's Table 3 is lost; dasp/table3 gives the reason for each
// value and how sure we are.
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

// Settings returns the facts that every table of methods needs, of runs timed at FullBatch.
func Settings() []result.Fact { return SettingsAt(FullBatch) }

// SettingsAt returns them of runs timed at a batch of images per iteration.
func SettingsAt(batch int) []result.Fact {
	return kit.Facts("workers", Workers, "smin/versions", Smin, "smax/versions", Smax, "alpha", Alpha, "clock_batch", batch,
		"evaluation_images", EvalImages)
}

// Load returns an embedded platform. It panics if there is none of that name.
func Load(name string) *cluster.Platform { return kit.Must(platforms.Load(name)) }

// Milliseconds returns d in milliseconds.
func Milliseconds(d time.Duration) float64 { return 1e3 * d.Seconds() }

// Baselines lists the methods over which the paper states a reduction of the iteration time.
var Baselines = []string{"bsp", "ssp", "dssp"}

// SameTime is the relative difference below which two times count as equal: the times of methods
// that do the same differ by less, because their events are rounded.
const SameTime = 1e-3

// WithoutCI lists the profiles of experiments that are too long for ci.
var WithoutCI = []string{"quick", "standard", "paper"}

// Sweep returns the plausible platforms in place of an embedded one.
func Sweep(platform string) []platforms.Variant { return kit.Must(platforms.Sweep(platform)) }

// OnLinks returns the platform with the workers of an embedded one on another link.
func OnLinks(workers, link string) *cluster.Platform {
	return kit.Find(Sweep(workers), func(v platforms.Variant) bool { return v.Workers == workers && v.Link == link }).Platform
}

// Gigabits returns the bandwidth of p's links in Gb/s.
func Gigabits(p *cluster.Platform) float64 { return p.Workers[0].Bandwidth * 8 / 1e9 }

// Reduction is a claim of how much shorter DASP's mean iteration is than a baseline's. Nothing of
// it belongs to the configuration of a result.
type Reduction struct {
	ID      string `json:"-"`
	Model   string `json:"-"`
	Against string `json:"-"`
}

// Reductions lists D01–D09 for the homogeneous and D10–D18 for the heterogeneous cluster: model by
// model, against BSP, SSP and DSSP.
func Reductions(platform string) (out []Reduction) {
	first := 1
	if platform == Heterogeneous {
		first = 10
	}
	for i, m := range Models {
		for j, b := range Baselines {
			out = append(out, Reduction{fmt.Sprintf("D%02d", first+len(Baselines)*i+j), m, b})
		}
	}
	return out
}

// StatedNumber returns the number that a claim states. It panics if the claim states none.
func StatedNumber(id string) float64 {
	c, _ := claims.Get(id)
	x, ok := c.Number()
	if !ok {
		panic("dasp: " + id + " states no number")
	}
	return x
}
