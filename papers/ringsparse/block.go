//gradsync:pure

package ringsparse

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/codec"
)

// Kind is the tag of a block: what its numbers are.
//
// Source: S41
type Kind uint8

// The kinds. The zero value is neither.
const (
	Weights   Kind = iota + 1 // partial sums of W′
	Gradients                 // partial sums of g
)

// String returns "weights" or "gradients".
func (k Kind) String() string {
	switch k {
	case Weights:
		return "weights"
	case Gradients:
		return "gradients"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Block returns the bounds of block i (mod nodes) of a layer of `length` entries.
// The first length mod nodes blocks have one entry more; some are empty if there
// are fewer entries than nodes. Empty blocks travel as well.
//
// Source: S4
func Block(length, nodes, i int) (lo, hi int) { return collective.Chunk(length, nodes, i) }

// Header travels with a block, in the four words of a message's Meta:
//
//	word 0  kind          S41's tag: 1 weights, 2 gradients
//	word 1  codec         S42's tag: codec.Codec.ID, 0 is direct
//	word 2  contributors  m, how many nodes' terms are in the sum
//	word 3  elements      of the block
//
// Source: S4
type Header struct {
	Kind         Kind
	Codec        uint8
	Contributors int
	Elements     int
}

// Meta returns the header's four words.
//
// Source: S4
func (h Header) Meta() [4]int64 {
	return [4]int64{int64(h.Kind), int64(h.Codec), int64(h.Contributors), int64(h.Elements)}
}

// ReadHeader reads m's header and finds its codec. A kind that is none, an unknown
// codec, or other contributors or elements than the schedule says is an error
// that names the sender.
//
// Source: S5
func ReadHeader(m *cluster.Msg, contributors, elements int) (h Header, c codec.Codec, err error) {
	w := m.Meta
	if w[0] != int64(Weights) && w[0] != int64(Gradients) {
		return h, nil, fmt.Errorf("ringsparse: rank %d sent a block of kind %d, want %d or %d", m.From, w[0], Weights, Gradients)
	}
	if w[1] < 0 || w[1] > 255 {
		return h, nil, fmt.Errorf("ringsparse: rank %d sent codec %d, want 0 to 255", m.From, w[1])
	}
	if w[2] != int64(contributors) || w[3] != int64(elements) {
		return h, nil, fmt.Errorf("ringsparse: rank %d sent the sum of %d blocks of %d entries, want %d of %d: do all ranks exchange the same layers?",
			m.From, w[2], w[3], contributors, elements)
	}
	if c, err = codec.ByID(uint8(w[1])); err != nil {
		return h, nil, fmt.Errorf("ringsparse: from rank %d: %w", m.From, err)
	}
	return Header{Kind: Kind(w[0]), Codec: uint8(w[1]), Contributors: contributors, Elements: elements}, c, nil
}
