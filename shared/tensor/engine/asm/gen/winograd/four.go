package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The transforms of F(4×4, 3×3) and of its filter gradient evaluate polynomials at 0, ±a, ±b and
// infinity. With these a and b the rounding error is about the least, and all
// constants of the input's and outputs' transforms are exact.
const a, b = 0.625, 1.5

// Divisors of the points' rows, by which the filters' transforms are scaled: 0, ±a, ±b.
const c0, ca, cb = 1 / (a * a * b * b), 1 / (2 * a * a * (a*a - b*b)), 1 / (2 * b * b * (b*b - a*a))

// constants are vectors of one value, in one table.
type constants struct {
	set   set
	table operand.Mem
	at    map[float64]operand.Op
}

// newConstants makes values available to a kernel: in registers where there are 32, else in memory.
func (s set) newConstants(name string, values ...float64) constants {
	c := constants{s, GLOBL(name, RODATA|NOPTR), map[float64]operand.Op{}}
	for i, v := range values {
		for l := range 16 {
			DATA(64*i+4*l, operand.F32(v))
		}
		m := c.table.Offset(64 * i)
		if s.name == "512" {
			r := s.reg()
			VMOVUPS(m, r)
			c.at[v] = r
		} else {
			c.at[v] = m
		}
	}
	return c
}

// fma adds k·x to acc.
func (c constants) fma(k float64, x, acc reg.VecVirtual) {
	if op, ok := c.at[k]; ok {
		VFMADD231PS(op, x, acc)
	} else {
		VFNMADD231PS(c.at[-k], x, acc)
	}
}

// times returns k·x, in x.
func (c constants) times(k float64, x reg.VecVirtual) reg.VecVirtual {
	VMULPS(c.at[k], x, x)
	return x
}

// like returns a copy.
func (c constants) like(x reg.VecVirtual) reg.VecVirtual {
	v := c.set.reg()
	VMOVAPS(x, v)
	return v
}

// pair returns e + k·o and e − k·o, the first in e.
func (c constants) pair(k float64, o, e reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
	f := c.like(e)
	c.fma(-k, o, f)
	c.fma(k, o, e)
	return e, f
}

// inputs returns Bᵀd.
func (c constants) inputs(d []reg.VecVirtual) []reg.VecVirtual {
	c.fma(-(a*a + b*b), d[3], d[5])
	c.fma(a*a*b*b, d[1], d[5])
	c.times(a*a*b*b, d[0])
	c.fma(-(a*a + b*b), d[2], d[0])
	VADDPS(d[4], d[0], d[0])
	ea, oa := c.like(d[4]), c.like(d[3])
	c.fma(-b*b, d[2], ea)
	c.fma(-b*b, d[1], oa)
	c.fma(-a*a, d[2], d[4])
	c.fma(-a*a, d[1], d[3])
	t1, t2 := c.pair(a, oa, ea)
	t3, t4 := c.pair(b, d[3], d[4])
	return []reg.VecVirtual{d[0], t1, t2, t3, t4, d[5]}
}

// sums returns x + y and x − y.
func (c constants) sums(x, y reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
	p := c.like(x)
	VADDPS(y, p, p)
	VSUBPS(y, x, x)
	return p, x
}

// outputs returns Aᵀm.
func (c constants) outputs(m []reg.VecVirtual) []reg.VecVirtual {
	p, q := c.sums(m[1], m[2])
	r, s := c.sums(m[3], m[4])
	VADDPS(p, m[0], m[0])
	VADDPS(r, m[0], m[0])
	c.fma(a*a*a, q, m[5])
	c.fma(b*b*b, s, m[5])
	c.times(a, q)
	c.fma(b, s, q)
	c.times(a*a, p)
	c.fma(b*b, r, p)
	return []reg.VecVirtual{m[0], q, p, m[5]}
}

// gradients returns A·y.
func (c constants) gradients(y []reg.VecVirtual) []reg.VecVirtual {
	ea, oa := c.like(y[0]), c.like(y[1])
	eb, ob := c.like(y[0]), y[1]
	c.fma(a*a, y[2], ea)
	c.fma(a*a, y[3], oa)
	c.fma(b*b, y[2], eb)
	c.fma(b*b, y[3], ob)
	z1, z2 := c.pair(a, oa, ea)
	z3, z4 := c.pair(b, ob, eb)
	return []reg.VecVirtual{y[0], z1, z2, z3, z4, y[3]}
}

// weights returns G·g.
func (c constants) weights(g []reg.VecVirtual) []reg.VecVirtual {
	ea, eb := c.times(ca, c.like(g[0])), c.times(cb, c.like(g[0]))
	c.fma(ca*a*a, g[2], ea)
	c.fma(cb*b*b, g[2], eb)
	u1, u2 := c.pair(ca*a, g[1], ea)
	u3, u4 := c.pair(cb*b, g[1], eb)
	return []reg.VecVirtual{c.times(c0, g[0]), u1, u2, u3, u4, g[2]}
}

// filters returns Gᵀm.
func (c constants) filters(m []reg.VecVirtual) []reg.VecVirtual {
	p, q := c.sums(m[1], m[2])
	r, s := c.sums(m[3], m[4])
	c.times(c0, m[0])
	c.fma(ca, p, m[0])
	c.fma(cb, r, m[0])
	c.fma(ca*a*a, p, m[5])
	c.fma(cb*b*b, r, m[5])
	c.times(ca*a, q)
	c.fma(cb*b, s, q)
	return []reg.VecVirtual{m[0], q, m[5]}
}

// magnitudes of a transform's constants; fma negates.
var (
	inputConstants    = []float64{a * a * b * b, -(a*a + b*b), -b * b, -a * a, a, b}
	outputConstants   = []float64{a, a * a, a * a * a, b, b * b, b * b * b}
	gradientConstants = []float64{a, a * a, b, b * b}
	filterConstants   = []float64{c0, ca, ca * a, ca * a * a, cb, cb * b, cb * b * b}
)

func four() {
	for _, s := range sets {
		s.fourInput()
		s.fourOutput()
		s.fourGradient()
		s.fourFilter()
		s.filterWeights("winograd4Weights", filterConstants, constants.weights, func(tap int) int { return tap })
		s.filterWeights("winograd4Turned", filterConstants, constants.weights, func(tap int) int { return 8 - tap })
	}
	fourStore()
}

// twice emits f along the columns and then along the rows of an n×n square. get reads a value of the
// square, put takes one of the result row after row; in between they lie in the scratch of the arguments.
func (s set) twice(args reg.Register, n int, f func([]reg.VecVirtual) []reg.VecVirtual,
	get func(r, c int) reg.VecVirtual, put func(r, c int, v reg.VecVirtual)) {
	temp := field(args, 80)
	at := func(r, c int) operand.Mem { return operand.Mem{Base: temp, Disp: 64 * (n*r + c)} }
	high := 0
	for c := range n {
		var column []reg.VecVirtual
		for r := range n {
			column = append(column, get(r, c))
		}
		out := f(column)
		high = len(out)
		for r, v := range out {
			VMOVUPS(v, at(r, c))
		}
	}
	for r := range high {
		var row []reg.VecVirtual
		for c := range n {
			v := s.reg()
			VMOVUPS(at(r, c), v)
			row = append(row, v)
		}
		for c, v := range f(row) {
			put(r, c, v)
		}
	}
}

// square reads values that lie apart from each other, row after row of n, six or nine, a column at a time.
func (s set) square(src, apart reg.GPVirtual, n int) func(r, c int) reg.VecVirtual {
	wide, at := GP64(), GP64()
	if n == 9 {
		LEAQ(operand.Mem{Base: apart, Index: apart, Scale: 8}, wide)
	} else {
		LEAQ(operand.Mem{Base: apart, Index: apart, Scale: 2}, wide)
		ADDQ(wide, wide)
	}
	top := GP64()
	MOVQ(src, top)
	return func(r, c int) reg.VecVirtual {
		if r == 0 {
			MOVQ(top, at)
			if c < n-1 {
				ADDQ(apart, top)
			}
		} else {
			ADDQ(wide, at)
		}
		v := s.reg()
		VMOVUPS(operand.Mem{Base: at}, v)
		return v
	}
}

// follow writes values one after the other, apart from each other.
func follow(dst, apart reg.GPVirtual) func(r, c int, v reg.VecVirtual) {
	out := GP64()
	MOVQ(dst, out)
	first := true
	return func(_, _ int, v reg.VecVirtual) {
		if !first {
			ADDQ(apart, out)
		}
		first = false
		VMOVUPS(v, operand.Mem{Base: out})
	}
}

func (s set) fourInput() {
	args, count, src, dst := begin("winograd4Input"+s.name, "transforms 6×6 inputs of count channels.")
	step, next, apart, offsets, mask := field(args, 24), field(args, 32), field(args, 40), field(args, 48), field(args, 56)
	k := s.newConstants("inputs"+s.name, inputConstants...)
	Label("loop")
	at, ahead := GP64(), GP64()
	LEAQ(operand.Mem{Base: src, Index: step, Scale: 2}, ahead)
	s.twice(args, 6, k.inputs, func(r, c int) reg.VecVirtual {
		v := s.reg()
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (6*r + c)}, at)
		VMOVUPS(operand.Mem{Base: src, Index: at, Scale: 4}, v)
		PREFETCHT0(operand.Mem{Base: ahead, Index: at, Scale: 4})
		for i, edge := range []bool{r == 0, r == 5, c == 0, c == 5} {
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

func (s set) fourOutput() {
	args, count, src, dst := begin("winograd4Output"+s.name, "transforms products to 4×4 outputs of count channels.")
	step, next, apart, offsets := field(args, 24), field(args, 32), field(args, 40), field(args, 48)
	bias, biasStep := field(args, 64), field(args, 72)
	k := s.newConstants("outputs"+s.name, outputConstants...)
	Label("loop")
	at, ahead := GP64(), GP64()
	LEAQ(operand.Mem{Base: dst, Index: next, Scale: 2}, ahead)
	s.twice(args, 6, k.outputs, s.square(src, apart, 6), func(r, c int, v reg.VecVirtual) {
		add := s.reg()
		VBROADCASTSS(operand.Mem{Base: bias}, add)
		VADDPS(add, v, v)
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (4*r + c)}, at)
		VMOVUPS(v, operand.Mem{Base: dst, Index: at, Scale: 4})
		PREFETCHT0(operand.Mem{Base: ahead, Index: at, Scale: 4})
	})
	ADDQ(step, src)
	ADDQ(next, dst)
	ADDQ(biasStep, bias)
	end(count)
}

func (s set) fourGradient() {
	args, count, src, dst := begin("winograd4Gradient"+s.name, "transforms gradients of 4×4 outputs of count channels.")
	step, next, apart, offsets := field(args, 24), field(args, 32), field(args, 40), field(args, 48)
	k := s.newConstants("gradients"+s.name, gradientConstants...)
	Label("loop")
	at, ahead := GP64(), GP64()
	LEAQ(operand.Mem{Base: src, Index: step, Scale: 2}, ahead)
	s.twice(args, 4, k.gradients, func(r, c int) reg.VecVirtual {
		v := s.reg()
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (4*r + c)}, at)
		VMOVUPS(operand.Mem{Base: src, Index: at, Scale: 4}, v)
		PREFETCHT0(operand.Mem{Base: ahead, Index: at, Scale: 4})
		return v
	}, follow(dst, apart))
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}

func (s set) fourFilter() {
	args, count, src, dst := begin("winograd4Filter"+s.name, "transforms sums of products to gradients of 3×3 filters of count vectors of channels.")
	step, next, apart := field(args, 24), field(args, 32), field(args, 40)
	plane := field(args, 88)
	k := s.newConstants("filters"+s.name, filterConstants...)
	Label("loop")
	s.twice(args, 6, k.filters, s.square(src, apart, 6), follow(dst, plane))
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}
