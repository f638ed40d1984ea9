package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Comparison predicates and the rounding control of VROUNDPS: to nearest even,
// no exception.
const (
	unordered   = 3
	lessThan    = 0x11
	greaterThan = 0x1e
	nearestEven = 8
)

// quantise: what leaves the range is found after rounding, in float32, because
// the conversion gives the same word for every value out of int32's range.
func (s set) quantise() {
	s.kernel("quantise", "(dst *byte, src *float32, n int, scale float32, bound float32, limit int32, counts *uint32)",
		"writes src·scale as int32, clamped; counts gets, 16 words each, per lane: out of range, NaN, Inf.")
	dst, src := pointer("dst"), pointer("src")
	scale, bound, limit := s.broadcast("scale"), s.broadcast("bound"), s.broadcast("limit")
	abs, inf, zero := s.constant(0x7fffffff), s.constant(0x7f800000), s.constant(0)
	negBound, negLimit := s.vec(), s.vec()
	VSUBPS(bound, zero, negBound)
	VPSUBD(limit, zero, negLimit)
	over, nans, infs := s.constant(0), s.constant(0), s.constant(0)
	c := clamp{s: s, bound: bound, negBound: negBound, limit: limit, negLimit: negLimit, abs: abs, inf: inf, zero: zero, over: over, nans: nans, infs: infs}
	if s.wide {
		c.ones = s.constant(0xffffffff)
	}
	loop(func() {
		for _, at := range s.offsets() {
			x, r, q := s.vec(), s.vec(), s.vec()
			VMOVUPS(src.Offset(at), x)
			VMULPS(x, scale, r)
			if s.wide {
				VRNDSCALEPS(Imm(nearestEven), r, r)
				VCVTPS2DQ(r, q)
				c.wide(x, r, q)
			} else {
				VROUNDPS(Imm(nearestEven), r, r)
				VCVTPS2DQ(r, q)
				c.narrow(x, r, q)
			}
			VMOVUPS(q, dst.Offset(at))
		}
	}, dst, src)
	counts := pointer("counts")
	for i, v := range []reg.VecVirtual{over, nans, infs} {
		VMOVUPS(v, counts.Offset(4*block*i))
	}
	leave()
}

// clamp repairs q, the conversion of r, and counts what it repaired.
type clamp struct {
	s                                set
	bound, negBound, limit, negLimit reg.VecVirtual
	abs, inf, zero, over, nans, infs reg.VecVirtual
	ones                             reg.VecVirtual // zmm only
}

func (c clamp) narrow(x, r, q reg.VecVirtual) {
	high, low, nan, inf := YMM(), YMM(), YMM(), YMM()
	VCMPPS(Imm(greaterThan), c.bound, r, high)
	VCMPPS(Imm(lessThan), c.negBound, r, low)
	VCMPPS(Imm(unordered), x, x, nan)
	VPAND(c.abs, x, inf)
	VPCMPEQD(c.inf, inf, inf)
	VBLENDVPS(high, c.limit, q, q)
	VBLENDVPS(low, c.negLimit, q, q)
	VPANDN(q, nan, q)
	VPOR(low, high, high)
	VPSUBD(high, c.over, c.over) // a true lane is −1
	VPSUBD(nan, c.nans, c.nans)
	VPSUBD(inf, c.infs, c.infs)
}

func (c clamp) wide(x, r, q reg.VecVirtual) {
	high, low, nan, inf, magnitude := K(), K(), K(), K(), ZMM()
	VCMPPS(Imm(greaterThan), c.bound, r, high)
	VCMPPS(Imm(lessThan), c.negBound, r, low)
	VCMPPS(Imm(unordered), x, x, nan)
	VPANDD(c.abs, x, magnitude)
	VPCMPEQD(c.inf, magnitude, inf)
	VMOVDQA32(c.limit, high, q)
	VMOVDQA32(c.negLimit, low, q)
	VMOVDQA32(c.zero, nan, q)
	VPSUBD(c.ones, c.over, high, c.over)
	VPSUBD(c.ones, c.over, low, c.over)
	VPSUBD(c.ones, c.nans, nan, c.nans)
	VPSUBD(c.ones, c.infs, inf, c.infs)
}
