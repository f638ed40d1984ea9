package bench

import (
	"fmt"
	"math/rand/v2"

	"gradsync/experiments/train"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// rate keeps the weights near where they were drawn: a network that has learnt
// its one batch by heart has other numbers in it than one in training.
const rate = 1e-4

// StepFLOP counts a training step of so many images, a multiply-add as two:
// the forward pass, the gradient of every weight, and the gradient of every
// layer's input but the first's, which nobody computes.
func StepFLOP(m *model.Model, images int) float64 {
	var flop float64
	for i, l := range m.Layers() {
		flop += l.ForwardFLOP + l.BackwardFLOP
		if i == 0 {
			flop -= l.BackwardFLOP / 2
		}
	}
	return flop * float64(images)
}

// openStep opens a training step of an engine or a backend.
func openStep(j Job) (*Task, error) {
	m, err := Network(j)
	if err != nil {
		return nil, err
	}
	t, open, err := stepper(m, j)
	if err != nil {
		return nil, err
	}
	trainees := make([]*trainee, j.Concurrent)
	for i := range trainees {
		s, err := open()
		if err != nil {
			return nil, err
		}
		trainees[i] = newTrainee(m, s, j.Batch, uint64(i))
	}
	t.Run = together(trainees)
	return t, nil
}

// stepper is how the contender makes steppers.
func stepper(m *model.Model, j Job) (t *Task, open func() (model.Stepper, error), err error) {
	if backend, ok := train.Backends[j.Contender]; ok {
		return &Task{Class: j.Contender}, func() (model.Stepper, error) { return backend(m, j.Batch) }, nil
	}
	e, err := tensor.Lookup(j.Contender)
	if err != nil {
		return nil, nil, err
	}
	return &Task{Class: e.Class()}, func() (model.Stepper, error) { return m.NewWorkspace(e, j.Batch, j.Threads), nil }, nil
}

// trainee is one set of weights in training on one batch.
type trainee struct {
	s             model.Stepper
	params, grads []float32
	x             []float32
	labels        []uint8
	sgd           optim.SGD
}

// newTrainee draws weights and images: random, since an engine may skip zeros.
func newTrainee(m *model.Model, s model.Stepper, batch int, seed uint64) *trainee {
	r := rand.New(rand.NewPCG(1, seed))
	c, h, w := m.Input()
	t := &trainee{
		s: s, params: make([]float32, m.NumParams()), grads: make([]float32, m.NumParams()),
		x: normal(r, batch*c*h*w), labels: make([]uint8, batch), sgd: optim.SGD{Rate: rate},
	}
	m.Init(t.params, r)
	for i := range t.labels {
		t.labels[i] = uint8(r.IntN(m.Classes()))
	}
	return t
}

// normal draws n values of mean 0 and deviation 1.
func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func (t *trainee) run(steps int) error {
	for range steps {
		loss, err := t.s.Gradient(t.params, t.grads, t.x, t.labels, nil)
		if err != nil {
			return err
		}
		if !(loss < 1e6) {
			return fmt.Errorf("bench: the loss became %v", loss)
		}
		t.sgd.Step(t.params, t.grads)
	}
	return nil
}

// together runs all trainees at once, each on a goroutine that lives as long as
// the process: starting one would allocate.
func together(trainees []*trainee) func(steps int) error {
	if len(trainees) == 1 {
		return trainees[0].run
	}
	done, orders := make(chan error, len(trainees)), make([]chan int, len(trainees))
	for i, t := range trainees {
		orders[i] = make(chan int)
		go func() {
			for steps := range orders[i] {
				done <- t.run(steps)
			}
		}()
	}
	return func(steps int) error {
		for _, o := range orders {
			o <- steps
		}
		var err error
		for range trainees {
			if e := <-done; e != nil {
				err = e
			}
		}
		return err
	}
}
