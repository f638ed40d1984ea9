package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// ReLU is max(x, 0), computed in place.
//
// Source: ours: PyTorch's nn.ReLU
type ReLU struct{}

func (ReLU) Params() []Param             { return nil }
func (ReLU) FanIn() int                  { return 0 }
func (ReLU) Out(in Shape) (Shape, error) { return in, nil }
func (ReLU) MACs(Shape) float64          { return 0 }

func (ReLU) New(e tensor.Engine, _ Shape, _ int) Op { return &reluOp{engine: e} }

type reluOp struct {
	engine tensor.Engine
	y      []float32
}

func (o *reluOp) Forward(c *tensor.Call, _ int, _, x []float32) []float32 {
	o.engine.ReLU(c, x, x)
	o.y = x
	return x
}

func (*reluOp) BackwardParams(*tensor.Call, int, []float32, []float32, []float32) {}

func (o *reluOp) BackwardInput(c *tensor.Call, _ int, _, dy []float32) []float32 {
	o.engine.ReLUBackward(c, o.y, dy, dy)
	return dy
}

// MaxPool is a square max-pool without padding.
//
// Source: ours: PyTorch's nn.MaxPool2d
type MaxPool struct{ Size, Stride int }

func (MaxPool) Params() []Param    { return nil }
func (MaxPool) FanIn() int         { return 0 }
func (MaxPool) MACs(Shape) float64 { return 0 }

func (l MaxPool) geometry(in Shape, n int) tensor.Pool {
	return tensor.Pool{N: n, C: in.C, H: in.H, W: in.W, Size: l.Size, Stride: l.Stride}
}

func (l MaxPool) Out(in Shape) (Shape, error) {
	if in.H < l.Size || in.W < l.Size {
		return Shape{}, fmt.Errorf("layer: max-pool of %d×%d does not fit input %v", l.Size, l.Size, in)
	}
	g := l.geometry(in, 1)
	return Shape{in.C, g.OutH(), g.OutW()}, nil
}

func (l MaxPool) New(e tensor.Engine, in Shape, batch int) Op {
	g := l.geometry(in, batch)
	out := batch * in.C * g.OutH() * g.OutW()
	return &poolOp{engine: e, g: g, y: make([]float32, out), arg: make([]int32, out), dx: make([]float32, batch*in.Len())}
}

type poolOp struct {
	engine tensor.Engine
	g      tensor.Pool
	y, dx  []float32
	arg    []int32
}

func (o *poolOp) out(n int) int { return n * o.g.C * o.g.OutH() * o.g.OutW() }

func (o *poolOp) Forward(c *tensor.Call, n int, _, x []float32) []float32 {
	o.g.N = n
	y := o.y[:o.out(n)]
	o.engine.MaxPoolForward(c, o.g, x, y, o.arg[:len(y)])
	return y
}

func (*poolOp) BackwardParams(*tensor.Call, int, []float32, []float32, []float32) {}

func (o *poolOp) BackwardInput(c *tensor.Call, n int, _, dy []float32) []float32 {
	o.g.N = n
	dx := o.dx[:n*o.g.C*o.g.H*o.g.W]
	o.engine.MaxPoolBackward(c, o.g, dy, o.arg[:o.out(n)], dx)
	return dx
}
