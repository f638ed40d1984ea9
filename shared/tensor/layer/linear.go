package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// Linear is a fully connected layer y = x·Wᵀ + b; W has shape [Outputs][Inputs].
// An image of any shape with that many elements is read in storage order, so no
// flatten layer is needed.
//
// Source: ours: PyTorch's nn.Linear
type Linear struct{ Inputs, Outputs int }

func (l Linear) Params() []Param {
	return []Param{{"weight", []int{l.Outputs, l.Inputs}}, {"bias", []int{l.Outputs}}}
}

func (l Linear) FanIn() int { return l.Inputs }

func (l Linear) Out(in Shape) (Shape, error) {
	if in.Len() != l.Inputs {
		return Shape{}, fmt.Errorf("layer: linear layer of %d inputs does not fit %v, which has %d elements", l.Inputs, in, in.Len())
	}
	return Shape{l.Outputs, 1, 1}, nil
}

func (l Linear) MACs(Shape) float64 { return float64(l.Inputs) * float64(l.Outputs) }

func (l Linear) New(e tensor.Engine, _ Shape, batch int) Op {
	return &linearOp{
		engine: e, Linear: l,
		y:  make([]float32, e.Layout().Len(batch, l.Outputs)),
		dx: make([]float32, e.Layout().Len(batch, l.Inputs)),
	}
}

type linearOp struct {
	Linear
	engine tensor.Engine
	y, dx  []float32
}

func (o *linearOp) geometry(n int) tensor.Linear {
	return tensor.Linear{N: n, In: o.Inputs, Out: o.Outputs}
}

func (o *linearOp) Forward(c *tensor.Call, n int, w, x []float32) []float32 {
	weights := o.Inputs * o.Outputs
	y := o.y[:o.engine.Layout().Len(n, o.Outputs)]
	o.engine.LinearForward(c, o.geometry(n), x, w[:weights], w[weights:], y)
	return y
}

func (o *linearOp) BackwardParams(c *tensor.Call, n int, x, dy, dw []float32) {
	weights := o.Inputs * o.Outputs
	o.engine.LinearBackwardFilter(c, o.geometry(n), x, dy, dw[:weights])
	o.engine.BiasBackward(c, n, o.Outputs, 1, dy, dw[weights:])
}

func (o *linearOp) BackwardInput(c *tensor.Call, n int, w, dy []float32) []float32 {
	dx := o.dx[:o.engine.Layout().Len(n, o.Inputs)]
	o.engine.LinearBackwardData(c, o.geometry(n), dy, w[:o.Inputs*o.Outputs], dx)
	return dx
}
