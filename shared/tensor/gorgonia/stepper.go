// Package gorgonia runs the chains among the networks of package model (lenet5,
// mlp, cnn; neither batch norms nor shortcuts) on gorgonia.org/gorgonia:
// in float32 as a backend to choose, in float64 as the oracle of gradient tests.
// Gorgonia's float64 gradients agree with central differences (measured before this code, and
// the tests here); it is several times slower than the engines and allocates at
// every step.
package gorgonia

import (
	"errors"
	"fmt"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// Stepper is a network on Gorgonia. It serves one goroutine at a time.
//
// Source: ours: --backend gorgonia
type Stepper = stepper[float32]

// oracle is the same in float64; Gradient64 keeps the precision.
//
// Source: ours: the reference of gradient tests
type oracle = stepper[float64]

var _ model.Stepper = (*Stepper)(nil)

type stepper[T real] struct {
	m      *model.Model
	batch  int
	train  map[int]*graph[T] // by number of images: the size is baked in
	logits map[int]*graph[T]
	out    []float32
}

// NewStepper builds the network for batch images. Smaller batches get a graph of
// their own at first use. The error names what Gorgonia cannot build.
func NewStepper(m *model.Model, batch int) (*Stepper, error) { return newStepper[float32](m, batch) }

// newOracle does NewStepper in float64.
func newOracle(m *model.Model, batch int) (*oracle, error) { return newStepper[float64](m, batch) }

func newStepper[T real](m *model.Model, batch int) (*stepper[T], error) {
	if batch < 1 {
		return nil, fmt.Errorf("gorgonia: a batch of %d images", batch)
	}
	s := &stepper[T]{m: m, batch: batch, train: map[int]*graph[T]{}, logits: map[int]*graph[T]{}}
	_, err := s.graph(batch, true)
	return s, err
}

func (s *stepper[T]) graph(n int, training bool) (*graph[T], error) {
	known := s.logits
	if training {
		known = s.train
	}
	if known[n] == nil {
		gr, err := newGraph[T](s.m, n, training)
		if err != nil {
			return nil, err
		}
		known[n] = gr
	}
	return known[n], nil
}

// Gradient does what model.Workspace's Gradient does. on sees each layer's gradient while
// Gorgonia's tape is still running.
func (s *stepper[T]) Gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad) (float64, error) {
	if len(grads) != s.m.NumParams() {
		return 0, fmt.Errorf("gorgonia: %s has %d parameters, the gradient buffer %d", s.m.Name(), s.m.NumParams(), len(grads))
	}
	return s.gradient(params, x, labels, func(p model.Param, gradient []T) {
		for i, v := range gradient {
			grads[p.Offset+i] = float32(v)
		}
	}, func(l int) error {
		if on == nil {
			return nil
		}
		at := s.m.Layers()[l]
		return on(l, grads[at.Offset:at.Offset+at.Length])
	})
}

// Gradient64 does Gradient in the arithmetic's own precision.
func (s *stepper[T]) Gradient64(params []float32, grads []float64, x []float32, labels []uint8) (float64, error) {
	return s.gradient(params, x, labels, func(p model.Param, gradient []T) {
		for i, v := range gradient {
			grads[p.Offset+i] = float64(v)
		}
	}, func(int) error { return nil })
}

// gradient runs a step: keep copies a parameter's gradient out of the tape's
// memory, done is told when a layer is complete. The order of the taps follows
// from how Gorgonia sorts its graph, which it does not promise: a layer out of
// order is an error.
func (s *stepper[T]) gradient(params, x []float32, labels []uint8, keep func(model.Param, []T), done func(layer int) error) (float64, error) {
	if err := s.check(params, x, len(labels)); err != nil {
		return 0, err
	}
	for i, l := range labels {
		if int(l) >= s.m.Classes() {
			return 0, fmt.Errorf("gorgonia: label %d of image %d is not one of %d classes", l, i, s.m.Classes())
		}
	}
	gr, err := s.graph(len(labels), true)
	if err != nil {
		return 0, err
	}
	layers := s.m.Layers()
	next, missing := len(layers)-1, layers[len(layers)-1].Length
	var failed error // Gorgonia wraps errors beyond errors.Is
	gr.seen = func(index int, gradient []T) error {
		p := s.m.Params()[index]
		if next < 0 || p.Offset < layers[next].Offset || p.Length != len(gradient) {
			failed = fmt.Errorf("gorgonia: gradient of %s (%d values) came out of order", p.Name, len(gradient))
			return failed
		}
		keep(p, gradient)
		if missing -= p.Length; missing > 0 {
			return nil
		}
		failed = done(next)
		if next--; next >= 0 {
			missing = layers[next].Length
		}
		return failed
	}
	err = gr.run(params, x, labels)
	if failed != nil {
		return 0, failed
	}
	if err != nil {
		return 0, fmt.Errorf("gorgonia: %s: %w", s.m.Name(), err)
	}
	if next >= 0 {
		return 0, fmt.Errorf("gorgonia: %s: gradient of layer %s never came", s.m.Name(), layers[next].Name)
	}
	loss, ok := gr.loss.Data().(T)
	if !ok {
		return 0, errors.New("gorgonia: the loss is not a scalar")
	}
	return float64(loss), nil
}

// Logits does what model.Workspace's Logits does.
func (s *stepper[T]) Logits(params, x []float32, n int) ([]float32, error) {
	if err := s.check(params, x, n); err != nil {
		return nil, err
	}
	gr, err := s.graph(n, false)
	if err != nil {
		return nil, err
	}
	if err := gr.run(params, x, nil); err != nil {
		return nil, fmt.Errorf("gorgonia: %s: %w", s.m.Name(), err)
	}
	values, ok := gr.logits.Data().([]T)
	if !ok {
		return nil, fmt.Errorf("gorgonia: logits are a %T", gr.logits.Data())
	}
	s.out = s.out[:0]
	for _, v := range values {
		s.out = append(s.out, float32(v))
	}
	return s.out, nil
}

func (s *stepper[T]) check(params, x []float32, n int) error {
	c, h, w := s.m.Input()
	switch {
	case n < 1 || n > s.batch:
		return fmt.Errorf("gorgonia: %d images, the stepper holds 1 to %d", n, s.batch)
	case len(params) != s.m.NumParams():
		return fmt.Errorf("gorgonia: %s has %d parameters, the buffer %d", s.m.Name(), s.m.NumParams(), len(params))
	case len(x) != n*c*h*w:
		return fmt.Errorf("gorgonia: %d images of %s are %d values, the buffer has %d", n, s.m.Name(), n*c*h*w, len(x))
	}
	return nil
}
