package dasp

import "gradsync/experiments/exp"

// Experiments lists the paper's tables and figures in its order, then the
// choices that it leaves open.
func Experiments() []exp.Experiment {
	table1, table2, table3 := statedExperiments()
	table4, table5 := timingExperiments()
	trained := trainingStudies()
	fig3, fig4, table6, table7 := trained[0].Experiment(), trained[1].Experiment(), trained[2].Experiment(), trained[3].Experiment()
	return []exp.Experiment{table1, table2, table3, thresholds(), tuning(), walk(), fig2(), fig3, fig4,
		table4, table5, table6, table7, accuracy().Experiment(), switches(), sensitivity(), dsspAnchor(),
		network(), versionsVsClocks(), dynamic(), explain()}
}
