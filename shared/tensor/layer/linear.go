package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// Linear is a fully connected layer y = x·Wᵀ + b; W has shape [Outputs][Inputs].
// An image of any shape with that many elements is read in storage order, so no
// flatten layer is needed. ReLU is WithReLU's.
//
// Source: ours: PyTorch's nn.Linear
type Linear struct {
	Inputs, Outputs int
	ReLU            bool
}

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

func (l Linear) Memory(Shape) Memory { return Memory{KeepX: true, KeepY: l.ReLU} }

func (l Linear) New(e tensor.Engine, _ *tensor.Call, _ Shape, batch int) Op {
	return &linearOp{e, tensor.Linear{N: batch, In: l.Inputs, Out: l.Outputs, ReLU: l.ReLU}}
}

type linearOp struct {
	engine tensor.Engine
	g      tensor.Linear
}

func (o *linearOp) Forward(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	weights := o.g.In * o.g.Out
	o.engine.LinearForward(c, o.g, p.X, p.W[:weights], p.W[weights:], p.Y)
}

func (o *linearOp) BackwardParams(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	weights := o.g.In * o.g.Out
	o.engine.LinearBackwardFilter(c, o.g, p.X, p.DY, p.DW[:weights])
	o.engine.BiasBackward(c, p.N, o.g.Out, 1, p.DY, p.DW[weights:])
}

func (o *linearOp) BackwardInput(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.LinearBackwardData(c, o.g, p.DY, p.W[:o.g.In*o.g.Out], p.DX)
}
