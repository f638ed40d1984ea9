package codedsgd

import "gradsync/experiments/exp"

// Experiments lists them in the order of the page: the scheme, the proof, the
// paper's tables and figures of experiments, what goes beyond.
// paper's tables and figures of experiments, what goes beyond.
func Experiments() []exp.Experiment {
	return []exp.Experiment{
		fig1(), fig2(), fig3(), proof(), overcount(), accounting(),
		table1(), fig12(), fig13(),
		abstracts(), quantisation(),
	}
}
