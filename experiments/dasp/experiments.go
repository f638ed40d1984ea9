package dasp

import "gradsync/experiments/exp"

// Experiments lists the paper's tables and figures in its order, then the
// choices that it leaves open.
func Experiments() []exp.Experiment {
	fig3, fig4, table6, table7 := trainingExperiments()
	return []exp.Experiment{table1(), table2(), table3(), thresholds(), tuning(), walk(), fig2(), fig3, fig4,
		table4(), table5(), table6, table7, accuracy(), switches(), sensitivity(), dsspAnchor(),
		network(), versionsVsClocks(), dynamic(), explain()}
}
