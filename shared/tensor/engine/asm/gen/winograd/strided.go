package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A 3×3 convolution with stride 2 is four without one: along each axis the outer two taps read every other input, the
// middle tap the rest. F(4, 2) at the points ±sa, ±sb and infinity does the former, at an error below a chain's; all
// constants of inputs' and outputs' transforms are exact. Of nine values five are those points, four plain.
const sa, sb = 0.5, 1.25

// Divisors of the points' rows: ±sa, ±sb.
const csa, csb = 1 / (2 * sa * (sa*sa - sb*sb)), 1 / (2 * sb * (sb*sb - sa*sa))

var (
	halfInputConstants  = []float64{-sa * sa, -sb * sb, sa, sb, -(sa*sa + sb*sb), sa * sa * sb * sb}
	halfOutputConstants = []float64{sa, sa * sa, sa * sa * sa, sb, sb * sb, sb * sb * sb}
	halfFilterConstants = []float64{csa, csa * sa, csb, csb * sb}
)

// halfInputs returns the five points of five inputs, and leaves the first four as they are.
func (c constants) halfInputs(d []reg.VecVirtual) []reg.VecVirtual {
	c.fma(-(sa*sa + sb*sb), d[2], d[4])
	c.fma(sa*sa*sb*sb, d[0], d[4])
	ea, oa := c.like(d[3]), c.like(d[2])
	c.fma(-sb*sb, d[1], ea)
	c.fma(-sb*sb, d[0], oa)
	t0, t1 := c.pair(sa, oa, ea)
	eb, ob := c.like(d[3]), c.like(d[2])
	c.fma(-sa*sa, d[1], eb)
	c.fma(-sa*sa, d[0], ob)
	t2, t3 := c.pair(sb, ob, eb)
	return []reg.VecVirtual{t0, t1, t2, t3, d[4]}
}

// nineInputs returns nine values of nine inputs: points of the first, third … ninth, then the others.
func (c constants) nineInputs(d []reg.VecVirtual) []reg.VecVirtual {
	return append(c.halfInputs([]reg.VecVirtual{d[0], d[2], d[4], d[6], d[8]}), d[1], d[3], d[5], d[7])
}

// fiveInputs returns nine values of five gradients of outputs: their points, and the first four.
func (c constants) fiveInputs(d []reg.VecVirtual) []reg.VecVirtual {
	return append(c.halfInputs(d), d[:4]...)
}

// fourOutputs returns the four outputs of nine products.
func (c constants) fourOutputs(m []reg.VecVirtual) []reg.VecVirtual {
	p, q := c.sums(m[0], m[1])
	r, s := c.sums(m[2], m[3])
	VADDPS(p, m[5], m[5])
	VADDPS(r, m[5], m[5])
	c.fma(sa, q, m[6])
	c.fma(sb, s, m[6])
	c.fma(sa*sa, p, m[7])
	c.fma(sb*sb, r, m[7])
	c.fma(sa*sa*sa, q, m[4])
	c.fma(sb*sb*sb, s, m[4])
	VADDPS(m[4], m[8], m[8])
	return m[5:]
}

// eightOutputs returns the gradients of eight inputs of nine products: plain ones and sums of points take turns.
func (c constants) eightOutputs(m []reg.VecVirtual) []reg.VecVirtual {
	p, q := c.sums(m[0], m[1])
	r, s := c.sums(m[2], m[3])
	c.fma(sa*sa*sa, q, m[4])
	c.fma(sb*sb*sb, s, m[4])
	c.times(sa, q)
	c.fma(sb, s, q)
	t := c.times(sa*sa, c.like(p))
	c.fma(sb*sb, r, t)
	VADDPS(r, p, p)
	return []reg.VecVirtual{m[5], p, m[6], q, m[7], t, m[8], m[4]}
}

// sixWeights returns the points of the outer two of three taps, and the middle one.
func (c constants) sixWeights(g []reg.VecVirtual) []reg.VecVirtual {
	ua, ub := c.times(csa*sa, c.like(g[2])), c.times(csb*sb, c.like(g[2]))
	va, vb := c.like(ua), c.like(ub)
	c.fma(csa, g[0], ua)
	c.fma(-csa, g[0], va)
	c.fma(csb, g[0], ub)
	c.fma(-csb, g[0], vb)
	return []reg.VecVirtual{ua, va, ub, vb, g[2], g[1]}
}

func strided() {
	for _, s := range sets {
		s.transformIn("stridedInput", "9×9 inputs", 9, constants.nineInputs)
		s.transformIn("stridedGradient", "5×5 gradients of outputs", 5, constants.fiveInputs)
		s.transformOut("stridedOutput", "4×4 outputs", 4, constants.fourOutputs)
		s.transformOut("stridedBack", "gradients of 8×8 inputs", 8, constants.eightOutputs)
		s.filterWeights("stridedWeights", halfFilterConstants, constants.sixWeights, func(tap int) int { return tap })
		s.filterWeights("stridedTurned", halfFilterConstants, constants.sixWeights, func(tap int) int { return 8 - tap })
	}
}

// transformIn emits a transform of n×n values to 9×9.
func (s set) transformIn(name, what string, n int, f func(constants, []reg.VecVirtual) []reg.VecVirtual) {
	args, count, src, dst := begin(name+s.name, "transforms "+what+" of count channels.")
	step, next, apart, offsets, mask := field(args, 24), field(args, 32), field(args, 40), field(args, 48), field(args, 56)
	k := s.newConstants(name+s.name+"Constants", halfInputConstants...)
	Label("loop")
	at, ahead := GP64(), GP64()
	LEAQ(operand.Mem{Base: src, Index: step, Scale: 2}, ahead)
	s.twice(args, n, func(x []reg.VecVirtual) []reg.VecVirtual { return f(k, x) }, func(r, c int) reg.VecVirtual {
		v := s.reg()
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (n*r + c)}, at)
		VMOVUPS(operand.Mem{Base: src, Index: at, Scale: 4}, v)
		PREFETCHT0(operand.Mem{Base: ahead, Index: at, Scale: 4})
		for i, edge := range []bool{r == 0, r == n-1, c == 0, c == n-1} {
			if edge {
				VANDPS(operand.Mem{Base: mask, Disp: 64 * i}, v, v)
			}
		}
		return v
	}, follow(dst, apart))
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}

// transformOut emits a transform of 9×9 products to n×n values.
func (s set) transformOut(name, what string, n int, f func(constants, []reg.VecVirtual) []reg.VecVirtual) {
	args, count, src, dst := begin(name+s.name, "transforms products to "+what+" of count channels.")
	step, next, apart, offsets := field(args, 24), field(args, 32), field(args, 40), field(args, 48)
	bias, biasStep := field(args, 64), field(args, 72)
	k := s.newConstants(name+s.name+"Constants", halfOutputConstants...)
	Label("loop")
	at, ahead := GP64(), GP64()
	LEAQ(operand.Mem{Base: dst, Index: next, Scale: 2}, ahead)
	s.twice(args, 9, func(x []reg.VecVirtual) []reg.VecVirtual { return f(k, x) }, s.square(src, apart, 9), func(r, c int, v reg.VecVirtual) {
		add := s.reg()
		VBROADCASTSS(operand.Mem{Base: bias}, add)
		VADDPS(add, v, v)
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (n*r + c)}, at)
		VMOVUPS(v, operand.Mem{Base: dst, Index: at, Scale: 4})
		PREFETCHT0(operand.Mem{Base: ahead, Index: at, Scale: 4})
	})
	ADDQ(step, src)
	ADDQ(next, dst)
	ADDQ(biasStep, bias)
	end(count)
}
