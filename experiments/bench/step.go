package bench

import (
	"fmt"
	"math/rand/v2"

	"gradsync/experiments/train"
	"gradsync/shared/gpu"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// rate keeps the weights near where they were drawn: a network that has learnt
// its one batch by heart has other numbers in it than one in training.
const rate = 1e-4

// stepFLOP counts a training step of the given images, a multiply-add as two: the forward pass,
// the gradient of every weight, and the gradient of every layer's input but the first's, which
// nobody computes.
func stepFLOP(m *model.Model, images int) float64 {
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
	m, err := network(j)
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

// stepper returns how the contender makes steppers.
func stepper(m *model.Model, j Job) (t *Task, open func() (model.Stepper, error), err error) {
	if backend, ok := train.Backends[j.Contender]; ok {
		return &Task{Class: j.Contender}, func() (model.Stepper, error) { return backend(m, j.Batch) }, nil
	}
	t = &Task{}
	if j.Contender == gpu.Name {
		d, err := openDevice(j)
		if err != nil {
			return nil, nil, err
		}
		t.Facts = append(t.Facts, d.String())
	}
	e, err := tensor.Lookup(j.Contender)
	if err != nil {
		return nil, nil, err
	}
	t.Class = e.Class()
	return t, func() (model.Stepper, error) { return m.NewWorkspace(e, j.Batch, j.Threads), nil }, nil
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

// network builds a job's network. It fails if the network does not exist, or if one of its batch
// norms cannot take the batch.
func network(j Job) (*model.Model, error) {
	m, err := model.Build(model.Spec{Name: j.Model, Width: j.Width, Image: j.Image})
	if err != nil {
		return nil, err
	}
	return m, walk(m, func(s model.Step, in, _ layer.Shape) error {
		if _, norm := s.Layer.(layer.BatchNorm); norm && j.Batch == 1 && in.H == 1 && in.W == 1 {
			return fmt.Errorf("bench: --batch 1: %s, layer %s: one image of 1×1 has no variance, a batch of at least 2 has", m.Name(), s.Name)
		}
		return nil
	})
}

// walk calls visit on every layer with the shapes of its (first) input and its
// output, in forward order, until an error.
func walk(m *model.Model, visit func(s model.Step, in, out layer.Shape) error) error {
	c, h, w := m.Input()
	image, outs := layer.Shape{C: c, H: h, W: w}, []layer.Shape{}
	for i, s := range m.Steps() {
		from, in := i-1, image
		if len(s.Inputs) > 0 {
			from = s.Inputs[0]
		}
		if from >= 0 {
			in = outs[from]
		}
		out, err := s.Layer.Out(in)
		if err != nil {
			return err
		}
		if err := visit(s, in, out); err != nil {
			return err
		}
		outs = append(outs, out)
	}
	return nil
}

// Memory returns about how many bytes one contender's buffers take: operands, or of a network
// weights, gradients, images and what the backward pass reads of the forward pass. It fails as
// Network does.
func (j Job) Memory() (float64, error) {
	switch j.Kind {
	case KindGemm:
		m, n, k := float64(j.M), float64(j.N), float64(j.K)
		return 4 * (m*k + k*n + m*n), nil
	case KindVec, KindCoded:
		return 4 * float64(j.Bytes), nil // four operands, or a layer, its sum and what makes them
	case KindMessages:
		return (32 << 10) * float64(j.Ranks), nil // stacks, queues and messages
	}
	m, err := network(j)
	if err != nil {
		return 0, err
	}
	c, h, w := m.Input()
	image, weights := size(layer.Shape{C: c, H: h, W: w}), 0.0
	if j.Kind == KindPush { // 6 workers' parameters and gradients, on their way too, and the server's
		return 4 * 24 * float64(m.NumParams()), nil
	}
	err = walk(m, func(s model.Step, _, out layer.Shape) error {
		if len(s.Layer.Params()) > 0 {
			image += size(out)
		}
		return nil
	})
	for _, l := range m.Layers() {
		weights += float64(l.Length)
	}
	return float64(j.Concurrent) * 4 * (2*weights + float64(j.Batch)*image), err
}

// size counts elements, also where an int would overflow.
func size(s layer.Shape) float64 { return float64(s.C) * float64(s.H) * float64(s.W) }

// CheckMemory refuses a job whose contenders together take more than machine bytes of memory; 0 is
// unknown and refuses nothing. All of them are alive at once. It counts those that are sure to
// run: neither libraries, which may not be installed, nor backends, which may not take the
// network.
func (j Job) CheckMemory(contenders []string, machine float64) error {
	each, err := j.Memory()
	if err != nil {
		return err
	}
	n := 0
	for _, name := range contenders {
		if _, backend := train.Backends[name]; !backend && name != PyTorch && name != PyTorchCUDA && name != OpenBLAS {
			n++
		}
	}
	n = max(n, 1)
	if need := each * float64(n); machine > 0 && need > machine {
		return fmt.Errorf("bench: the buffers of %s take some %.1f GiB, this machine has %.1f GiB: make the case smaller, or choose fewer by --engine",
			count(n, "contender"), need/(1<<30), machine/(1<<30))
	}
	return nil
}
