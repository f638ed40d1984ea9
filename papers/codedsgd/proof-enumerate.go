//gradsync:pure

package codedsgd

import (
	"math/big"
	"math/bits"
)

// Enumeration is one exchange as sets: which node holds which block, and which packets
// go where. The proof's left sides are counted from it, one by one. No closed
// form has a part in that, and no binomial coefficient but in the numbers of blocks.
//
// Source: ours: what §2.4 counts
type Enumeration struct {
	n, r    int
	holders []uint64   // of block q, gathered from all D_i
	sent    []uint64   // of block q, as Algorithm 2 sends it
	groups  []uint64   // as Algorithm 3 forms them
	packets [][]Packet // of each group
}

// Enumerate makes the assignment of n nodes at redundancy r and all its packets.
//
// Source: Alg. 2
func Enumerate(n, r int) (*Enumeration, error) {
	a, err := Assign(n, r)
	if err != nil {
		return nil, err
	}
	e := &Enumeration{n: n, r: r}
	for i := range n {
		for _, q := range a.Of(i) {
			for q >= len(e.holders) {
				e.holders = append(e.holders, 0)
			}
			e.holders[q] |= 1 << i
		}
	}
	for q := range e.holders {
		e.sent = append(e.sent, setOf(a.Holders(q)))
	}
	for _, g := range a.Groups() {
		e.groups = append(e.groups, setOf(g))
		e.packets = append(e.packets, a.Packets(g))
	}
	return e, nil
}

func setOf(nodes []int) (set uint64) {
	for _, i := range nodes {
		set |= 1 << i
	}
	return set
}

// Counts are an enumeration's sizes.
//
// Source: ours: what §2.4 counts
type Counts struct {
	Blocks     int `json:"blocks"`
	Have       int `json:"have"` // of the node with the most
	Left       int `json:"left"`
	Alone      int `json:"alone"` // messages if one node alone computes each block
	Groups     int `json:"groups"`
	Packets    int `json:"packets"`
	Deliveries int `json:"deliveries"` // a packet to k nodes counts k times
	Terms      int `json:"terms"`      // segments added up in all packets
	Elements   int `json:"elements"`   // of all packets, each once, of gradients of r elements
}

// Counts counts the enumeration.
//
// Source: ours: what §2.4 counts
func (e *Enumeration) Counts() Counts {
	c := Counts{Blocks: len(e.holders), Alone: e.alone(), Groups: len(e.groups)}
	for i := range e.n {
		c.Have, c.Left = max(c.Have, e.have(i)), max(c.Left, c.Blocks-e.have(i))
	}
	e.eachPacket(func(_ int, p Packet) {
		c.Packets++
		c.Deliveries += len(p.To)
		c.Terms += len(p.Terms)
		c.Elements += e.elements(p)
	})
	return c
}

// have counts the blocks of a node.
func (e *Enumeration) have(node int) (blocks int) {
	for _, h := range e.holders {
		if has(h, node) {
			blocks++
		}
	}
	return blocks
}

// common counts the blocks that all nodes of a set hold.
func (e *Enumeration) common(nodes uint64) (blocks int) {
	for _, h := range e.holders {
		if nodes&^h == 0 {
			blocks++
		}
	}
	return blocks
}

// within counts the blocks whose holders all are in a set of nodes.
func (e *Enumeration) within(nodes uint64) (blocks int) {
	for _, h := range e.holders {
		if h&^nodes == 0 {
			blocks++
		}
	}
	return blocks
}

// containing counts the groups with all nodes of a set.
func (e *Enumeration) containing(nodes uint64) (groups int) {
	for _, g := range e.groups {
		if nodes&^g == 0 {
			groups++
		}
	}
	return groups
}

// ofSize lists every set of a given size, found among all 2ⁿ.
func (e *Enumeration) ofSize(nodes int) (sets []uint64) {
	for set := uint64(0); set < 1<<e.n; set++ {
		if bits.OnesCount64(set) == nodes {
			sets = append(sets, set)
		}
	}
	return sets
}

// missing visits every block with every node that lacks it.
func (e *Enumeration) missing(visit func(q, node int)) {
	for q, h := range e.holders {
		for i := range e.n {
			if !has(h, i) {
				visit(q, i)
			}
		}
	}
}

// eachPacket visits every packet with its group.
func (e *Enumeration) eachPacket(visit func(group int, p Packet)) {
	for g, packets := range e.packets {
		for _, p := range packets {
			visit(g, p)
		}
	}
}

// elements returns the length of a packet's content, of gradients of r elements each: its
// longest segment's.
func (e *Enumeration) elements(p Packet) (length int) {
	for _, t := range p.Terms {
		lo, hi := Segment(e.r, e.r, t.Position)
		length = max(length, hi-lo)
	}
	return length
}

// alone counts the messages where each block is computed by its first holder alone and
// every other node needs it.
func (e *Enumeration) alone() (messages int) {
	for _, h := range e.holders {
		for i := range e.n {
			if i != bits.TrailingZeros64(h) {
				messages++
			}
		}
	}
	return messages
}

// LoopLimit is up to how many combinations C(μ,r) per node the loop of Algorithm 3 is
// counted out.
//
// Source: ours: all n ≤ 8 in a moment, n = 10 in a second
const LoopLimit = 10_000_000

// LoopCount counts the packets of Algorithm 3's loop, as printed, on all nodes.
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
