//gradsync:pure

package codedsgd

import (
	"cmp"
	"math/bits"
	"slices"
)

// Term is one summand of a packet: segment Position of the gradient of block Block.
//
// Source: Eq. (12)
type Term struct{ Block, Position int }

// Packet is a coded message without its content: who sends it, which segments of
// which blocks its content is the sum of (J and P), ascending by block, and the nodes
// it is for (T), ascending: those that lack exactly one of its blocks.
//
// Source: Eq. (14)
type Packet struct {
	From  int
	Terms []Term
	To    []int
}

// Packets returns the packets that a group of r+1 nodes, ascending, exchanges: one of
// each member. Block M∖{k} of group M is what member k lacks and the other r hold; each
// of them sends k its own segment of it, in one packet for all k: the sum of its r
// segments is one unknown to each of the r receivers.
//
// Algorithm 3 finds these among all its combinations; see Literal for the others.
//
// Source: Alg. 3
func (a *Assignment) Packets(group []int) []Packet {
	packets := make([]Packet, len(group)) // Alg. 3, line 1
	for i, from := range group {
		// Alg. 3, lines 4, 5, 12
		p := Packet{From: from, To: slices.Delete(slices.Clone(group), i, i+1)}
		for _, lacking := range slices.Backward(p.To) { // Alg. 3, line 6: backward, so that blocks ascend
			holders := slices.DeleteFunc(slices.Clone(group), func(v int) bool { return v == lacking })
			// Alg. 3, lines 7, 8
			p.Terms = append(p.Terms, Term{a.Index(holders), slices.Index(holders, from)})
		}
		packets[i] = p // Alg. 3, line 13
	}
	return packets // Alg. 3, line 15
}

// Position returns the segment of block q that a node sends, its rank among the
// block's holders.
//
// Source: Alg. 3, line 7
func (a *Assignment) Position(q, node int) int { return rank(a.set(q), node) }

// Encode writes a packet's content to content: for each of micro-blocks micro-blocks,
// side by side, the sum of the terms' segments modulo 2³², as long as the longest, the
// shorter ones filled with zeros. See Padded for its length.
//
// Source: Eq. (12)
func Encode(content []int32, p Packet, known Known, layer int, cut Cut, microBlocks int) error {
	size := cut.Padded(p)
	for j := range microBlocks {
		part := content[j*size : (j+1)*size]
		for i, t := range p.Terms {
			g, err := known.Layer(t.Block, j, layer)
			if err != nil {
				return err
			}
			if i == 0 {
				cut.Gather(part, g, t.Position) // Alg. 3, lines 3, 9: the first is 0 + it
				clear(part[cut.Len(t.Position):])
			} else {
				cut.AddTo(part, g, t.Position) // Alg. 3, line 9
			}
		}
	}
	return nil
}

// Padded returns how many numbers a packet has for each micro-block: its longest
// segment.
//
// Source: ours: segments of one packet differ by a row or a column
func (c Cut) Padded(p Packet) int {
	size := 0
	for _, t := range p.Terms {
		size = max(size, c.Len(t.Position))
	}
	return size
}

// around returns a set as distances from a node, upwards and round, the nearest the
// highest bit: greater sets are nearer, and every node sees its own ones so.
func (a *Assignment) around(node int, set uint64) (distances uint64) {
	for _, v := range members(set) {
		distances |= bits.Reverse64(1 << ((v - node + a.n) % a.n))
	}
	return distances
}

// sequence returns D_i in the order in which node i computes it: blocks shared with
// the nodes after it first. Seen from each node it is the same, so that at no time all
// send to one node, as they do if all compute in lexicographic order.
func (a *Assignment) sequence(node int) []int {
	type block struct {
		q      int
		around uint64
	}
	of := a.Of(node)
	order := make([]block, len(of))
	for i, q := range of {
		order[i] = block{q, a.around(node, a.set(q))}
	}
	slices.SortFunc(order, func(x, y block) int { return cmp.Compare(y.around, x.around) })
	for i, b := range order {
		of[i] = b.q
	}
	return of
}

// departures sorts packets into the order in which they are sent and received, which
// is the same for two packets wherever they meet, and returns after how many of its
// sender's blocks each can go: from 0, the last of its terms' in the sender's
// sequence. Of those that can go at once the first are for the nodes after the sender.
func departures(a *Assignment, packets []Packet) (after []int) {
	type departure struct {
		after int
		to    uint64
		p     Packet
	}
	place := make([][]int, a.n) // by sender and block
	order := make([]departure, len(packets))
	for i, p := range packets {
		if place[p.From] == nil {
			place[p.From] = make([]int, a.Blocks())
			for k, q := range a.sequence(p.From) {
				place[p.From][q] = k
			}
		}
		d := departure{p: p}
		for _, t := range p.Terms {
			d.after = max(d.after, place[p.From][t.Block])
		}
		var to uint64
		for _, v := range p.To {
			to |= 1 << v
		}
		d.to = a.around(p.From, to)
		order[i] = d
	}
	slices.SortFunc(order, func(x, y departure) int {
		return cmp.Or(cmp.Compare(x.after, y.after), cmp.Compare(y.to, x.to), cmp.Compare(x.p.From, y.p.From),
			slices.CompareFunc(x.p.Terms, y.p.Terms, func(s, t Term) int { return cmp.Compare(s.Block, t.Block) }))
	})
	after = make([]int, len(order))
	for i, d := range order {
		packets[i], after[i] = d.p, d.after
	}
	return after
}

// Literal visits the packets of Algorithm 3 as it is printed: one for every
// combination of r of the node's blocks, C(μ,r) of them, lexicographic, until visit
// returns false. A packet's receivers are those that lack exactly one of its blocks,
// and there may be none. The packet is the visitor's until it returns.
//
// From r = 3 to n−2 most packets repeat what others bring, and at r = 1 there is one
// packet for all n−1 others instead of one for each.
//
// Source: Alg. 3, line 2
func (a *Assignment) Literal(node int, visit func(Packet) bool) {
	own := a.Of(node)
	sets, position := make([]uint64, len(own)), make([]int, len(own))
	for i, q := range own {
		sets[i] = a.set(q)
		position[i] = rank(sets[i], node)
	}
	p := Packet{From: node, Terms: make([]Term, a.r), To: make([]int, 0, a.n)}
	// lacking[i] is T, as counts, of the first i blocks chosen; its singularity is
	// taken of the last (lines 10 and 12).
	lacking := make([]counts, a.r+1)
	all := uint64(1)<<a.n - 1
	var choose func(depth, from int) bool
	choose = func(depth, from int) bool {
		if depth == a.r {
			p.To = p.To[:0]
			once := lacking[depth].once()
			for i := range a.n {
				if has(once, i) {
					p.To = append(p.To, i)
				}
			}
			return visit(p)
		}
		for i := from; i <= len(own)-(a.r-depth); i++ {
			p.Terms[depth] = Term{own[i], position[i]}
			lacking[depth+1] = lacking[depth]
			lacking[depth+1].add(all &^ sets[i])
			if !choose(depth+1, i+1) {
				return false
			}
		}
		return true
	}
	choose(0, 0)
}

// counts says which nodes occur once in a list of sets.
type counts struct{ seen, twice uint64 }

func (c *counts) add(set uint64) {
	c.twice |= c.seen & set
	c.seen |= set
}

func (c *counts) once() uint64 { return c.seen &^ c.twice }
