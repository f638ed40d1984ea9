package codedsgd

import (
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/papers/codedsgd"
)

// grounds are the variants of fig. 12 (its keys) on which times and traffic to the
// target are taken: what travels, and over what. The claims are judged on the first,
// as fig. 12's are: the paper's message model and its time model (§3.2.4), in which a
// multicast costs its sender once and nobody else anything. On a switch every
// receiver's link carries it too; there the exchange overlaps with the backward pass.
var grounds = groundsOf("micro-medium", "micro-switch-overlap", "whole-medium", "whole-switch-overlap")

func groundsOf(keys ...string) []variant {
	out := make([]variant, len(keys))
	for i, key := range keys {
		at := slices.IndexFunc(variants, func(v variant) bool { return v.Key == key })
		out[i] = variants[at]
	}
	return out
}

// judged is the ground of the claims, ethernet that of whole gradients on a switch:
// what the algorithm as it is printed does on Ethernet.
var judged, ethernet = grounds[0], grounds[3]

// crossing is what an iteration of each exchange takes on one number of nodes, by the
// key of the ground.
type crossing struct {
	Nodes int
	Of    map[string]map[exchange]iteration
}

// The synchronous methods that figs. 8 to 11 compare, in the paper's order. An
// exchange here is a method and a redundancy; what travels is its ground's.
var (
	unicast   = exchange{Method: codedsgd.SSGDUnicast, Redundancy: 1}
	multicast = exchange{Method: codedsgd.SSGDMulticast, Redundancy: 1}
)

func coded(r int) exchange { return exchange{Method: codedsgd.CSSGD, Redundancy: r} }

// compared are they on n nodes; a redundancy above n has no blocks and is left out.
func compared(n int) []exchange {
	out := []exchange{unicast, multicast}
	for _, r := range redundancies {
		if r <= n {
			out = append(out, coded(r))
		}
	}
	return out
}

// on is a setting of x on ground v.
func (v variant) on(net network, n int, x exchange) setting {
	x.Whole, x.NoOverlap = v.Whole, !v.Overlap
	return setting{Net: net, Nodes: n, Exchange: x, Shared: v.Shared}
}

// optimal is "CSSGD Optimal" (§3.2.5): of the redundancies compared the one whose
// iteration is shortest, the smaller of equals.
func (c crossing) optimal(v variant) (r int, it iteration) {
	for _, k := range redundancies {
		x, ok := c.Of[v.Key][coded(k)]
		if ok && (r == 0 || x.Seconds < it.Seconds) {
			r, it = k, x
		}
	}
	return r, it
}

// saved is what ours takes less than base, in per cent of base.
func saved(ours, base float64) float64 { return 100 * (1 - ours/base) }

// meanSaved is the mean over node counts of what CSSGD at its best redundancy saves
// of a rival's time on the same trajectory. Both make the same updates, so that it is
// the mean of ratios of iteration times and has no spread over seeds.
func meanSaved(cs []crossing, rival exchange, v variant) float64 {
	sum := 0.0
	for _, c := range cs {
		_, it := c.optimal(v)
		sum += saved(it.Seconds, c.Of[v.Key][rival].Seconds)
	}
	return sum / float64(len(cs))
}

// reductionOver is what ours saves of base over node counts, [nodes][seed], with its
// 95 % interval over seeds, on the logarithm of
//
//	R_s = 1/|n| · Σ_n ours[n][s]/base[n][s]
//
// The reduction is 100·(1 − exp(mean ln R_s)). One seed has no interval. It panics
// without pairs; a NaN, a target that is not reached, makes the result NaN.
func reductionOver(ours, base [][]float64) (percent float64, ci *[2]float64) {
	if len(ours) == 0 || len(ours) != len(base) || len(ours[0]) == 0 {
		panic("codedsgd: a reduction needs pairs")
	}
	logs := make([]float64, len(ours[0]))
	for s := range logs {
		sum := 0.0
		for n := range ours {
			sum += ours[n][s] / base[n][s]
		}
		logs[s] = math.Log(sum / float64(len(ours)))
	}
	mean, half := exp.MeanAndHalf(logs)
	if !math.IsNaN(half) {
		ci = &[2]float64{100 * (1 - math.Exp(mean+half)), 100 * (1 - math.Exp(mean-half))}
	}
	return 100 * (1 - math.Exp(mean)), ci
}

// groups deals runs to seeds in turn: run i is of seed i mod seeds.
func groups(runs []float64, seeds int) [][]float64 {
	out := make([][]float64, seeds)
	for i, x := range runs {
		out[i%seeds] = append(out[i%seeds], x)
	}
	return out
}
