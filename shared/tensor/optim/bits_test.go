package optim

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// scalar does SGD's rule element by element.
func scalar(s SGD, params, velocity, gradient []float32, first bool) {
	for i, g := range gradient {
		if s.WeightDecay != 0 {
			g += float32(s.WeightDecay * params[i])
		}
		if s.Momentum != 0 {
			if !first {
				g += float32(s.Momentum * velocity[i])
			}
			velocity[i] = g
		}
		params[i] -= float32(s.Rate * g)
	}
}

// TestStepIsTheRule: the same bits as the rule, element by element, at every
// length, with −0, denormals, infinities and NaN (any NaN for a NaN).
func TestStepIsTheRule(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) float32 {
		if rapid.Bool().Draw(t, "ordinary") {
			return rapid.Float32Range(-2, 2).Draw(t, "value")
		}
		return math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
	})
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(value, 1, 40).Draw(t, "values")
		n := rapid.SampledFrom([]int{0, 1, 15, 16, 17, 100, piece - 1, piece, piece + 1, 2*piece + 33}).Draw(t, "n")
		factor := rapid.SampledFrom([]float32{0, 0.9, 1, 1e-4, -0.5})
		s := SGD{Rate: factor.Draw(t, "rate"), Momentum: factor.Draw(t, "momentum"), WeightDecay: factor.Draw(t, "decay")}
		got, want, velocity, gradient := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range got {
			got[i] = some[i%len(some)]
		}
		copy(want, got)
		rule := s
		for step := range 3 {
			for i := range gradient {
				gradient[i] = some[(3*i+step+1)%len(some)]
			}
			s.Step(got, gradient)
			scalar(rule, want, velocity, gradient, step == 0)
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%+v, step %d: θ[%d] = %g (%#x), want %g", rule, step, i, got[i], math.Float32bits(got[i]), want[i])
				}
			}
		}
	})
}
