package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// beyond is VCMPPS's predicate: not at most, NaN included.
const beyond = 0x16

// fixed: float64 products, of which the conversion to int32 rounds halves to even.
func (s set) fixed() {
	s.kernel("fix", "(dst *int32, src *float32, n int, scale float64, bound float32) int",
		"writes src·scale as int32 up to the block with the first element beyond ±bound, and returns how many.")
	dst, src := pointer("dst"), pointer("src")
	scale, bound, abs := s.vec(), s.broadcast("bound"), s.constant(0x7fffffff)
	a, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(a.Addr, scale)
	n, left := Load(Param("n"), GP64()), GP64()
	MOVQ(n, left)
	TESTQ(left, left)
	JZ(LabelRef("done"))
	Label("loop")
	s.anyBeyond(src, bound, abs)
	JNZ(LabelRef("done"))
	for at := 0; at < 4*block; at += s.bytes() / 2 {
		v := s.vec()
		VCVTPS2PD(src.Offset(at), v)
		VMULPD(scale, v, v)
		if s.wide {
			q := YMM()
			VCVTPD2DQ(v, q)
			VMOVUPS(q, dst.Offset(at))
		} else {
			q := XMM()
			VCVTPD2DQY(v, q)
			VMOVUPS(q, dst.Offset(at))
		}
	}
	ADDQ(Imm(4*block), dst.Base)
	ADDQ(Imm(4*block), src.Base)
	SUBQ(Imm(block), left)
	JNZ(LabelRef("loop"))
	Label("done")
	SUBQ(left, n)
	Store(n, ReturnIndex(0))
	leave()
}

// bytes returns the length of a register.
func (s set) bytes() int {
	if s.wide {
		return 64
	}
	return 32
}

// anyBeyond clears the zero flag if an element of the block is beyond ±bound or NaN.
func (s set) anyBeyond(src Mem, bound, abs reg.VecVirtual) {
	if s.wide {
		x, k := ZMM(), K()
		VANDPS(src.Offset(0), abs, x)
		VCMPPS(Imm(beyond), bound, x, k)
		KORTESTW(k, k)
		return
	}
	x, y := YMM(), YMM()
	VANDPS(src.Offset(0), abs, x)
	VANDPS(src.Offset(32), abs, y)
	VCMPPS(Imm(beyond), bound, x, x)
	VCMPPS(Imm(beyond), bound, y, y)
	VORPS(x, y, x)
	VPTEST(x, x)
}

// widening sums.
func (s set) wideSum() {
	s.kernel("addWide", "(dst *int64, src *int32, n int)", "adds the n int32 at src to the int64 at dst.")
	dst, src := pointer("dst"), pointer("src")
	loop(func() {
		for at := 0; at < 4*block; at += s.bytes() / 2 {
			v := s.vec()
			VPMOVSXDQ(src.Offset(at), v)
			VPADDQ(dst.Offset(2*at), v, v)
			VMOVUPS(v, dst.Offset(2*at))
		}
		ADDQ(Imm(4*block), dst.Base) // twice as long as the loop believes
	}, dst, src)
	leave()
}
