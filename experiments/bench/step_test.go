package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gradsync/shared/gpu"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/gorgonia"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// learningRate keeps the weights near where they were drawn: a network that has learnt
// its one batch by heart has other numbers in it than one in training.
const learningRate = 1e-4

// step is forward, backward and SGD update of a network, at-once of them on goroutines that live as long as the case:
// starting one would allocate.
func step(tb testing.TB, k keys, by string, measure func(work, func() error) error) error {
	m, err := network(k)
	if err != nil {
		return err
	}
	var all []*trainee
	for i := range k.Int("at-once", 1) {
		t, err := newTrainee(tb, m, k, by, uint64(i))
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	w := work{flop: stepFLOP(m, k.Int("batch", 16)*len(all))}
	if len(all) == 1 {
		return measure(w, all[0].step)
	}
	begin, done := make(chan *trainee), make(chan error)
	defer close(begin)
	for range all {
		go func() {
			for t := range begin {
				done <- t.step()
			}
		}()
	}
	return measure(w, func() (err error) {
		for _, t := range all {
			begin <- t
		}
		for range all {
			if e := <-done; e != nil {
				err = e
			}
		}
		return err
	})
}

// network builds a case's network.
func network(k keys) (*model.Model, error) {
	width, _ := strconv.ParseFloat(k["width"], 64) // 0: the network's own
	return model.Build(model.Spec{Name: k["model"], Width: width, Image: k.Int("image", 0)})
}

// stepFLOP counts a training step of the given images, a multiply-add as two: the forward pass, the gradient of every
// weight, and the gradient of every layer's input but the first's, which nobody computes. A shortcut such as Winograd's
// counts as the work it saves.
func stepFLOP(m *model.Model, images int) (flop float64) {
	for i, l := range m.Layers() {
		flop += l.ForwardFLOP + l.BackwardFLOP
		if i == 0 {
			flop -= l.BackwardFLOP / 2
		}
	}
	return flop * float64(images)
}

// stepper returns who computes gradients.
func stepper(tb testing.TB, m *model.Model, k keys, by string) (model.Stepper, error) {
	batch := k.Int("batch", 16)
	switch by {
	case "gorgonia":
		return gorgonia.NewStepper(m, batch)
	case gpu.Name:
		if _, err := gpu.Open(gpu.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err) // a benchmark that is skipped says nothing
			tb.Skip(err)
		}
	}
	e, err := tensor.Lookup(by)
	if err != nil {
		return nil, err
	}
	return m.NewWorkspace(e, batch, k.Int("threads", 1)), nil
}

// trainee is one set of weights in training on one batch.
type trainee struct {
	s                model.Stepper
	params, grads, x []float32
	labels           []uint8
	sgd              optim.SGD
}

// newTrainee draws weights and images: random, since an engine may skip zeros.
func newTrainee(tb testing.TB, m *model.Model, k keys, by string, seed uint64) (*trainee, error) {
	s, err := stepper(tb, m, k, by)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, seed))
	c, h, w := m.Input()
	batch := k.Int("batch", 16)
	t := &trainee{s: s, params: make([]float32, m.NumParams()), grads: make([]float32, m.NumParams()),
		x: normal(r, batch*c*h*w), labels: make([]uint8, batch), sgd: optim.SGD{Rate: learningRate}}
	m.Init(t.params, r)
	for i := range t.labels {
		t.labels[i] = uint8(r.IntN(m.Classes()))
	}
	return t, nil
}

// normal draws n values of mean 0 and deviation 1.
func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func (t *trainee) step() error {
	loss, err := t.s.Gradient(t.params, t.grads, t.x, t.labels, nil)
	if err == nil && !(loss < 1e6) {
		err = fmt.Errorf("the loss became %v", loss)
	}
	t.sgd.Step(t.params, t.grads)
	return err
}
