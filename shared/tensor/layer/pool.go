package layer

import (
	"fmt"

	"gradsync/shared/tensor"
)

// MaxPool is a square max-pool without padding. A map of 1×1 passes through
// unchanged, where PyTorch refuses: so a network made for larger images also
// takes smaller ones.
//
// Source: ours: PyTorch's nn.MaxPool2d
type MaxPool struct {
	plain
	Size, Stride int
}

// String says what the layer does, the exception included.
func (l MaxPool) String() string {
	return fmt.Sprintf("max-pool %d×%d, stride %d; a map of 1×1 passes through", l.Size, l.Size, l.Stride)
}

func (l MaxPool) Out(in Shape) (Shape, error) {
	if l.passes(in) {
		return in, nil
	}
	return pooled("max", in, l.Size, l.Stride)
}

func (l MaxPool) Memory(in Shape) Memory { return Memory{Identity: l.passes(in)} }

func (l MaxPool) passes(in Shape) bool { return in.H == 1 && in.W == 1 }

func (l MaxPool) New(e tensor.Engine, c *tensor.Call, in Shape, batch int) Op {
	g := poolOf(in, l.Size, l.Stride)
	return &maxOp{e, g, tensor.MakeIndices(e, c, e.Layout().Len(batch, in.C*g.OutH()*g.OutW()))}
}

func poolOf(in Shape, size, stride int) tensor.Pool {
	return tensor.Pool{C: in.C, H: in.H, W: in.W, Size: size, Stride: stride}
}

// pooled returns the output shape of a pool.
func pooled(kind string, in Shape, size, stride int) (Shape, error) {
	if in.H < size || in.W < size {
		return Shape{}, fmt.Errorf("layer: %s-pool of %d×%d does not fit input %v", kind, size, size, in)
	}
	g := poolOf(in, size, stride)
	return Shape{in.C, g.OutH(), g.OutW()}, nil
}

type maxOp struct {
	engine tensor.Engine
	g      tensor.Pool
	arg    []int32
}

func (o *maxOp) Forward(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.MaxPoolForward(c, o.g, p.X, p.Y, o.arg[:len(p.Y)])
}

func (*maxOp) BackwardParams(*tensor.Call, *Pass) {}

func (o *maxOp) BackwardInput(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.MaxPoolBackward(c, o.g, p.DY, o.arg[:len(p.DY)], p.DX)
}

// AvgPool is a square average pool without padding; Size 0 is the whole map,
// which must be square.
//
// Source: ours: PyTorch's nn.AvgPool2d, and AdaptiveAvgPool2d(1)
type AvgPool struct {
	plain
	Size, Stride int
}

// window returns the pool's size and stride on maps of that shape.
func (l AvgPool) window(in Shape) (size, stride int) {
	if l.Size == 0 {
		return in.H, in.H
	}
	return l.Size, l.Stride
}

func (l AvgPool) Out(in Shape) (Shape, error) {
	if l.Size == 0 && in.H != in.W {
		return Shape{}, fmt.Errorf("layer: global average pool of a map that is not square: %v", in)
	}
	size, stride := l.window(in)
	return pooled("average", in, size, stride)
}

func (l AvgPool) Memory(in Shape) Memory {
	size, stride := l.window(in)
	return Memory{Identity: size == 1 && stride == 1}
}

func (l AvgPool) New(e tensor.Engine, _ *tensor.Call, in Shape, _ int) Op {
	size, stride := l.window(in)
	return &avgOp{e, poolOf(in, size, stride)}
}

type avgOp struct {
	engine tensor.Engine
	g      tensor.Pool
}

func (o *avgOp) Forward(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.AvgPoolForward(c, o.g, p.X, p.Y)
}

func (*avgOp) BackwardParams(*tensor.Call, *Pass) {}

func (o *avgOp) BackwardInput(c *tensor.Call, p *Pass) {
	o.g.N = p.N
	o.engine.AvgPoolBackward(c, o.g, p.DY, p.DX)
}
