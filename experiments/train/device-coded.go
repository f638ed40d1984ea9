package train

import (
	"cmp"
	"slices"

	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor"
)

// fixedTask is a codedTask whose gradients a device adds up and rounds to fixed point: what
// comes to the host is what packets hold and sums add.
type fixedTask struct {
	*codedTask
	*deviceFixed
}

var _ codedsgd.Quantiser = (*fixedTask)(nil)

// BlockFixed is BlockGrad in fixed point; where ranks share blocks the first computes it.
func (t *fixedTask) BlockFixed(step int64, lo, hi int, fixed []int32, within codedsgd.FixedPoint,
	done func(layer, saturated, notFinite int)) (float64, error) {
	if t.blocks == nil {
		return t.blockFixed(step, lo, hi, fixed, within, done)
	}
	b := t.blocks.get(blockKey{step, lo, hi})
	computed := false
	b.once.Do(func() {
		computed = true
		if b.loss, b.err = t.blockFixed(step, lo, hi, fixed, within, func(l, saturated, notFinite int) {
			b.clipped = append(b.clipped, [2]int{saturated, notFinite})
			done(l, saturated, notFinite)
		}); b.err == nil {
			b.fixed = append([]int32(nil), fixed...)
		}
	})
	if computed || b.err != nil {
		return b.loss, b.err
	}
	copy(fixed, b.fixed)
	for i, clipped := range b.clipped {
		done(len(t.layers)-1-i, clipped[0], clipped[1])
	}
	return b.loss, nil
}

// blockFixed computes a block.
func (t *fixedTask) blockFixed(step int64, lo, hi int, fixed []int32, within codedsgd.FixedPoint,
	done func(layer, saturated, notFinite int)) (loss float64, err error) {
	images, f := t.indices(step)[lo:hi], t.deviceFixed
	f.host, f.within, f.done = fixed, within, done
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

// keptTask is a fixedTask that can leave blocks on the device, where it adds them up.
type keptTask struct {
	*fixedTask
	kept map[int][]int32 // the device's, by first image, the same in every step
	sums tensor.Call     // of the rank's thread
	room []int32         // the device's
}

var _ codedsgd.Adder = (*keptTask)(nil)

// close gives back the device's memory.
func (t *keptTask) close() error {
	return cmp.Or(t.fixedTask.close(), t.e.Release(&t.sums))
}

// BlockFixed leaves a block on the device if there is no room for it on the host.
func (t *keptTask) BlockFixed(step int64, lo, hi int, fixed []int32, within codedsgd.FixedPoint,
	done func(layer, saturated, notFinite int)) (float64, error) {
	if fixed != nil {
		return t.fixedTask.BlockFixed(step, lo, hi, fixed, within, done)
	}
	if err := t.pool.enter(); err != nil {
		return 0, err
	}
	defer t.pool.within.Done()
	to, e, c := t.kept[lo], t.e, &t.deviceFixed.call
	if to == nil {
		if to = tensor.Int32s(e.Make(c, len(t.params))); to == nil {
			return 0, e.Settle(c)
		}
		t.kept[lo] = to
	}
	t.to = to
	defer func() { t.to = nil }()
	return t.blockFixed(step, lo, hi, nil, within, done)
}

// Sums adds up blocks on the device and receives their sums.
func (t *keptTask) Sums(layer int, sums []codedsgd.BlockSum) error {
	e, c, n := t.e, &t.sums, 0
	sums = slices.DeleteFunc(sums, func(s codedsgd.BlockSum) bool { return len(s.Dst) == 0 || len(s.Blocks) == 0 })
	for _, s := range sums {
		n += len(s.Dst)
	}
	if n > len(t.room) {
		if t.room = tensor.Int32s(e.Make(c, n)); t.room == nil {
			return e.Settle(c)
		}
	}
	at, from := 0, t.spans[layer].lo
	for _, s := range sums {
		to := t.room[at : at+len(s.Dst)]
		at += len(to)
		for i, b := range s.Blocks {
			block := t.kept[b][from+s.From:][:len(to)]
			if i == 0 {
				e.Copy(c, tensor.Float32s(to), tensor.Float32s(block))
			} else {
				e.AddInt32(c, to, block)
			}
		}
		e.Send(c, tensor.Float32s(to))
	}
	for _, s := range sums {
		if err := e.Receive(c, tensor.Float32s(s.Dst)); err != nil {
			return err
		}
	}
	return nil
}

// deviceFixed takes gradients, means over images, on a device: it adds up sums over them,
// pass by pass, and rounds the last one's.
type deviceFixed struct {
	e     tensor.Exchanger
	call  tensor.Call
	spans []span // by layer

	// On the device:
	sum     []float32
	zeros   []float32 // as many as the longest layer has parameters
	rounded []int32
	clipped []int32
	to      []int32 // where a block stays; nil: it is sent

	counts []int32 // the host's, of a layer

	// Of the pass under way:
	images      int
	first, last bool // pass of its block
	host        []int32
	within      codedsgd.FixedPoint
	done        func(layer, saturated, notFinite int)
}

// span says where a layer's parameters are, and its counts among all.
type span struct{ lo, hi, counts, end int }

func newDeviceFixed(t *task, e tensor.Exchanger) (*deviceFixed, error) {
	f := &deviceFixed{e: e}
	counts, longest, most := 0, 0, 0
	for _, l := range t.layers {
		n := e.ClippedInts(l.Length)
		f.spans = append(f.spans, span{l.Offset, l.Offset + l.Length, counts, counts + n})
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

// close gives back the device's memory.
func (f *deviceFixed) close() error { return f.e.Release(&f.call) }

// Queue adds a layer's sum over the pass's images, and rounds and sends all images' sum.
func (f *deviceFixed) Queue(c *tensor.Call, layer int, _, grads []float32) {
	l := f.spans[layer]
	sum := f.sum[l.lo:l.hi]
	if f.first {
		f.e.Copy(c, sum, f.zeros[:l.hi-l.lo])
	}
	axpy(f.e, c, sum, float32(f.images), grads)
	if !f.last {
		return
	}
	clipped := f.clipped[l.counts:l.end]
	if f.to != nil {
		f.e.QuantiseRange(c, f.to[l.lo:l.hi], sum, clipped, f.within.Limit, f.within.Most)
	} else {
		rounded := f.rounded[l.lo:l.hi]
		f.e.QuantiseRange(c, rounded, sum, clipped, f.within.Limit, f.within.Most)
		f.e.Send(c, tensor.Float32s(rounded))
	}
	f.e.Send(c, tensor.Float32s(clipped))
}

// Receive receives a layer's block and what it could not represent.
func (f *deviceFixed) Receive(c *tensor.Call, layer int) error {
	if !f.last {
		return nil
	}
	l := f.spans[layer]
	counts := f.counts[:l.end-l.counts]
	if f.to == nil {
		if err := f.e.Receive(c, tensor.Float32s(f.host[l.lo:l.hi])); err != nil {
			return err
		}
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
