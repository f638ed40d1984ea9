// Package layer holds the layers of the networks: what parameters they have,
// what shape they turn into what, what they cost, and their forward and
// backward steps on any tensor.Engine.
package layer

import "gradsync/shared/tensor"

// Shape is one image's shape between two layers.
//
// Source: ours: channels, height, width, as PyTorch orders them
type Shape struct{ C, H, W int }

// Len is the number of elements.
func (s Shape) Len() int { return s.C * s.H * s.W }

// Param is one parameter tensor of a layer.
//
// Source: ours: PyTorch's names and layouts
type Param struct {
	Name  string // "weight" or "bias"
	Shape []int
}

// Len is the number of elements.
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
	// FanIn is the number of terms in one output's sum, 0 without parameters.
	FanIn() int
	// Out is the shape of the output; the error names what does not fit.
	Out(in Shape) (Shape, error)
	// MACs counts the multiply-adds of one image's forward pass.
	MACs(in Shape) float64
	// New makes the layer's working state for at most batch images.
	New(e tensor.Engine, in Shape, batch int) Op
}

// Op is a layer with its buffers, bound to an engine. w holds the layer's
// parameters as in Params, n is the number of images of this step.
//
// Source: ours: gradients of the parameters come before those of the input, so
// that the former can leave while the latter are computed
type Op interface {
	// Forward returns the output, valid until the next Forward. It may
	// overwrite x.
	Forward(c *tensor.Call, n int, w, x []float32) []float32
	// BackwardParams writes the gradient of the parameters to dw. x is the
	// input of the last Forward.
	BackwardParams(c *tensor.Call, n int, x, dy, dw []float32)
	// BackwardInput returns the gradient of the input, valid until the next
	// call. It may overwrite dy.
	BackwardInput(c *tensor.Call, n int, w, dy []float32) []float32
}
