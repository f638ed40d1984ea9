// Package dasp lists the experiments of the DASP paper: its tables and figures, and questions of
// our own. Each family is a package: choices (Tables 1 to 3, what we assume and how it was
// chosen), iteration (Tables 4 and 5), convergence (Tables 6 and 7, Figs. 3 and 4), walk (Fig. 2 and a
// run event by event), and one per question. They share setup, the paper's clusters, parameters
// and runs, and retrace, which reads the log of a run.
package dasp

import (
	"slices"

	"gradsync/experiments/dasp/choices"
	"gradsync/experiments/dasp/convergence"
	"gradsync/experiments/dasp/dsspanchor"
	"gradsync/experiments/dasp/dynamic"
	"gradsync/experiments/dasp/explain"
	"gradsync/experiments/dasp/iteration"
	"gradsync/experiments/dasp/multiverse"
	"gradsync/experiments/dasp/network"
	"gradsync/experiments/dasp/versions"
	"gradsync/experiments/dasp/walk"
	"gradsync/experiments/exp"
)

// Experiments lists the paper's tables and figures in its order, then our own questions.
func Experiments() []exp.Experiment {
	questions := []exp.Experiment{dsspanchor.Experiment(), network.Experiment(), versions.Experiment(), dynamic.Experiment(),
		explain.Experiment(), multiverse.Experiment()}
	return slices.Concat(choices.Stated(), choices.Chosen(), walk.Experiments(), convergence.Figures(), iteration.Tables(),
		convergence.Tables(), []exp.Experiment{convergence.Weights()}, choices.Tested(), questions)
}
