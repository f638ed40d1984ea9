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
// one goroutine at a time; nothing in it outlives a call but the memory and the
// statistics it was lent.
//
// Source: ours: borrowed per step, so that N ranks share as many as there are cores
type Workspace struct {
	model    *Model
	engine   tensor.Engine
	layout   tensor.Layout
	batch    int
	call     tensor.Call
	plan     plan
	imported bool // the image is copied into the memory
	fuser    bool // the engine is a tensor.Fuser
	ops      []layer.Op
	buffers  [][]float32 // as in plan
	logits   []float32   // image-major
	stats    []float32
	pass     layer.Pass
	device   *mirror // nil on the host
	taker    Taker   // of the gradient under way; nil: the host gets it
}

var _ Stepper = (*Workspace)(nil)

// NewWorkspace makes room for batch images on the engine, whose calls may use that
// number of threads. It panics if batch < 1. Where a device has not the memory, every
// method returns that error; Close gives back what a device lent.
func (m *Model) NewWorkspace(e tensor.Engine, batch, threads int) *Workspace {
	if batch < 1 {
		panic(fmt.Sprintf("model: a workspace for %d images", batch))
	}
	w := &Workspace{
		model: m, engine: e, layout: e.Layout(), batch: batch,
		call:   tensor.Call{Threads: threads},
		logits: make([]float32, batch*m.classes),
	}
	_, w.fuser = e.(tensor.Fuser)
	w.device = w.newMirror()
	w.imported = w.layout != tensor.ImageMajor || w.device != nil
	w.plan = planOf(&m.graph, w.imported)
	memory := tensor.Make(e, &w.call, w.layout.Len(batch, w.plan.length))
	for _, n := range m.graph.nodes {
		w.ops = append(w.ops, n.layer.New(e, &w.call, n.shape, batch))
	}
	if w.device != nil {
		if w.device.err = w.device.Settle(&w.call); w.device.err != nil {
			_ = w.device.Release(&w.call) // Close tries again
			return w
		}
	}
	for i, b := range w.plan.buffers {
		at := w.layout.Len(batch, b.offset)
		if i == w.plan.image && !w.imported {
			w.buffers = append(w.buffers, nil) // the caller's
			continue
		}
		w.buffers = append(w.buffers, memory[at:at+w.layout.Len(batch, b.size)])
	}
	return w
}

// Gradient computes the mean loss of len(labels) images and the gradient of all
// parameters, which it writes over grads. After each layer's gradient is final
// it calls on with the layer's index in Layers, last layer first, before it
// computes the gradient of that layer's input (a batch norm computes both at
// once); on may be nil. An error of on ends the step. x is left as it was. On a device
// on is called when all layers' work is queued there, and computed meanwhile.
//
//	L = 1/n Σ_i −log softmax(z_i)[label_i],  grads = ∂L/∂params
//
// Batch norms normalise by the batch, and move the statistics of SetStats, if
// there are any, towards it with PyTorch's momentum, also when on fails.
//
// Errors: no image, more than the batch, lengths that do not fit, a label that
// is not a class, a batch norm with a single value per channel, the first failing
// call of a device.
func (w *Workspace) Gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad) (float64, error) {
	if err := w.checkTraining(len(labels)); err != nil {
		return 0, err
	}
	return w.gradient(params, grads, x, labels, on, layer.Pass{N: len(labels), Momentum: layer.Momentum})
}

// gradient does Gradient in the mode of the pass.
func (w *Workspace) gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad, pass layer.Pass) (float64, error) {
	m, n := w.model, len(labels)
	if err := w.check(params, x, n); err != nil {
		return 0, err
	}
	if len(grads) != m.length && w.taker == nil {
		return 0, fmt.Errorf("model: %s has %d parameters, the gradient buffer %d", m.name, m.length, len(grads))
	}
	for i, l := range labels {
		if int(l) >= m.classes {
			return 0, fmt.Errorf("model: label %d of image %d is not one of %d classes", l, i, m.classes)
		}
	}
	w.pass = pass
	w.repeat(grads)
	p, g := w.begin(params, grads)
	w.forward(p, x)
	w.sendStats()
	var loss float64
	for i := w.plan.forward; i < len(w.plan.code); i++ {
		in := w.plan.code[i]
		if in.kind == runLoss {
			loss = w.engine.SoftmaxCrossEntropy(&w.call, n, m.classes, w.view(in.x), labels, w.view(in.dx))
			continue
		}
		var at *node
		if w.fuses(in) {
			at = w.backwardSum(w.plan.code[i:i+in.span], p, g)
			i += in.span - 1
		} else {
			at = w.backward(in, p, g)
		}
		if at != nil && w.device != nil {
			w.leave(at, p, g)
			continue
		}
		if at != nil && on != nil {
			if err := on(at.index, grads[at.offset:at.offset+at.length]); err != nil {
				return loss, err
			}
		}
	}
	if w.device != nil {
		return w.repeated(loss), w.receive(grads, on)
	}
	return loss, nil
}

// backward runs one instruction; if that made a layer's gradient final, it
// returns the node.
func (w *Workspace) backward(in instruction, params, grads []float32) *node {
	p := &w.pass
	p.X, p.Y, p.DY, p.DX = w.view(in.x), w.view(in.y), w.view(in.dy), w.view(in.dx)
	switch in.kind {
	case runMask:
		w.engine.ReLUBackward(&w.call, p.Y, p.DY, p.DX)
		return nil
	case runSum:
		w.engine.Add(&w.call, p.X, p.DY, p.DX, false)
		return nil
	}
	n := w.lend(in, params, grads)
	if in.kind == runInput {
		w.ops[in.node].BackwardInput(&w.call, p)
		return nil
	}
	w.ops[in.node].BackwardParams(&w.call, p)
	return n
}

// lend puts the parameters of an instruction's node into the pass, and returns the node.
func (w *Workspace) lend(in instruction, params, grads []float32) *node {
	n := &w.model.graph.nodes[in.node]
	w.pass.W, w.pass.DW, w.pass.Stats = params[n.offset:n.offset+n.length], grads[n.offset:n.offset+n.length], w.statsOf(n)
	return n
}

// fuses tells whether the engine does the instruction and those of its span at once.
func (w *Workspace) fuses(in instruction) bool {
	return in.span > 0 && w.fuser && !w.pass.Inference
}

// forwardSum runs a batch norm and the sum behind it.
func (w *Workspace) forwardSum(norm, sum instruction, params []float32) {
	p, n := &w.pass, &w.model.graph.nodes[norm.node]
	other := sum.x
	if other == norm.y {
		other = sum.x2
	}
	p.W, p.Stats = params[n.offset:n.offset+n.length], w.statsOf(n)
	p.X, p.X2, p.Y = w.view(norm.x), w.view(other), w.view(sum.y)
	w.ops[norm.node].(layer.Summing).ForwardSum(&w.call, p)
}

// backwardSum runs what planner.sumBackward has found, and returns the batch norm.
func (w *Workspace) backwardSum(code []instruction, params, grads []float32) *node {
	p, norm := &w.pass, code[len(code)-1]
	n := w.lend(norm, params, grads)
	p.X, p.Y, p.DX, p.D = w.view(norm.x), w.view(norm.y), w.view(norm.dx), w.view(norm.dx)
	p.DY, p.X2 = w.view(code[0].dy), nil
	if code[0].kind == runSum {
		p.DY, p.X2 = w.view(code[0].x), p.DY
	}
	if mask := code[len(code)-2]; mask.kind == runMask {
		p.Y, p.D = w.view(mask.y), w.view(mask.dx)
	}
	w.ops[norm.node].(layer.Summing).BackwardSum(&w.call, p)
	return n
}

// Logits returns the n×classes outputs of n images, valid until the next call.
// Batch norms normalise by the statistics of SetStats; without them a network
// that has batch norms is an error.
func (w *Workspace) Logits(params, x []float32, n int) ([]float32, error) {
	if err := w.check(params, x, n); err != nil {
		return nil, err
	}
	if err := w.needStats(); err != nil {
		return nil, err
	}
	w.pass = layer.Pass{N: n, Inference: true}
	p, _ := w.begin(params, nil)
	w.forward(p, x)
	z := w.logits[:n*w.model.classes]
	if w.device != nil {
		w.device.Download(&w.call, z, w.view(w.plan.logits))
		if err := w.settle(nil); err != nil {
			return nil, err
		}
		return z, nil
	}
	w.layout.Export(z, w.view(w.plan.logits), n, w.model.classes)
	return z, nil
}

// forward computes the logits of the pass's images.
func (w *Workspace) forward(params, x []float32) {
	p := &w.pass
	switch image := w.plan.image; {
	case w.device != nil:
		w.device.Upload(&w.call, w.view(image), x)
	case !w.imported:
		w.buffers[image] = x
	default:
		w.layout.Import(w.buffers[image], x, p.N, w.model.input.Len())
	}
	for i := 0; i < w.plan.forward; i++ {
		in := w.plan.code[i]
		if w.fuses(in) {
			w.forwardSum(in, w.plan.code[i+1], params)
			i++
			continue
		}
		n := &w.model.graph.nodes[in.node]
		p.W = params[n.offset : n.offset+n.length]
		p.X, p.X2, p.Y = w.view(in.x), w.view(in.x2), w.view(in.y)
		p.Stats = w.statsOf(n)
		w.ops[in.node].Forward(&w.call, p)
	}
}

// view returns buffer b for the pass's images.
func (w *Workspace) view(b int) []float32 {
	if b == none {
		return nil
	}
	return w.buffers[b][:w.layout.Len(w.pass.N, w.plan.buffers[b].size)]
}

func (w *Workspace) check(params, x []float32, n int) error {
	m := w.model
	switch {
	case w.device != nil && w.device.err != nil:
		return w.device.err
	case n < 1 || n > w.batch:
		return fmt.Errorf("model: %d images, the workspace holds 1 to %d", n, w.batch)
	case len(params) != m.length:
		return fmt.Errorf("model: %s has %d parameters, the buffer %d", m.name, m.length, len(params))
	case len(x) != n*m.input.Len():
		return fmt.Errorf("model: %d images of %s are %d values, the buffer has %d", n, m.name, n*m.input.Len(), len(x))
	case w.stats != nil && len(w.stats) != m.nstats:
		return fmt.Errorf("model: %s has %d statistics, the buffer %d", m.name, m.nstats, len(w.stats))
	}
	return nil
}
