package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// recomputed is the gradient behind a norm's own ReLU, whose output is computed again
// from x: that is cheaper than to read it.
type recomputed struct {
	set
	mean, slope, shift, zero vec
}

func (s set) recompute() recomputed {
	return recomputed{s, s.broadcast("mean"), s.broadcast("slope"), s.broadcast("shift"), s.nothing()}
}

// at returns register i of x−mean and of d. AVX2 has just enough registers, so they are
// made one by one.
func (r recomputed) at(i int, x, dy operand.Mem) (v, d reg.VecVirtual) {
	v = r.register()
	VMOVUPS(r.set.at(x)[i], v)
	VSUBPS(r.mean[i], v, v)
	z, d := r.register(), r.register()
	VMOVAPS(v, z)
	VFMADD213PS(r.shift[i], r.slope[i], z)
	if r.wide {
		pass, nan := K(), K()
		VCMPPS(less, z, r.zero[i], pass)
		VCMPPS(unordered, z, z, nan)
		VMOVUPS_Z(r.set.at(dy)[i], pass, d)
		VMOVAPS(z, nan, d)
		return v, d
	}
	nan := YMM()
	VCMPPS(less, z, r.zero[i], d)
	VANDPS(r.set.at(dy)[i], d, d)
	VCMPPS(unordered, z, z, nan)
	VANDPS(z, nan, nan)
	VORPS(nan, d, d)
	return v, d
}

func (s set) normSumsRecomputed() {
	s.kernel("normSumsRecomputed", "(x, dy []float32, mask []uint32, mean, slope, shift float32, acc *float32)",
		"is normSumsGated of a norm's own output, which it computes again.")
	x, dy, n, acc := pointer("x"), pointer("dy"), length("x"), number("acc")
	r := s.recompute()
	sum, dot := s.zeros(pairs), s.zeros(pairs)
	sweep(n, pairs, true, func(i int, p place) {
		for j, m := range s.at(p.mask) {
			v, d := r.at(j, p.of(x), p.of(dy))
			VANDPS(m, d, d)
			VANDPS(m, v, v)
			VADDPS(d, sum[i][j], sum[i][j])
			VFMADD231PS(d, v, dot[i][j])
		}
	})
	s.join(sum, operand.Mem{Base: acc})
	s.join(dot, operand.Mem{Base: acc, Disp: vecBytes})
	end()
}

func (s set) normDataRecomputed() {
	s.kernel("normDataRecomputed", "(x, dy, dx []float32, mask []uint32, mean, slope, shift, offset, tilt float32)",
		"is normDataGated of a norm's own output, which it computes again.")
	x, dy, dx, n := pointer("x"), pointer("dy"), pointer("dx"), length("x")
	r := s.recompute()
	offset, tilt := s.broadcast("offset"), s.broadcast("tilt")
	sweep(n, 2, true, func(_ int, p place) {
		to := s.at(p.of(dx))
		for j, m := range s.at(p.mask) {
			v, d := r.at(j, p.of(x), p.of(dy))
			VSUBPS(offset[j], d, d)
			VFNMADD231PS(v, tilt[j], d)
			VMULPS(r.slope[j], d, d)
			VANDPS(m, d, d)
			VMOVUPS(d, to[j])
		}
	})
	end()
}
