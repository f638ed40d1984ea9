package codedsgd

import "gradsync/experiments/exp"

// Experiments lists them in the order of the page: the scheme, the proof, the
// paper's tables and figures of experiments, what goes beyond.
func Experiments() []exp.Experiment {
	return []exp.Experiment{
		fig1(), fig2(), fig3(), proof(), overcount(), accounting(),
		table1(), table2(), fig4(), fig5(), fig6(), fig7(), fig8(), fig9(), fig10(), fig11(), fig12(), fig13(), fig14(), fig15(),
		abstracts(), quantisation(), speed(),
	}
}
