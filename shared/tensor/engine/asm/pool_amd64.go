package asm

import "gradsync/shared/tensor"

// poolTask pools channels; x is the larger side (dx in a backward pass), y the
// smaller.
type poolTask struct {
	isa      isa
	g        tensor.Pool
	x, y     []float32
	arg      []int32 // nil: average
	backward bool

	in, out int // elements of a channel
	geometry
}

// geometry holds a kernel's arguments, in bytes except groups: vectors per pixel,
// from pixel to pixel, from row to row, and from the end of one window's first
// pixel to the next window.
type geometry struct {
	groups, pitch, row, skip int
}

func (e engine) MaxPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32, arg []int32) {
	e.pool(c, poolTask{g: g, x: x, y: y, arg: arg})
}

func (e engine) MaxPoolBackward(c *tensor.Call, g tensor.Pool, dy []float32, arg []int32, dx []float32) {
	e.pool(c, poolTask{g: g, x: dx, y: dy, arg: arg, backward: true})
}

func (e engine) AvgPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32) {
	e.pool(c, poolTask{g: g, x: x, y: y})
}

func (e engine) AvgPoolBackward(c *tensor.Call, g tensor.Pool, dy, dx []float32) {
	e.pool(c, poolTask{g: g, x: dx, y: dy, backward: true})
}

func (e engine) pool(c *tensor.Call, t poolTask) {
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(t.g.N)
	t.isa, t.in, t.out = e.isa, t.g.H*t.g.W*pitch, t.g.OutH()*t.g.OutW()*pitch
	t.geometry = geometry{
		groups: pitch / tensor.Lanes,
		pitch:  4 * pitch,
		row:    4 * pitch * t.g.W,
		skip:   4 * pitch * (t.g.Stride - 1),
	}
	s.elements.pool = t
	s.spread(c, &s.elements.pool, t.g.C, t.g.C*t.in)
}

// Part pools channels lo ≤ ch < hi.
func (t *poolTask) Part(_ *scratch, lo, hi int) {
	for ch := lo; ch < hi; ch++ {
		x, y := t.x[ch*t.in:(ch+1)*t.in], t.y[ch*t.out:(ch+1)*t.out]
		var arg []int32
		if t.arg != nil {
			arg = t.arg[ch*t.out : (ch+1)*t.out]
		}
		if t.backward && !t.overwrites() {
			clear(x)
		}
		width := len(y) / t.g.OutH()
		for r := range t.g.OutH() {
			corner := r * t.g.Stride * t.g.W
			from, to := r*width, (r+1)*width
			if arg == nil {
				t.average(x[corner*t.pitch/4:], y[from:to])
			} else {
				t.maximum(x[corner*t.pitch/4:], y[from:to], arg[from:to], int32(corner))
			}
		}
	}
}

// overwrites tells whether a backward pass stores every pixel exactly once.
func (t *poolTask) overwrites() bool {
	g := t.g
	return t.arg != nil && g.Size == 2 && g.Stride == 2 && g.H%2 == 0 && g.W%2 == 0
}

// maximum does a row of windows whose first corner is x[0], pixel corner of its
// channel.
func (t *poolTask) maximum(x, y []float32, arg []int32, corner int32) {
	g, stride, width := t.geometry, int32(t.g.Stride), int32(t.g.W)
	pairs := t.g.Size == 2
	wide := t.isa == avx512
	if t.backward {
		switch apart := pairs && t.g.Stride > 1; {
		case apart && wide:
			maxPoolBackwardPairs512(x, y, arg, g.groups, g.pitch, g.row, g.skip, corner, stride, width)
		case apart:
			maxPoolBackwardPairs2(x, y, arg, g.groups, g.pitch, g.row, g.skip, corner, stride, width)
		case wide:
			maxPoolBackward512(x, y, arg, g.groups, g.pitch, g.row, g.skip, t.g.Size, corner, stride, width)
		default:
			maxPoolBackward2(x, y, arg, g.groups, g.pitch, g.row, g.skip, t.g.Size, corner, stride, width)
		}
		return
	}
	switch {
	case pairs && wide:
		maxPoolPairs512(x, y, arg, g.groups, g.pitch, g.row, g.skip, corner, stride, width)
	case pairs:
		maxPoolPairs2(x, y, arg, g.groups, g.pitch, g.row, g.skip, corner, stride, width)
	case wide:
		maxPool512(x, y, arg, g.groups, g.pitch, g.row, g.skip, t.g.Size, corner, stride, width)
	default:
		maxPool2(x, y, arg, g.groups, g.pitch, g.row, g.skip, t.g.Size, corner, stride, width)
	}
}

// average does a row of windows whose first corner is x[0].
func (t *poolTask) average(x, y []float32) {
	g, count := t.geometry, float32(t.g.Size*t.g.Size)
	wide := t.isa == avx512
	switch {
	case t.backward && wide:
		avgPoolBackward512(x, y, g.groups, g.pitch, g.row, g.skip, t.g.Size, count)
	case t.backward:
		avgPoolBackward2(x, y, g.groups, g.pitch, g.row, g.skip, t.g.Size, count)
	case wide:
		avgPool512(x, y, g.groups, g.pitch, g.row, g.skip, t.g.Size, count)
	default:
		avgPool2(x, y, g.groups, g.pitch, g.row, g.skip, t.g.Size, count)
	}
}
