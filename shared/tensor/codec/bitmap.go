package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"gradsync/shared/tensor/vec"
)

// Bitmap is one bit per element, set where it is not +0, then the values of the
// set bits.
//
//	bytes = ⌈n/8⌉ + 4·d·n
//
// Source: S42; the form of US 11544067, "a bitmask section and a compressed data section"
type Bitmap struct{}

func (Bitmap) Name() string { return "bitmap" }

// ID returns 1.
func (Bitmap) ID() uint8 { return 1 }

// Size counts once over src.
func (Bitmap) Size(src []float32) int { return vec.BitmapBytes(len(src), vec.CountNonzero(src)) }

// SizeAt returns a size that is exact if density·n is whole.
func (Bitmap) SizeAt(n int, density float64) float64 {
	return float64(vec.BitmapBytes(n, 0)) + 4*density*float64(n)
}

func (Bitmap) Append(dst []byte, src []float32) []byte { return vec.AppendBitmap(dst, src) }

func (Bitmap) Decode(dst []float32, wire []byte) error { return vec.FromBitmap(dst, wire) }

// chunk is how many elements a sparse form is coded at a time where that needs a
// copy: 4 KiB of values and their bitmap stay in the first-level cache.
const chunk = 1024

// Accumulate decodes a chunk into the cache and adds it: sums of the
// values alone would leave a −0 of dst where the wire has +0.
func (Bitmap) Accumulate(dst []float32, wire []byte) error {
	n := len(dst)
	head := vec.BitmapBytes(n, 0)
	if len(wire) < head {
		return fmt.Errorf("codec: bitmap: %d bytes, want at least %d for %d elements", len(wire), head, n)
	}
	var form [chunk/8 + 4*chunk]byte
	var part [chunk]float32
	mask, values := wire[:head], wire[head:]
	for len(dst) > 0 {
		k := min(chunk, len(dst))
		m := (k + 7) / 8
		b := 4 * ones(mask[:m])
		if b > len(values) {
			return fmt.Errorf("codec: bitmap: %d bytes for %d elements are less than its ones ask for", len(wire), n)
		}
		copy(form[:], mask[:m])
		copy(form[m:], values[:b])
		if err := vec.FromBitmap(part[:k], form[:m+b]); err != nil {
			return err
		}
		vec.AddTo(dst[:k], part[:k])
		dst, mask, values = dst[k:], mask[m:], values[b:]
	}
	if len(values) > 0 {
		return fmt.Errorf("codec: bitmap: %d bytes for %d elements are %d more than its ones ask for", len(wire), n, len(values))
	}
	return nil
}

// ones counts the set bits of a chunk's mask.
func ones(mask []byte) int {
	count := 0
	for ; len(mask) >= 8; mask = mask[8:] {
		count += bits.OnesCount64(binary.LittleEndian.Uint64(mask))
	}
	for _, b := range mask {
		count += bits.OnesCount8(b)
	}
	return count
}

// room lengthens dst's capacity to hold n more bytes, exactly, if it does not.
func room(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		return append(make([]byte, 0, len(dst)+n), dst...)
	}
	return dst
}
