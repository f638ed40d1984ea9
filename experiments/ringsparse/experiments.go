package ringsparse

import "gradsync/experiments/exp"

// Experiments lists them in the order of the patent: what is chosen, what it moves
// and costs, why sums go dense, what conversion loses, and the benefits claimed.
func Experiments() []exp.Experiment {
	return []exp.Experiment{decisions(), traffic(), iterationTime(), fillIn(), conversionError(), scaling(), accuracy(), overlap()}
}
