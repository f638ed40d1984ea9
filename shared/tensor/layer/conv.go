package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// Conv2D is a square convolution. Its weight has shape [Outputs][Inputs][K][K].
//
// Source: ours: PyTorch's nn.Conv2d
type Conv2D struct{ Inputs, Outputs, K, Stride, Pad int }

func (l Conv2D) Params() []Param {
	return []Param{{"weight", []int{l.Outputs, l.Inputs, l.K, l.K}}, {"bias", []int{l.Outputs}}}
}

func (l Conv2D) FanIn() int { return l.Inputs * l.K * l.K }

func (l Conv2D) geometry(in Shape, n int) tensor.Conv {
	return tensor.Conv{N: n, InC: l.Inputs, H: in.H, W: in.W, OutC: l.Outputs, KH: l.K, KW: l.K, Stride: l.Stride, Pad: l.Pad}
}

func (l Conv2D) Out(in Shape) (Shape, error) {
	if in.C != l.Inputs || in.H+2*l.Pad < l.K || in.W+2*l.Pad < l.K {
		return Shape{}, fmt.Errorf("layer: convolution of %d channels with a %d×%d window and padding %d does not fit input %v", l.Inputs, l.K, l.K, l.Pad, in)
	}
	g := l.geometry(in, 1)
	return Shape{l.Outputs, g.OutH(), g.OutW()}, nil
}

func (l Conv2D) MACs(in Shape) float64 {
	g := l.geometry(in, 1)
	return float64(g.OutH()) * float64(g.OutW()) * float64(l.Outputs) * float64(l.FanIn())
}

func (l Conv2D) New(e tensor.Engine, in Shape, batch int) Op {
	g := l.geometry(in, batch)
	return &convOp{
		engine: e, g: g, weights: l.Outputs * l.FanIn(),
		y:  make([]float32, batch*l.Outputs*g.OutH()*g.OutW()),
		dx: make([]float32, batch*in.Len()),
	}
}

type convOp struct {
	engine  tensor.Engine
	g       tensor.Conv
	weights int
	y, dx   []float32
}

func (o *convOp) Forward(c *tensor.Call, n int, w, x []float32) []float32 {
	o.g.N = n
	y := o.y[:n*o.g.OutC*o.g.OutH()*o.g.OutW()]
	o.engine.ConvForward(c, o.g, x, w[:o.weights], w[o.weights:], y)
	return y
}

func (o *convOp) BackwardParams(c *tensor.Call, n int, x, dy, dw []float32) {
	o.g.N = n
	o.engine.ConvBackwardFilter(c, o.g, x, dy, dw[:o.weights])
	o.engine.BiasBackward(c, n, o.g.OutC, o.g.OutH()*o.g.OutW(), dy, dw[o.weights:])
}

func (o *convOp) BackwardInput(c *tensor.Call, n int, w, dy []float32) []float32 {
	o.g.N = n
	dx := o.dx[:n*o.g.InC*o.g.H*o.g.W]
	o.engine.ConvBackwardData(c, o.g, dy, w[:o.weights], dx)
	return dx
}
