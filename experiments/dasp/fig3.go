package dasp

import (
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// fig3 is the test accuracy in the homogeneous cluster, for LeNet-5.
func fig3() exp.Experiment {
	return trainingExperiment("dasp/fig3", "Test accuracy, homogeneous cluster", "DASP, Fig. 3", []string{homogeneous},
		[]string{"quick", "standard", "paper"},
		func(res *result.Result, s size, t []trainings) {
			res.Figures = bothCurves(homogeneous, res.Seeds, t[0])
			res.Tables = append(res.Tables, curveTable(t[0]), trainedStates(homogeneous, t[0]))
			res.Notes = append(res.Notes, stateNote("LeNet-5", t[0]["dasp"])...)
		})
}
