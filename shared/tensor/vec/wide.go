package vec

import (
	"fmt"
	"math"
)

// QuantiseRange writes src in fixed point to dst: the largest int32 stands for limit,
// its negative for −limit, halves go to the even neighbour. Products are float64's, so
// that a float32 in range is off by half a step and a millionth of it at most. It
// panics if lengths differ, or if limit is not finite and more than 1e-290.
//
//	q = round(v·(2³¹−1)/limit)
//
// Source: ours: fixed point over a stated range, of which sums wrap and are exact in any order
func QuantiseRange(dst []int32, src []float32, limit float64) (clipped Clipped) {
	same(len(dst), len(src))
	if !(limit > 1e-290) || math.IsInf(limit, 1) {
		panic(fmt.Sprintf("vec: quantise: range %g", limit))
	}
	scale, bound := math.MaxInt32/limit, float32(limit)
	if float64(bound) > limit {
		bound = math.Nextafter32(bound, 0)
	}
	for len(src) > 0 {
		done := fixBlocks(dst, src, scale, bound)
		n := min(done+block, len(src)) // a block with something out of range, or the rest
		for i, v := range src[done:n] {
			dst[done+i] = fix(v, scale, bound, &clipped)
		}
		dst, src = dst[n:], src[n:]
	}
	return clipped
}

// roundEven, added to a float64 of at most 2⁵¹, leaves it rounded to the even integer in
// the low bits, in two's complement.
const roundEven = 3 << 51

// fix does QuantiseRange for one element.
func fix(v float32, scale float64, bound float32, clipped *Clipped) int32 {
	if v >= -bound && v <= bound {
		return int32(uint32(math.Float64bits(float64(float64(v)*scale) + roundEven)))
	}
	switch {
	case v != v:
		clipped.NaN++
		return 0
	case math.IsInf(float64(v), 0):
		clipped.Inf++
	default:
		clipped.Saturated++
	}
	if v > 0 {
		return math.MaxInt32
	}
	return -math.MaxInt32
}

// AddInt32Wide adds src to the wider dst. It panics if lengths differ.
//
// Source: ours: a sum that int32 may not hold
func AddInt32Wide(dst []int64, src []int32) {
	same(len(dst), len(src))
	for i := addWideBlocks(dst, src); i < len(dst); i++ {
		dst[i] += int64(src[i])
	}
}
