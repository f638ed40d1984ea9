package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

var norms = []tensor.Norm{
	{N: 2, C: 3, HW: 5, Eps: 1e-5}, {N: 5, C: 1, HW: 1, Eps: 1e-5, ReLU: true}, {N: 3, C: 2, HW: 100, Eps: 1e-5, ReLU: true}, {N: 4, C: 2, HW: 65, Eps: 1e-3},
}

// channel lists the indices of one channel.
func channel(g tensor.Norm, ch int) (list []int) {
	for i := range g.N * g.C * g.HW {
		if i/g.HW%g.C == ch {
			list = append(list, i)
		}
	}
	return list
}

func TestBias(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(4, 4))
		for _, g := range norms {
			dy, want := random(r, g.N*g.C*g.HW), make([]sum, g.C)
			for i, v := range dy {
				want[i/g.HW%g.C].add(float64(v))
			}
			db := room[float32](m, g.C)
			m.ok(m.BiasBackward(g.N, g.C, g.HW, up(m, dy), db))
			within(m.t, fmt.Sprintf("%+v", g), down[float32](m, db, g.C), want)
			x, bias := random(r, len(dy)), random(r, g.C)
			y := up(m, x)
			m.ok(m.BiasForward(g.N, g.C, g.HW, up(m, bias), y, g.ReLU))
			for i := range x {
				if x[i] += bias[i/g.HW%g.C]; g.ReLU {
					x[i] = max(x[i], 0)
				}
			}
			same(m.t, fmt.Sprintf("forward, %+v", g), down[float32](m, y, len(x)), x)
			m.clear()
		}
	})
}

// TestNorm compares both passes with the definition in double precision. The bounds of
// the sums are carried through the formulas, and a few roundings added.
func TestNorm(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(9, 9))
		for _, g := range norms {
			n := g.N * g.C * g.HW
			x, dy, scale, shift := random(r, n), random(r, n), random(r, g.C), random(r, g.C)
			for i := range x {
				x[i] += float32(10 * (i / g.HW % g.C)) // a mean larger than the deviation
			}
			px, pdy, pscale, pmean, pvar := up(m, x), up(m, dy), up(m, scale), room[float32](m, g.C), room[float32](m, g.C)
			y, dscale, dshift := room[float32](m, n), room[float32](m, g.C), room[float32](m, g.C)
			m.ok(m.BatchNormForward(g, px, pscale, up(m, shift), y, pmean, pvar))
			c := normReference{Norm: g, t: m.t, x: x, scale: scale, shift: shift}
			c.y, c.mean, c.variance = down[float32](m, y, n), down[float32](m, pmean, g.C), down[float32](m, pvar, g.C)
			c.forward()
			m.ok(m.BatchNormBackward(g, px, y, pdy, pscale, pmean, pvar, pdy, dscale, dshift)) // in place
			c.backward(dy, down[float32](m, pdy, n), down[float32](m, dscale, g.C), down[float32](m, dshift, g.C))
			m.clear()
		}
	})
}

// normReference is a batch norm and a device's results.
type normReference struct {
	tensor.Norm
	t                                  *testing.T
	x, scale, shift, y, mean, variance []float32
}

func (c *normReference) near(what string, i int, got float32, want, bound float64) {
	c.t.Helper()
	if !(math.Abs(float64(got)-want) <= bound) {
		c.t.Fatalf("%s of %+v: element %d is %g, want %g within %g", what, c.Norm, i, got, want, bound)
	}
}

func (c *normReference) forward() {
	for ch := range c.C {
		var first, second sum
		at := channel(c.Norm, ch)
		count := float64(len(at))
		for _, i := range at {
			first.add(float64(c.x[i]))
		}
		mean := first.value / count
		for _, i := range at {
			second.add((float64(c.x[i]) - mean) * (float64(c.x[i]) - mean))
		}
		variance := second.value / count
		meanBound := first.bound()/count + unit*math.Abs(mean)
		varianceBound := second.bound()/count + 5*unit*variance + meanBound*meanBound + 2*unit*math.Abs(mean)*(meanBound+math.Sqrt(variance))
		c.near("mean", ch, c.mean[ch], mean, meanBound)
		c.near("variance", ch, c.variance[ch], variance, varianceBound)
		v, scale, shift := variance+float64(c.Eps), float64(c.scale[ch]), float64(c.shift[ch])
		for _, i := range at {
			hat := (float64(c.x[i]) - mean) / math.Sqrt(v)
			want := scale*hat + shift
			bound := math.Abs(scale)*meanBound/math.Sqrt(v) + math.Abs(scale*hat)*(varianceBound/(2*v)+8*unit) + 8*unit*(math.Abs(want)+math.Abs(shift)) +
				4*unit*math.Abs(scale)*math.Abs(mean)/math.Sqrt(v)
			if c.ReLU {
				want = max(want, 0)
			}
			c.near("output", i, c.y[i], want, 1.01*bound)
		}
	}
}

func (c *normReference) backward(dy, dx, dscale, dshift []float32) {
	for ch := range c.C {
		at := channel(c.Norm, ch)
		count, mean := float64(len(at)), float64(c.mean[ch])
		inv := 1 / math.Sqrt(float64(c.variance[ch])+float64(c.Eps))
		d := func(i int) float64 {
			if c.ReLU && !(c.y[i] > 0) {
				return 0
			}
			return float64(dy[i])
		}
		var first, second sum
		for _, i := range at {
			first.add(d(i))
			second.add(d(i) * (float64(c.x[i]) - mean) * inv)
		}
		scaleBound := second.bound() + 8*unit*second.abs
		c.near("shift's gradient", ch, dshift[ch], first.value, first.bound())
		c.near("scale's gradient", ch, dscale[ch], second.value, scaleBound)
		for _, i := range at {
			hat, k := (float64(c.x[i])-mean)*inv, float64(c.scale[ch])*inv
			want := k * (d(i) - first.value/count - hat*second.value/count)
			bound := 8*unit*(math.Abs(d(i))+math.Abs(first.value)/count+math.Abs(hat*second.value)/count) + (first.bound()+math.Abs(hat)*scaleBound)/count
			c.near("input's gradient", i, dx[i], want, 1.01*math.Abs(k)*bound)
		}
	}
}

// TestBlend: running statistics have the bits of the rule that the layers use.
func TestBlend(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(10, 10))
		const n = 300
		running, batch := random(r, n), random(r, n)
		weight, factor := float64(float32(0.1)), 64.0/63
		p := up(m, running)
		m.ok(m.BatchNormBlend(n, p, up(m, batch), weight, factor))
		for i, v := range batch {
			v := float64(float64(v) * factor)
			running[i] = float32(float64((1-weight)*float64(running[i])) + float64(weight*v))
		}
		same(m.t, "statistics", down[float32](m, p, n), running)
	})
}
