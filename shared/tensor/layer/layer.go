// Package layer holds the layers of the networks: what parameters they have,
// what shape they turn into what, what they cost, and their forward and
// backward steps on any tensor.Engine.
package layer

import "gradsync/shared/tensor"

// Shape is one image's shape between two layers.
//
// Source: ours: channels, height, width, as PyTorch orders them
type Shape struct{ C, H, W int }

// Len returns the number of elements.
func (s Shape) Len() int { return s.C * s.H * s.W }

// Param is one parameter tensor of a layer, or one of its statistics.
//
// Source: ours: PyTorch's names and layouts
type Param struct {
	Name  string // "weight", "bias", "running_mean" or "running_var"
	Shape []int
}

// Len returns the number of elements.
func (p Param) Len() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Layer describes one step of a network; it holds no data.
//
// Source: ours: the description from which tables, parameters and ops are made
type Layer interface {
	// Params lists the parameter tensors, weight then bias; nil without any.
	Params() []Param
	// FanIn is the number of terms in one output's sum, 0 without a sum.
	FanIn() int
	// Out is the shape of the output; the error names what does not fit.
	Out(in Shape) (Shape, error)
	// MACs counts the multiply-adds of one image's forward pass.
	MACs(in Shape) float64
	// Memory says how the layer's buffers may be shared.
	Memory(in Shape) Memory
	// New makes the layer's working state for at most batch images, which serves that Call.
	New(e tensor.Engine, c *tensor.Call, in Shape, batch int) Op
}

// Memory says which of a layer's buffers the backward pass reads, and which may
// be one and the same.
//
// Source: ours: from this the workspace plans its memory
type Memory struct {
	KeepX, KeepY bool // the backward pass reads the input, the output
	YIsX         bool // the output may overwrite the (first) input
	DXIsDY       bool // the input's gradient may overwrite the output's
	Identity     bool // the output is the input: nothing to compute
}

// Pass holds the operands of one call of an Op. Activations and gradients are
// batches of N images in the engine's layout.
//
// Source: ours: buffers belong to the workspace, which shares them
type Pass struct {
	N     int
	W, DW []float32 // the layer's parameters as in Params, and their gradient
	X, Y  []float32
	X2    []float32 // Add's second input, or what Summing adds
	DY    []float32
	DX    []float32
	D     []float32 // of Summing: the gradient behind the ReLU
	// Stats are a batch norm's running statistics (mean, variance), if known.
	// Inference normalises by them; else they are blended with the batch's own,
	// which get the weight Momentum.
	Stats     []float32
	Momentum  float32
	Inference bool
}

// Op is a layer bound to an engine.
//
// Source: ours: gradients of the parameters come before those of the input, so
// that the former can leave while the latter are computed
type Op interface {
	// Forward computes Y from X.
	Forward(c *tensor.Call, p *Pass)
	// BackwardParams computes DW from DY and, if Memory keeps them, X and Y. A
	// batch norm computes DX too: both need the same sums.
	BackwardParams(c *tensor.Call, p *Pass)
	// BackwardInput computes DX from DY.
	BackwardInput(c *tensor.Call, p *Pass)
}

// Summing is an Op that can do the sum and the ReLU behind it too, on a tensor.Fuser.
//
// Source: He et al. 2016, Fig. 2: the end of a basic block
type Summing interface {
	Op
	// ForwardSum computes Y = max(f(X) + X2, 0) for the Op's f; Y may be X2.
	ForwardSum(c *tensor.Call, p *Pass)
	// BackwardSum computes D, what a ReLU with output Y lets through of DY + X2 (nil: of DY),
	// and does BackwardParams with D for DY. D may be DY or X2, and DX may be D.
	BackwardSum(c *tensor.Call, p *Pass)
}

// WithReLU returns the layer with a ReLU behind it, if it can do both at once.
// The gradient it is given must then be masked by ReLUBackward, unless it is a
// batch norm, which does that too.
//
// Source: ours: one pass over memory less
func WithReLU(l Layer) (fused Layer, ok bool) {
	switch l := l.(type) {
	case Linear:
		l.ReLU = true
		return l, true
	case BatchNorm:
		l.ReLU = true
		return l, true
	case Add:
		l.ReLU = true
		return l, true
	}
	return l, false
}

// plain has the methods of layers without parameters.
type plain struct{}

func (plain) Params() []Param    { return nil }
func (plain) FanIn() int         { return 0 }
func (plain) MACs(Shape) float64 { return 0 }
