package layer

import "gradsync/shared/tensor"

// ReLU is max(x, 0).
//
// Source: ours: PyTorch's nn.ReLU
type ReLU struct{ plain }

func (ReLU) Out(in Shape) (Shape, error) { return in, nil }

func (ReLU) Memory(Shape) Memory { return Memory{KeepY: true, YIsX: true, DXIsDY: true} }

func (ReLU) New(e tensor.Engine, _ *tensor.Call, _ Shape, _ int) Op { return reluOp{e} }

type reluOp struct{ engine tensor.Engine }

func (o reluOp) Forward(c *tensor.Call, p *Pass) { o.engine.ReLU(c, p.X, p.Y) }

func (reluOp) BackwardParams(*tensor.Call, *Pass) {}

func (o reluOp) BackwardInput(c *tensor.Call, p *Pass) { o.engine.ReLUBackward(c, p.Y, p.DY, p.DX) }

// Add is the sum of two steps of one shape, the end of a shortcut. Its gradient
// is that of both inputs. ReLU is WithReLU's.
//
// Source: He et al. 2016, Eq. 1
type Add struct {
	plain
	ReLU bool
}

func (Add) Out(in Shape) (Shape, error) { return in, nil }

func (l Add) Memory(Shape) Memory { return Memory{KeepY: l.ReLU, YIsX: true} }

func (l Add) New(e tensor.Engine, _ *tensor.Call, _ Shape, _ int) Op { return addOp{e, l.ReLU} }

type addOp struct {
	engine tensor.Engine
	relu   bool
}

func (o addOp) Forward(c *tensor.Call, p *Pass) { o.engine.Add(c, p.X, p.X2, p.Y, o.relu) }

func (addOp) BackwardParams(*tensor.Call, *Pass) {}
func (addOp) BackwardInput(*tensor.Call, *Pass)  {}
