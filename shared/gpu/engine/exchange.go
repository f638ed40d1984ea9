package engine

import (
	"unsafe"

	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
)

var _ tensor.Exchanger = (*Engine)(nil)

// CountNonzero queues counts of blocks.
func (e *Engine) CountNonzero(c *tensor.Call, x []float32, bounds, counts []int32) {
	n := len(counts)
	px, pb, pc := at(x, len(x)), at(bounds, n+1), at(counts, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.CountNonzero(n, px, pb, pc))
	}
}

// PackBitmap queues the packing; counts and offsets of its pieces are scratch memory.
func (e *Engine) PackBitmap(c *tensor.Call, x, form []float32) {
	n, words := len(x), kernels.BitmapWords(len(x))
	px, pf, pv := at(x, n), at(form, words), at(form[words:], n)
	pieces := kernels.Segments(n)
	if l := e.lane(c); l != nil && l.grow(&l.scratch, bytes(2*pieces+1)) {
		l.keep(l.queue.PackBitmap(n, px, l.scratch.at, unsafe.Add(l.scratch.at, bytes(pieces)), pf, pv))
	}
}

// QuantiseRange queues the rounding.
func (e *Engine) QuantiseRange(c *tensor.Call, dst []int32, x []float32, clipped []int32, limit float64, top int32) {
	n := len(x)
	px, pd, pc := at(x, n), at(dst, n), at(clipped, e.ClippedInts(n))
	if l := e.lane(c); l != nil {
		l.keep(l.queue.QuantiseRange(n, px, pd, pc, limit, top))
	}
}

// AddInt32 queues a sum modulo 2³².
func (e *Engine) AddInt32(c *tensor.Call, dst, src []int32) {
	n := len(src)
	pd, ps := at(dst, n), at(src, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.AddInt32(n, pd, ps))
	}
}

// ClippedInts returns three per block of the kernel's grid.
func (*Engine) ClippedInts(n int) int { return kernels.ClippedInts(n) }
