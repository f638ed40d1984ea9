//gradsync:pure

package codedsgd

import (
	"math"
	"math/big"
)

// BatchTime returns the seconds of one batch by the paper's model, with (19) in it
// instead of 1/r: computing takes r times as long as without redundancy, the exchange
// LRatio of what L_normal takes, and nothing overlaps. calc and comm are the baseline's
// seconds; its exchange is by unicast, as in (19). n ≥ 2.
//
//	T_CSSGD = r·T_calculate + (n−r)/((n−1)·r)·T_communicate
//
// Source: §3.2.4
func BatchTime(n, r int, calc, comm *big.Rat) *big.Rat {
	if outside(n, r) || n < 2 {
		return nil
	}
	return plus(timesInt(calc, r), times(LRatio(n, r), comm))
}

// ShortBatchTime returns the model as printed, (19) taken for 1/r:
//
//	T_CSSGD = r·T_calculate + T_communicate/r
//
// Source: §3.2.4
func ShortBatchTime(n, r int, calc, comm *big.Rat) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return plus(timesInt(calc, r), times(ratio(1, r), comm))
}

// BestRedundancy returns the r from 1 to n with the least BatchTime, or ShortBatchTime,
// of equal ones the smallest. 0 for n < 2.
//
// Source: §3.2.4
func BestRedundancy(n int, calc, comm *big.Rat, short bool) int {
	model := BatchTime
	if short {
		model = ShortBatchTime
	}
	best := 0
	for r := 1; r <= n && n >= 2; r++ {
		if best == 0 || model(n, r, calc, comm).Cmp(model(n, best, calc, comm)) < 0 {
			best = r
		}
	}
	return best
}

// RStarSquared returns the square of the real r at which BatchTime is least, for rho =
// T_communicate/T_calculate, n ≥ 2; with short at which ShortBatchTime is: rho.
//
//	r*² = n/(n−1)·T_communicate/T_calculate
//
// Source: ours: the derivative of §3.2.4's model is 0
func RStarSquared(n int, rho *big.Rat, short bool) *big.Rat {
	switch {
	case short:
		return new(big.Rat).Set(rho)
	case n < 2:
		return nil
	}
	return times(ratio(n, n-1), rho)
}

// RStar returns the root of RStarSquared.
//
//	r* = √(n/(n−1)·T_communicate/T_calculate)
//
// Source: ours: the derivative of §3.2.4's model is 0
func RStar(n int, rho *big.Rat, short bool) float64 {
	square := RStarSquared(n, rho, short)
	if square == nil {
		return math.NaN()
	}
	f, _ := square.Float64()
	return math.Sqrt(f)
}

// RhoRange returns between which T_communicate/T_calculate redundancy r is the best
// of n nodes, n ≥ 2. lo is 0 for r = 1, hi nil for r = n: no upper end.
//
//	(n−1)/n·r(r−1) ≤ ρ ≤ (n−1)/n·r(r+1);  short: r(r−1) ≤ ρ ≤ r(r+1)
//
// Source: ours: T(r−1) ≥ T(r) ≤ T(r+1) of §3.2.4's model, solved for ρ
func RhoRange(n, r int, short bool) (lo, hi *big.Rat) {
	if outside(n, r) || n < 2 {
		return nil, nil
	}
	share := ratio(n-1, n)
	if short {
		share = whole(1)
	}
	lo, hi = timesInt(share, r*(r-1)), timesInt(share, r*(r+1))
	if r == n {
		hi = nil
	}
	return lo, hi
}
