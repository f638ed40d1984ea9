package model

import (
	"fmt"

	"gradsync/shared/tensor/layer"
)

// graph is a network as it is computed: steps that can be done together are one
// node, steps that do nothing are none.
type graph struct {
	nodes  []node
	values []int // elements per image; value 0 is the image
	logits int   // the value behind the last step
}

// node computes value out from the values in (two for a sum).
type node struct {
	layer          layer.Layer
	memory         layer.Memory
	shape          layer.Shape // of the first input
	in             [2]int      // in[1] is −1 but for a sum
	out            int
	index          int // among the layers with parameters, or −1
	offset, length int // of its parameters
	stats, nstats  int // of its statistics
}

// norm tells whether the node is a batch norm.
func (n *node) norm() bool { return n.nstats > 0 }

// relu tells whether the node ends with a ReLU whose gradient the workspace masks.
func (n *node) relu() bool {
	switch l := n.layer.(type) {
	case layer.Linear:
		return l.ReLU
	case layer.Add:
		return l.ReLU
	}
	return false
}

// builder lays out parameters and connects steps.
type builder struct {
	*Model
	shapes    []layer.Shape // per step
	values    []int         // per step: the value of its output
	consumers []int         // per step
}

// build connects the steps, lays out the parameters and fuses what can be fused.
func build(name string, a architecture) (*Model, error) {
	b := &builder{Model: &Model{name: name, input: a.input, steps: a.steps}, consumers: make([]int, len(a.steps))}
	b.graph.values = []int{a.input.Len()}
	for i := range a.steps {
		for _, j := range b.inputs(i) {
			if j >= i {
				return nil, fmt.Errorf("model: %s, step %d reads step %d, which is not before it", name, i, j)
			}
			if j >= 0 {
				b.consumers[j]++
			}
		}
	}
	for i, s := range a.steps {
		if err := b.connect(i, s); err != nil {
			return nil, fmt.Errorf("model: %s, layer %q: %w", name, s.Name, err)
		}
		if last := i == len(a.steps)-1; !last && b.consumers[i] == 0 {
			return nil, fmt.Errorf("model: %s, layer %q: nobody reads its output", name, s.Name)
		}
	}
	last := len(a.steps) - 1
	b.classes, b.graph.logits = b.shapes[last].Len(), b.values[last]
	return b.Model, nil
}

// inputs returns the steps that step i reads; −1 is the image.
func (b *builder) inputs(i int) []int {
	if s := b.steps[i].Inputs; s != nil {
		return s
	}
	return []int{i - 1}
}

// source returns the shape and the value of a step's output.
func (b *builder) source(step int) (layer.Shape, int) {
	if step < 0 {
		return b.input, 0
	}
	return b.shapes[step], b.values[step]
}

// connect adds step i.
func (b *builder) connect(i int, s Step) error {
	inputs := b.inputs(i)
	in, value := b.source(inputs[0])
	out, err := s.Layer.Out(in)
	if err != nil {
		return err
	}
	n := node{layer: s.Layer, shape: in, in: [2]int{value, -1}, index: -1, offset: b.length, stats: b.nstats}
	if _, sum := s.Layer.(layer.Add); sum != (len(inputs) == 2) || len(inputs) > 2 {
		return fmt.Errorf("%T with %d inputs", s.Layer, len(inputs))
	} else if sum {
		other, value := b.source(inputs[1])
		if other != in {
			return fmt.Errorf("sum of %v and %v", in, other)
		}
		n.in[1] = value
	}
	b.shapes = append(b.shapes, out)
	if b.fuse(i, inputs[0]) {
		return nil
	}
	n.memory = s.Layer.Memory(in)
	if n.memory.Identity {
		b.values = append(b.values, value)
		return nil
	}
	b.layOut(s, &n, out)
	n.out = len(b.graph.values)
	b.graph.values = append(b.graph.values, out.Len())
	b.values = append(b.values, n.out)
	b.graph.nodes = append(b.graph.nodes, n)
	return nil
}

// fuse lets the node before do a ReLU, if it can and nobody else reads it.
func (b *builder) fuse(i, input int) bool {
	if _, relu := b.steps[i].Layer.(layer.ReLU); !relu || input < 0 || b.consumers[input] != 1 || len(b.graph.nodes) == 0 {
		return false
	}
	last := &b.graph.nodes[len(b.graph.nodes)-1]
	fused, ok := layer.WithReLU(b.steps[input].Layer)
	if !ok || input != i-1 {
		return false
	}
	last.layer, last.memory = fused, fused.Memory(last.shape)
	b.values = append(b.values, last.out)
	return true
}

// layOut gives the node its place in the vectors of parameters and statistics.
func (b *builder) layOut(s Step, n *node, out layer.Shape) {
	for _, p := range s.Layer.Params() {
		b.params = append(b.params, Param{s.Name + "." + p.Name, p.Shape, b.length, p.Len()})
		b.length += p.Len()
	}
	if norm, ok := s.Layer.(layer.BatchNorm); ok {
		for _, p := range norm.Stats() {
			b.stats = append(b.stats, Param{s.Name + "." + p.Name, p.Shape, b.nstats, p.Len()})
			b.nstats += p.Len()
		}
	}
	n.length, n.nstats = b.length-n.offset, b.nstats-n.stats
	if n.length == 0 {
		return
	}
	n.index = len(b.layers)
	flop := 2 * n.layer.MACs(n.shape)
	b.layers = append(b.layers, LayerInfo{
		Name: s.Name, Offset: n.offset, Length: n.length,
		ForwardFLOP: flop, BackwardFLOP: 2 * flop,
		Bytes: 4 * float64(n.shape.Len()+out.Len()),
	})
}
