package asm

import "gradsync/shared/tensor"

// strideds tells 3×3 convolutions with stride 2 that F(4×4, 2×2) and its like compute, forward and backward-data:
// along each axis the outer two taps read every other input, 5 products for 4 outputs in place of 8, and the middle
// tap the rest, so 81 products make 16 outputs instead of 144. Against exact sums the root mean square error is 0.8 to
// 0.9 times that of one chain of fused multiply-adds forward, and 1.5 to 1.8 times that of the shorter chains of
// backward-data (see TestStrided). Only layers that are worth a million products per
// tap and image are computed so: no network narrower than half the width has one. Intermediate values are up to
// 15 times as large as the input's: an Inf, or a value within that of overflowing, makes NaN.
func strideds(g tensor.Conv) bool {
	return g.KH == 3 && g.KW == 3 && g.Stride == 2 && g.Pad == 1 && g.H%8 == 0 && g.W%8 == 0 &&
		g.InC%tensor.Lanes == 0 && g.OutC%tensor.Lanes == 0 && min(g.InC, g.OutC) >= 64 && g.InC*g.OutC*g.OutH()*g.OutW() >= 1<<20
}

// Of a transformed tile: nine values along each axis, five points of the outer taps and four plain ones, which all
// meet the middle tap. A filter has six points along each axis.
const (
	stridedValues = 81
	stridedAtOnce = 8 // vectors of tiles transformed before filters are
)

// stridedOf tells which of a filter's points a value is multiplied with.
var stridedOf = func() (of []int) {
	for i := range stridedValues {
		of = append(of, 6*min(i/9, 5)+min(i%9, 5))
	}
	return of
}()

// newStridedPlan makes the plan of a convolution forward: tiles of 9×9 inputs and 4×4 outputs.
func newStridedPlan(g tensor.Conv) *winograd4Plan {
	return squares(g, square{h: g.H, w: g.W, side: 9, step: 8, from: -1}, square{h: g.OutH(), w: g.OutW(), side: 4, step: 4})
}

// newStridedBack makes the plan of backward-data: tiles of 5×5 gradients of outputs and 8×8 of inputs.
func newStridedBack(g tensor.Conv) *winograd4Plan {
	return squares(g, square{h: g.OutH(), w: g.OutW(), side: 5, step: 4}, square{h: g.H, w: g.W, side: 8, step: 8})
}

// square holds which pixels of an h×w image a tile takes: side×side of them, step from tile to tile.
type square struct{ h, w, side, step, from int }

// at lists the places of tile ty, tx, and which edges of the image it crosses. Outside, any address of the image does.
func (q square) at(ty, tx, pitch int) (at []int32, edges int) {
	top, left := ty*q.step+q.from, tx*q.step+q.from
	for i, outside := range [4]bool{top < 0, top+q.side > q.h, left < 0, left+q.side > q.w} {
		if outside {
			edges |= 1 << i
		}
	}
	for i := range q.side * q.side {
		y, x := min(max(top+i/q.side, 0), q.h-1), min(max(left+i%q.side, 0), q.w-1)
		at = append(at, int32((y*q.w+x)*pitch))
	}
	return at, edges
}

func squares(g tensor.Conv, in, out square) *winograd4Plan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &winograd4Plan{}
	for ty := range g.OutH() / 4 {
		for tx := range g.OutW() / 4 {
			var t winograd4Tile
			t.in, t.edges = in.at(ty, tx, pitch)
			t.out, _ = out.at(ty, tx, pitch)
			p.tiles = append(p.tiles, t)
		}
	}
	return p
}

// strided runs the convolution; turned means backward-data of g.
func (e engine) strided(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32, turned bool) {
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	shape := tensor.Conv{N: g.N, H: g.H, W: g.W, KH: 3, KW: 3, Stride: 2, Pad: 1}
	t := &s.products.four
	*t = winograd4{
		set: &sets[e.isa], of: stridedOf, atOnce: stridedAtOnce, ins: g.InC, turned: turned,
		w: w, x: x, y: y, groups: pitch / tensor.Lanes, bias: bias,
	}
	planeX, planeY := g.H*g.W*pitch, g.OutH()*g.OutW()*pitch
	if turned {
		t.plan = kept(&s.products.backs, shape, newStridedBack)
		t.rows, t.depth, t.planeX, t.planeY = g.InC, g.OutC, planeY, planeX
		t.input, t.output, t.weights = stridedGradient2, stridedBack2, stridedTurned2
		if e.isa == avx512 {
			t.input, t.output, t.weights = stridedGradient512, stridedBack512, stridedTurned512
		}
	} else {
		t.plan = kept(&s.products.strides, shape, newStridedPlan)
		t.rows, t.depth, t.planeX, t.planeY = g.OutC, g.InC, planeX, planeY
		t.input, t.output, t.weights = stridedInput2, stridedOutput2, stridedWeights2
		if e.isa == avx512 {
			t.input, t.output, t.weights = stridedInput512, stridedOutput512, stridedWeights512
		}
	}
	t.run(c, s)
}
