// Package model holds the networks the experiments train and the cost tables of
// those they only time. Parameter names and layouts are PyTorch's, so that
// weights move between the two.
package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gradsync/shared/tensor/layer"
)

// Param is one parameter tensor within the flat vector of all parameters.
//
// Source: ours: PyTorch's names and layouts
type Param struct {
	Name   string // "conv1.weight"
	Shape  []int
	Offset int
	Length int
}

// LayerInfo is one layer with parameters: its slice of the parameter vector and
// what it costs per image. FLOP counts a multiply-add as two; the backward pass
// counts twice the forward (gradient of the weights, gradient of the input), the
// first layer's unused input gradient included, as is customary. Element-wise
// layers and pools count as nothing. Bytes is what the forward pass reads and
// writes of activations, float32; the backward pass moves about twice that.
//
// Source: ours: what the platform turns into time
type LayerInfo struct {
	Name           string
	Offset, Length int
	ForwardFLOP    float64
	BackwardFLOP   float64
	Bytes          float64
}

// Model is a network's structure: a chain of layers. It holds no parameters and
// is safe for concurrent use.
//
// Source: ours: parameters, activations and structure live apart, so that N
// ranks need N parameter vectors and one workspace per core
type Model struct {
	name    string
	input   layer.Shape
	steps   []Step
	classes int
	nodes   []node
	params  []Param
	layers  []LayerInfo
	length  int
}

// node is a layer in its place.
type node struct {
	layer          layer.Layer
	in             layer.Shape
	index          int // among the layers with parameters, or −1
	offset, length int
}

// Step is one layer of the chain; Name is empty for layers without parameters.
//
// Source: ours: what another library needs to build the same network
type Step struct {
	Name  string
	Layer layer.Layer
}

// New returns the network of that name; the error lists the names there are.
func New(name string) (*Model, error) {
	a, ok := architectures[name]
	if !ok {
		return nil, fmt.Errorf("model: no network %q: known are %s", name, strings.Join(Names(), ", "))
	}
	return build(name, a)
}

// Names lists the networks that New builds, sorted.
func Names() []string {
	var names []string
	for name := range architectures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// build chains the steps and lays out the parameters.
func build(name string, a architecture) (*Model, error) {
	m := &Model{name: name, input: a.input, steps: a.steps}
	shape := a.input
	for _, s := range a.steps {
		out, err := s.Layer.Out(shape)
		if err != nil {
			return nil, fmt.Errorf("model: %s, layer %q: %w", name, s.Name, err)
		}
		n := node{layer: s.Layer, in: shape, index: -1, offset: m.length}
		for _, p := range s.Layer.Params() {
			m.params = append(m.params, Param{s.Name + "." + p.Name, p.Shape, m.length, p.Len()})
			m.length += p.Len()
		}
		n.length = m.length - n.offset
		if n.length > 0 {
			n.index = len(m.layers)
			m.layers = append(m.layers, info(s.Name, n, out))
		}
		m.nodes = append(m.nodes, n)
		shape = out
	}
	m.classes = shape.Len()
	return m, nil
}

func info(name string, n node, out layer.Shape) LayerInfo {
	flop := 2 * n.layer.MACs(n.in)
	return LayerInfo{
		Name: name, Offset: n.offset, Length: n.length,
		ForwardFLOP: flop, BackwardFLOP: 2 * flop,
		Bytes: 4 * float64(n.in.Len()+out.Len()),
	}
}

// Name is the name New was given.
func (m *Model) Name() string { return m.name }

// NumParams is the length of the parameter vector.
func (m *Model) NumParams() int { return m.length }

// Input is the shape of one image: channels, height, width.
func (m *Model) Input() (c, h, w int) { return m.input.C, m.input.H, m.input.W }

// Classes is the number of logits.
func (m *Model) Classes() int { return m.classes }

// Params lists the parameter tensors in the order of the parameter vector,
// weight then bias of each layer. The caller must not change it.
func (m *Model) Params() []Param { return m.params }

// Layers lists the layers with parameters in forward order; together they cover
// the parameter vector without gaps. The caller must not change it.
func (m *Model) Layers() []LayerInfo { return m.layers }

// Steps lists all layers in forward order. The caller must not change it.
func (m *Model) Steps() []Step { return m.steps }

// Init draws fresh parameters as PyTorch's nn.Linear and nn.Conv2d do by
// default: kaiming-uniform with a = √5 for weights and the same bound for biases,
//
//	θ ~ U(−1/√fan_in, 1/√fan_in)
//
// in the order of the parameter vector, one draw each. The distribution is
// PyTorch's, the numbers are not. Panics if dst is not NumParams long.
func (m *Model) Init(dst []float32, r *rand.Rand) {
	if len(dst) != m.length {
		panic(fmt.Sprintf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(dst)))
	}
	for _, n := range m.nodes {
		if n.index < 0 {
			continue
		}
		bound := 1 / math.Sqrt(float64(n.layer.FanIn()))
		for i := range dst[n.offset : n.offset+n.length] {
			u := float64(2*r.Float64()) - 1
			dst[n.offset+i] = float32(u * bound)
		}
	}
}
