package model

import (
	"errors"

	"gradsync/shared/tensor"
)

// Taker takes a gradient from a device layer by layer, last layer first, in the form that it
// has made of it there.
//
// Source: ours: what is counted, packed or rounded on the device need not leave it whole
type Taker interface {
	// Queue queues on the Call what is to be made of a layer's gradient, and sends it. The
	// slices are the device's: the gradient, final and the taker's to change until the pass
	// ends, and the layer's parameters, which must stay as they are.
	Queue(c *tensor.Call, layer int, params, grads []float32)
	// Receive receives what Queue has sent of the layer; the device computes the layers
	// before it meanwhile. An error ends the pass.
	Receive(c *tensor.Call, layer int) error
}

// Exchanger returns the engine if gradients can stay on it; nil if not.
func (w *Workspace) Exchanger() tensor.Exchanger {
	e, _ := w.engine.(tensor.Exchanger)
	return e
}

// GradientTo is Gradient on an Exchanger, which leaves the gradient there for the taker.
//
// Errors: those of Gradient, the taker's.
func (w *Workspace) GradientTo(params, x []float32, labels []uint8, to Taker) (float64, error) {
	if w.Exchanger() == nil {
		return 0, errNoExchanger
	}
	w.taker = to
	defer func() { w.taker = nil }()
	return w.Gradient(params, nil, x, labels, nil)
}

// mirror holds a Device's copies of vectors that the caller has on the host: parameters,
// their gradient, statistics. A pass takes parameters and statistics up once; each layer's
// gradient leaves on its own, while the layers before it are computed.
//
// Source: ours: host and device differ in where the caller's vectors lie
type mirror struct {
	tensor.Device
	repeater             tensor.Repeater // nil: it is none
	repeating            bool            // the step under way is the repeater's
	params, grads, stats []float32
	err                  error // what every pass returns: there was no memory, or it is given back
}

// newMirror makes the vectors of a workspace's device; nil on the host.
func (w *Workspace) newMirror() *mirror {
	d, ok := w.engine.(tensor.Device)
	if !ok {
		return nil
	}
	m := &mirror{Device: d, params: d.Make(&w.call, w.model.length), grads: d.Make(&w.call, w.model.length)}
	m.repeater, _ = w.engine.(tensor.Repeater)
	if w.model.nstats > 0 {
		m.stats = d.Make(&w.call, w.model.nstats)
	}
	return m
}

// repeat begins a training step whose gradient the host gets: the next one of as many images,
// which moves statistics or not as this one does, is the same on a device.
func (w *Workspace) repeat(grads []float32) {
	if w.device == nil {
		return
	}
	if w.device.repeating = w.device.repeater != nil && !w.pass.Inference && grads != nil; !w.device.repeating {
		return
	}
	key := 2 * w.pass.N
	if w.movesStats() {
		key++
	}
	w.device.repeater.Repeat(&w.call, key)
}

// repeated ends it and returns its loss.
func (w *Workspace) repeated(loss float64) float64 {
	if !w.device.repeating {
		return loss
	}
	return w.device.repeater.Repeated(&w.call)
}

// begin takes what a pass reads to the device and returns parameters and gradient there;
// on the host these are the caller's.
func (w *Workspace) begin(params, grads []float32) (p, g []float32) {
	d := w.device
	if d == nil {
		return params, grads
	}
	d.Upload(&w.call, d.params, params)
	if len(w.stats) > 0 {
		d.Upload(&w.call, d.stats, w.stats)
	}
	return d.params, d.grads
}

// sendStats begins to copy moved statistics to the host.
func (w *Workspace) sendStats() {
	if w.device != nil && w.movesStats() {
		w.device.Send(&w.call, w.device.stats)
	}
}

func (w *Workspace) movesStats() bool { return len(w.stats) > 0 && !w.pass.Inference }

// leave sends a layer's gradient, or what a taker makes of it.
func (w *Workspace) leave(n *node, params, grads []float32) {
	p, g := params[n.offset:n.offset+n.length], grads[n.offset:n.offset+n.length]
	if w.taker != nil {
		w.taker.Queue(&w.call, n.index, p, g)
	} else {
		w.device.Send(&w.call, g)
	}
}

// receive ends a pass: the statistics come, then each layer's gradient, which on is given,
// or what a taker made of it.
// All of the device's work has been queued, so it computes while on runs. After an error
// the rest of the work is waited for.
func (w *Workspace) receive(grads []float32, on tensor.OnGrad) error {
	d := w.device
	if w.movesStats() {
		if err := d.Receive(&w.call, w.stats); err != nil {
			return w.settle(err)
		}
	}
	if grads == nil && w.taker == nil {
		return w.settle(nil)
	}
	for _, in := range w.plan.code[w.plan.forward:] {
		if in.kind != runParams {
			continue
		}
		n := &w.model.graph.nodes[in.node]
		if w.taker != nil {
			if err := w.taker.Receive(&w.call, n.index); err != nil {
				return w.settle(err)
			}
			continue
		}
		g := grads[n.offset : n.offset+n.length]
		if err := d.Receive(&w.call, g); err != nil {
			return w.settle(err)
		}
		if on != nil {
			if err := on(n.index, g); err != nil {
				_ = w.settle(nil) // on's error counts
				return err
			}
		}
	}
	return w.settle(nil)
}

// settle waits for the device; the first error of its work counts, then err.
func (w *Workspace) settle(err error) error {
	if first := w.device.Settle(&w.call); first != nil {
		return first
	}
	return err
}

// Opened returns why a device lent nothing when the workspace was made, or nil. Who does not ask is told by the first
// pass.
func (w *Workspace) Opened() error {
	if w.device == nil {
		return nil
	}
	return w.device.err
}

// Close gives back what a device lent; on the host there is nothing to give back. After an
// error it may be called again. A later pass on a device is an error.
func (w *Workspace) Close() error {
	if w.device == nil {
		return nil
	}
	if w.device.err == nil {
		w.device.err = errClosed
	}
	return w.device.Release(&w.call)
}

var errNoExchanger = errors.New("model: this engine keeps no gradient for an exchange")

var errClosed = errors.New("model: the workspace has given its device's memory back")
