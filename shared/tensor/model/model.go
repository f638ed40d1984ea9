// Package model holds the networks the experiments train and the cost tables of
// those they only time. Parameter names and layouts are PyTorch's, so that
// weights move between the two.
package model

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gradsync/shared/tensor/layer"
)

// Param is one parameter tensor within the flat vector of all parameters, or one
// running statistic within the vector of all statistics.
//
// Source: ours: PyTorch's names and layouts
type Param struct {
	Name   string // "conv1.weight", "bn1.running_mean"
	Shape  []int
	Offset int
	Length int
}

// LayerInfo is one layer with parameters: its slice of the parameter vector and
// what it costs per image. FLOP counts a multiply-add as two; the backward pass
// counts twice the forward (gradient of the weights, gradient of the input), the
// first layer's unused input gradient included, as is customary. Element-wise
// layers, batch norms and pools count as nothing. Bytes are the activations,
// float32, that the forward pass reads and writes; the backward pass moves about
// twice that.
//
// Source: ours: what the platform turns into time
type LayerInfo struct {
	Name           string
	Offset, Length int
	ForwardFLOP    float64
	BackwardFLOP   float64
	Bytes          float64
}

// Model is a network's structure: layers that read each other's outputs. It
// holds no parameters and is safe for concurrent use.
//
// Source: ours: parameters, activations and structure live apart, so that N
// ranks need N parameter vectors and one workspace per core
type Model struct {
	name    string
	input   layer.Shape
	steps   []Step
	classes int
	graph   graph
	params  []Param
	stats   []Param
	layers  []LayerInfo
	length  int // of the parameter vector
	nstats  int // length of the vector of statistics
}

// Spec says which network: Width scales the channels and hidden units of all but
// lenet5 (0 is 1), Image is the side of the input images (0 is the network's own),
// Classes how many logits it has (0 is the network's own, 10).
//
// Source: ours: the profiles' networks
type Spec struct {
	Name    string
	Width   float64
	Image   int
	Classes int
}

// New returns the network of that name in its own size; the error lists the
// names there are.
func New(name string) (*Model, error) { return Build(Spec{Name: name}) }

// Names lists the networks that New builds, sorted.
func Names() []string {
	names := slices.Collect(maps.Keys(smalls))
	names = slices.AppendSeq(names, maps.Keys(deep))
	slices.Sort(names)
	return names
}

// Build returns the network; the error names what is wrong with the spec.
func Build(spec Spec) (*Model, error) {
	var a architecture
	var err error
	if s, ok := smalls[spec.Name]; ok {
		a, err = buildSmall(s, spec)
	} else if d, ok := deep[spec.Name]; ok {
		a, err = buildDeep(d, spec)
	} else {
		return nil, fmt.Errorf("model: no network %q: known are %s", spec.Name, strings.Join(Names(), ", "))
	}
	if err == nil && spec.Classes != 0 {
		err = a.tell(spec.Classes)
	}
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", spec.Name, err)
	}
	return build(spec.Name, a)
}

// Name returns the name New was given.
func (m *Model) Name() string { return m.name }

// NumParams returns the length of the parameter vector.
func (m *Model) NumParams() int { return m.length }

// NumStats returns the length of the vector of running statistics: 0 for networks
// without batch norm.
func (m *Model) NumStats() int { return m.nstats }

// Input returns the shape of one image: channels, height, width.
func (m *Model) Input() (c, h, w int) { return m.input.C, m.input.H, m.input.W }

// Classes returns the number of logits.
func (m *Model) Classes() int { return m.classes }

// Params lists the parameter tensors in the order of the parameter vector,
// weight then bias of each layer. The caller must not change it.
func (m *Model) Params() []Param { return m.params }

// Stats lists the running statistics of the batch norms, mean then variance of
// each, in the order of the vector of statistics. They are no parameters: no
// gradient changes them. The caller must not change the list.
func (m *Model) Stats() []Param { return m.stats }

// Layers lists the layers with parameters in forward order; together they cover
// the parameter vector without gaps. The caller must not change it.
func (m *Model) Layers() []LayerInfo { return m.layers }

// Steps lists all layers in forward order, as they are described: a workspace
// computes some of them together. The caller must not change it.
func (m *Model) Steps() []Step { return m.steps }

// Init draws fresh parameters as PyTorch's nn.Linear and nn.Conv2d do by
// default: kaiming-uniform with a = √5 for weights and the same bound for biases,
//
//	θ ~ U(−1/√fan_in, 1/√fan_in)
//
// in the order of the parameter vector, one draw each; batch norms begin with
// scale 1 and shift 0 and draw nothing. The distribution is PyTorch's, the
// numbers are not. This is the one rule for all networks: torchvision's ResNet
// and VGG replace it by kaiming-normal with fan_out, which is not done here.
// Panics if dst is not NumParams long.
func (m *Model) Init(dst []float32, r *rand.Rand) {
	if len(dst) != m.length {
		panic(fmt.Sprintf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(dst)))
	}
	for _, n := range m.graph.nodes {
		v := dst[n.offset : n.offset+n.length]
		fan := n.layer.FanIn()
		if fan == 0 { // a batch norm's scale and shift, or nothing
			for i := range v {
				v[i] = 0
				if i < len(v)/2 {
					v[i] = 1
				}
			}
			continue
		}
		bound := 1 / math.Sqrt(float64(fan))
		for i := range v {
			u := float64(2*r.Float64()) - 1
			v[i] = float32(u * bound)
		}
	}
}

// InitStats writes fresh running statistics: means 0, variances 1. Panics if dst
// is not NumStats long.
func (m *Model) InitStats(dst []float32) {
	if len(dst) != m.nstats {
		panic(fmt.Sprintf("model: %s has %d statistics, the buffer %d", m.name, m.nstats, len(dst)))
	}
	for i, p := range m.stats {
		for j := range dst[p.Offset : p.Offset+p.Length] {
			dst[p.Offset+j] = float32(i % 2)
		}
	}
}

// Remarks says, a line each, which max-pools pass a map of 1×1 through, where
// PyTorch's refuse it; nil where none does.
//
// Source: ours: what a network made for larger images does on small ones
func (m *Model) Remarks() []string {
	shapes := make([]layer.Shape, len(m.steps))
	var remarks []string
	for i, s := range m.steps {
		from, in := i-1, m.input
		if s.Inputs != nil {
			from = s.Inputs[0]
		}
		if from >= 0 {
			in = shapes[from]
		}
		shapes[i], _ = s.Layer.Out(in) // build has asked it, and refused an error
		pool, ok := s.Layer.(layer.MaxPool)
		if !ok || in.H > 1 || in.W > 1 {
			continue
		}
		remarks = append(remarks, fmt.Sprintf("%s at %d×%d: a %d×%[4]d max-pool (layer %d of %d) meets a 1×1 map and passes it through",
			m.name, m.input.H, m.input.W, pool.Size, i+1, len(m.steps)))
	}
	return remarks
}
