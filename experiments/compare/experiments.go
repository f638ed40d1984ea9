package compare

import "gradsync/experiments/exp"

// Experiments lists them in the order of the page: what is compared, the two clusters on
// which all methods are trained, and what follows.
func Experiments() []exp.Experiment {
	return []exp.Experiment{facts(), homogeneous(), heterogeneous(), when()}
}
