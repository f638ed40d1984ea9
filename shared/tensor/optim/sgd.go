// Package optim holds the update rules: what a gradient does to the parameters.
package optim

import (
	"fmt"

	"gradsync/shared/tensor/vec"
)

// SGD is stochastic gradient descent with PyTorch's semantics (torch.optim.SGD
// without dampening and Nesterov):
//
//	g ← g + WeightDecay·θ
//	v ← Momentum·v + g   (v ← g at the first step)
//	θ ← θ − Rate·v
//
// The zero value with a Rate is plain SGD. An SGD keeps the velocity of one
// parameter vector; it serves one goroutine at a time. Rate may change between
// steps.
//
// Source: ours: PyTorch's torch.optim.SGD
type SGD struct {
	Rate, Momentum, WeightDecay float32

	velocity []float32
}

// piece is how many elements go through all of a step's vector operations
// before the next: few enough to stay in the first cache.
const piece = 1024

// Step applies the gradient to params; gradient is left as it was. It allocates
// once, on the first step with momentum. Every product is rounded before it is
// added, so the bits are the same on every machine. Panics when the lengths
// differ from each other or from the first step's.
func (s *SGD) Step(params, gradient []float32) {
	if len(params) != len(gradient) || s.velocity != nil && len(s.velocity) != len(params) {
		panic(fmt.Sprintf("optim: %d parameters, %d gradients, %d velocities", len(params), len(gradient), len(s.velocity)))
	}
	first := s.velocity == nil
	if first && s.Momentum != 0 {
		s.velocity = make([]float32, len(params))
	}
	var decayed [piece]float32
	for from := 0; from < len(params); from += piece {
		to := min(from+piece, len(params))
		theta, g := params[from:to], gradient[from:to]
		if s.WeightDecay != 0 {
			sum := decayed[:copy(decayed[:], g)]
			vec.AxpyTo(sum, s.WeightDecay, theta)
			g = sum
		}
		if s.Momentum != 0 {
			v := s.velocity[from:to]
			if first {
				copy(v, g)
			} else {
				vec.Scale(s.Momentum, v)
				vec.AddTo(v, g)
			}
			g = v
		}
		// θ − Rate·g and θ + (−Rate)·g are the same bits.
		vec.AxpyTo(theta, -s.Rate, g)
	}
}
