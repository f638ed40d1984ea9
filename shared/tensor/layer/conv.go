package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// Conv2D is a square convolution. Its weight has shape [Outputs][Inputs][K][K].
//
// Source: ours: PyTorch's nn.Conv2d
type Conv2D struct {
	Inputs, Outputs, K, Stride, Pad int
	NoBias                          bool
}

func (l Conv2D) Params() []Param {
	weight := Param{"weight", []int{l.Outputs, l.Inputs, l.K, l.K}}
	if l.NoBias {
		return []Param{weight}
	}
	return []Param{weight, {"bias", []int{l.Outputs}}}
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

func (Conv2D) Memory(Shape) Memory { return Memory{KeepX: true} }

func (l Conv2D) New(e tensor.Engine, _ *tensor.Call, in Shape, batch int) Op {
	return &convOp{engine: e, g: l.geometry(in, batch), weights: l.Outputs * l.FanIn(), noBias: l.NoBias}
}

type convOp struct {
	engine  tensor.Engine
	g       tensor.Conv
	weights int
	noBias  bool
}

func (o *convOp) Forward(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	var bias []float32
	if !o.noBias {
		bias = p.W[o.weights:]
	}
	o.engine.ConvForward(c, o.g, p.X, p.W[:o.weights], bias, p.Y)
}

func (o *convOp) BackwardParams(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.ConvBackwardFilter(c, o.g, p.X, p.DY, p.DW[:o.weights])
	if !o.noBias {
		o.engine.BiasBackward(c, p.N, o.g.OutC, o.g.OutH()*o.g.OutW(), p.DY, p.DW[o.weights:])
	}
}

func (o *convOp) BackwardInput(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.ConvBackwardData(c, o.g, p.DY, p.W[:o.weights], p.DX)
}
