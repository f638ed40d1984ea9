// Package ringsparse regenerates what the patent application on sparse ring
// all-reduce states: what it chooses, what it sends, what that costs and gains, and
// what becomes of accuracy.
//
// Every experiment runs papers/ringsparse, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form.
package ringsparse

import (
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// Experiments lists them in the order of the patent: what is chosen, what it moves
// and costs, why sums go dense, what conversion loses, and the benefits claimed.
func Experiments() []exp.Experiment {
	return []exp.Experiment{decisions(), traffic(), iterationTime(), fillIn(), conversionError(), scaling(), accuracy(), overlap()}
}

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// links are the bandwidths of the experiments' axis in Gb/s, fixed before their first
// run; the first is the platform's own.
var links = []float64{1, 10, 25}

// referencePlatform is the platform of every timed run here.
func referencePlatform() *cluster.Platform { return kit.Load("sparse32") }

// withLink returns p without jitter and with links of gbps: the same work always takes the
// same time, so that differences are the exchange's.
func withLink(p *cluster.Platform, gbps float64) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Jitter = gbps*gigabit, 0 })
}

// useData notes in r what images were trained on, each set once.
func useData(r *result.Result, d *result.Data) {
	if d != nil && !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.SHA256 == d.SHA256 }) {
		r.Data = append(r.Data, *d)
	}
}
