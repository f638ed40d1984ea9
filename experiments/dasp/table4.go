package dasp

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// table4 is the mean iteration time in the homogeneous cluster.
func table4() exp.Experiment {
	return timingTable("dasp/table4", "Mean iteration time, homogeneous cluster", "DASP, Table 4", homogeneous, nil,
		func(g grid, _ []plausibleRun, ranges map[string]string, _ *runs) ([]result.Claim, error) {
			return judgeReductions(homogeneous, g, ranges), nil
		})
}
