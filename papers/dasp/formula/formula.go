//gradsync:pure

// Package formula holds DASP's formulas as plain functions of numbers, for the
// command line, for the page and for the policy itself.
package formula

import "math"

// WaitDifference returns T_wait = α·(f_j − f_i), at least 0.
//
//	T_wait,i = α·(f_j − f_i)
//
// fi and fj are the last iteration times of the waiting and of the oldest
// node, in one unit, which is the result's.
//
// Source: Eq. (1)
func WaitDifference(alpha, fi, fj float64) float64 { return math.Max(alpha*(fj-fi), 0) }

// WaitAbsolute returns the reading T_wait = α·|f_i − f_j|.
//
// Source: Eq. (1)
func WaitAbsolute(alpha, fi, fj float64) float64 { return alpha * math.Abs(fi-fj) }

// WaitConvex returns the reading T_wait = α·f_i + (1−α)·f_j.
//
// Source: Eq. (1)
func WaitConvex(alpha, fi, fj float64) float64 {
	return float64(alpha*fi) + float64((1-alpha)*fj)
}

// WaitOldest returns the reading T_wait = α·f_j.
//
// Source: Eq. (1)
func WaitOldest(alpha, fj float64) float64 { return alpha * fj }

// QISWeight returns the factor of a gradient in the quick iteration state.
//
//	Δw = (1/N)·g
//
// Source: Eq. (2)
func QISWeight(n int) float64 { return 1 / float64(n) }

// GroupWeight returns the factor of each of the k gradients of a waiting group.
//
//	Δw = (1/K)·Σ_{k≤K} g_k
//
// Source: Eq. (2)
func GroupWeight(k int) float64 { return 1 / float64(k) }

// SpreadBound returns the most that the newest version can be ahead of the
// oldest one held, with the re-check, at every instant; n ≥ 2.
//
//	v_new − min(v) ≤ Smax + N − 2
//
// Source: ours: the paper promises Smax, which QIS steps exceed; proof at dasp.New
func SpreadBound(smax int64, n int) int64 { return smax + int64(n) - 2 }
