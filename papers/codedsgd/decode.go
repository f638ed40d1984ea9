//gradsync:pure

package codedsgd

import (
	"fmt"
	"math/bits"
	"slices"
)

// Known gives the gradients that a node has: Algorithm 4's B.
//
// Source: Alg. 4
type Known interface {
	// Has is can_get: whether the node computed the block's gradient.
	Has(block int) bool
	// Layer returns micro-block j of the block's gradient of one layer, or an error
	// if the node lacks it.
	Layer(block, j, layer int) ([]int32, error)
}

// Unknown returns the one term of p whose block the node lacks, or an error if there
// is none, or are several: then Algorithm 4 would return the last and a sum.
//
// Source: Alg. 4, line 5
func Unknown(p Packet, known Known) (Term, error) {
	var unknown Term
	lacking := 0
	for _, t := range p.Terms {
		if !known.Has(t.Block) { // Alg. 4, line 7
			unknown = t // Alg. 4, lines 8, 9
			lacking++
		}
	}
	// Alg. 4, line 8: a second one
	if lacking != 1 {
		return Term{}, fmt.Errorf("codedsgd: packet of node %d with terms %v has %d unknown, want exactly 1", p.From, p.Terms, lacking)
	}
	return unknown, nil
}

// Decode takes from a packet's content, in place, what the node knows, and returns the
// term that remains. Micro-block j's segment is content[j·Padded(p)] and the Len(Position) numbers from there.
//
// Source: Alg. 4
func Decode(content []int32, p Packet, known Known, layer int, cut Cut, microBlocks int) (Term, error) {
	unknown, err := Unknown(p, known)
	if err != nil {
		return Term{}, err
	}
	size := cut.Padded(p)
	if len(content) != microBlocks*size {
		return Term{}, fmt.Errorf("codedsgd: packet of node %d has %d numbers, want %d of each of %d micro-blocks", p.From, len(content), size, microBlocks)
	}
	for j := range microBlocks {
		part := content[j*size : (j+1)*size] // Alg. 4, line 3
		for _, t := range p.Terms {          // Alg. 4, lines 1, 2, 4
			// Alg. 4, line 5: all others it has
			if t == unknown {
				continue
			}
			g, err := known.Layer(t.Block, j, layer)
			if err != nil {
				return Term{}, err
			}
			cut.SubtractFrom(part, g, t.Position) // Alg. 4, line 6
		}
	}
	return unknown, nil // Alg. 4, line 12: the content, in place, is its segment
}

// Header is a Packet as four words in the frame's header, beside the content and not
// counted with it: T as a set of n bits, and J and P as r numbers block·r + position, as
// many to a word as fit. The first word's other bits are 0; on the wire they hold a
// hash of the sender's options and job.
//
// Source: Alg. 3, line 13
type Header [4]int64

// headerTerms returns how many terms go into one word.
func (a *Assignment) headerTerms() int { return 63 / bits.Len(uint(a.Blocks()*a.r)) }

// headerHolds says whether the blocks are few enough for that many terms in a header.
func (a *Assignment) headerHolds(terms int) bool {
	return a.Blocks() <= maxBlocks && terms <= 3*a.headerTerms()
}

// maxBlocks bounds the blocks of an exchange; a batch has fewer samples.
const maxBlocks = 1 << 24

// Header returns p's header, or an error if its terms do not fit.
//
// Source: Alg. 3, line 13
func (a *Assignment) Header(p Packet) (h Header, err error) {
	if !a.headerHolds(len(p.Terms)) {
		return h, fmt.Errorf("codedsgd: %d terms of %d blocks are too many for a header", len(p.Terms), a.Blocks())
	}
	for _, to := range p.To {
		h[0] |= 1 << to
	}
	base, per := int64(a.Blocks()*a.r)+1, a.headerTerms()
	for i, t := range slices.Backward(p.Terms) {
		word := &h[1+i/per]
		*word = *word*base + int64(t.Block*a.r+t.Position) + 1
	}
	return h, nil
}

// ReadHeader returns the packet of a header that node from sent, or an error that
// says what no packet of from can be: blocks that do not ascend or that from lacks,
// a segment that is not from's, receivers that do not lack exactly one of the blocks.
// Of the first word it reads n bits.
//
// Source: Alg. 4, line 1
func (a *Assignment) ReadHeader(h Header, from int) (Packet, error) {
	bad := func(why string) (Packet, error) {
		return Packet{}, fmt.Errorf("codedsgd: packet %v of node %d: %s", h, from, why)
	}
	if a.Blocks() > maxBlocks || from < 0 || from >= a.n {
		return bad("no such node")
	}
	to := uint64(h[0]) & (1<<a.n - 1)
	p := Packet{From: from, To: members(to)}
	base, per := int64(a.Blocks()*a.r)+1, a.headerTerms()
	var lacking counts
	for i, word := range h[1:] {
		if word < 0 || word > 0 && len(p.Terms) < i*per {
			return bad("words that are not filled in order")
		}
		for ; word > 0; word /= base {
			t := Term{int(word%base-1) / a.r, int(word%base-1) % a.r}
			switch last := len(p.Terms) - 1; {
			case word%base == 0 || len(p.Terms) == (i+1)*per:
				return bad("a term that is none")
			case last >= 0 && t.Block <= p.Terms[last].Block:
				return bad("blocks do not ascend")
			case !a.Holds(from, t.Block) || t.Position != a.Position(t.Block, from):
				return bad("a segment that is not the sender's")
			}
			p.Terms = append(p.Terms, t)
			lacking.add(^a.set(t.Block))
		}
	}
	if len(p.Terms) == 0 || to&^lacking.once() != 0 {
		return bad("a receiver does not lack exactly one block")
	}
	return p, nil
}
