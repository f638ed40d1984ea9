package codedsgd

import "slices"

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
