package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose: 8 columns a turn of 8 rows, or of 16 as two 8×8 blocks, so that every row it
// writes is one whole cache line of 16 elements.
func transpose(rows int) {
	name := fmt.Sprintf("transpose%dAVX2", rows)
	TEXT(name, NOSPLIT, "func(dst *float32, dstStride int, src *float32, srcStride int, columns int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s writes the transpose of %d rows of src; strides are in bytes, columns is a multiple of 8.", name, rows))
	out := [2]Mem{pointer("dst")}
	in := make([]Mem, rows/4)
	in[0] = pointer("src")
	os, is := Load(Param("dstStride"), GP64()), Load(Param("srcStride"), GP64())
	os3, is3 := GP64(), GP64()
	LEAQ(Mem{Base: os, Index: os, Scale: 2}, os3)
	LEAQ(Mem{Base: is, Index: is, Scale: 2}, is3)
	for i := 1; i < len(in); i++ {
		in[i] = Mem{Base: GP64()}
		LEAQ(Mem{Base: in[i-1].Base, Index: is, Scale: 4}, in[i].Base)
	}
	out[1] = Mem{Base: GP64()}
	n := Load(Param("columns"), GP64())
	Label("loop")
	LEAQ(Mem{Base: out[0].Base, Index: os, Scale: 4}, out[1].Base)
	for half := range rows / 8 {
		var r [8]reg.VecVirtual
		for i := range r {
			r[i] = YMM()
			VMOVUPS(row(in[2*half+i/4], is, is3, i%4), r[i])
		}
		for i, v := range transposed(r) {
			VMOVUPS(v, row(out[i/4], os, os3, i%4).Offset(32*half))
		}
	}
	for _, p := range in {
		ADDQ(Imm(32), p.Base)
	}
	LEAQ(Mem{Base: out[1].Base, Index: os, Scale: 4}, out[0].Base)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("loop"))
	leave()
}

// row returns p + i·stride.
func row(p Mem, stride, stride3 reg.Register, i int) Mem {
	switch i {
	case 1:
		return p.Idx(stride, 1)
	case 2:
		return p.Idx(stride, 2)
	case 3:
		return p.Idx(stride3, 1)
	}
	return p
}

// transposed returns the 8×8 transpose in registers.
func transposed(r [8]reg.VecVirtual) (out [8]reg.VecVirtual) {
	var pairs, fours [8]reg.VecVirtual
	for i := range r {
		pairs[i], fours[i], out[i] = YMM(), YMM(), YMM()
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
		VPERM2F128(Imm(0x20), fours[i+4], fours[i], out[i])
		VPERM2F128(Imm(0x31), fours[i+4], fours[i], out[i+4])
	}
	return out
}
