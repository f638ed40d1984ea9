//gradsync:pure

package codedsgd

import "math/big"

// The functions of this file are §2.4 for n nodes and redundancy r, exact. Outside
// 1 ≤ r ≤ n they return nil. Loads are of one batch, all nodes together, in gradient
// units: a unit is the gradient of one block, as long as the network's.

// choose returns C(n, k), 0 for k < 0 or k > n.
func choose(n, k int) *big.Rat {
	if k < 0 || k > n {
		return new(big.Rat)
	}
	return new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
}

// outside reports whether there is no assignment of redundancy r to n nodes.
func outside(n, r int) bool { return r < 1 || r > n }

func whole(x int) *big.Rat                { return big.NewRat(int64(x), 1) }
func times(a, b *big.Rat) *big.Rat        { return new(big.Rat).Mul(a, b) }
func plus(a, b *big.Rat) *big.Rat         { return new(big.Rat).Add(a, b) }
func over(a, b *big.Rat) *big.Rat         { return new(big.Rat).Quo(a, b) }
func ratio(a, b int) *big.Rat             { return big.NewRat(int64(a), int64(b)) }
func timesInt(a *big.Rat, b int) *big.Rat { return times(a, whole(b)) }

// BlockCount returns into how many blocks a batch is cut:
//
//	p = C(n,r)
//
// Source: §2.1
func BlockCount(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return choose(n, r)
}

// DHave returns how many blocks a node holds, μ of §2.1:
//
//	D_have = r·C(n,r)/n = C(n−1,r−1)
//
// Source: Eq. (20)
func DHave(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return times(choose(n, r), ratio(r, n))
}

// DLeft returns how many blocks a node lacks:
//
//	D_left = C(n,r) − r·C(n,r)/n = C(n−1,r)
//
// Source: Eq. (21)
func DLeft(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return new(big.Rat).Sub(choose(n, r), DHave(n, r))
}

// dAll returns in how many places blocks lie, the sizes of all 𝒟_i together:
//
//	Σ_i |𝒟_i| = r·C(n,r)
//
// Source: Eq. (22)
func dAll(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return timesInt(choose(n, r), r)
}

// dCommon returns how many blocks r nodes have in common: 1.
//
// Source: Eq. (23)
func dCommon(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return whole(1)
}

// dWithin returns how many blocks have all their holders in one group of r+1 nodes,
// C(r+1,r). The paper prints the size of an intersection, which is empty: a block lies
// on r nodes, never on r+1.
//
//	|{q : holders of q ⊂ M}| = r + 1
//
// Source: Eq. (24)
func dWithin(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return whole(r + 1)
}

// dExchange returns how many blocks a group of r+1 nodes exchanges, those of dWithin:
//
//	D_exchange(M) = {P_{M∖{k}} : k ∈ M}
//
// Source: Eq. (25)
func dExchange(n, r int) *big.Rat { return dWithin(n, r) }

// dSend returns of how many blocks a member's packet in one group is the sum:
//
//	D_send(i, M) = {P_{M∖{k}} : k ∈ M, k ≠ i}
//
// Source: Eq. (26)
func dSend(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return whole(r)
}

// GroupCount returns how many groups of r+1 nodes there are, C(n,r+1).
//
// Source: §2.4
func GroupCount(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return choose(n, r+1)
}

// groupsOf returns in how many groups one node takes part, and how many whole gradients
// it gets there, one in each:
//
//	r·(1/r)·C(n−1,r) = C(n−1,r) = D_left
//
// Source: Eq. (27)
func groupsOf(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return choose(n-1, r)
}

// UsefulPackets returns how many packets an exchange needs, r+1 in each group:
//
//	C(n,r+1)·(r+1)
//
// Source: Alg. 3
func UsefulPackets(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return timesInt(choose(n, r+1), r+1)
}

// LCoding returns the load of coded packets, a multicast counted once:
//
//	L_coding = C(n,r+1)·(r+1)/r = C(n,r)·(n−r)/r
//
// Source: Eq. (28)
func LCoding(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return times(choose(n, r+1), ratio(r+1, r))
}

// LUncoding returns the load of sending, at the same redundancy, every node all the
// blocks that it lacks, one by one:
//
//	L_uncoding = n·D_left = (n−r)·C(n,r)
//
// Source: Eq. (29)
func LUncoding(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return timesInt(choose(n, r), n-r)
}

// LNormal returns the load of sending C(n,r) blocks, each computed by one node alone,
// to all others, counted once per receiver:
//
//	L_normal = (n−1)·C(n,r)
//
// Source: Eq. (30)
func LNormal(n, r int) *big.Rat {
	if outside(n, r) {
		return nil
	}
	return timesInt(choose(n, r), n-1)
}

// LRatio returns the load of coded packets over that of LNormal; n ≥ 2. It divides
// packets that are counted once by messages that are counted per receiver.
//
//	L_coding/L_normal = (n−r)/((n−1)·r)
//
// Source: Eq. (19)
func LRatio(n, r int) *big.Rat {
	if outside(n, r) || n < 2 {
		return nil
	}
	return ratio(n-r, (n-1)*r)
}
