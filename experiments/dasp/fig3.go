package dasp

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig3 is the test accuracy in the homogeneous cluster.
func fig3() exp.Experiment {
	return trainingExperiment("dasp/fig3", "Test accuracy, homogeneous cluster", "DASP, Fig. 3", []ground{{platform: load(homogeneous)}},
		[]string{"quick", "standard", "paper"}, func(res *result.Result, st study) { drawCurves(res, st, homogeneous) })
}

// drawCurves adds every network's curves on a platform, their table and the
// states behind them.
func drawCurves(res *result.Result, st study, platform string) {
	for i, s := range st.sizes {
		suffix := ""
		if i > 0 {
			suffix = "-" + s.Model
		}
		t := st.on[platform][s.Model]
		res.Figures = append(res.Figures, bothCurves(suffix, platform, s, res.Seeds, t)...)
		res.Tables = append(res.Tables, curveTable("accuracy"+suffix, s, t))
	}
	res.Tables = append(res.Tables, trainedStates(platform, st))
	res.Notes = append(res.Notes, trainedNotes(platform, st)...)
}
