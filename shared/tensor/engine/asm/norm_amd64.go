package asm

import (
	"math"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// normTask normalises channels; pass tells which way.
type normTask struct {
	isa                          isa
	g                            tensor.Norm
	size                         int // of a channel
	mask                         []uint32
	x, y, dy, dx                 []float32
	other                        []float32 // added to the output, or to dy; nil: nothing
	d                            []float32 // where the gradient behind the ReLU goes; nil: nowhere
	scale, shift, mean, variance []float32
	dscale, dshift               []float32
	pass                         normPass
}

type normPass int

const (
	normForward normPass = iota
	normInference
	normBackward
)

func (e engine) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	e.norm(c, normTask{g: g, x: x, y: y, scale: scale, shift: shift, mean: mean, variance: variance, pass: normForward})
}

func (e engine) BatchNormInference(c *tensor.Call, g tensor.Norm, x, scale, shift, mean, variance, y []float32) {
	e.norm(c, normTask{g: g, x: x, y: y, scale: scale, shift: shift, mean: mean, variance: variance, pass: normInference})
}

func (e engine) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	if !g.ReLU {
		y = nil
	}
	e.norm(c, normTask{g: g, x: x, y: y, dy: dy, scale: scale, mean: mean, variance: variance, dx: dx, dscale: dscale, dshift: dshift, pass: normBackward})
}

func (e engine) BatchNormAdd(c *tensor.Call, g tensor.Norm, x, other, scale, shift, y, mean, variance []float32) {
	g.ReLU = true
	e.norm(c, normTask{g: g, x: x, other: other, y: y, scale: scale, shift: shift, mean: mean, variance: variance, pass: normForward})
}

func (e engine) BatchNormAddBackward(c *tensor.Call, g tensor.Norm, x, y, dy, more, d, scale, mean, variance, dx, dscale, dshift []float32) {
	g.ReLU = true
	e.norm(c, normTask{g: g, x: x, y: y, dy: dy, other: more, d: d, scale: scale, mean: mean, variance: variance,
		dx: dx, dscale: dscale, dshift: dshift, pass: normBackward})
}

func (e engine) BatchNormReLUBackward(c *tensor.Call, g tensor.Norm, x, dy, scale, shift, mean, variance, dx, dscale, dshift []float32) {
	e.norm(c, normTask{g: g, x: x, dy: dy, scale: scale, shift: shift, mean: mean, variance: variance, dx: dx, dscale: dscale, dshift: dshift, pass: normBackward})
}

func (e engine) norm(c *tensor.Call, t normTask) {
	s := stateOf(c)
	t.isa, t.size, t.mask = e.isa, t.g.HW*tensor.BatchInner.Pitch(t.g.N), s.elements.maskOf(t.g.N)
	s.elements.norm = t
	s.spread(c, &s.elements.norm, t.g.C, t.g.C*t.size)
}

// Part does channels lo ≤ ch < hi. A channel is one run of memory, read two or
// three times while it is in the cache. Sums are float32 in 16 lanes, vector v of
// the channel in accumulator v mod 4 (mod 2 in the backward pass), joined like
// a bias's; what follows from the sums is float64.
func (t *normTask) Part(s *scratch, lo, hi int) {
	lanes, sums := team.Resize(&s.acc, 2*tensor.Lanes), team.Resize(&s.sum, 2)
	for ch := lo; ch < hi; ch++ {
		switch t.pass {
		case normForward:
			t.moments(ch, lanes, sums)
			t.normalise(ch)
		case normInference:
			t.normalise(ch)
		case normBackward:
			t.backward(ch, lanes, sums)
		}
	}
}

// channel returns channel ch of v.
func (t *normTask) channel(v []float32, ch int) []float32 {
	return v[ch*t.size : (ch+1)*t.size]
}

func (t *normTask) count() float64 { return float64(t.g.N * t.g.HW) }

func (t *normTask) invstd(ch int) float64 {
	return 1 / math.Sqrt(float64(t.variance[ch])+float64(t.g.Eps))
}

// moments computes mean and variance in two passes, which loses no digits when
// the mean is large.
func (t *normTask) moments(ch int, lanes, sums []float32) {
	x := t.channel(t.x, ch)
	t.isa.total(x, t.mask, lanes)
	join(lanes, sums[:1])
	t.mean[ch] = float32(float64(sums[0]) / t.count())
	t.isa.squares(x, t.mask, t.mean[ch], lanes)
	join(lanes, sums[:1])
	t.variance[ch] = float32(float64(sums[0]) / t.count())
}

func (t *normTask) normalise(ch int) {
	slope := float32(float64(t.scale[ch]) * t.invstd(ch))
	x, y := t.channel(t.x, ch), t.channel(t.y, ch)
	if t.other != nil {
		t.isa.normaliseAdd(x, t.channel(t.other, ch), y, t.mean[ch], slope, t.shift[ch], floor(t.g.ReLU))
		return
	}
	t.isa.normalise(x, y, t.mean[ch], slope, t.shift[ch], floor(t.g.ReLU))
}

// backward computes, with d the gradient behind the ReLU and x̂ the normalised x
// of m elements,
//
//	dshift = Σ d, dscale = Σ d·x̂, dx = scale·invstd·(d − dshift/m − x̂·dscale/m)
func (t *normTask) backward(ch int, lanes, sums []float32) {
	x, dy, dx := t.channel(t.x, ch), t.channel(t.dy, ch), t.channel(t.dx, ch)
	var y []float32
	if t.y != nil {
		y = t.channel(t.y, ch)
	}
	inv, mean, m := t.invstd(ch), t.mean[ch], t.count()
	slope := float32(float64(t.scale[ch]) * inv)
	switch {
	case t.d != nil:
		d := t.channel(t.d, ch)
		t.isa.normSumsBehind(x, y, dy, t.more(ch), d, t.mask, mean, lanes)
		y, dy = nil, d
	case t.recomputes():
		t.isa.normSumsRecomputed(x, dy, t.mask, mean, slope, t.shift[ch], lanes)
	default:
		t.isa.normSums(x, y, dy, t.mask, mean, lanes)
	}
	join(lanes, sums)
	sum, dot := float64(sums[0]), float64(sums[1])
	t.dshift[ch], t.dscale[ch] = sums[0], float32(dot*inv)
	offset, tilt := float32(sum/m), float32(dot*inv*inv/m)
	if t.recomputes() {
		t.isa.normDataRecomputed(x, dy, dx, t.mask, mean, slope, t.shift[ch], offset, tilt)
		return
	}
	t.isa.normData(x, y, dy, dx, t.mask, mean, slope, offset, tilt)
}

// recomputes tells whether a backward pass computes the ReLU's output again instead of
// reading it.
func (t *normTask) recomputes() bool { return t.shift != nil }

// more returns channel ch of what is added to dy, nil for nothing.
func (t *normTask) more(ch int) []float32 {
	if t.other == nil {
		return nil
	}
	return t.channel(t.other, ch)
}
