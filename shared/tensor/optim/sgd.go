// Package optim holds the update rules: what a gradient does to the parameters.
package optim

import "fmt"

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

// Step applies the gradient to params; gradient is left as it was. It allocates
// once, on the first step with momentum. Every product is rounded before it is
// added, so the bits are the same on every machine. Panics when the lengths
// differ from each other or from the first step's.
func (s *SGD) Step(params, gradient []float32) {
	if len(params) != len(gradient) || s.velocity != nil && len(s.velocity) != len(params) {
		panic(fmt.Sprintf("optim: %d parameters, %d gradients, %d velocities", len(params), len(gradient), len(s.velocity)))
	}
	if s.Momentum == 0 {
		s.plain(params, gradient)
		return
	}
	first := s.velocity == nil
	if first {
		s.velocity = make([]float32, len(params))
	}
	for i, g := range gradient {
		if s.WeightDecay != 0 {
			g += float32(s.WeightDecay * params[i])
		}
		if !first {
			g += float32(s.Momentum * s.velocity[i])
		}
		s.velocity[i] = g
		params[i] -= float32(s.Rate * g)
	}
}

func (s *SGD) plain(params, gradient []float32) {
	if s.WeightDecay == 0 {
		for i, g := range gradient {
			params[i] -= float32(s.Rate * g)
		}
		return
	}
	for i, g := range gradient {
		g += float32(s.WeightDecay * params[i])
		params[i] -= float32(s.Rate * g)
	}
}

// Reset forgets the velocity, as if no step had been taken.
func (s *SGD) Reset() { s.velocity = nil }
