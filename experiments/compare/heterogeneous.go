package compare

import "gradsync/experiments/exp"

// heterogeneous trains all methods on workers of unequal speed.
func heterogeneous() exp.Experiment {
	return studyExperiment("compare/heterogeneous", "All methods on six unequal workers", unequalSet)
}
