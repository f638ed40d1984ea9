package ptx

import "math"

// nan32 is the only NaN that arithmetic of a card gives.
const nan32 = 0x7fffffff

func f32(x uint32) float32 { return math.Float32frombits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

// bits32 returns a result's bits.
func bits32(v float32) uint32 {
	if v != v {
		return nan32
	}
	return math.Float32bits(v)
}

// fused returns the bits of a·b + c, rounded once. The product is exact in double
// precision. So is the result of rounding the sum twice, unless the first rounding ends
// halfway between two floats, or the result is not among the normal ones.
func fused(a, b, c float32) uint32 {
	s := float64(a)*float64(b) + float64(c)
	if u := math.Float64bits(s); roundsTwice(u) {
		return math.Float32bits(float32(s))
	}
	return bits32(fusedSlow(float64(a)*float64(b), float64(c)))
}

// roundsTwice says that a double of these bits may be rounded to a float. A sum of 0 is exact.
func roundsTwice(u uint64) bool {
	return u&(1<<29-1) != 1<<28 && u<<1>>53-(1023-125) < 2047-(1023-125) || u<<1 == 0
}

// fusedSlow rounds p + c to odd first: then no second rounding starts from halfway.
func fusedSlow(p, c float64) float32 {
	s := p + c
	if s-s != 0 { // infinite or NaN
		return float32(s)
	}
	t := s - p
	lost := (p - (s - t)) + (c - t)
	if u := math.Float64bits(s); lost != 0 && u&1 == 0 {
		if (lost > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}

// float32s holds single precision; division and roots are rounded right.
func float32s() map[string]form {
	three := form{[]bank{word, word, word, word}, func(r []int) step {
		return func(w *warp) {
			o, x, y, z := w.word(r[0]), &w.words[r[1]], &w.words[r[2]], &w.words[r[3]]
			for i := range o {
				s := float64(f32(x[i]))*float64(f32(y[i])) + float64(f32(z[i])) // fused, without a call
				if roundsTwice(math.Float64bits(s)) {
					o[i] = math.Float32bits(float32(s))
				} else {
					o[i] = fused(f32(x[i]), f32(y[i]), f32(z[i]))
				}
			}
			w.keep(r[0])
		}
	}}
	add := form{bankWWW, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.word(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = bits32(f32(x[i]) + f32(y[i]))
			}
			w.keep(r[0])
		}
	}}
	two := func(f func(x, y float32) float32) form {
		return two32(func(x, y uint32) uint32 { return bits32(f(f32(x), f32(y))) })
	}
	one := func(f func(x float64) float64) form {
		return one32(func(x uint32) uint32 { return bits32(float32(f(float64(f32(x))))) })
	}
	return map[string]form{
		"fma.rn.f32": three, "add.rn.f32": add,
		"sub.rn.f32":      two(func(x, y float32) float32 { return x - y }),
		"mul.rn.f32":      two(func(x, y float32) float32 { return x * y }),
		"div.rn.f32":      two(func(x, y float32) float32 { return x / y }),
		"rcp.rn.f32":      one32(func(x uint32) uint32 { return bits32(1 / f32(x)) }),
		"sqrt.rn.f32":     one(math.Sqrt), // enough digits to round twice
		"cvt.rni.f32.f32": one(math.RoundToEven),
		"neg.f32":         one32(func(x uint32) uint32 { return x ^ 1<<31 }),
		"abs.f32":         one32(func(x uint32) uint32 { return x &^ (1 << 31) }),
		"cvt.rzi.s32.f32": one32(func(x uint32) uint32 { return uint32(int32(clampInt(float64(f32(x)), math.MinInt32, math.MaxInt32))) }),
		"cvt.rn.f32.s32":  one32(func(x uint32) uint32 { return bits32(float32(int32(x))) }),
		"cvt.rn.f32.u32":  one32(func(x uint32) uint32 { return bits32(float32(x)) }),
	}
}

// clampInt cuts off the fraction, as a card does: NaN is 0, the range is kept.
func clampInt(v, low, high float64) int64 {
	switch {
	case v != v:
		return 0
	case v <= low:
		return int64(low)
	case v >= high:
		if high >= math.MaxInt64 {
			return math.MaxInt64
		}
		return int64(high)
	}
	return int64(v)
}

func float64s() map[string]form {
	two := func(f func(x, y float64) float64) form {
		return two64(func(x, y uint64) uint64 { return math.Float64bits(f(f64(x), f64(y))) })
	}
	return map[string]form{
		"add.rn.f64":      two(func(x, y float64) float64 { return x + y }),
		"sub.rn.f64":      two(func(x, y float64) float64 { return x - y }),
		"mul.rn.f64":      two(func(x, y float64) float64 { return x * y }),
		"div.rn.f64":      two(func(x, y float64) float64 { return x / y }),
		"cvt.rmi.f64.f64": one64(func(x uint64) uint64 { return math.Float64bits(math.Floor(f64(x))) }),
		"neg.f64":         one64(func(x uint64) uint64 { return x ^ 1<<63 }),
		"cvt.rzi.s64.f64": one64(func(x uint64) uint64 { return uint64(clampInt(f64(x), math.MinInt64, math.MaxInt64)) }),
		"cvt.rn.f64.s64":  one64(func(x uint64) uint64 { return math.Float64bits(float64(int64(x))) }),
	}
}

// conversions go from one bank to the other.
func conversions() map[string]form {
	up := func(f func(x uint32) uint64) form {
		return form{[]bank{long, word}, func(r []int) step {
			return func(w *warp) {
				o, x := w.long(r[0]), &w.words[r[1]]
				for i := range o {
					o[i] = f(x[i])
				}
				w.keepLong(r[0])
			}
		}}
	}
	down := func(f func(x uint64) uint32) form {
		return form{[]bank{word, long}, func(r []int) step {
			return func(w *warp) {
				o, x := w.word(r[0]), &w.longs[r[1]]
				for i := range o {
					o[i] = f(x[i])
				}
				w.keep(r[0])
			}
		}}
	}
	return map[string]form{
		"cvt.u64.u32":    up(func(x uint32) uint64 { return uint64(x) }),
		"cvt.s64.s32":    up(func(x uint32) uint64 { return uint64(int64(int32(x))) }),
		"cvt.u64.u16":    up(func(x uint32) uint64 { return uint64(uint16(x)) }),
		"cvt.u32.u16":    one32(func(x uint32) uint32 { return x & 0xffff }),
		"cvt.u32.u64":    down(func(x uint64) uint32 { return uint32(x) }),
		"cvt.f64.f32":    up(func(x uint32) uint64 { return math.Float64bits(float64(f32(x))) }),
		"cvt.rn.f32.f64": down(func(x uint64) uint32 { return bits32(float32(f64(x))) }),
		"cvt.rn.f64.s32": up(func(x uint32) uint64 { return math.Float64bits(float64(int32(x))) }),
		"cvt.rn.f64.u32": up(func(x uint32) uint64 { return math.Float64bits(float64(x)) }),
	}
}
