package train

import (
	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor"
)

// fixedTask is a codedTask whose gradients a device adds up and rounds to fixed point: what
// comes to the host is what packets hold and sums add.
type fixedTask struct {
	*codedTask
	fixed *deviceFixed
	grads []float32 // of a bad piece
}

var _ codedsgd.Quantiser = (*fixedTask)(nil)

// newFixedTask makes room on a device.
func newFixedTask(t *codedTask, e tensor.Exchanger) (*fixedTask, error) {
	f, err := newDeviceFixed(t.Task, e)
	return &fixedTask{codedTask: t, fixed: f}, err
}

// close gives back the device's memory.
func (t *fixedTask) close() error { return t.fixed.e.Release(&t.fixed.call) }

// BlockFixed is BlockGrad in fixed point; where ranks share blocks the first computes it.
func (t *fixedTask) BlockFixed(step int64, lo, hi int, fixed []int32, limit float64, done func(layer, saturated, notFinite int)) (float64, error) {
	if t.blocks == nil {
		return t.blockFixed(step, lo, hi, fixed, limit, done)
	}
	b := t.blocks.get(blockKey{step, lo, hi})
	computed := false
	b.once.Do(func() {
		computed = true
		b.fixed, b.clipped = make([]int32, len(fixed)), make([][2]int, len(t.layers))
		b.loss, b.err = t.blockFixed(step, lo, hi, fixed, limit, func(l, saturated, notFinite int) {
			at, end := t.layers[l].Offset, t.layers[l].Offset+t.layers[l].Length
			copy(b.fixed[at:end], fixed[at:end]) // the rank may clip its own when it is told
			b.clipped[l] = [2]int{saturated, notFinite}
			done(l, saturated, notFinite)
		})
	})
	if computed || b.err != nil {
		return b.loss, b.err
	}
	copy(fixed, b.fixed)
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l, b.clipped[l][0], b.clipped[l][1])
	}
	return b.loss, nil
}

// blockFixed computes a block, a bad piece on the host.
func (t *fixedTask) blockFixed(step int64, lo, hi int, fixed []int32, limit float64, done func(layer, saturated, notFinite int)) (loss float64, err error) {
	if t.attacked(lo, hi) {
		if t.grads == nil {
			t.grads = make([]float32, len(t.params))
		}
		return t.badGrad(step, lo, hi, t.grads, func(l int) {
			at, end := t.layers[l].Offset, t.layers[l].Offset+t.layers[l].Length
			saturated, notFinite := codedsgd.Quantise(fixed[at:end], t.grads[at:end], limit)
			done(l, saturated, notFinite)
		})
	}
	images, f := t.indices(step)[lo:hi], t.fixed
	f.host, f.limit, f.done = fixed, limit, done
	for from := 0; from < len(images); from += passImages {
		to := min(from+passImages, len(images))
		f.images, f.first, f.last = to-from, from == 0, to == len(images)
		mean, err := t.gradTo(images[from:to], f)
		if err != nil {
			return 0, err
		}
		loss += mean * float64(to-from)
	}
	return loss, nil
}

// deviceFixed takes gradients, means over images, on a device: it adds up sums over them,
// pass by pass, and rounds the last one's.
type deviceFixed struct {
	e      tensor.Exchanger
	call   tensor.Call
	layers []span

	// On the device:
	sum     []float32
	zeros   []float32 // as many as the longest layer has parameters
	rounded []int32
	clipped []int32

	counts []int32 // the host's, of a layer

	// Of the pass under way:
	images      int
	first, last bool // pass of its block
	host        []int32
	limit       float64
	done        func(layer, saturated, notFinite int)
}

// span says where a layer's parameters are, and its counts among all.
type span struct{ lo, hi, counts, end int }

func newDeviceFixed(t *Task, e tensor.Exchanger) (*deviceFixed, error) {
	f := &deviceFixed{e: e}
	counts, longest, most := 0, 0, 0
	for _, l := range t.layers {
		n := e.ClippedInts(l.Length)
		f.layers = append(f.layers, span{l.Offset, l.Offset + l.Length, counts, counts + n})
		counts, longest, most = counts+n, max(longest, l.Length), max(most, n)
	}
	f.counts = make([]int32, most)
	f.sum, f.zeros = e.Make(&f.call, len(t.params)), e.Make(&f.call, longest)
	f.rounded, f.clipped = tensor.Int32s(e.Make(&f.call, len(t.params))), tensor.Int32s(e.Make(&f.call, counts))
	if f.zeros != nil {
		e.Upload(&f.call, f.zeros, make([]float32, longest))
	}
	return f, e.Settle(&f.call)
}

// Queue adds a layer's sum over the pass's images, and rounds and sends all images' sum.
func (f *deviceFixed) Queue(c *tensor.Call, layer int, _, grads []float32) {
	l := f.layers[layer]
	sum := f.sum[l.lo:l.hi]
	if f.first {
		f.e.Copy(c, sum, f.zeros[:l.hi-l.lo])
	}
	axpy(f.e, c, sum, float32(f.images), grads)
	if f.last {
		f.e.QuantiseRange(c, f.rounded[l.lo:l.hi], sum, f.clipped[l.counts:l.end], f.limit)
		f.e.Send(c, tensor.Float32s(f.rounded[l.lo:l.hi]))
		f.e.Send(c, tensor.Float32s(f.clipped[l.counts:l.end]))
	}
}

// Receive receives a layer's block and what it could not represent.
func (f *deviceFixed) Receive(c *tensor.Call, layer int) error {
	if !f.last {
		return nil
	}
	l := f.layers[layer]
	counts := f.counts[:l.end-l.counts]
	if err := f.e.Receive(c, tensor.Float32s(f.host[l.lo:l.hi])); err != nil {
		return err
	}
	if err := f.e.Receive(c, tensor.Float32s(counts)); err != nil {
		return err
	}
	saturated, notFinite := 0, 0
	for i := 0; i < len(counts); i += 3 {
		saturated += int(counts[i])
		notFinite += int(counts[i+1] + counts[i+2])
	}
	f.done(layer, saturated, notFinite)
	return nil
}
