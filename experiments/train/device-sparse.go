package train

import (
	"slices"

	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// deviceStepper is a Stepper whose gradients can stay on a device; model.Workspace is one.
type deviceStepper interface {
	model.Stepper
	Exchanger() tensor.Exchanger
	GradientTo(params, x []float32, labels []uint8, to model.Taker) (loss float64, err error)
}

// exchanger returns the device on which the pool's gradients can stay; nil: there is none.
func (p *pool) exchanger() (tensor.Exchanger, error) {
	w, err := p.borrow()
	if err != nil {
		return nil, err
	}
	defer p.giveBack(w)
	if s, ok := w.stepper.(deviceStepper); ok {
		return s.Exchanger(), nil
	}
	return nil, nil
}

// gradTo computes the gradient of some images and leaves it to a taker on the device.
func (t *task) gradTo(images []int, to model.Taker) (float64, error) {
	w, err := t.pool.borrow()
	if err != nil {
		return 0, err
	}
	defer t.pool.giveBack(w)
	if err := w.fill(t.set, &t.set.Train, images); err != nil {
		return 0, err
	}
	return w.stepper.(deviceStepper).GradientTo(t.params, w.x, w.labels, to)
}

// sparseTask is a rank's task whose gradient stays on a device, as the blocks of ringsparse.
type sparseTask struct {
	*task
	e      tensor.Exchanger
	blocks *deviceBlocks // nil: the gradient comes to the host
}

// open makes the blocks. A gradient that is weighted comes to the host: the device's product, a
// step of descent from 0, would make +0 of −0.
func (t *sparseTask) open(l ringsparse.Local) (ringsparse.Blocks, error) {
	if t.weight != 1 {
		return nil, nil
	}
	b, err := newDeviceBlocks(t.e, l)
	t.blocks = b
	if err != nil {
		return nil, err
	}
	return b, nil
}

// close gives back the device's memory.
func (t *sparseTask) close() error {
	if t.blocks == nil {
		return nil
	}
	return t.e.Release(&t.blocks.call)
}

// Grad computes the gradient of mini-batch number step, which the blocks take.
func (t *sparseTask) Grad(step int64, done func(layer int)) (float64, error) {
	if t.blocks == nil {
		return t.task.Grad(step, done)
	}
	return t.gradTo(t.indices(step), reporter{t.blocks, done})
}

// reporter reports layers that a taker has received.
type reporter struct {
	*deviceBlocks
	done func(layer int)
}

// Receive reports the layer.
func (r reporter) Receive(c *tensor.Call, layer int) error {
	err := r.deviceBlocks.receive(c, layer)
	if err == nil {
		r.done(layer)
	}
	return err
}

// deviceBlocks is ringsparse.Blocks on a device. The kinds that may be sent stay there from
// the pass that makes them to the next one. What the pass makes is queued on its Call; blocks
// are packed and sent on a Call of the rank's thread, when the counts, which are sent behind
// them, have come.
type deviceBlocks struct {
	ringsparse.Local
	e    tensor.Exchanger
	call tensor.Call

	// On the device:
	weights, gradients []float32 // nil: never sent
	zeros, mask        []float32 // nil: not needed
	bounds             [][]int32 // by layer
	counts             [][]int32 // by layer: of each kind's blocks
	form               []float32 // of one block

	// On the host:
	nonzero [][]int32
	host    []float32
	wire    []byte
	fetched fetch
	under   bool // fetched is under way
}

var _ ringsparse.Blocks = (*deviceBlocks)(nil)

func newDeviceBlocks(e tensor.Exchanger, l ringsparse.Local) (*deviceBlocks, error) {
	b := &deviceBlocks{Local: l, e: e}
	params, longest, block := 0, 0, 0
	for _, layer := range l.Layers {
		params, longest = params+layer.Length, max(longest, layer.Length)
		bounds := make([]int32, l.Blocks+1)
		for i := range l.Blocks {
			lo, hi := ringsparse.Block(layer.Length, l.Blocks, i)
			bounds[i+1], block = int32(hi), max(block, hi-lo)
		}
		b.bounds = append(b.bounds, tensor.Int32s(b.up(tensor.Float32s(bounds))))
		b.counts = append(b.counts, tensor.Int32s(b.room(len(l.Kinds)*l.Blocks)))
		b.nonzero = append(b.nonzero, make([]int32, len(l.Kinds)*l.Blocks))
	}
	if slices.Contains(l.Kinds, ringsparse.Weights) {
		b.weights = b.room(params)
		if l.Mask != nil {
			b.mask = b.up(ones(l.Mask))
		}
	}
	printed := l.Sign == ringsparse.Printed
	if printed || slices.Contains(l.Kinds, ringsparse.Gradients) {
		b.gradients = b.room(params)
	}
	if printed {
		b.zeros = b.up(make([]float32, longest))
	}
	b.host = make([]float32, block+tensor.BitmapWords(block))
	b.form = b.room(len(b.host))
	return b, e.Settle(&b.call)
}

// ones returns 1 where the mask keeps a weight.
func ones(mask []bool) []float32 {
	x := make([]float32, len(mask))
	for i, keep := range mask {
		if keep {
			x[i] = 1
		}
	}
	return x
}

// room returns n values on the device.
func (b *deviceBlocks) room(n int) []float32 { return b.e.Make(&b.call, n) }

// up returns a copy of x on the device.
func (b *deviceBlocks) up(x []float32) []float32 {
	p := b.room(len(x))
	if p != nil {
		b.e.Upload(&b.call, p, x)
	}
	return p
}

// axpy queues y += a·x, every product rounded: a step of descent of rate −a.
func axpy(e tensor.Device, c *tensor.Call, y []float32, a float32, x []float32) {
	e.Update(c, y, nil, x, -a, 0, 0, true)
}

// Queue queues S3 and the counts of a layer: what ringsparse does on the host, bit for bit.
func (b *deviceBlocks) Queue(c *tensor.Call, layer int, params, grads []float32) {
	lo, hi := b.Layers[layer].Offset, b.Layers[layer].Offset+b.Layers[layer].Length
	if b.WeightDecay != 0 {
		axpy(b.e, c, grads, b.WeightDecay, params)
	}
	if b.Sign == ringsparse.Printed {
		x := b.gradients[lo:hi]
		b.e.Copy(c, x, b.zeros[:hi-lo])
		axpy(b.e, c, x, -1, grads)
		grads = x
	}
	for k, kind := range b.Kinds {
		x := b.of(kind)[lo:hi]
		switch {
		case kind == ringsparse.Weights:
			b.e.Copy(c, x, params)
			axpy(b.e, c, x, b.Step, grads)
			if b.mask != nil {
				b.e.ReLUBackward(c, b.mask[lo:hi], x, x) // the weight where the mask is positive, else 0
			}
		case b.Sign != ringsparse.Printed:
			b.e.Copy(c, x, grads)
		}
		b.e.CountNonzero(c, x, b.bounds[layer], b.counts[layer][k*b.Blocks:(k+1)*b.Blocks])
	}
	b.e.Send(c, tensor.Float32s(b.counts[layer]))
}

// of returns the vector of a kind.
func (b *deviceBlocks) of(k ringsparse.Kind) []float32 {
	if k == ringsparse.Weights {
		return b.weights
	}
	return b.gradients
}

// receive receives the counts of a layer.
func (b *deviceBlocks) receive(c *tensor.Call, layer int) error {
	return b.e.Receive(c, tensor.Float32s(b.nonzero[layer]))
}

// Nonzero returns a block's count.
func (b *deviceBlocks) Nonzero(layer int, k ringsparse.Kind, block int) int {
	return int(b.nonzero[layer][slices.Index(b.Kinds, k)*b.Blocks+block])
}

// fetch names a block on its way to the host.
type fetch struct {
	layer, block int
	kind         ringsparse.Kind
}

// extent returns a block on the device, and how many values come of it: its form, where that
// is shorter.
func (b *deviceBlocks) extent(f fetch) (x []float32, values int, packed bool) {
	lo, hi := ringsparse.Block(b.Layers[f.layer].Length, b.Blocks, f.block)
	x = b.of(f.kind)[b.Layers[f.layer].Offset:][lo:hi]
	if n := tensor.BitmapWords(len(x)) + b.Nonzero(f.layer, f.kind, f.block); n < len(x) {
		return x, n, true
	}
	return x, len(x), false
}

// Fetch packs a block, where that is shorter, and sends it.
func (b *deviceBlocks) Fetch(layer int, k ringsparse.Kind, block int) {
	f := fetch{layer, block, k}
	x, n, packed := b.extent(f)
	if n == 0 || b.under {
		return
	}
	if packed {
		b.e.PackBitmap(&b.call, x, b.form)
		x = b.form[:n]
	}
	b.e.Send(&b.call, x)
	b.fetched, b.under = f, true
}

// Load receives a block, and decodes it if the device has packed it. What was fetched in vain is
// received first.
func (b *deviceBlocks) Load(dst []float32, form []byte, layer int, k ringsparse.Kind, block int) ([]byte, error) {
	f := fetch{layer, block, k}
	if b.under && f != b.fetched {
		_, n, _ := b.extent(b.fetched)
		b.under = false
		if err := b.e.Receive(&b.call, b.host[:n]); err != nil {
			return nil, err
		}
	}
	if !b.under {
		b.Fetch(layer, k, block)
	}
	x, n, packed := b.extent(f)
	words, to := tensor.BitmapWords(len(x)), dst
	if packed {
		to = b.host[:n]
	}
	if b.under {
		b.under = false
		if err := b.e.Receive(&b.call, to); err != nil {
			return nil, err
		}
	}
	if !packed {
		return form, nil
	}
	// On the wire the bitmap ends with its last byte.
	wire := vec.AppendBytes(b.wire[:0], to[:words])[:vec.BitmapBytes(len(x), 0)]
	b.wire = vec.AppendBytes(wire, to[words:])
	if form != nil {
		form = append(form, b.wire...)
	}
	return form, vec.FromBitmap(dst, b.wire)
}
