package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/vec"
)

// KindCoded is one step of the coded exchange of a layer of a job's Bytes of int32: a
// packet encoded or decoded, or the layer turned into fixed point and back.
const KindCoded = "coded"

// codedRedundancies lists the redundancies at which packets are measured.
var codedRedundancies = []int{2, 3, 5}

// Names of the contenders of KindCoded beside Copy and the encode-r and decode-r.
const (
	quantise   = "quantise"   // float32 to int32
	accumulate = "accumulate" // int32 onto an int64 sum
	update     = "update"     // float32 parameters from an int64 sum, which dequantises
)

// CodedKernels lists the contenders of KindCoded, Copy first.
func CodedKernels() []string {
	names := []string{Copy}
	for _, verb := range []string{"encode", "decode"} {
		for _, r := range codedRedundancies {
			names = append(names, fmt.Sprintf("%s-%d", verb, r))
		}
	}
	return append(names, quantise, accumulate, update)
}

// CodedSizes lists the layers' sizes in bytes, 64 KiB to 64 MiB.
func CodedSizes() []int { return []int{64 << 10, 1 << 20, 16 << 20, 64 << 20} }

// CodedCase returns the case of one size of layer with the aim of the exchange, half of copy()'s
// bandwidth for encoding and decoding.
func CodedCase(bytes int) Case {
	c := Case{Title: SizeText(bytes) + " of a layer, coded", Peer: Copy, Job: Job{Kind: KindCoded, Bytes: bytes, Threads: 1}}
	for _, k := range CodedKernels() {
		if r, _ := redundancy(k); r > 0 {
			c.Aims = append(c.Aims, Aim{Measure: Speed, Bound: 0.5, Contender: k})
		}
	}
	return c
}

// redundancy returns the r of encode-r and decode-r, and which of them; 0 of the others.
func redundancy(name string) (r int, decodes bool) {
	verb, number, _ := strings.Cut(name, "-")
	if r, err := strconv.Atoi(number); err == nil && slices.Contains(codedRedundancies, r) && (verb == "encode" || verb == "decode") {
		return r, verb == "decode"
	}
	return 0, false
}

// produced returns the bytes that a step leaves for each that it takes in.
func produced(name string) float64 {
	if r, _ := redundancy(name); r > 0 {
		return 1 / float64(r)
	}
	if name == accumulate {
		return 2
	}
	return 1
}

// openCoded opens a kernel of the exchange on random numbers. The bytes of a step count the terms
// it takes in: for a packet r segments, each the r-th part of the layer (a decoder's are the
// packet and the r−1 that it knows), for the others 4 for each number.
func openCoded(j Job) (*Task, error) {
	random, n := rand.New(rand.NewPCG(7, 8)), j.Bytes/4
	var once func() error
	if r, decodes := redundancy(j.Contender); r > 0 {
		x, err := newCoder(random, n, r)
		if err != nil {
			return nil, err
		}
		if once = x.encode; decodes {
			once = x.decode
		}
	} else {
		var err error
		if once, err = openNumbers(j.Contender, random, n); err != nil {
			return nil, err
		}
	}
	return &Task{Class: "–", Bytes: float64(4 * n), Run: func(steps int) error {
		for range steps {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// openNumbers opens what works on one layer, number by number.
func openNumbers(name string, random *rand.Rand, n int) (func() error, error) {
	const limit = 10
	x, q := normal(random, n), make([]int32, n)
	codedsgd.Quantise(q, x, limit)
	switch name {
	case Copy:
		from := slices.Clone(q)
		return func() error { copy(q, from); return nil }, nil
	case quantise:
		return func() error { codedsgd.Quantise(q, x, limit); return nil }, nil
	case accumulate:
		sum := make([]int64, n)
		return func() error { codedsgd.Accumulate(sum, q); return nil }, nil
	case update:
		sum := make([]int64, n)
		codedsgd.Accumulate(sum, q)
		return func() error { codedsgd.Update(x, sum, limit, 1000, 1e-9, 0); return nil }, nil
	}
	return nil, fmt.Errorf("bench: coded: no kernel %q", name)
}

// coder is node 0 and node 1 of a group of r+1 nodes and a packet between them.
type coder struct {
	packet   codedsgd.Packet
	sender   gradients
	receiver gradients
	cut      codedsgd.Cut
	content  []int32
	body     []byte // the message
}

// gradients holds what a node computed: of one layer, a block each, nil where it did not.
type gradients [][]int32

var _ codedsgd.Known = gradients(nil)

func (g gradients) Has(block int) bool { return g[block] != nil }

func (g gradients) Layer(block, _, _ int) ([]int32, error) {
	if g[block] == nil {
		return nil, fmt.Errorf("bench: coded: block %d is not there", block)
	}
	return g[block], nil
}

// newCoder draws gradients and checks one packet: decoded, it is the segment of the
// block that the receiver lacks.
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
		return nil, fmt.Errorf("bench: coded: r = %d: what node 1 decodes is not node 0's segment of block %d", r, t.Block)
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
