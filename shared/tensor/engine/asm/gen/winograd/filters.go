package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// filterWeights emits G g Gᵀ of a vector of 3×3 filters that lie a distance apart, count times.
func (s set) filterWeights(name string, values []float64, f func(constants, []reg.VecVirtual) []reg.VecVirtual, tap func(int) int) {
	args, count, src, dst := begin(name+s.name, "transforms count vectors of 3×3 filters.")
	step, next, apart, index, lanes := field(args, 24), field(args, 32), field(args, 40), field(args, 48), field(args, 88)
	k := s.newConstants(name+"Constants"+s.name, values...)
	three := GP64()
	LEAQ(operand.Mem{Base: lanes, Index: lanes, Scale: 2}, three)
	var order [2]reg.VecVirtual
	if s.bytes == 64 {
		order = halves(name)
	}
	Label("loop")
	at := GP64()
	MOVQ(src, at)
	planes := s.planes(at, lanes, three, index, order)
	s.twice(args, 3, func(g []reg.VecVirtual) []reg.VecVirtual { return f(k, g) }, func(r, c int) reg.VecVirtual { return planes[tap(3*r+c)] }, follow(dst, apart))
	ADDQ(step, src)
	ADDQ(next, dst)
	end(count)
}

// planes reads a vector of filters, the first at p, as nine vectors of their taps.
func (s set) planes(p, lanes, three, index reg.GPVirtual, order [2]reg.VecVirtual) (planes [9]reg.VecVirtual) {
	planes[8] = s.reg()
	at := s.reg()
	VMOVUPS(operand.Mem{Base: index}, at)
	if s.bytes == 64 {
		all := K()
		KXNORW(all, all, all)
		VGATHERDPS(operand.Mem{Base: p, Index: at, Scale: 4, Disp: 32}, all, planes[8])
	} else {
		mask := s.reg()
		VPCMPEQD(mask, mask, mask)
		VGATHERDPS(mask, operand.Mem{Base: p, Index: at, Scale: 4, Disp: 32}, planes[8])
	}
	row := func(i int) operand.Mem {
		m := operand.Mem{Base: p}
		switch i {
		case 1, 2:
			m.Index, m.Scale = lanes, uint8(i)
		case 3:
			m.Index, m.Scale = three, 1
		}
		return m
	}
	var rows [8]reg.VecVirtual
	for i := 0; i < s.bytes/4; i++ {
		if i%4 == 0 && i > 0 {
			LEAQ(operand.Mem{Base: p, Index: lanes, Scale: 4}, p)
		}
		if i < 8 {
			rows[i] = s.reg()
			low := reg.Register(rows[i])
			if s.bytes == 64 {
				low = rows[i].AsY()
			}
			VMOVUPS(row(i%4), low)
		} else {
			VINSERTF32X8(operand.Imm(1), row(i%4), rows[i-8], rows[i-8])
		}
	}
	taps := s.transposed(rows, order)
	copy(planes[:], taps[:])
	return planes
}

// halves returns the orders in which a transposed takes 128-bit lanes of two registers: even, odd.
func halves(name string) (order [2]reg.VecVirtual) {
	for i := range order {
		table := GLOBL(name+[...]string{"Even", "Odd"}[i], RODATA|NOPTR)
		for j, q := range []int{0, 1, 8, 9, 4, 5, 12, 13} {
			DATA(8*j, operand.U64(q+2*i))
		}
		order[i] = ZMM()
		VMOVUPS(table, order[i])
	}
	return order
}

// transposed returns the 8×8 transpose in registers, in zmm that of either half.
func (s set) transposed(r [8]reg.VecVirtual, order [2]reg.VecVirtual) (out [8]reg.VecVirtual) {
	var pairs, fours [8]reg.VecVirtual
	for i := range r {
		pairs[i], fours[i], out[i] = s.reg(), s.reg(), s.reg()
	}
	for i := 0; i < 8; i += 2 {
		VUNPCKLPS(r[i+1], r[i], pairs[i])
		VUNPCKHPS(r[i+1], r[i], pairs[i+1])
	}
	for i := 0; i < 8; i += 4 {
		VUNPCKLPD(pairs[i+2], pairs[i], fours[i])
		VUNPCKHPD(pairs[i+2], pairs[i], fours[i+1])
		VUNPCKLPD(pairs[i+3], pairs[i+1], fours[i+2])
		VUNPCKHPD(pairs[i+3], pairs[i+1], fours[i+3])
	}
	for i := range 4 {
		if s.bytes == 64 {
			VMOVAPS(fours[i], out[i])
			VPERMT2PD(fours[i+4], order[0], out[i])
			VPERMT2PD(fours[i+4], order[1], fours[i])
			out[i+4] = fours[i]
		} else {
			VPERM2F128(operand.Imm(0x20), fours[i+4], fours[i], out[i])
			VPERM2F128(operand.Imm(0x31), fours[i+4], fours[i], out[i+4])
		}
	}
	return out
}

// fourStore emits the way back: nine planes of taps to filters one after the other, eight at a time.
func fourStore() {
	args, count, src, dst := begin("winograd4Store", "writes count groups of 8 filters of 9 planes of taps.")
	plane := field(args, 88)
	Label("loop")
	at := GP64()
	MOVQ(src, at)
	var planes [8]reg.VecVirtual
	for i := range planes {
		planes[i] = YMM()
		VMOVUPS(operand.Mem{Base: at}, planes[i])
		ADDQ(plane, at)
	}
	for i, v := range sets[1].transposed(planes, [2]reg.VecVirtual{}) {
		VMOVUPS(v, operand.Mem{Base: dst, Disp: 36 * i})
		last := GP32()
		MOVL(operand.Mem{Base: at, Disp: 4 * i}, last)
		MOVL(last, operand.Mem{Base: dst, Disp: 36*i + 32})
	}
	ADDQ(operand.Imm(32), src)
	ADDQ(operand.U32(288), dst)
	end(count)
}
