package portable

import (
	"math"

	"gradsync/shared/tensor"
)

// normTask normalises channels; pass tells which way.
type normTask struct {
	g                            tensor.Norm
	x, y, dy, dx                 []float32
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

func (engine) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	s := stateOf(c)
	s.norm = normTask{g: g, x: x, y: y, scale: scale, shift: shift, mean: mean, variance: variance, pass: normForward}
	s.Run(c.Threads, &s.norm, g.C)
}

func (engine) BatchNormInference(c *tensor.Call, g tensor.Norm, x, scale, shift, mean, variance, y []float32) {
	s := stateOf(c)
	s.norm = normTask{g: g, x: x, y: y, scale: scale, shift: shift, mean: mean, variance: variance, pass: normInference}
	s.Run(c.Threads, &s.norm, g.C)
}

func (engine) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	s := stateOf(c)
	s.norm = normTask{g: g, x: x, y: y, dy: dy, scale: scale, mean: mean, variance: variance, dx: dx, dscale: dscale, dshift: dshift, pass: normBackward}
	s.Run(c.Threads, &s.norm, g.C)
}

// Part does channels lo ≤ ch < hi. Sums run in float64, image after image.
func (t *normTask) Part(_ *scratch, lo, hi int) {
	for ch := lo; ch < hi; ch++ {
		switch t.pass {
		case normForward:
			t.moments(ch)
			t.normalise(ch)
		case normInference:
			t.normalise(ch)
		case normBackward:
			t.backward(ch)
		}
	}
}

// plane returns channel ch of image n in v.
func (t *normTask) plane(v []float32, n, ch int) []float32 {
	at := (n*t.g.C + ch) * t.g.HW
	return v[at : at+t.g.HW]
}

// moments computes mean and variance in two passes, which loses no digits when
// the mean is large.
func (t *normTask) moments(ch int) {
	count := float64(t.g.N * t.g.HW)
	var sum float64
	for n := range t.g.N {
		for _, v := range t.plane(t.x, n, ch) {
			sum += float64(v)
		}
	}
	mean := sum / count
	sum = 0
	for n := range t.g.N {
		for _, v := range t.plane(t.x, n, ch) {
			d := float64(v) - mean
			sum += float64(d * d)
		}
	}
	t.mean[ch], t.variance[ch] = float32(mean), float32(sum/count)
}

func (t *normTask) invstd(ch int) float64 {
	return 1 / math.Sqrt(float64(t.variance[ch])+float64(t.g.Eps))
}

func (t *normTask) normalise(ch int) {
	mean := t.mean[ch]
	a, b := float32(float64(t.scale[ch])*t.invstd(ch)), t.shift[ch]
	for n := range t.g.N {
		y := t.plane(t.y, n, ch)
		for i, v := range t.plane(t.x, n, ch) {
			v = float32((v-mean)*a) + b
			if t.g.ReLU {
				v = max(v, 0)
			}
			y[i] = v
		}
	}
}

// backward computes, with d the gradient behind the ReLU and x̂ the normalised x,
//
//	dshift = Σ d, dscale = Σ d·x̂, dx = scale·invstd·(d − dshift/m − x̂·dscale/m)
func (t *normTask) backward(ch int) {
	inv, mean := t.invstd(ch), t.mean[ch]
	var sum, dot float64
	for n := range t.g.N {
		x, dy := t.plane(t.x, n, ch), t.plane(t.dy, n, ch)
		for i, v := range x {
			d := t.passed(dy[i], n, ch, i)
			sum += float64(d)
			dot += float64(float64(d) * float64(v-mean))
		}
	}
	count := float64(t.g.N * t.g.HW)
	t.dshift[ch], t.dscale[ch] = float32(sum), float32(dot*inv)
	a, b, k := float32(float64(t.scale[ch])*inv), float32(sum/count), float32(dot*inv*inv/count)
	for n := range t.g.N {
		x, dy, dx := t.plane(t.x, n, ch), t.plane(t.dy, n, ch), t.plane(t.dx, n, ch)
		for i, v := range x {
			d := t.passed(dy[i], n, ch, i)
			dx[i] = a * (d - b - float32((v-mean)*k))
		}
	}
}

// passed returns d as the ReLU, if there is one, lets it through: d where the output
// is positive, the output where it is NaN, else 0.
func (t *normTask) passed(d float32, n, ch, i int) float32 {
	if !t.g.ReLU {
		return d
	}
	switch y := t.y[(n*t.g.C+ch)*t.g.HW+i]; {
	case y > 0:
		return d
	case y != y:
		return y
	default:
		return 0
	}
}
