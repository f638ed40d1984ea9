package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

const (
	unpackSignature = "(dst *float32, bitmap *byte, values *byte, n int) int"
	unpackDoc       = "writes the values where the bitmap has ones and +0 elsewhere; it returns the values' bytes."
)

func unpackAVX512() {
	s := set{"AVX512", true}
	s.kernel("unpack", unpackSignature, unpackDoc)
	dst, bitmap, values := pointer("dst"), pointer("bitmap"), pointer("values")
	begin := GP64()
	MOVQ(values.Base, begin)
	loop(func() {
		mask, c, some, v := GP32(), GP32(), K(), ZMM()
		MOVWLZX(bitmap, mask)
		KMOVW(mask, some)
		VPEXPANDD_Z(values, some, v) // reads as many values as there are ones
		VMOVUPS(v, dst)
		POPCNTL(mask, c)
		LEAQ(values.Idx(c.As64(), 4), values.Base)
		ADDQ(Imm(2), bitmap.Base)
	}, dst)
	VZEROUPPER()
	SUBQ(begin, values.Base)
	Store(values.Base, ReturnIndex(0))
	RET()
}

func unpackAVX2() {
	s := set{"AVX2", false}
	s.kernel("unpack", unpackSignature, unpackDoc)
	dst, bitmap, values := pointer("dst"), pointer("bitmap"), pointer("values")
	begin := GP64()
	MOVQ(values.Base, begin)
	order, window := address("unpackTable"), address("windowTable")
	loop(func() {
		for i, at := range s.offsets() {
			v, lanes, mask, c := YMM(), YMM(), GP32(), GP32()
			MOVBLZX(bitmap.Offset(i), mask)
			VPMOVSXBD(order.Idx(mask.As64(), 8), lanes)
			POPCNTL(mask, c)
			next := GP64()
			LEAQ(values.Idx(c.As64(), 4), next)
			VPMASKMOVD(values, firstLanes(window, c), v)
			MOVQ(next, values.Base)
			VPERMD(v, lanes, v)
			VPSRAD(Imm(31), lanes, lanes)
			VPANDN(v, lanes, v)
			VMOVUPS(v, dst.Offset(at))
		}
		ADDQ(Imm(2), bitmap.Base)
	}, dst)
	VZEROUPPER()
	SUBQ(begin, values.Base)
	Store(values.Base, ReturnIndex(0))
	RET()
}
