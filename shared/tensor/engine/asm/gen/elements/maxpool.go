package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (s set) maxPool() {
	s.kernel("maxPool", "(x, y []float32, arg []int32, "+geometry+", size int, "+indices+")",
		"pools one row of outputs with windows of size×size.")
	y, arg := pointer("y"), pointer("arg")
	corner, stride, one := s.broadcast("corner"), s.broadcast("stride"), s.one()
	down := s.below()
	outputs("x", "y", func(w windows) {
		best, where, at := s.load(operand.Mem{Base: w.corner}), s.copy(corner), s.register()
		VMOVAPS(corner[0], at)
		w.taps(func(m operand.Mem) {
			s.prefer(s.load(m), s.same(at), best, where)
			step(s.same(at), one)
		}, func() { step(s.same(at), down) })
		s.store(best, w.out.of(y))
		s.store(where, w.out.of(arg))
	}, func() { step(corner, stride) })
}

// below returns the constant width − size: from the end of a window's row to its next.
func (s set) below() vec {
	size, down, x, v := number("size"), number("width"), XMM(), s.register()
	SUBQ(size, down)
	VMOVD(down.As32(), x)
	VPBROADCASTD(x, v)
	return s.same(v)
}

// corners returns the indices of a 2×2 window's four pixels, and how they step.
func (s set) corners() (at [4]vec, next func()) {
	stride, width := s.broadcast("stride"), s.broadcast("width")
	at[0] = s.broadcast("corner")
	at[1] = s.plus(at[0], s.one())
	at[2] = s.plus(at[0], width)
	at[3] = s.plus(at[1], width)
	return at, func() {
		for _, v := range at {
			step(v, stride)
		}
	}
}

// diagonal returns pitch + row.
func (w windows) diagonal() reg.GPVirtual {
	sum := GP64()
	LEAQ(operand.Mem{Base: w.pitch, Index: w.row, Scale: 1}, sum)
	return sum
}

func (s set) maxPoolPairs() {
	s.kernel("maxPoolPairs", "(x, y []float32, arg []int32, "+geometry+" int, "+indices+")",
		"is maxPool for windows of 2×2.")
	y, arg := pointer("y"), pointer("arg")
	at, next := s.corners()
	outputs("x", "y", func(w windows) {
		sum := w.diagonal()
		best, where := s.load(w.mem(0, 0, sum)), s.copy(at[0])
		for i := 1; i < 4; i++ {
			s.prefer(s.load(w.mem(i/2, i%2, sum)), at[i], best, where)
		}
		s.store(best, w.out.of(y))
		s.store(where, w.out.of(arg))
	}, next)
}

func (s set) maxPoolBackward() {
	s.kernel("maxPoolBackward", "(dx, dy []float32, arg []int32, "+geometry+", size int, "+indices+")",
		"adds one row of gradients to the pixels chosen.")
	dy, arg := pointer("dy"), pointer("arg")
	corner, stride, one := s.broadcast("corner"), s.broadcast("stride"), s.one()
	down := s.below()
	outputs("dx", "dy", func(w windows) {
		d, choice, at := s.load(w.out.of(dy)), s.load(w.out.of(arg)), s.register()
		VMOVAPS(corner[0], at)
		w.taps(func(m operand.Mem) {
			v := s.chosen(choice, s.same(at), d)
			do(VADDPS, s.at(m), v, v)
			s.store(v, m)
			step(s.same(at), one)
		}, func() { step(s.same(at), down) })
	}, func() { step(corner, stride) })
}

func (s set) maxPoolBackwardPairs() {
	s.kernel("maxPoolBackwardPairs", "(dx, dy []float32, arg []int32, "+geometry+" int, "+indices+")",
		"writes the pixels of windows of 2×2 that do not overlap.")
	dy, arg := pointer("dy"), pointer("arg")
	at, next := s.corners()
	outputs("dx", "dy", func(w windows) {
		sum := w.diagonal()
		d, choice := s.load(w.out.of(dy)), s.load(w.out.of(arg))
		for i := range 4 {
			s.store(s.chosen(choice, at[i], d), w.mem(i/2, i%2, sum))
		}
	}, next)
}

func (s set) avgPool() {
	s.kernel("avgPool", "(x, y []float32, "+geometry+", size int, count float32)",
		"writes one row of windows' sums, divided by count.")
	y, count := pointer("y"), s.broadcast("count")
	outputs("x", "y", func(w windows) {
		sum := s.zero()
		w.taps(func(m operand.Mem) { do(VADDPS, s.at(m), sum, sum) }, nil)
		do(VDIVPS, count, sum, sum)
		s.store(sum, w.out.of(y))
	}, nil)
}

func (s set) avgPoolBackward() {
	s.kernel("avgPoolBackward", "(dx, dy []float32, "+geometry+", size int, count float32)",
		"adds one row of gradients, divided by count, to their windows.")
	dy, count := pointer("dy"), s.broadcast("count")
	outputs("dx", "dy", func(w windows) {
		d := s.load(w.out.of(dy))
		do(VDIVPS, count, d, d)
		w.taps(func(m operand.Mem) {
			v := s.load(m)
			do(VADDPS, d, v, v)
			s.store(v, m)
		}, nil)
	}, nil)
}
