package enginetest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNormReference: the reference gradients of a batch norm agree with central
// differences of Σ dy·y, with y from the definition in float64.
func TestNormReference(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 20))
	for _, c := range normCases(r) {
		if c.HW*c.N > 200 {
			continue
		}
		c.ReLU = false
		for ch := range c.C {
			x, d := make([]float64, len(c.x)), make([]float64, len(c.x))
			for i := range x {
				x[i], d[i] = float64(c.x[i]), float64(c.dy[i])
			}
			scale, shift := float64(c.scale[ch]), float64(c.shift[ch])
			loss := func() float64 {
				count := float64(c.N * c.HW)
				var mean, variance, total float64
				for i := range c.at(ch) {
					mean += x[i] / count
				}
				for i := range c.at(ch) {
					variance += (x[i] - mean) * (x[i] - mean) / count
				}
				for i := range c.at(ch) {
					total += d[i] * (scale*(x[i]-mean)/math.Sqrt(variance+float64(c.Eps)) + shift)
				}
				return total
			}
			slope := func(at *float64) float64 {
				const step = 1e-5
				kept := *at
				defer func() { *at = kept }()
				*at = kept + step
				up := loss()
				*at = kept - step
				return (up - loss()) / (2 * step)
			}
			check := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%s, channel %d: %s is %g, central difference %g", c.what, ch, what, got, want)
				}
			}
			mean, variance, _, _ := c.moments(ch)
			dshift, dscale, dx := c.backward(ch, mean, variance, d)
			check("shift's gradient", dshift.value, slope(&shift))
			check("scale's gradient", dscale.value, slope(&scale))
			for i := range c.at(ch) {
				got, _ := dx(i)
				check("input's gradient", got, slope(&x[i]))
			}
		}
	}
}
