package ringsparse

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// enter is S3 and the counting part of S4 for a layer whose local gradient is
// there: the local step beside W0, and the sparsities of the 2N blocks.
func (x *ring) enter() error {
	if err := x.local(); err != nil {
		return err
	}
	if x.only != Gradients {
		x.spend(4*x.length, x.convert) // W′ is made by the same pass as a conversion
	}
	for i := range x.n {
		x.measure(i, 1)
	}
	return nil
}

// local takes the local step, which Blocks have taken already, or models it.
func (x *ring) local() error {
	switch {
	case x.job.Task == nil:
		return x.model()
	case x.blocks == nil && !x.again():
		x.localStep()
	}
	return nil
}

// model makes the timing-only path of the layer under way.
func (x *ring) model() error {
	w, g := 1.0, 1.0
	if x.job.Density != nil {
		w, g = x.job.Density(x.layer)
	}
	if !(w >= 0 && w <= 1 && g >= 0 && g <= 1) {
		return fmt.Errorf("ringsparse: layer %d: densities %g and %g, want 0 to 1", x.layer, w, g)
	}
	x.path = hops(x.n, w, g, x.only, x.tie)
	return nil
}

// localStep folds decay and residual into the gradient and makes W′.
func (x *ring) localStep() {
	lo, hi := x.lo, x.lo+x.length
	w0, g := x.params[lo:hi], x.grads[lo:hi]
	fold(g, w0, x.job.WeightDecay, x.sign)
	if x.residual != nil {
		r := x.residual[lo:hi]
		vec.AddTo(g, r)
		clear(r)
	}
	if x.weights == nil {
		return
	}
	w := x.weights[lo:hi]
	LocalStep(w, w0, g, x.job.Rate, x.sign) // S1–S7, step 6
	if x.job.Mask != nil {
		Project(w, x.job.Mask[lo:hi])
	}
}

// fold makes of the task's gradient what the exchange calls g: with weight decay,
// and as the direction of descent if that is the reading.
//
//	g ← ∇ + λ·W0,   or   0 − (∇ + λ·W0)
//
// 0 − x keeps +0 a +0, which −x does not.
func fold(g, w0 []float32, decay float64, s Sign) {
	if decay != 0 {
		vec.AxpyTo(g, float32(decay), w0)
	}
	if s == Printed {
		for i, v := range g {
			g[i] = 0 - v
		}
	}
}

// store returns the entries lo to hi of the kind.
func (x *ring) store(k Kind, lo, hi int) []float32 {
	if k == Weights {
		return x.weights[lo:hi]
	}
	return x.grads[lo:hi]
}

// open reads the header of message b, a sum of m nodes for block i.
func (x *ring) open(i, b, m int) (h Header, c codec.Codec, err error) {
	lo, hi := x.block(i)
	if h, c, err = ReadHeader(&x.msg[b], m, hi-lo); err != nil {
		return h, c, err
	}
	if x.only != 0 && h.Kind != x.only {
		return h, c, fmt.Errorf("ringsparse: rank %d sent %v, want %v: do all ranks have the same options?", x.msg[b].From, h.Kind, x.only)
	}
	if h.Codec != 0 {
		x.spend(4*h.Elements, x.decoders[h.Codec].Decode)
	}
	return h, c, nil
}

// reduce adds message 1, a sum of m nodes, to the local block of its kind (S5),
// turns the sum into the other kind (S51) and counts both.
func (x *ring) reduce(i, m int) error {
	h, c, err := x.open(i, 1, m) // S4–S6, step 5: by its tag
	if err != nil {
		return err
	}
	lo, hi := x.block(i)
	if !x.timing() {
		if _, err := x.load(nil, h.Kind, mod(i, x.n)); err != nil {
			return err
		}
		// S4–S6, steps 5, 6: unpacked as it is added
		if err := c.Accumulate(x.store(h.Kind, lo, hi), x.msg[1].Body); err != nil {
			return x.damaged(i, 1, err)
		}
	}
	if x.only == 0 {
		x.turn(h.Kind, lo, hi, m+1) // S4–S6, step 7
	}
	x.measure(i, m+1)
	return nil
}

// turn makes the other kind of a block that holds m nodes' sum of kind k.
func (x *ring) turn(k Kind, lo, hi, m int) {
	t := &x.log.Totals
	t.Converted += int64(hi - lo)
	x.spend(4*(hi-lo), x.convert)
	if k == Gradients {
		t.ToWeights++
	} else {
		t.ToGradients++
	}
	switch {
	case x.timing():
	case k == Gradients:
		ToWeights(x.weights[lo:hi], x.params[lo:hi], x.grads[lo:hi], x.job.Rate, m, x.sign)
	default:
		ToGradients(x.grads[lo:hi], x.params[lo:hi], x.weights[lo:hi], x.job.Rate, m, x.sign)
	}
}

// overwrite takes over message b as block i's sum (S6), the owner as everybody.
func (x *ring) overwrite(i, b int, h Header, c codec.Codec) error {
	x.tags[x.layer][mod(i, x.n)] = h.Kind
	if !x.timing() {
		lo, hi := x.block(i)
		if err := c.Decode(x.store(h.Kind, lo, hi), x.msg[b].Body); err != nil {
			return x.damaged(i, b, err)
		}
	}
	return x.pass()
}

func (x *ring) damaged(i, b int, err error) error {
	return fmt.Errorf("ringsparse: layer %d block %d from rank %d: %w", x.layer, mod(i, x.n), x.msg[b].From, err)
}

// finish turns every block's sum into the new parameters, in the way its tag says,
// and projects them.
func (x *ring) finish() error {
	for l, layer := range x.job.Layers {
		x.lo, x.length = layer.Offset, layer.Length
		for i, k := range x.tags[l] {
			lo, hi := x.block(i)
			// S4–S6, step 11
			if k == Weights {
				AverageWeights(x.params[lo:hi], x.weights[lo:hi], x.n)
			} else {
				ApplyGradients(x.params[lo:hi], x.grads[lo:hi], x.job.Rate, x.n, x.sign)
			}
		}
	}
	if x.job.Mask != nil {
		Project(x.params, x.job.Mask)
	}
	return nil
}

// update is the device's work of finish, which reads a sum and reads and writes
// the parameters.
func (x *ring) update() error {
	params := 0
	for _, l := range x.job.Layers {
		params += l.Length
	}
	work := cluster.Work{FLOP: 2 * float64(params), Bytes: 12 * float64(params)}
	p := x.p
	if x.all != nil { // a loss interrupts no update
		p = x.all
	}
	if x.timing() {
		return cluster.Compute(p, work, nil)
	}
	return cluster.Compute(p, work, x.finish)
}
