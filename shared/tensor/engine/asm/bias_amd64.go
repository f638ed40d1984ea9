package asm

import (
	"unsafe"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

type biasTask struct {
	isa    isa
	size   int // of a channel
	mask   []uint32
	dy, db []float32
}

func (e engine) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	s := stateOf(c)
	size := hw * tensor.BatchInner.Pitch(n)
	t := &s.elements.bias
	*t = biasTask{isa: e.isa, size: size, mask: s.elements.maskOf(n), dy: dy, db: db}
	s.spread(c, t, ch, ch*size)
}

// Part sums channels lo ≤ i < hi. Vector v of a channel, counted over pixels and
// groups of 16 images, goes to accumulator v mod 4; the accumulators are joined
// 0 with 1 and 2 with 3, then lanes by the tree.
func (t *biasTask) Part(s *scratch, lo, hi int) {
	lanes := team.Resize(&s.acc, (hi-lo)*tensor.Lanes)
	for i := range hi - lo {
		t.isa.total(t.dy[(lo+i)*t.size:(lo+i+1)*t.size], t.mask, lanes[i*tensor.Lanes:])
	}
	join(lanes, t.db[lo:hi])
}

func (set isa) total(x []float32, mask []uint32, lanes []float32) {
	at := unsafe.SliceData(lanes[:tensor.Lanes])
	if set == avx512 {
		total512(x, mask, at)
	} else {
		total2(x, mask, at)
	}
}
