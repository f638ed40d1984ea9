package tensor

import "unsafe"

// Exchanger is a Device that makes of a gradient what an exchange sends, before it leaves:
// the forms of package vec, bit for bit. Its integers are Make's memory, read by Int32s.
//
// A buffer of one Call may be used by another when what wrote it is done: after Settle, or
// after Receive of what was sent behind it.
//
// Source: ours: what is counted, packed or rounded on the device crosses the bus once, and smaller
type Exchanger interface {
	Device
	// CountNonzero writes to counts how many elements of each block of x are not +0; block b
	// is bounds[b] ≤ i < bounds[b+1].
	CountNonzero(c *Call, x []float32, bounds, counts []int32)
	// PackBitmap writes the bitmap of x to form, in BitmapWords(len(x)) words, and behind it
	// the elements that are not +0, in order. form has room for all of them.
	PackBitmap(c *Call, x, form []float32)
	// QuantiseRange writes vec.QuantiseRange of x to dst, clamped to −top … top. clipped, of
	// ClippedInts(len(x)) elements, gets counts of what was out of range, NaN and infinite, in
	// turns. Out of range is also what top clamps, but for numbers 1 beyond it, which rounding
	// may put there, and the ends of the range.
	QuantiseRange(c *Call, dst []int32, x []float32, clipped []int32, limit float64, top int32)
	// AddInt32 adds src to dst modulo 2³².
	AddInt32(c *Call, dst, src []int32)
	// ClippedInts returns how many counts QuantiseRange writes for n elements.
	ClippedInts(n int) int
}

// BitmapWords returns how many words of 32 bits PackBitmap's bitmap of n elements takes; its
// first ⌈n/8⌉ bytes are those of vec.AppendBitmap.
//
// Source: ours: a device writes whole words
func BitmapWords(n int) int { return (n + 31) / 32 }

// Int32s returns x's memory as integers of 32 bits.
//
// Source: ours: a Device lends one kind of memory
func Int32s(x []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// Float32s returns the memory of integers as Send and Receive take it.
//
// Source: ours: a Device lends one kind of memory
func Float32s(x []int32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
