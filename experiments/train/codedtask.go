package train

import (
	"sync"

	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/vec"
)

// passImages bounds the images of one pass: a longer block is computed in passes,
// whose sums are added in order.
const passImages = 128

// codedTask is a task whose mini-batches are all nodes' and are computed block by
// block.
type codedTask struct {
	*Task
	blocks *blocks // nil: every holder computes its blocks itself
}

var _ codedsgd.Task = (*codedTask)(nil)

// BlockGrad writes the sum of the gradients of images lo … hi−1 of mini-batch
// number step.
func (t *codedTask) BlockGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (float64, error) {
	if t.blocks == nil {
		return t.blockGrad(step, lo, hi, grads, done)
	}
	b := t.blocks.get(blockKey{step, lo, hi})
	computed := false
	b.once.Do(func() {
		computed = true
		if b.loss, b.err = t.blockGrad(step, lo, hi, grads, done); b.err == nil {
			b.grads = append([]float32(nil), grads...)
		}
	})
	if computed || b.err != nil {
		return b.loss, b.err
	}
	copy(grads, b.grads)
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return b.loss, nil
}

func (t *codedTask) blockGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (loss float64, err error) {
	images := t.indices(step)[lo:hi]
	if len(images) <= passImages && len(images) > 0 {
		return t.pass(images, grads, done)
	}
	clear(grads)
	part := make([]float32, len(grads))
	for from := 0; from < len(images); from += passImages {
		l, err := t.pass(images[from:min(from+passImages, len(images))], part, nil)
		if err != nil {
			return 0, err
		}
		loss += l
		vec.AddTo(grads, part)
	}
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// pass computes the sum of some images' gradients, which an engine gives as a mean.
func (t *codedTask) pass(images []int, grads []float32, done func(layer int)) (float64, error) {
	w, err := t.pool.borrow()
	if err != nil {
		return 0, err
	}
	defer t.pool.giveBack(w)
	if err := w.fill(t.set, &t.set.Train, images); err != nil {
		return 0, err
	}
	n := len(images)
	loss, err := w.stepper.Gradient(t.params, grads, w.x, w.labels, func(l int, g []float32) error {
		vec.Scale(float32(n), g)
		if done != nil {
			done(l)
		}
		return nil
	})
	return loss * float64(n), err
}

// blocks are the gradients that several ranks of this process need: whoever asks
// first computes, for all have the same parameters to the bit.
type blocks struct {
	mu      sync.Mutex
	holders int // of each block
	open    map[blockKey]*block
}

type blockKey struct {
	step   int64
	lo, hi int
}

type block struct {
	once  sync.Once
	asked int
	grads []float32
	loss  float64
	err   error
}

func newBlocks(holders int) *blocks { return &blocks{holders: holders, open: map[blockKey]*block{}} }

// get returns the block, and forgets it with its last holder.
func (b *blocks) get(k blockKey) *block {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.open[k]
	if e == nil {
		e = &block{}
		b.open[k] = e
	}
	if e.asked++; e.asked == b.holders {
		delete(b.open, k)
	}
	return e
}
