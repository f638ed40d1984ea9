//gradsync:pure

package codedsgd

import "math/big"

// CompressedLoad returns what all nodes together send in one exchange of method
// compressed, in gradient units, a multicast counted once:
//
//	[ C(n−r+t, t+1)·(t+1)/t + (r−t)·C(n−r+t−1, t) ] / n + 1
//
// The first term are the groups of t+1 nodes in which every member lacks a sum, the
// second those in which the highest member alone does, the 1 is the all-gather of n
// slices. For r = n nothing is sent. t = 1 is sum only, t = r code only (SumPlan);
// t = 0 is BestDepth. Outside 1 ≤ r ≤ n, 0 ≤ t ≤ r it returns nil.
//
// Source: ours: the load of sum, then code, which the paper's reference [14] proposes
func CompressedLoad(n, r, t int) *big.Rat {
	if r < 1 || r > n || t < 0 || t > r {
		return nil
	}
	if r == n {
		return new(big.Rat)
	}
	if t == 0 {
		t = BestDepth(n, r)
	}
	all := new(big.Int).Binomial(int64(n-r+t), int64(t+1))
	one := new(big.Int).Binomial(int64(n-r+t-1), int64(t))
	load := new(big.Rat).SetInt(all)
	load.Mul(load, big.NewRat(int64(t+1), int64(t)))
	load.Add(load, new(big.Rat).SetInt(one.Mul(one, big.NewInt(int64(r-t)))))
	load.Mul(load, big.NewRat(1, int64(n)))
	return load.Add(load, big.NewRat(1, 1))
}

// BestDepth returns the depth t, 1 ≤ t ≤ r, with the least CompressedLoad, of equal
// ones the smallest. Code only, t = r, sends less than sum only, t = 1, where
//
//	C(n−1, r) < r·(n−r)
//
// that is for r ≥ 2 with n−r = 1 or 2 nodes that lack a block; from three on it never
// does, since a sum that fewer blocks share must be sent more often than coding saves.
// No depth between is ever the best. So coding adds to summing where r ≥ n−2 alone, and
// there it asks every node to compute nearly the whole batch.
//
// Source: ours: enumerated for n ≤ 12
func BestDepth(n, r int) int {
	best := 1
	for t := 2; t <= r && r < n; t++ {
		if CompressedLoad(n, r, t).Cmp(CompressedLoad(n, r, best)) < 0 {
			best = t
		}
	}
	return best
}

// sumOnlyLoad returns the load of summing alone, in gradient units: of every block
// that a node lacks the lowest holder sends it the sum of its slice, by unicast, then
// slices are gathered:
//
//	n − r + 1
//
// and 0 for r = n. It is CompressedLoad(n, r, 1), and also what nodes 0 … n−r send that
// multicast the sum of the blocks of which they are the lowest holder.
//
// Source: ours: what coding has to beat
func sumOnlyLoad(n, r int) *big.Rat {
	if r == n {
		return new(big.Rat)
	}
	return big.NewRat(int64(n-r+1), 1)
}

// replicatedLoad returns the load of another placement with the same redundant work,
// in gradient units: n/r groups of r nodes with the same samples, where every node
// multicasts 1/r of its group's sum:
//
//	n / r
//
// and 0 for r = n. It returns nil where r does not divide n, and outside 1 ≤ r ≤ n.
//
// Source: ours: what redundancy buys without coding
func replicatedLoad(n, r int) *big.Rat {
	switch {
	case outside(n, r) || n%r != 0:
		return nil
	case r == n:
		return new(big.Rat)
	}
	return big.NewRat(int64(n), int64(r))
}
