// Package dasp regenerates the tables and figures of the DASP paper, and what the paper
// leaves open: trainings.go has the convergence times and accuracy curves (Tables 6 and 7,
// Figs. 3 and 4), timing.go the iteration times (Tables 4 and 5), timelines.go Fig. 2,
// stated.go the assumptions in place of the lost Tables 1 to 3, choices.go thresholds,
// learning rates and floors. The others are inquiries of our own.
//
// Timing-only tables send the same messages and take the same decisions as a training, at
// the papers' full model sizes, without the arithmetic. Trainings keep the full networks'
// clock and compute the gradients of networks that two cores can train.
package dasp

import (
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// Experiments lists the paper's tables and figures in its order, then the choices that it
// leaves open.
func Experiments() []exp.Experiment {
	table1, table2, table3 := statedExperiments()
	table4, table5 := timingExperiments()
	trained := trainingStudies()
	fig3, fig4, table6, table7 := trained[0].Experiment(), trained[1].Experiment(), trained[2].Experiment(), trained[3].Experiment()
	return []exp.Experiment{table1, table2, table3, thresholds(), tuning(), walk(), fig2(), fig3, fig4,
		table4, table5, table6, table7, accuracy().Experiment(), switches(), sensitivity(), dsspAnchor(),
		networkStudy().Experiment(), versionStudy().Experiment(), dynamic().Experiment(), explain().Experiment()}
}

var (
	methods = []string{"bsp", "asp", "ssp", "dssp", "dasp"} // the paper's five, in the order of its tables
	models  = []string{"lenet5", "resnet18", "vgg19_bn"}    // its three, likewise
	states  = []string{"QIS", "WSS", "FSS"}                 // DASP's
)

// The paper's two clusters, as platform files.
const (
	homogeneous   = "homogeneous6"
	heterogeneous = "heterogeneous6"
)

// Hyper-parameters of every run. The paper's Table 3 is lost; dasp/table3 gives the reason
// for each and how sure we are.
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

// settings are the facts that captions of every table of methods need.
func settings() []result.Fact {
	return kit.Facts("workers", workers, "smin/versions", smin, "smax/versions", smax, "alpha", alpha, "clock_batch", fullBatch,
		"evaluation_images", evalImage)
}

func load(name string) *cluster.Platform { return kit.Must(platforms.Load(name)) }

func ms(d time.Duration) float64 { return 1e3 * d.Seconds() }
