//gradsync:pure

package ringsparse

import (
	"math"

	"gradsync/shared/tensor/vec"
)

// Sparsity is F: the share of x that is sent as nothing. With threshold 0 that is
// the bit pattern of +0 alone, so that nothing is lost: neither −0 nor a denormal
// is a zero. With a threshold it counts every |x_i| up to it.
//
//	F(x) = |{i : x_i = +0}| / n,   or   |{i : |x_i| ≤ threshold}| / n
//
// An empty block is all zeros: F = 1. NaN is never a zero.
//
// Source: S41
func Sparsity(x []float32, threshold float64) float64 {
	return 1 - Density(x, threshold)
}

// Density is 1 − F.
//
// Source: S41
func Density(x []float32, threshold float64) float64 {
	if len(x) == 0 {
		return 0
	}
	if threshold == 0 {
		return float64(vec.CountNonzero(x)) / float64(len(x))
	}
	kept := 0
	for _, v := range x {
		if !small(v, threshold) {
			kept++
		}
	}
	return float64(kept) / float64(len(x))
}

func small(v float32, threshold float64) bool { return math.Abs(float64(v)) <= threshold }

// Drop makes +0 of the entries of x that are at most threshold large, and moves
// what they were, which the wire loses, to residual. Other entries of
// residual are left.
//
// Source: ours: error feedback, without which a threshold gives up "accuracy unaffected"
func Drop(x, residual []float32, threshold float64) {
	for i, v := range x {
		if small(v, threshold) {
			residual[i], x[i] = v, 0
		}
	}
}
