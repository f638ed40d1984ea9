//gradsync:pure

// Package formula holds the paper's formulas as plain functions of numbers, for the
// command line, for the page and for experiments. n are nodes, r is the redundancy,
// 1 ≤ r ≤ n; loads are of one batch and all nodes, in gradient units: a unit is the
// gradient of one block. Exact forms stand in the package above.
//
// It imports math only, so that it also runs in a browser.
package formula

import "math"

// Choose returns C(n, k), 0 for k < 0 or k > n, exact below 2⁵³.
//
// Source: §2.1
func Choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := 1; i <= min(k, n-k); i++ {
		c = c * float64(n-i+1) / float64(i) // C(n, i): a whole number at every step
	}
	return c
}

// Have returns the blocks that a node holds:
//
//	D_have = r·C(n,r)/n = C(n−1,r−1)
//
// Source: Eq. (20)
func Have(n, r int) float64 { return Choose(n-1, r-1) }

// Left returns the blocks that a node lacks:
//
//	D_left = C(n,r) − r·C(n,r)/n = C(n−1,r)
//
// Source: Eq. (21)
func Left(n, r int) float64 { return Choose(n-1, r) }

// Packets returns how many packets an exchange needs:
//
//	C(n,r+1)·(r+1)
//
// Source: Alg. 3
func Packets(n, r int) float64 { return Choose(n, r+1) * float64(r+1) }

// Coding returns the load of coded packets, a multicast counted once:
//
//	L_coding = C(n,r+1)·(r+1)/r = C(n,r)·(n−r)/r
//
// Source: Eq. (28)
func Coding(n, r int) float64 { return Packets(n, r) / float64(r) }

// Uncoding returns the load of the same blocks sent one by one, per receiver:
//
//	L_uncoding = n·D_left = (n−r)·C(n,r)
//
// Source: Eq. (29)
func Uncoding(n, r int) float64 { return float64(n-r) * Choose(n, r) }

// Normal returns the load of C(n,r) blocks without redundancy, per receiver:
//
//	L_normal = (n−1)·C(n,r)
//
// Source: Eq. (30)
func Normal(n, r int) float64 { return float64(n-1) * Choose(n, r) }

// Ratio returns the load of coded packets over Normal, n ≥ 2:
//
//	L_coding/L_normal = (n−r)/((n−1)·r)
//
// Source: Eq. (19)
func Ratio(n, r int) float64 { return float64(n-r) / float64((n-1)*r) }

// LikeForLike returns the load of coded packets over that of the same blocks multicast
// uncoded, r < n:
//
//	(n−r)/r
//
// Source: ours: Eq. (28) over Eq. (29), both counted once per packet
func LikeForLike(n, r int) float64 { return float64(n-r) / float64(r) }

// Compressed returns the load of sum, then code, at depth t, 1 ≤ t ≤ r, a multicast
// counted once; 0 for r = n:
//
//	[ C(n−r+t, t+1)·(t+1)/t + (r−t)·C(n−r+t−1, t) ] / n + 1
//
// Source: ours: the remedy of the paper's reference [14]
func Compressed(n, r, t int) float64 {
	if r == n {
		return 0
	}
	all := Choose(n-r+t, t+1) * float64(t+1) / float64(t)
	one := float64(r-t) * Choose(n-r+t-1, t)
	return (all+one)/float64(n) + 1
}

// SumOnlyReceived returns the gradients that each node receives in sum, then code, at
// depth 1, where nothing is coded: a slice of 1/n for each of the n−r sums that make
// up its own, then every other node's sum of all. It is 0 for r = n.
//
//	((n−r) + (n−1))/n
//
// Source: ours: the remedy of the paper's reference [14], t = 1
func SumOnlyReceived(n, r int) float64 {
	if r == n {
		return 0
	}
	return float64(n-r+n-1) / float64(n)
}

// Bound returns the least load of coded computing, over n·C(n,r) gradients, if every
// node needs something else of every block:
//
//	L*(r) = (1/r)·(1 − r/n)
//
// Source: ours: the theorem of the paper's reference [13]
func Bound(n, r int) float64 { return float64(n-r) / float64(n*r) }

// Time returns the seconds of one batch by the paper's model, with (19) instead of
// 1/r, n ≥ 2. calc and comm are SSGD's seconds, by unicast.
//
//	T_CSSGD = r·T_calculate + (n−r)/((n−1)·r)·T_communicate
//
// Source: §3.2.4
func Time(n, r int, calc, comm float64) float64 {
	return float64(float64(r)*calc) + float64(Ratio(n, r)*comm)
}

// ShortTime returns the model as printed:
//
//	T_CSSGD = r·T_calculate + T_communicate/r
//
// Source: §3.2.4
func ShortTime(r int, calc, comm float64) float64 {
	return float64(float64(r)*calc) + comm/float64(r)
}

// Star returns the real r at which Time is least, n ≥ 2:
//
//	r* = √(n/(n−1)·T_communicate/T_calculate)
//
// Source: ours: the derivative of §3.2.4's model is 0
func Star(n int, calc, comm float64) float64 {
	return math.Sqrt(float64(n) / float64(n-1) * comm / calc)
}

// shortStar returns the real r at which ShortTime is least:
//
//	r* = √(T_communicate/T_calculate)
//
// Source: ours: the derivative of §3.2.4's model is 0
func shortStar(calc, comm float64) float64 { return math.Sqrt(comm / calc) }

// Best returns the r from 1 to n with the least Time, of equal ones the smallest.
//
// Source: §3.2.4
func Best(n int, calc, comm float64) int {
	best := 1
	for r := 2; r <= n; r++ {
		if Time(n, r, calc, comm) < Time(n, best, calc, comm) {
			best = r
		}
	}
	return best
}
