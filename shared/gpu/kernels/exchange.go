package kernels

import (
	"fmt"
	"math"
	"unsafe"
)

// segment is how many elements of a bitmap a block packs.
const segment = 1024

// Segments returns how many int32 the counts of PackBitmap and UnpackBitmap take, one
// less than their offsets do.
//
// Source: ours: a bitmap of n elements is packed in pieces
func Segments(n int) int { return blocks(n, segment) }

// BitmapWords returns how many words of 32 bits the bitmap of n elements takes on the
// device; the first ⌈n/8⌉ bytes are the bitmap of vec.AppendBitmap.
//
// Source: ours: whole words
func BitmapWords(n int) int { return blocks(n, 32) }

// CountNonzero writes to counts (int32) how many elements of each of several blocks are
// not +0; block b is bounds[b] ≤ i < bounds[b+1] (int32) of x.
func (q *Queue) CountNonzero(blocks int, x, bounds, counts unsafe.Pointer) error {
	q.addresses(x, bounds, counts)
	q.ints(0, 0)
	return q.run(countNonzero, blocks, 1, 1)
}

// PackBitmap writes the bitmap of n elements of x and, behind each other, the values that
// are not +0: vec.AppendBitmap's form in two pieces. offsets[Segments(n)] (int32) is how
// many values there are.
func (q *Queue) PackBitmap(n int, x, counts, offsets, bitmap, values unsafe.Pointer) error {
	q.addresses(x, nil, counts)
	q.ints(n, segment)
	if err := q.run(countNonzero, Segments(n), 1, 1); err != nil {
		return err
	}
	if err := q.prefix(Segments(n), counts, offsets); err != nil {
		return err
	}
	q.addresses(x, offsets, bitmap, values)
	q.ints(n)
	return q.run(bitmapPack, Segments(n), 1, 1)
}

// prefix writes the sums of the first i of n counts, for i from 0 to n.
func (q *Queue) prefix(n int, counts, offsets unsafe.Pointer) error {
	q.addresses(counts, offsets)
	q.ints(n)
	return q.run(prefixSum, 1, 1, 1)
}

// UnpackBitmap decodes what PackBitmap wrote to n elements of dst, as vec.FromBitmap does, or adds it
// to them where the bitmap has ones. The bitmap must have no bit behind element n, and
// values as many elements as it has ones.
func (q *Queue) UnpackBitmap(n int, bitmap, values, counts, offsets, dst unsafe.Pointer, add bool) error {
	q.addresses(bitmap, counts)
	q.ints(n)
	if err := q.run(bitmapCount, Segments(n), 1, 1); err != nil {
		return err
	}
	if err := q.prefix(Segments(n), counts, offsets); err != nil {
		return err
	}
	q.addresses(bitmap, offsets, values, dst)
	q.ints(n)
	q.flag(add)
	return q.run(bitmapUnpack, Segments(n), 1, 1)
}

// ClippedInts returns how many int32 the clipped counts of n quantised elements take:
// three per block of the grid, out of range, NaN and infinite. Their sums are the fields
// of a vec.Clipped.
//
// Source: ours: counts without atomic operations
func ClippedInts(n int) int { return 3 * elements(n) }

// Quantise writes the integers next to n elements x·scale, halves to even, clamped to −limit … limit, to dst (int32).
func (q *Queue) Quantise(n int, x, dst, clipped unsafe.Pointer, scale float32, limit int32) error {
	if !(scale > 0) || math.IsInf(float64(scale), 1) || limit < 0 {
		return fmt.Errorf("gpu: quantise: scale %g, limit %d", scale, limit)
	}
	q.addresses(x, dst, clipped)
	q.ints(n)
	q.floats(scale, atMost(float64(limit)))
	q.bits(limit)
	return q.run(quantise, elements(n), 1, 1)
}

// QuantiseRange is vec.QuantiseRange of n elements, from x to dst (int32), clamped to
// −top … top. Elements within the range count as out of it too if they are more than 1 beyond
// top, but for its ends.
func (q *Queue) QuantiseRange(n int, x, dst, clipped unsafe.Pointer, limit float64, top int32) error {
	if !(limit > 1e-290) || math.IsInf(limit, 1) || top < 0 {
		return fmt.Errorf("gpu: quantise: range %g, limit %d", limit, top)
	}
	q.addresses(x, dst, clipped)
	q.ints(n)
	q.doubles(math.MaxInt32 / limit)
	q.floats(atMost(limit))
	q.bits(top)
	return q.run(quantiseRange, elements(n), 1, 1)
}

// atMost returns the largest float32 that is at most v.
func atMost(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, 0)
	}
	return f
}

// AddInt32 adds n integers of src to dst, modulo 2³².
func (q *Queue) AddInt32(n int, dst, src unsafe.Pointer) error {
	return q.integers(addInt32, n, dst, src)
}

// SubInt32 subtracts them.
func (q *Queue) SubInt32(n int, dst, src unsafe.Pointer) error {
	return q.integers(subInt32, n, dst, src)
}

func (q *Queue) integers(k kernel, n int, dst, src unsafe.Pointer) error {
	q.addresses(dst, src)
	q.ints(n)
	return q.run(k, elements(n), 1, 1)
}
