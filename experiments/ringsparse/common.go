// Package ringsparse regenerates what the patent application on sparse ring
// all-reduce states: what it chooses, what it sends, what that costs and gains, and
// what becomes of accuracy.
//
// Every experiment runs papers/ringsparse, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form.
package ringsparse

import "gradsync/experiments/exp"

// Experiments lists them in the order of the patent: what is chosen, what it moves
// and costs, why sums go dense, what conversion loses, and the benefits claimed.
func Experiments() []exp.Experiment {
	return []exp.Experiment{decisions(), traffic(), iterationTime(), fillIn(), conversionError(), scaling(), accuracy(), overlap()}
}
