package codedsgd

import "fmt"

// Known is what a node has of the gradients: Algorithm 4's B.
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
