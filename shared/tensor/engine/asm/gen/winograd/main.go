// Command winograd writes the transforms of Winograd's F(2×2, 3×3) for engine
// asm, for AVX-512 and for AVX2: of the weights (G g Gᵀ), of the input
// (Bᵀ d B) and of the output (Aᵀ m A), see Lavin and Gray 2016, section 4.1.
// They only add, subtract and halve, so both sets give the same bits.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type set struct {
	name  string
	bytes int // of a register
	reg   func() reg.VecVirtual
}

var sets = []set{
	{"512", 64, func() reg.VecVirtual { return ZMM() }},
	{"2", 32, func() reg.VecVirtual { return YMM() }},
}

func main() {
	ConstraintExpr("amd64")
	weights()
	for _, s := range sets {
		s.input("winogradInput"+s.name, false)
		s.input("winogradEdge"+s.name, true)
		s.output("winogradOutput" + s.name)
	}
	four()
	strided()
	Generate()
}

// field reads a field of the argument structure into a fresh register.
func field(args reg.Register, at int) reg.GPVirtual {
	r := GP64()
	MOVQ(operand.Mem{Base: args, Disp: at}, r)
	return r
}

// begin opens a kernel whose argument is the first field of a winogradArgs.
func begin(name, doc string) (args, count, src, dst reg.GPVirtual) {
	TEXT(name, NOSPLIT, "func(args *int)")
	Doc(name + " " + doc)
	args = Load(Param("args"), GP64()).(reg.GPVirtual)
	return args, field(args, 0), field(args, 8), field(args, 16)
}

func end(count reg.GPVirtual) {
	DECQ(count)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// input emits Bᵀ d B of one vector of tiles, channel after channel.
func (s set) input(name string, masked bool) {
	args, count, src, dst := begin(name, "transforms 4×4 inputs of count channels.")
	step, next, apart, offsets := field(args, 24), field(args, 32), field(args, 40), field(args, 48)
	mask := field(args, 56)
	Label("loop")
	load := func(r, c int) reg.VecVirtual {
		at, v := GP64(), s.reg()
		MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (4*r + c)}, at)
		m := operand.Mem{Base: src, Index: at, Scale: 4}
		if !masked {
			VMOVUPS(m, v)
			return v
		}
		VMOVUPS(operand.Mem{Base: mask, Disp: 64 * (4*r + c)}, v)
		VANDPS(m, v, v)
		return v
	}
	out := GP64()
	MOVQ(dst, out)
	for i := range 4 {
		var t [4]reg.VecVirtual
		for c := range 4 {
			switch i {
			case 0:
				t[c] = difference(load(0, c), load(2, c))
			case 1:
				t[c] = sum(load(1, c), load(2, c))
			case 2:
				t[c] = difference(load(2, c), load(1, c))
			case 3:
				t[c] = difference(load(1, c), load(3, c))
			}
		}
		p, q := s.reg(), s.reg()
		VADDPS(t[2], t[1], p)
		VSUBPS(t[1], t[2], q)
		for c, v := range []reg.VecVirtual{difference(t[0], t[2]), p, q, difference(t[1], t[3])} {
			VMOVUPS(v, operand.Mem{Base: out})
			if i*4+c < 15 {
				ADDQ(apart, out)
			}
		}
	}
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}

// difference returns a − b, in a.
func difference(a, b reg.VecVirtual) reg.VecVirtual {
	VSUBPS(b, a, a)
	return a
}

// sum returns a + b, in a.
func sum(a, b reg.VecVirtual) reg.VecVirtual {
	VADDPS(b, a, a)
	return a
}

// output emits Aᵀ m A + bias of one vector of tiles, channel after channel.
func (s set) output(name string) {
	args, count, src, dst := begin(name, "transforms products to 2×2 outputs of count channels.")
	step, next, apart, offsets := field(args, 24), field(args, 32), field(args, 40), field(args, 48)
	bias, biasStep := field(args, 64), field(args, 72)
	Label("loop")
	at := GP64()
	MOVQ(src, at)
	var s0, s1 [4]reg.VecVirtual
	// The products come row after row; a column's sums grow as its rows arrive.
	for r := range 4 {
		for c := range 4 {
			v := s.reg()
			VMOVUPS(operand.Mem{Base: at}, v)
			if r*4+c < 15 {
				ADDQ(apart, at)
			}
			switch r {
			case 0:
				s0[c] = v
			case 1:
				s1[c] = s.reg()
				VADDPS(v, s0[c], s0[c])
				VMOVAPS(v, s1[c])
			case 2:
				VADDPS(v, s0[c], s0[c])
				VSUBPS(v, s1[c], s1[c])
			case 3:
				VSUBPS(v, s1[c], s1[c])
			}
		}
	}
	b := s.reg()
	VBROADCASTSS(operand.Mem{Base: bias}, b)
	for r, v := range [2][4]reg.VecVirtual{s0, s1} {
		left, right := s.reg(), s.reg()
		VADDPS(v[1], v[0], left)
		VADDPS(v[2], left, left)
		VADDPS(b, left, left)
		VSUBPS(v[2], v[1], right)
		VSUBPS(v[3], right, right)
		VADDPS(b, right, right)
		for c, out := range []reg.VecVirtual{left, right} {
			MOVLQSX(operand.Mem{Base: offsets, Disp: 4 * (2*r + c)}, at)
			VMOVUPS(out, operand.Mem{Base: dst, Index: at, Scale: 4})
		}
	}
	ADDQ(step, src)
	ADDQ(next, dst)
	ADDQ(biasStep, bias)
	end(count)
}

// weights emits G g Gᵀ of count groups of eight input channels of one filter.
func weights() {
	index := GLOBL("channels", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, operand.U32(9*i))
	}
	half := GLOBL("half", RODATA|NOPTR)
	DATA(0, operand.F32(0.5))
	args, count, src, dst := begin("winogradWeights", "transforms 3×3 filters of count groups of 8 channels.")
	step, next, apart := field(args, 24), field(args, 32), field(args, 40)
	Label("loop")
	var g [3][3]reg.VecVirtual
	for r := range 3 {
		for c := range 3 {
			g[r][c] = YMM()
			at, mask := YMM(), YMM()
			VMOVUPS(index, at)
			VPCMPEQD(mask, mask, mask)
			VGATHERDPS(mask, operand.Mem{Base: src, Index: at, Scale: 4, Disp: 4 * (3*r + c)}, g[r][c])
		}
	}
	h := YMM()
	VBROADCASTSS(half, h)
	out := GP64()
	MOVQ(dst, out)
	for i := range 4 {
		var t [3]reg.VecVirtual
		for c := range 3 {
			t[c] = combine(i, g[0][c], g[1][c], g[2][c], h)
		}
		for j := range 4 {
			VMOVUPS(combine(j, t[0], t[1], t[2], h), operand.Mem{Base: out})
			if i*4+j < 15 {
				ADDQ(apart, out)
			}
		}
	}
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}

// combine returns row i of G times (a, b, c).
func combine(i int, a, b, c, half reg.VecVirtual) reg.VecVirtual {
	switch i {
	case 0:
		return a
	case 3:
		return c
	}
	v := YMM()
	VADDPS(c, a, v)
	if i == 1 {
		VADDPS(b, v, v)
	} else {
		VSUBPS(b, v, v)
	}
	VMULPS(half, v, v)
	return v
}
