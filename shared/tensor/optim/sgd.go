// Package optim holds the update rules: what a gradient does to the parameters.
package optim

import (
	"fmt"
	"sync"

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
// Threads, if more than 1, is how many goroutines share a step of a Large vector: one
// core alone does not fill the memory's bandwidth.
//
// Source: ours: PyTorch's torch.optim.SGD
type SGD struct {
	Rate, Momentum, WeightDecay float32
	Threads                     int

	velocity []float32
	shared   *shared
}

// shared is a step that goroutines share. What starts one is made once: a step allocates
// nothing.
type shared struct {
	params, gradient []float32
	first            bool
	starts           []func()
	done             sync.WaitGroup
}

// piece is how many elements go through all of a step's vector operations
// before the next: few enough to stay in the first cache.
const piece = 1024

// Step applies the gradient to params; gradient is left as it was. It allocates
// on the first step alone. Every product is rounded before it is added, and an element
// knows of its own index only, so the bits are the same on every machine and for any
// number of threads. Panics when the lengths differ from each other or from the first
// step's.
func (s *SGD) Step(params, gradient []float32) {
	if len(params) != len(gradient) || s.velocity != nil && len(s.velocity) != len(params) {
		panic(fmt.Sprintf("optim: %d parameters, %d gradients, %d velocities", len(params), len(gradient), len(s.velocity)))
	}
	first := s.velocity == nil
	if first && s.Momentum != 0 {
		s.velocity = make([]float32, len(params))
	}
	if s.Threads < 2 || len(params) < Large {
		s.part(params, gradient, 0, len(params), first)
		return
	}
	s.share(params, gradient, first)
}

// share does a step on Threads goroutines.
func (s *SGD) share(params, gradient []float32, first bool) {
	if s.shared == nil || len(s.shared.starts) != s.Threads {
		s.shared = &shared{}
		t := s.shared
		for i := range s.Threads {
			t.starts = append(t.starts, func() {
				n := len(t.params)
				s.part(t.params, t.gradient, n*i/len(t.starts), n*(i+1)/len(t.starts), t.first)
				t.done.Done()
			})
		}
	}
	t := s.shared
	t.params, t.gradient, t.first = params, gradient, first
	t.done.Add(len(t.starts))
	for _, start := range t.starts[1:] {
		go start()
	}
	t.starts[0]()
	t.done.Wait()
	t.params, t.gradient = nil, nil
}

// part does a step of elements from ≤ i < end.
func (s *SGD) part(params, gradient []float32, from, end int, first bool) {
	var decayed [piece]float32
	for ; from < end; from += piece {
		to := min(from+piece, end)
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
