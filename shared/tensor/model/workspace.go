package model

import (
	"fmt"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/layer"
)

// Stepper computes gradients and logits of one network: a Workspace, or another
// library behind the same two methods.
//
// Source: ours: the seam of --backend
type Stepper interface {
	// Gradient returns the mean loss of the images x and writes its gradient.
	Gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad) (loss float64, err error)
	// Logits returns n×classes values, valid until the next call.
	Logits(params, x []float32, n int) ([]float32, error)
}

// Workspace holds the activations of one network for one batch size. It serves
// one goroutine at a time; nothing in it outlives a call but the memory.
//
// Source: ours: borrowed per step, so that N ranks share as many as there are cores
type Workspace struct {
	model   *Model
	engine  tensor.Engine
	batch   int
	call    tensor.Call
	ops     []layer.Op
	inputs  [][]float32 // what each op read in the last forward pass
	dlogits []float32
}

var _ Stepper = (*Workspace)(nil)

// NewWorkspace makes room for batch images on the engine, with so many threads
// per engine call. Panics if batch < 1.
func (m *Model) NewWorkspace(e tensor.Engine, batch, threads int) *Workspace {
	if batch < 1 {
		panic(fmt.Sprintf("model: a workspace for %d images", batch))
	}
	w := &Workspace{
		model: m, engine: e, batch: batch,
		call:    tensor.Call{Threads: threads},
		inputs:  make([][]float32, len(m.nodes)),
		dlogits: make([]float32, batch*m.classes),
	}
	for _, n := range m.nodes {
		w.ops = append(w.ops, n.layer.New(e, n.in, batch))
	}
	return w
}

// Gradient computes the mean loss of len(labels) images and the gradient of all
// parameters, which it writes over grads. After each layer's gradient is final
// it calls on with the layer's index in Layers, last layer first, before it
// computes the gradient of that layer's input; on may be nil. An error of on
// ends the step. x is left as it was.
//
//	L = 1/n Σ_i −log softmax(z_i)[label_i],  grads = ∂L/∂params
//
// Errors: no image, more than the batch, lengths that do not fit, a label that
// is not a class.
func (w *Workspace) Gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad) (float64, error) {
	m, n := w.model, len(labels)
	if err := w.check(params, x, n); err != nil {
		return 0, err
	}
	if len(grads) != m.length {
		return 0, fmt.Errorf("model: %s has %d parameters, the gradient buffer %d", m.name, m.length, len(grads))
	}
	for i, l := range labels {
		if int(l) >= m.classes {
			return 0, fmt.Errorf("model: label %d of image %d is not one of %d classes", l, i, m.classes)
		}
	}
	logits := w.forward(params, x, n)
	d := w.dlogits[:len(logits)]
	loss := w.engine.SoftmaxCrossEntropy(&w.call, n, m.classes, logits, labels, d)
	for i := len(m.nodes) - 1; i >= 0; i-- {
		at := m.nodes[i]
		if at.index >= 0 {
			g := grads[at.offset : at.offset+at.length]
			w.ops[i].BackwardParams(&w.call, n, w.inputs[i], d, g)
			if on != nil {
				if err := on(at.index, g); err != nil {
					return loss, err
				}
			}
			if at.index == 0 {
				break // nobody reads the gradient of the image
			}
		}
		d = w.ops[i].BackwardInput(&w.call, n, params[at.offset:at.offset+at.length], d)
	}
	return loss, nil
}

// Logits returns the n×classes outputs of n images, valid until the next call.
func (w *Workspace) Logits(params, x []float32, n int) ([]float32, error) {
	if err := w.check(params, x, n); err != nil {
		return nil, err
	}
	return w.forward(params, x, n), nil
}

func (w *Workspace) forward(params, x []float32, n int) []float32 {
	for i, at := range w.model.nodes {
		w.inputs[i] = x
		x = w.ops[i].Forward(&w.call, n, params[at.offset:at.offset+at.length], x)
	}
	return x
}

func (w *Workspace) check(params, x []float32, n int) error {
	m := w.model
	switch {
	case n < 1 || n > w.batch:
		return fmt.Errorf("model: %d images, the workspace holds 1 to %d", n, w.batch)
	case len(params) != m.length:
		return fmt.Errorf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(params))
	case len(x) != n*m.input.Len():
		return fmt.Errorf("model: %d images of %s are %d values, the buffer has %d", n, m.name, n*m.input.Len(), len(x))
	}
	return nil
}
