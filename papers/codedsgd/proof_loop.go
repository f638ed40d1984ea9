package codedsgd

import (
	"math/big"
	"math/bits"
)

// LoopLimit is up to how many combinations C(μ,r) per node the loop of Algorithm 3 is
// counted out.
//
// Source: ours: all n ≤ 8 in a moment, n = 10 in a second
const LoopLimit = 10_000_000

// LoopCount is what the loop of Algorithm 3, as printed, makes on all nodes.
//
// Source: Alg. 3, line 2
type LoopCount struct {
	Combinations int64 `json:"combinations"`
	Packets      int64 `json:"packets"`    // with at least one receiver
	Useful       int64 `json:"useful"`     // of them, those whose blocks' holders are r+1 nodes
	Deliveries   int64 `json:"deliveries"` // a packet to k nodes counts k times
}

// LoopCombinations returns C(μ,r), how often the loop runs on one node; nil also for
// more than MaxNodes.
//
// Source: Eq. (8)
func LoopCombinations(n, r int) *big.Int {
	if outside(n, r) || n > MaxNodes {
		return nil
	}
	return new(big.Int).Binomial(DHave(n, r).Num().Int64(), int64(r))
}

// LoopRepeats returns how often the loop brings each segment to each node that lacks
// it, where once is enough:
//
//	C(C(n−2,r−2), r−1)
//
// A node i that holds block q reaches k, which lacks it, by q and any r−1 other blocks
// that both hold, and they hold C(n−2,r−2) together. So Algorithm 3 repeats itself for
// 3 ≤ r ≤ n−2, and for no other r. nil for r = n, and for more than MaxNodes.
//
// Source: ours: Alg. 3, lines 10 to 12, counted for all n and r
func LoopRepeats(n, r int) *big.Int {
	if outside(n, r) || r == n || n > MaxNodes {
		return nil
	}
	return new(big.Int).Binomial(int64(subsets(n-2, r-2)), int64(r-1))
}

// Loop counts the loop out on every node. ok is false, and nothing counted, where a
// node has more than LoopLimit combinations.
//
// Source: Alg. 3, line 2
func (e *Enumeration) Loop() (c LoopCount, ok bool) {
	if LoopCombinations(e.n, e.r).Cmp(big.NewInt(LoopLimit)) > 0 {
		return c, false
	}
	all := uint64(1)<<e.n - 1
	for i := range e.n {
		var lacks []uint64 // by the node's blocks: who lacks them
		for _, h := range e.holders {
			if has(h, i) {
				lacks = append(lacks, all&^h)
			}
		}
		c.walk(lacks, e.r, loopState{none: all}, e.n-e.r-1)
	}
	return c, true
}

// loopState is of the blocks chosen so far: the nodes that lack one of them, those that
// lack more than one, and those that lack all.
type loopState struct{ once, more, none uint64 }

func (s loopState) with(lacks uint64) loopState {
	more := s.more | s.once&lacks
	return loopState{(s.once | lacks) &^ more, more, s.none & lacks}
}

// walk chooses left more of the blocks. outside is how many nodes hold none of the
// blocks of a useful combination.
func (c *LoopCount) walk(lacks []uint64, left int, s loopState, outside int) {
	for k := 0; k+left <= len(lacks); k++ {
		next := s.with(lacks[k])
		if left > 1 {
			c.walk(lacks[k+1:], left-1, next, outside)
			continue
		}
		c.Combinations++
		if next.once == 0 {
			continue
		}
		c.Packets++
		c.Deliveries += int64(bits.OnesCount64(next.once))
		if bits.OnesCount64(next.none) == outside {
			c.Useful++
		}
	}
}
