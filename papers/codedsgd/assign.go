//gradsync:pure

package codedsgd

import (
	"fmt"
	"math/bits"
)

// MaxNodes bounds n: a set of nodes is one word.
//
// Source: ours: C(62,31) still fits in an int
const MaxNodes = 62

// Assignment says which nodes compute which blocks of a batch: block q is held by
// the q-th r-subset of the nodes 0 … n−1 in lexicographic order, and by no other
// node. It is a value of two numbers; everything is derived from them.
//
// Source: Eq. (6)
type Assignment struct{ n, r int }

// Assign returns the assignment of n nodes at redundancy r.
//
// Source: Alg. 2
func Assign(n, r int) (*Assignment, error) {
	if n < 1 || n > MaxNodes || r < 1 || r > n {
		return nil, fmt.Errorf("codedsgd: assignment of %d nodes at redundancy %d, want 1 ≤ r ≤ n ≤ %d", n, r, MaxNodes)
	}
	return &Assignment{n, r}, nil
}

// Nodes returns n.
//
// Source: Eq. (5)
func (a *Assignment) Nodes() int { return a.n }

// Redundancy returns r, how many nodes hold a block.
//
// Source: §2.1
func (a *Assignment) Redundancy() int { return a.r }

// Blocks returns C(n,r), how many blocks a batch has.
//
// Source: Alg. 2, line 5
func (a *Assignment) Blocks() int { return subsets(a.n, a.r) }

// Holders returns the nodes that compute block q, ascending.
//
// Source: Alg. 2, line 7
func (a *Assignment) Holders(q int) []int { return members(a.set(q)) }

// Of returns D_i, the blocks that a node computes, ascending. They are
// C(n−1,r−1) = r·C(n,r)/n.
//
// Source: Alg. 2, line 8
func (a *Assignment) Of(node int) []int {
	var of []int                                   // Alg. 2, line 3
	eachSubset(a.n, a.r, func(q int, set uint64) { // Alg. 2, line 6
		if has(set, node) { // Alg. 2, line 7
			of = append(of, q) // Alg. 2, line 8
		}
	})
	return of // Alg. 2, line 12
}

// Holds says whether a node computes block q.
//
// Source: Eq. (22)
func (a *Assignment) Holds(node, q int) bool { return has(a.set(q), node) }

// Index returns the block of the given holders, which must ascend; −1: there is none.
//
// Source: Alg. 3, line 8
func (a *Assignment) Index(holders []int) int {
	if len(holders) != a.r {
		return -1
	}
	q, next := 0, 0
	for i, h := range holders {
		if h < next || h >= a.n {
			return -1
		}
		for v := next; v < h; v++ {
			q += subsets(a.n-v-1, a.r-i-1)
		}
		next = h + 1
	}
	return q
}

// Groups returns all sets of r+1 nodes, lexicographic: nodes that exchange with each
// other. There are C(n,r+1), none for r = n.
//
// Source: §2.4
func (a *Assignment) Groups() [][]int {
	var groups [][]int
	eachSubset(a.n, a.r+1, func(_ int, set uint64) { groups = append(groups, members(set)) })
	return groups
}

// set returns the holders of block q as a word.
func (a *Assignment) set(q int) (set uint64) {
	if q < 0 || q >= a.Blocks() {
		panic(fmt.Sprintf("codedsgd: block %d of %d", q, a.Blocks()))
	}
	left := a.r
	for v := 0; left > 0; v++ {
		if with := subsets(a.n-v-1, left-1); q < with {
			set |= 1 << v
			left--
		} else {
			q -= with
		}
	}
	return set
}

// eachSubset visits the k-subsets of 0 … n−1 in lexicographic order, numbered.
func eachSubset(n, k int, visit func(q int, set uint64)) {
	if k > n {
		return
	}
	at := make([]int, k)
	for i := range at {
		at[i] = i
	}
	// Alg. 2, line 1
	for q := 0; ; q++ {
		var set uint64
		for _, v := range at {
			set |= 1 << v
		}
		visit(q, set)
		i := k - 1
		for i >= 0 && at[i] == n-k+i {
			i--
		}
		if i < 0 {
			return
		}
		at[i]++
		for j := i + 1; j < k; j++ {
			at[j] = at[j-1] + 1
		}
	}
}

// pascal holds the binomial coefficients up to MaxNodes.
var pascal = func() (c [MaxNodes + 1][MaxNodes + 1]int) {
	for n := range c {
		c[n][0] = 1
		for k := 1; k <= n; k++ {
			c[n][k] = c[n-1][k-1] + c[n-1][k]
		}
	}
	return c
}()

// subsets returns C(n,k), the number of k-subsets of n things.
func subsets(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	return pascal[n][k]
}

func has(set uint64, node int) bool { return node >= 0 && node < MaxNodes && set>>node&1 == 1 }

// rank returns how many members of set are below node: its place among them.
func rank(set uint64, node int) int { return bits.OnesCount64(set & (1<<node - 1)) }

// members lists a set, ascending.
func members(set uint64) []int {
	out := make([]int, 0, bits.OnesCount64(set))
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}
