package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/vec"
)

// packet encodes or decodes one packet of a layer, or copies the layer. Its bytes are those of the terms that it takes in.
func packet(_ testing.TB, k keys, by string, measure func(work, func() error) error) error {
	n, random := k.Int("layer", 0)/4, rand.New(rand.NewPCG(7, 8))
	w := work{bytes: 4 * float64(n)}
	if by == "copy" {
		from, to := make([]int32, n), make([]int32, n)
		for i := range from {
			from[i] = int32(random.Uint32())
		}
		return measure(w, func() error { copy(to, from); return nil })
	}
	x, err := newCoder(random, n, k.Int("r", 2))
	if err != nil {
		return err
	}
	if k["op"] == "decode" {
		return measure(w, x.decode)
	}
	return measure(w, x.encode)
}

// coder is node 0 and node 1 of a group of r+1 nodes and a packet between them.
type coder struct {
	packet           codedsgd.Packet
	sender, receiver gradients
	cut              codedsgd.Cut
	content          []int32
	body             []byte // the message
}

// gradients holds what a node computed: of one layer, a block each, nil where it did not.
type gradients [][]int32

var _ codedsgd.Known = gradients(nil)

func (g gradients) Has(block int) bool { return g[block] != nil }

func (g gradients) Layer(block, _, _ int) ([]int32, error) {
	if g[block] == nil {
		return nil, fmt.Errorf("block %d is not there", block)
	}
	return g[block], nil
}

// newCoder draws gradients and checks one packet: decoded, it is the segment of the block that the receiver lacks.
func newCoder(random *rand.Rand, n, r int) (*coder, error) {
	a, err := codedsgd.Assign(r+1, r)
	if err != nil {
		return nil, err
	}
	x := &coder{sender: make(gradients, a.Blocks()), receiver: make(gradients, a.Blocks())}
	if x.cut, err = codedsgd.NewCut(n, [2]int{n, 1}, r, codedsgd.Rows); err != nil {
		return nil, err
	}
	x.packet = a.Packets(a.Groups()[0])[0]
	for _, t := range x.packet.Terms { // the other segments are never read
		segment, layer := make([]int32, x.cut.Len(t.Position)), make([]int32, n)
		for i := range segment {
			segment[i] = int32(random.Uint32())
		}
		x.cut.Scatter(layer, segment, t.Position)
		if x.sender[t.Block] = layer; a.Holds(1, t.Block) {
			x.receiver[t.Block] = layer
		}
	}
	x.content = make([]int32, x.cut.Padded(x.packet))
	if err := x.encode(); err != nil {
		return nil, err
	}
	clear(x.content)
	if err := x.decode(); err != nil {
		return nil, err
	}
	t, err := codedsgd.Unknown(x.packet, x.receiver)
	if err != nil {
		return nil, err
	}
	want := make([]int32, len(x.content))
	x.cut.Gather(want, x.sender[t.Block], t.Position)
	if !slices.Equal(x.content, want) {
		return nil, fmt.Errorf("r = %d: what node 1 decodes is not node 0's segment of block %d", r, t.Block)
	}
	return x, nil
}

// encode makes the message's body.
func (x *coder) encode() error {
	err := codedsgd.Encode(x.content, x.packet, x.sender, 0, x.cut, 1)
	x.body = vec.AppendInt32(x.body[:0], x.content)
	return err
}

// decode leaves the body's one segment in content.
func (x *coder) decode() error {
	if err := vec.FromInt32(x.content, x.body); err != nil {
		return err
	}
	_, err := codedsgd.Decode(x.content, x.packet, x.receiver, 0, x.cut, 1)
	return err
}
