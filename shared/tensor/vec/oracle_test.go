package vec

import (
	"fmt"
	"math"
)

// What only tests of the kernels call: no codec does.

// AddBitmap decodes as FromBitmap does and adds to dst, in index order. An
// element that is not on the wire leaves dst's bits as they were.
func AddBitmap(dst []float32, wire []byte) error {
	bitmap, values, err := splitBitmap(len(dst), wire)
	if err != nil {
		return err
	}
	i, used := unpackAddBlocks(dst, bitmap, values)
	for values = values[used:]; i < len(dst); i++ {
		if bitmap[i/8]>>(i%8)&1 != 0 {
			dst[i] += floatAt(values, 0)
			values = values[4:]
		}
	}
	return nil
}

// Quantise writes the integer next to src·scale, halves to even, to dst, clamped
// to −limit … limit. The product is rounded to float32 first. It panics if
// lengths differ, if scale is not finite and positive, or if limit is negative.
//
//	q = clamp(round(src·scale), −limit, limit)
func Quantise(dst []int32, src []float32, scale float32, limit int32) Clipped {
	same(len(dst), len(src))
	z := newQuantiser(scale, limit)
	i := z.blocks(intBytes(dst), src)
	for ; i < len(src); i++ {
		dst[i] = z.one(src[i])
	}
	return z.clipped
}

// quantiser holds the range and what has left it so far.
type quantiser struct {
	scale, bound float32 // bound: the largest float32 that is at most limit
	limit        int32
	clipped      Clipped
}

func newQuantiser(scale float32, limit int32) quantiser {
	if !(scale > 0) || math.IsInf(float64(scale), 1) || limit < 0 {
		panic(fmt.Sprintf("vec: quantise: scale %g, limit %d", scale, limit))
	}
	bound := float32(limit)
	if float64(bound) > float64(limit) {
		bound = math.Nextafter32(bound, 0)
	}
	return quantiser{scale: scale, bound: bound, limit: limit}
}

// one quantises one element. A rounded product above bound is above limit, since
// no float32 lies between.
func (z *quantiser) one(x float32) int32 {
	r := math.RoundToEven(float64(float32(x * z.scale)))
	high, low := r > float64(z.bound), r < -float64(z.bound)
	switch {
	case x != x:
		z.clipped.NaN++
		return 0
	case math.IsInf(float64(x), 0):
		z.clipped.Inf++
	case high || low:
		z.clipped.Saturated++
	}
	switch {
	case high:
		return z.limit
	case low:
		return -z.limit
	}
	return int32(r)
}

// blocks quantises whole blocks and returns how many elements they were.
func (z *quantiser) blocks(out []byte, src []float32) int {
	var counts [3][block]uint32 // per lane: out of range, NaN, Inf
	done := quantiseBlocks(out, src, z.scale, z.bound, z.limit, &counts)
	for l := range block {
		z.clipped.Saturated += int(counts[0][l]) - int(counts[2][l])
		z.clipped.NaN += int(counts[1][l])
		z.clipped.Inf += int(counts[2][l])
	}
	return done
}
