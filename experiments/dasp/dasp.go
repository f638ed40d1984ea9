// Package dasp lists the experiments of the DASP paper: its tables and figures, and inquiries of
// our own. Each family is a package: choices (Tables 1 to 3, what we assume and how it was
// chosen), timing (Tables 4 and 5), trainings (Tables 6 and 7, Figs. 3 and 4), walk (Fig. 2 and a
// run event by event), and one per inquiry. They share setup, the paper's clusters, parameters
// and runs, and retrace, which reads the log of a run.
package dasp

import (
	"slices"

	"gradsync/experiments/dasp/choices"
	"gradsync/experiments/dasp/dsspanchor"
	"gradsync/experiments/dasp/dynamic"
	"gradsync/experiments/dasp/explain"
	"gradsync/experiments/dasp/network"
	"gradsync/experiments/dasp/timing"
	"gradsync/experiments/dasp/trainings"
	"gradsync/experiments/dasp/versions"
	"gradsync/experiments/dasp/walk"
	"gradsync/experiments/exp"
)

// Experiments lists the paper's tables and figures in its order, then the inquiries.
func Experiments() []exp.Experiment {
	inquiries := []exp.Experiment{dsspanchor.Experiment(), network.Experiment(), versions.Experiment(), dynamic.Experiment(),
		explain.Experiment()}
	return slices.Concat(choices.Stated(), choices.Chosen(), walk.Experiments(), trainings.Figures(), timing.Tables(),
		trainings.Tables(), []exp.Experiment{trainings.Weights()}, choices.Tested(), inquiries)
}
