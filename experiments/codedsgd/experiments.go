package codedsgd

import "gradsync/experiments/exp"

// Experiments lists them in the order of the paper.
func Experiments() []exp.Experiment {
	return []exp.Experiment{table1(), fig1(), fig2(), fig3(), fig12(), fig13(), abstracts(), proof(), overcount(), accounting()}
}
