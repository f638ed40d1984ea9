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
		y:  make([]float32, batch*l.Outputs),
		dx: make([]float32, batch*l.Inputs),
	}
}

type linearOp struct {
	Linear
	engine tensor.Engine
	y, dx  []float32
}

func (o *linearOp) Forward(c *tensor.Call, n int, w, x []float32) []float32 {
	weights := o.Inputs * o.Outputs
	y := o.y[:n*o.Outputs]
	o.engine.Gemm(c, tensor.Gemm{TransB: true, M: n, N: o.Outputs, K: o.Inputs}, x, w[:weights], y)
	o.engine.AddBias(c, n, o.Outputs, 1, w[weights:], y)
	return y
}

func (o *linearOp) BackwardParams(c *tensor.Call, n int, x, dy, dw []float32) {
	weights := o.Inputs * o.Outputs
	o.engine.Gemm(c, tensor.Gemm{TransA: true, M: o.Outputs, N: o.Inputs, K: n}, dy, x, dw[:weights])
	o.engine.BiasBackward(c, n, o.Outputs, 1, dy, dw[weights:])
}

func (o *linearOp) BackwardInput(c *tensor.Call, n int, w, dy []float32) []float32 {
	dx := o.dx[:n*o.Inputs]
	o.engine.Gemm(c, tensor.Gemm{M: n, N: o.Inputs, K: o.Outputs}, dy, w[:o.Inputs*o.Outputs], dx)
	return dx
}
