//gradsync:pure

package ringsparse

import "gradsync/papers/ringsparse/formula"

// hop is the densities of a block that holds the sum of some ranks, both kinds
// after conversion, in a timing-only run.
type hop struct{ weights, gradients float64 }

func (h hop) density(k Kind) float64 {
	if k == Weights {
		return h.weights
	}
	return h.gradients
}

// hops models a block on its way through nodes ranks: entry m−1 is the sum of m.
// weights and gradients are the densities of one rank's block. The weights that are
// not zero are the same ones on all ranks, for they share W0 and mask; gradients are
// zero independently of that and of each other.
//
// Where weights are not zero, a sum's gradients fill in. Where they are, sums of
// weights stay zero, and so do gradients that are made of them; gradients that
// travel as such fill in there too, and so do weights that are made of them, since
// conversion knows no mask. With u the density where weights are not zero, q where
// they are:
//
//	weights   = weights·1 + (1 − weights)·q_w
//	gradients = weights·u + (1 − weights)·q_g,   u = 1 − (1−gradients)^m
func hops(nodes int, weights, gradients float64, only, tie Kind) []hop {
	out := make([]hop, nodes)
	qw, qg := 0.0, formula.FillIn(gradients, 0) // where weights are zero
	for m := 1; m <= nodes; m++ {
		u := formula.FillIn(gradients, m-1)
		h := hop{weights: weights + float64((1-weights)*qw), gradients: float64(weights*u) + float64((1-weights)*qg)}
		if weights == 1 || qg == u { // the same, without the rounding of two products
			h.gradients = u
		}
		out[m-1] = h
		kind := only
		if only == 0 {
			kind, _ = Choose(1-h.weights, 1-h.gradients, tie)
		}
		switch {
		case only == Gradients:
			qg = formula.FillIn(gradients, m)
		case kind == Gradients: // the next rank adds its gradient there
			qg = 1 - float64((1-qg)*(1-gradients))
			qw = qg
		default: // the next rank adds its zeros there
			qg = qw
		}
	}
	return out
}
