// Package codedsgd regenerates the tables and figures of the paper on synchronous
// SGD with coded exchange: what its nodes hold, send and save, what that costs and
// gains in time and traffic, and where its counting does not hold.
//
// Every experiment runs papers/codedsgd, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form. Bodies of the
// paper's tables and pictures of its figures are lost: what stands in their place
// is said on each page.
//
// This package is the door. Each family of experiments has a room of its own, which
// knows the rooms below it, setup and timing, and no other family.
package codedsgd

import (
	"slices"

	"gradsync/experiments/codedsgd/abstracts"
	"gradsync/experiments/codedsgd/accounting"
	"gradsync/experiments/codedsgd/convergence"
	"gradsync/experiments/codedsgd/fig12"
	"gradsync/experiments/codedsgd/proof"
	"gradsync/experiments/codedsgd/quantisation"
	"gradsync/experiments/codedsgd/scheme"
	"gradsync/experiments/codedsgd/speed"
	"gradsync/experiments/codedsgd/survival"
	"gradsync/experiments/codedsgd/table1"
	"gradsync/experiments/exp"
)

// Experiments lists them in the order of the page: the scheme, the proof, the
// paper's tables and figures of experiments, what goes beyond.
func Experiments() []exp.Experiment {
	return slices.Concat(scheme.Experiments(), proof.Experiments(), []exp.Experiment{accounting.Experiment(), table1.Experiment()},
		convergence.Experiments(), fig12.Experiments(), convergence.ThreeAlgorithms(),
		[]exp.Experiment{abstracts.Experiment(), quantisation.Experiment(), speed.Experiment(), survival.Experiment()})
}
