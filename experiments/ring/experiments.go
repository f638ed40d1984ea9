package ring

import "gradsync/experiments/exp"

// Experiments lists them in the order of the blog: how the ring works, what it
// costs, what it computes, and what it gains.
func Experiments() []exp.Experiment {
	return []exp.Experiment{steps(), cost(), equalsSGD(), scaling(), overlap(), placement(), slowLink()}
}
