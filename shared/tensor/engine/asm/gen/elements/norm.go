package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// chains is how many accumulators a sum has, so that no addition waits for the
// one before; pairs is the same for two sums at once, all that 16 registers hold.
const (
	chains = 4
	pairs  = 2
)

func (s set) total() {
	s.kernel("total", "(x []float32, mask []uint32, acc *float32)", "writes the 16 lanes of Σ x, 4 chains each.")
	x, n, acc := pointer("x"), length("x"), number("acc")
	sum := s.zeros(chains)
	sweep(n, chains, true, func(i int, p place) {
		v := s.load(p.of(x))
		do(VANDPS, s.at(p.mask), v, v)
		do(VADDPS, v, sum[i], sum[i])
	})
	s.join(sum, operand.Mem{Base: acc})
	end()
}

func (s set) squares() {
	s.kernel("squares", "(x []float32, mask []uint32, mean float32, acc *float32)", "writes the 16 lanes of Σ (x−mean)², 4 chains each.")
	x, n, acc, mean := pointer("x"), length("x"), number("acc"), s.broadcast("mean")
	sum := s.zeros(chains)
	sweep(n, chains, true, func(i int, p place) {
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VANDPS, s.at(p.mask), v, v)
		fma(v, v, sum[i])
	})
	s.join(sum, operand.Mem{Base: acc})
	end()
}

func (s set) normalise() {
	s.kernel("normalise", "(x, y []float32, mean, slope, shift, floor float32)", "writes y = max((x−mean)·slope + shift, floor), NaN where x is.")
	x, y, n := pointer("x"), pointer("y"), length("x")
	mean, slope, shift, floor := s.broadcast("mean"), s.broadcast("slope"), s.broadcast("shift"), s.broadcast("floor")
	sweep(n, 2, false, func(_ int, p place) {
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VFMADD213PS, shift, slope, v) // v = slope·v + shift
		do(VMAXPS, v, floor, v)          // of a NaN and a number VMAXPS takes the first named
		s.store(v, p.of(y))
	})
	end()
}

func (s set) normaliseAdd() {
	s.kernel("normaliseAdd", "(x, other, y []float32, mean, slope, shift, floor float32)",
		"writes y = max((x−mean)·slope + shift + other, floor), NaN where the sum is.")
	x, other, y, n := pointer("x"), pointer("other"), pointer("y"), length("x")
	mean, slope, shift, floor := s.broadcast("mean"), s.broadcast("slope"), s.broadcast("shift"), s.broadcast("floor")
	sweep(n, 2, false, func(_ int, p place) {
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VFMADD213PS, shift, slope, v)
		do(VADDPS, s.at(p.of(other)), v, v)
		do(VMAXPS, v, floor, v)
		s.store(v, p.of(y))
	})
	end()
}

// normSumsBehind is normSums behind a ReLU whose gradient others need too; summed,
// that gradient is still in two parts.
func (s set) normSumsBehind(summed bool) {
	name, more := "normSumsBehind", ""
	if summed {
		name, more = "normSumsBehindBoth", "more, "
	}
	s.kernel(name, "(x, y, dy, "+more+"d []float32, mask []uint32, mean float32, acc *float32)",
		"writes d, what the ReLU with output y lets through, and the 16 lanes each of Σ d and Σ d·(x−mean), 2 chains each.")
	x, y, dy, to, n, acc, mean := pointer("x"), pointer("y"), pointer("dy"), pointer("d"), length("x"), number("acc"), s.broadcast("mean")
	read := func(p place) vec { return s.load(p.of(dy)) }
	if summed {
		second := pointer("more")
		read = func(p place) vec {
			v := s.load(p.of(dy))
			do(VADDPS, s.at(p.of(second)), v, v)
			return v
		}
	}
	zero := s.nothing()
	sum, dot := s.zeros(pairs), s.zeros(pairs)
	sweep(n, pairs, true, func(i int, p place) {
		d := s.gate(p.of(y), read(p), zero)
		s.store(d, p.of(to))
		do(VANDPS, s.at(p.mask), d, d)
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VANDPS, s.at(p.mask), v, v)
		do(VADDPS, d, sum[i], sum[i])
		fma(d, v, dot[i])
	})
	s.join(sum, operand.Mem{Base: acc})
	s.join(dot, operand.Mem{Base: acc, Disp: vecBytes})
	end()
}

// gated returns the gradient behind the ReLU, if there is one.
func (s set) gated(gated bool) (string, string) {
	if gated {
		return "Gated", "y, "
	}
	return "", ""
}

func (s set) normSums(gated bool) {
	name, y := s.gated(gated)
	s.kernel("normSums"+name, "(x, "+y+"dy []float32, mask []uint32, mean float32, acc *float32)",
		"writes the 16 lanes each of Σ d and Σ d·(x−mean), 2 chains each.")
	x, dy, n, acc, mean := pointer("x"), pointer("dy"), length("x"), number("acc"), s.broadcast("mean")
	read := s.gradient(gated)
	sum, dot := s.zeros(pairs), s.zeros(pairs)
	sweep(n, pairs, true, func(i int, p place) {
		d := read(p, p.of(dy))
		do(VANDPS, s.at(p.mask), d, d)
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VANDPS, s.at(p.mask), v, v)
		do(VADDPS, d, sum[i], sum[i])
		fma(d, v, dot[i])
	})
	s.join(sum, operand.Mem{Base: acc})
	s.join(dot, operand.Mem{Base: acc, Disp: vecBytes})
	end()
}

// gradient reads dy as it is or through the ReLU whose output is the argument y.
func (s set) gradient(gated bool) func(p place, dy operand.Mem) vec {
	if !gated {
		return func(_ place, dy operand.Mem) vec { return s.load(dy) }
	}
	y, zero := pointer("y"), s.nothing()
	return func(p place, dy operand.Mem) vec { return s.gate(p.of(y), s.at(dy), zero) }
}

func (s set) normData(gated bool) {
	name, y := s.gated(gated)
	s.kernel("normData"+name, "(x, "+y+"dy, dx []float32, mask []uint32, mean, slope, offset, tilt float32)",
		"writes dx = slope·(d − offset − (x−mean)·tilt), 0 outside the mask.")
	x, dy, dx, n := pointer("x"), pointer("dy"), pointer("dx"), length("x")
	mean, slope, offset, tilt := s.broadcast("mean"), s.broadcast("slope"), s.broadcast("offset"), s.broadcast("tilt")
	read := s.gradient(gated)
	sweep(n, 2, true, func(_ int, p place) {
		d := read(p, p.of(dy))
		v := s.load(p.of(x))
		do(VSUBPS, mean, v, v)
		do(VSUBPS, offset, d, d)
		fnma(v, tilt, d)
		do(VMULPS, slope, d, d)
		do(VANDPS, s.at(p.mask), d, d)
		s.store(d, p.of(dx))
	})
	end()
}

func (s set) add() {
	s.kernel("add", "(a, b, y []float32, floor float32)", "writes y = max(a + b, floor), NaN where the sum is.")
	a, b, y, n, floor := pointer("a"), pointer("b"), pointer("y"), length("a"), s.broadcast("floor")
	sweep(n, 2, false, func(_ int, p place) {
		v := s.load(p.of(a))
		do(VADDPS, s.at(p.of(b)), v, v)
		do(VMAXPS, v, floor, v)
		s.store(v, p.of(y))
	})
	end()
}

func (s set) relu() {
	s.kernel("relu", "(x, y []float32)", "writes y = max(x, 0), NaN where x is.")
	x, y, n, zero := pointer("x"), pointer("y"), length("x"), s.nothing()
	sweep(n, 2, false, func(_ int, p place) {
		v := s.fresh()
		do(VMAXPS, s.at(p.of(x)), zero, v)
		s.store(v, p.of(y))
	})
	end()
}

func (s set) reluBackward() {
	s.kernel("reluBackward", "(y, dy, dx []float32)", "writes dx = dy where y > 0, y where it is NaN, else 0.")
	dy, dx, n := pointer("dy"), pointer("dx"), length("y")
	read := s.gradient(true)
	sweep(n, 2, false, func(_ int, p place) { s.store(read(p, p.of(dy)), p.of(dx)) })
	end()
}
