package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// normCase is a batch norm with inputs; the mean of channel 0 is 100 times its
// deviation, which the difference of two squares would not survive.
type normCase struct {
	tensor.Norm
	what                string
	x, dy, scale, shift []float32
}

func normCases(r *rand.Rand) []normCase {
	var list []normCase
	for i := range 42 {
		g := tensor.Norm{N: sizes[i%len(sizes)], C: 1 + r.IntN(5), HW: 1 + r.IntN(30), Eps: 1e-5, ReLU: i/len(sizes)%2 == 1}
		if g.N == 1 {
			g.HW += 2
		}
		if i == 3 {
			g.C, g.HW = 3, 256
		}
		c := normCase{Norm: g, what: fmt.Sprintf("%+v", g)}
		c.x, c.dy = random(r, g.N*g.C*g.HW), random(r, g.N*g.C*g.HW)
		c.scale, c.shift = random(r, g.C), random(r, g.C)
		for i := range c.x {
			ch := i / g.HW % g.C
			c.x[i] = c.x[i]*float32(ch+1) + float32(ch)
			if ch == 0 {
				c.x[i] += 100
			}
		}
		list = append(list, c)
	}
	return list
}

// at iterates over the indices of channel ch.
func (c *normCase) at(ch int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range c.x {
			if i/c.HW%c.C == ch && !yield(i) {
				return
			}
		}
	}
}

// moments returns a channel's mean and biased variance, and what bounds the error of
// a two-pass float32 computation: that of the sums, and the mean's in the squares.
func (c *normCase) moments(ch int) (mean, variance, meanBound, varianceBound float64) {
	count := float64(c.N * c.HW)
	var first, second sum
	for i := range c.at(ch) {
		first.add64(float64(c.x[i]))
	}
	mean = first.value / count
	meanBound = first.bound() / count
	for i := range c.at(ch) {
		d := float64(c.x[i]) - mean
		second.add64(d * d)
	}
	variance = second.value / count
	// (x−m̂)² rounds four times; a mean off by ε adds ε², and twice its rounding.
	varianceBound = second.bound()/count + 4*unit*variance + meanBound*meanBound + 2*unit*math.Abs(mean)*(meanBound+math.Sqrt(variance))
	return mean, variance, meanBound, varianceBound
}

// normalised returns one output and its bound, given the moments and their bounds:
// the errors of the moments carried through, and a few roundings.
func (c *normCase) normalised(i, ch int, mean, variance, meanBound, varianceBound float64) (y, bound float64) {
	scale, shift, v := float64(c.scale[ch]), float64(c.shift[ch]), variance+float64(c.Eps)
	inv := 1 / math.Sqrt(v)
	x := (float64(c.x[i]) - mean) * inv
	y = scale*x + shift
	relative := varianceBound/(2*v) + 8*unit
	// An engine may also compute a·x + (shift − a·mean).
	large := math.Abs(scale) * inv * (math.Abs(float64(c.x[i])) + math.Abs(mean))
	bound = math.Abs(scale)*inv*meanBound + math.Abs(scale*x)*relative + 4*unit*(math.Abs(y)+math.Abs(shift)) + 4*unit*large
	if c.ReLU {
		y = max(y, 0)
	}
	return y, bound * 1.01 // second-order terms
}

func normsForward(t *testing.T, e tensor.Engine) {
	var call tensor.Call
	for _, c := range normCases(rand.New(rand.NewPCG(12, 12))) {
		ly, mean, variance := output(e, c.N, c.C*c.HW), plain(c.C), plain(c.C)
		e.BatchNormForward(&call, c.Norm, activation(e, c.x, c.N), c.scale, c.shift, ly, mean, variance)
		untouched(t, "mean "+c.what, mean, c.C)
		untouched(t, "variance "+c.what, variance, c.C)
		y := images(t, c.what, e, ly, c.N, c.C*c.HW)
		for ch := range c.C {
			m, v, eM, eV := c.moments(ch)
			within(t, "mean "+c.what, ch, mean[ch], m, eM+unit*math.Abs(m))
			within(t, "variance "+c.what, ch, variance[ch], v, eV+unit*v)
			for i := range c.at(ch) {
				want, bound := c.normalised(i, ch, m, v, eM+unit*math.Abs(m), eV+unit*v)
				within(t, "forward "+c.what, i, y[i], want, bound)
			}
		}
	}
}

func normsInference(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(13, 13))
	var call tensor.Call
	for _, c := range normCases(r) {
		mean, variance := random(r, c.C), random(r, c.C)
		for i, v := range variance {
			variance[i] = v * v
		}
		ly := output(e, c.N, c.C*c.HW)
		e.BatchNormInference(&call, c.Norm, activation(e, c.x, c.N), c.scale, c.shift, mean, variance, ly)
		y := images(t, c.what, e, ly, c.N, c.C*c.HW)
		for i, v := range y {
			ch := i / c.HW % c.C
			want, bound := c.normalised(i, ch, float64(mean[ch]), float64(variance[ch]), 0, 0)
			within(t, "inference "+c.what, i, v, want, bound)
		}
	}
}

// backward returns the reference, from the definition: with d what the ReLU lets
// through and x̂ the normalised input,
//
//	dshift = Σ d, dscale = Σ d·x̂, dx = scale·invstd·(d − dshift/m − x̂·dscale/m)
//
// TestNormReference compares it with central differences.
func (c *normCase) backward(ch int, mean, variance float64, d []float64) (dshift, dscale sum, dx func(i int) (float64, float64)) {
	count := float64(c.N * c.HW)
	inv := 1 / math.Sqrt(variance+float64(c.Eps))
	hat := func(i int) float64 { return (float64(c.x[i]) - mean) * inv }
	for i := range c.at(ch) {
		dshift.add64(d[i])
		dscale.add64(d[i] * hat(i))
	}
	return dshift, dscale, func(i int) (value, bound float64) {
		k := float64(c.scale[ch]) * inv
		value = k * (d[i] - dshift.value/count - hat(i)*dscale.value/count)
		bound = 8*unit*(math.Abs(d[i])+math.Abs(dshift.value)/count+math.Abs(hat(i)*dscale.value)/count) +
			(dshift.bound()+math.Abs(hat(i))*scaleBound(dscale))/count
		return value, math.Abs(k) * bound * 1.01
	}
}

// scaleBound returns a sum's bound when every term already carries x̂'s roundings.
func scaleBound(s sum) float64 { return s.bound() + 8*unit*s.abs }

func normsBackward(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(14, 14))
	var call tensor.Call
	for _, c := range normCases(r) {
		mean, variance, y, d := make([]float32, c.C), make([]float32, c.C), random(r, len(c.x)), make([]float64, len(c.x))
		for ch := range c.C {
			m, v, _, _ := c.moments(ch)
			mean[ch], variance[ch] = float32(m), float32(v)
		}
		for i, v := range c.dy {
			y[i] = max(y[i], 0)
			if !c.ReLU || y[i] > 0 {
				d[i] = float64(v)
			}
		}
		ly, ldy := activation(e, y, c.N), gradient(e, c.dy, c.N)
		if !c.ReLU {
			ly = nil
		}
		ldx, dscale, dshift := output(e, c.N, c.C*c.HW), plain(c.C), plain(c.C)
		for _, place := range []string{"backward ", "backward in place "} {
			from := ldy
			if place != "backward " {
				copy(ldx, ldy)
				from = ldx[:len(ldy)]
			}
			e.BatchNormBackward(&call, c.Norm, activation(e, c.x, c.N), ly, from, c.scale, mean, variance, ldx, dscale, dshift)
			what := place + c.what
			untouched(t, what, dscale, c.C)
			untouched(t, what, dshift, c.C)
			dx := gradients(t, what, e, ldx, c.N, c.C*c.HW)
			for ch := range c.C {
				sumShift, sumScale, at := c.backward(ch, float64(mean[ch]), float64(variance[ch]), d)
				within(t, "shift's gradient "+what, ch, dshift[ch], sumShift.value, sumShift.bound())
				within(t, "scale's gradient "+what, ch, dscale[ch], sumScale.value, scaleBound(sumScale))
				for i := range c.at(ch) {
					want, bound := at(i)
					within(t, "input's gradient "+what, i, dx[i], want, bound)
				}
			}
		}
	}
}
