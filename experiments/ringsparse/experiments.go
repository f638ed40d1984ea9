// Package ringsparse regenerates what the patent application on sparse ring
// all-reduce states: what it chooses, what it sends, what that costs and gains, and
// what becomes of accuracy.
//
// Every experiment runs papers/ringsparse, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form.
package ringsparse

import (
	"gradsync/experiments/exp"
	"gradsync/experiments/ringsparse/accuracy"
	"gradsync/experiments/ringsparse/decisions"
	"gradsync/experiments/ringsparse/exchange"
	"gradsync/experiments/ringsparse/scaling"
	"gradsync/experiments/ringsparse/sums"
	"gradsync/experiments/ringsparse/where"
)

// Experiments lists them in the order of the patent: what is chosen, what it moves
// and costs, where that pays, why sums go dense, what conversion loses, and the benefits claimed.
func Experiments() []exp.Experiment {
	return []exp.Experiment{
		decisions.Experiment(), exchange.Traffic(), exchange.Time(), where.Experiment(), sums.FillIn(), sums.ConversionError(),
		scaling.Experiment(), accuracy.Experiment(), scaling.Overlap(),
	}
}
