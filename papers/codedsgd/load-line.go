//gradsync:pure

package codedsgd

import "math/big"

// TradeOff returns the load at which redundancy r would cost as much as a mix of one worker
// alone and of SSGD by multicast, n ≥ 2, in whole gradients:
//
//	n(n−r)/(n−1)
//
// CSSGD's load is never below it. So whatever computing costs beside sending, whole gradients
// on one medium, without overlap, are exchanged soonest by one of those two.
//
// Let T_c be the seconds in which a node computes 1/n of the batch, T_g those that the medium
// takes for one gradient. Then a batch takes a·T_c + b·T_g, where (a, b) is
//
//	(n, 0)                   of one worker alone: all of the batch, and nothing sent
//	(1, n)                   of SSGD by multicast: a node's share, and one sum from each
//	(r, C(n,r)(n−r)/r)       of CSSGD: r shares, and (28)
//
// The line through the first two has n(n−r)/(n−1) over r. CSSGD's point lies on it or above:
// for r = n both are 0; for r < n, by C(n,r) = n/r·C(n−1,r−1),
//
//	C(n,r)(n−r)/r ≥ n(n−r)/(n−1)  iff  (n−1)·C(n−1,r−1) ≥ r²
//
// which is n−1 ≥ 1 for r = 1 and equal for r = n−1, and between these C(n−1,r−1) ≥ n−1
// makes the left side (n−1)² > r². A point on or above the line costs at least as much as
// the point of the line under it, which is a mean of its ends, and a mean is never less than
// the smaller of two. So no T_c/T_g makes CSSGD strictly first. Equal to the line are only
// r = n−1 and r = n, which is one worker alone, n times.
//
// The argument ends where messages are charged per receiver and where the exchange hides
// behind computing.
//
// Source: ours: Eq. (28) beside the two ways that need no redundancy
func TradeOff(n, r int) *big.Rat {
	if outside(n, r) || n < 2 {
		return nil
	}
	return ratio(n*(n-r), n-1)
}

// OneMedium returns the costs of a batch in whole gradients on one medium without overlap,
// computing in shares of 1/n of the batch and sending in gradients: of one worker alone, of
// SSGD by multicast and of CSSGD.
//
// Source: ours: the points of TradeOff
func OneMedium(n, r int, share, gradient *big.Rat) (alone, ssgd, cssgd *big.Rat) {
	cost := func(shares int, load *big.Rat) *big.Rat { return plus(timesInt(share, shares), times(load, gradient)) }
	return cost(n, whole(0)), cost(1, SummedMulticast(n, r)), cost(r, LCoding(n, r))
}
