package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// Eps is added to the variance by a batch norm.
//
// Source: ours: PyTorch's default
const Eps = 1e-5

// Momentum is the weight of a batch in the running statistics.
//
// Source: ours: PyTorch's default
const Momentum = 0.1

// BatchNorm normalises each channel over the batch and its pixels, with scale γ
// ("weight") and shift β ("bias"). ReLU is WithReLU's.
//
// Its statistics follow the batches as
//
//	running = (1−m)·running + m·batch,   m = Pass.Momentum,
//
// with the variance of the batch unbiased there and biased in the normalisation.
//
// Source: ours: PyTorch's nn.BatchNorm2d
type BatchNorm struct {
	Channels int
	ReLU     bool
}

func (l BatchNorm) Params() []Param {
	return []Param{{"weight", []int{l.Channels}}, {"bias", []int{l.Channels}}}
}

// Stats lists the running statistics, laid out as Params are.
func (l BatchNorm) Stats() []Param {
	return []Param{{"running_mean", []int{l.Channels}}, {"running_var", []int{l.Channels}}}
}

func (BatchNorm) FanIn() int         { return 0 }
func (BatchNorm) MACs(Shape) float64 { return 0 }

func (l BatchNorm) Out(in Shape) (Shape, error) {
	if in.C != l.Channels {
		return Shape{}, fmt.Errorf("layer: batch norm of %d channels does not fit input %v", l.Channels, in)
	}
	return in, nil
}

func (l BatchNorm) Memory(Shape) Memory {
	return Memory{KeepX: true, KeepY: l.ReLU, DXIsDY: true}
}

func (l BatchNorm) New(e tensor.Engine, c *tensor.Call, in Shape, batch int) Op {
	return &normOp{
		engine: e, g: tensor.Norm{N: batch, C: in.C, HW: in.H * in.W, Eps: Eps, ReLU: l.ReLU},
		mean: tensor.Make(e, c, in.C), variance: tensor.Make(e, c, in.C),
	}
}

type normOp struct {
	engine         tensor.Engine
	g              tensor.Norm
	mean, variance []float32 // of the last training batch
	masked, zeros  []float32 // of an inference's backward pass; nil before the first
}

func (o *normOp) Forward(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	ch := o.g.C
	scale, shift := p.W[:ch], p.W[ch:]
	if p.Inference {
		o.engine.BatchNormInference(c, o.g, p.X, scale, shift, p.Stats[:ch], p.Stats[ch:], p.Y)
		return
	}
	o.engine.BatchNormForward(c, o.g, p.X, scale, shift, p.Y, o.mean, o.variance)
	o.follow(c, p)
}

// ForwardSum is for training only.
func (o *normOp) ForwardSum(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	ch := o.g.C
	o.engine.(tensor.Fuser).BatchNormAdd(c, o.g, p.X, p.X2, p.W[:ch], p.W[ch:], p.Y, o.mean, o.variance)
	o.follow(c, p)
}

// follow moves the running statistics, if there are any, towards the batch's.
func (o *normOp) follow(c *tensor.Call, p *Pass) {
	if p.Stats == nil {
		return
	}
	ch := o.g.C
	count := float64(p.N * o.g.HW)
	if d, ok := o.engine.(tensor.Device); ok {
		d.BatchNormBlend(c, p.Stats[:ch], o.mean, p.Momentum, 1)
		d.BatchNormBlend(c, p.Stats[ch:], o.variance, p.Momentum, count/(count-1))
		return
	}
	blend(p.Stats[:ch], o.mean, p.Momentum, 1)
	blend(p.Stats[ch:], o.variance, p.Momentum, count/(count-1))
}

// blend moves running by the weight m towards factor·batch. Products are rounded
// one by one: Go fuses on some machines, and the bits must not differ.
func blend(running, batch []float32, m float32, factor float64) {
	w := float64(m)
	for i, v := range batch {
		v := float64(float64(v) * factor)
		running[i] = float32(float64((1-w)*float64(running[i])) + float64(w*v))
	}
}

func (o *normOp) BackwardParams(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	ch := o.g.C
	if p.Inference {
		o.inferenceBackward(c, p)
		return
	}
	if f, ok := o.engine.(tensor.Fuser); ok && o.g.ReLU {
		f.BatchNormReLUBackward(c, o.g, p.X, p.DY, p.W[:ch], p.W[ch:], o.mean, o.variance, p.DX, p.DW[:ch], p.DW[ch:])
		return
	}
	o.engine.BatchNormBackward(c, o.g, p.X, p.Y, p.DY, p.W[:ch], o.mean, o.variance, p.DX, p.DW[:ch], p.DW[ch:])
}

// BackwardSum is for training only.
func (o *normOp) BackwardSum(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	ch := o.g.C
	o.engine.(tensor.Fuser).BatchNormAddBackward(c, o.g, p.X, p.Y, p.DY, p.X2, p.D, p.W[:ch], o.mean, o.variance, p.DX, p.DW[:ch], p.DW[ch:])
}

// inferenceBackward does the backward pass through given statistics μ and v, which
// do not depend on x:
//
//	dx = dy·γ/√(v + Eps),  dγ = Σ dy·(x − μ)/√(v + Eps),  dβ = Σ dy
//
// The engine's backward pass has these sums, with another dx, and its inference
// this dx, of the input dy with mean and shift 0.
func (o *normOp) inferenceBackward(c *tensor.Call, p *Pass) {
	ch, n := o.g.C, len(p.DY)
	if len(o.masked) < n && !o.more(c, n) {
		return
	}
	dy, g := o.masked[:n], o.g
	tensor.Copy(o.engine, c, dy, p.DY) // DY may be DX, and others may read it
	if g.ReLU {
		o.engine.ReLUBackward(c, p.Y, dy, dy)
	}
	g.ReLU = false
	scale, mean, variance := p.W[:ch], p.Stats[:ch], p.Stats[ch:]
	o.engine.BatchNormBackward(c, g, p.X, nil, dy, scale, mean, variance, p.DX, p.DW[:ch], p.DW[ch:])
	o.engine.BatchNormInference(c, g, dy, scale, o.zeros, o.zeros, variance, p.DX)
}

// more makes the memory of inferenceBackward; false means that the device has none.
func (o *normOp) more(c *tensor.Call, n int) bool {
	masked, zeros := tensor.Make(o.engine, c, n), tensor.Make(o.engine, c, o.g.C)
	if masked == nil || zeros == nil {
		return false
	}
	if d, ok := o.engine.(tensor.Device); ok {
		d.Upload(c, zeros, make([]float32, o.g.C))
	}
	o.masked, o.zeros = masked, zeros
	return true
}

// BackwardInput does nothing: Backward has done it.
func (*normOp) BackwardInput(*tensor.Call, *Pass) {}
