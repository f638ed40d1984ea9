//gradsync:pure

package codedsgd

import "math/big"

// Accounting is one way to exchange gradients and to count what that sends.
//
// Source: ours: §2.4 counts its own method once per packet and the other per receiver
type Accounting struct {
	Key   string // "coded"
	Title string
	Form  string // its closed form
	// PerReceiver: a message to k nodes counts k times.
	PerReceiver bool
	// Load is of one batch and all nodes, in gradient units, exact; nil where there is
	// no such placement.
	Load func(n, r int) *big.Rat
}

// Accountings returns them all: CSSGD and the two baselines of §2.4, each counted both
// ways, then methods that add gradients before they send them.
//
// Source: ours: Eq. (28), (29) and (30) like for like, and what the paper leaves out
func Accountings() []Accounting {
	return []Accounting{
		{"coded", "CSSGD, multicast", "C(n,r)(n−r)/r, (28)", false, LCoding},
		{"coded-unicast", "CSSGD, unicast", "r·(28) = (29)", true, CodedUnicast},
		{"uncoded", "same blocks uncoded, multicast", "C(n,r); 0 for r = n", false, UncodedMulticast},
		{"uncoded-unicast", "same blocks uncoded, unicast", "(n−r)C(n,r), (29)", true, LUncoding},
		{"blocks", "SSGD block by block, multicast", "C(n,r)", false, BlockMulticast},
		{"blocks-unicast", "SSGD block by block, unicast", "(n−1)C(n,r), (30)", true, LNormal},
		{"ssgd", "SSGD, multicast", "n", false, SummedMulticast},
		{"ssgd-unicast", "SSGD, unicast", "n(n−1)", true, SummedUnicast},
		{"ring", "ring all-reduce", "2(n−1)", true, ringLoad},
		{"compressed", "compressed coded, multicast", "sum, then code, at its best depth", false, compressedBest},
		{"sum-only", "redundant blocks summed, multicast", "n−r+1; 0 for r = n", false, sumOnly},
		{"replicated", "replicated workers, multicast", "n/r where r divides n; 0 for r = n", false, replicated},
	}
}

// CodedUnicast returns the load of coded packets counted once per receiver. It is
// LUncoding: without multicast, coding saves nothing.
//
//	r·L_coding = (n−r)·C(n,r)
//
// Source: ours: Eq. (28) counted as Eq. (29) and (30) are
func CodedUnicast(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return timesInt(LCoding(n, r), r)
}

// UncodedMulticast returns the load of the same blocks uncoded, each multicast once by
// one of its holders to all who lack it:
//
//	C(n,r), and 0 for r = n
//
// Source: ours: Eq. (29) counted as Eq. (28) is
func UncodedMulticast(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	if r == n {
		return new(big.Rat)
	}
	return choose(n, r)
}

// BlockMulticast returns the load of SSGD without redundancy that multicasts each of
// C(n,r) blocks once; one node alone has nobody to send to.
//
// Source: ours: Eq. (30) counted as Eq. (28) is
func BlockMulticast(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	if n == 1 {
		return new(big.Rat)
	}
	return choose(n, r)
}

// LikeForLike returns the load of coded packets over that of the same blocks multicast
// uncoded, r < n. Every node needs every block, so one plain multicast of a block serves
// the n−r nodes that lack it, and a coded packet r nodes: coding sends less for
// r > n/2 alone.
//
//	(n−r)/r
//
// Source: ours: Eq. (28) over Eq. (29), both counted once per packet
func LikeForLike(n, r int) *big.Rat {
	if outside(n, r) || r == n {
		return nil
	}
	return over(LCoding(n, r), UncodedMulticast(n, r))
}

// SummedMulticast returns the load of ordinary SSGD, whose nodes add up their own
// blocks and multicast one gradient each: n. r changes nothing.
//
// Source: §3.2.2
func SummedMulticast(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	if n == 1 {
		return new(big.Rat)
	}
	return whole(n)
}

// SummedUnicast returns the load of ordinary SSGD that sends one copy per receiver:
//
//	n·(n−1)
//
// Source: §3.2.2
func SummedUnicast(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return whole(n * (n - 1))
}

// ringLoad returns the load of a ring all-reduce: each node sends 2(n−1)/n gradients.
//
//	2·(n−1)
//
// Source: ours: the usual rival, which the paper does not compare with
func ringLoad(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return whole(2 * (n - 1))
}

func compressedBest(n, r int) *big.Rat { return CompressedLoad(n, r, 0) }

func sumOnly(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return sumOnlyLoad(n, r)
}

func replicated(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return replicatedLoad(n, r)
}

// Bound returns the least load of coded computing, over n·C(n,r) gradients, if every
// node needs something else of every block:
//
//	L*(r) = (1/r)·(1 − r/n)
//
// (28) is exactly that. It is no bound here: every node needs the same sum.
//
// Source: ours: the theorem of the paper's reference [13]
func Bound(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return times(ratio(1, r), new(big.Rat).Sub(whole(1), ratio(r, n)))
}
