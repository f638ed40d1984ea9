package vec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// The bitmap form of n elements is ⌈n/8⌉ bytes, of which bit i%8 of byte i/8 says
// that element i is not +0, and then these elements as little-endian words in
// index order. It loses nothing: −0, NaN payloads and denormals come back.

// BitmapBytes returns the length of the bitmap form of n elements, of which nonzero
// are not +0.
//
// Source: ours: the size that a sparse exchange compares with Bytes
func BitmapBytes(n, nonzero int) int { return (n+7)/8 + 4*nonzero }

// CountNonzero counts the elements that are not +0 (−0 and NaN count).
//
// Source: ours: what decides whether the bitmap form is the shorter one
func CountNonzero(x []float32) int {
	done, count := countBlocks(x)
	for _, v := range x[done:] {
		if math.Float32bits(v) != 0 {
			count++
		}
	}
	return count
}

// AppendBitmap appends the bitmap form of src to dst. If dst has room for the
// longest form, BitmapBytes(n, n) bytes, it reads src once; otherwise it first
// counts, and allocates only if the form itself does not fit. It writes nothing
// behind the slice it returns.
//
// Source: ours: lossless sparse coding
func AppendBitmap(dst []byte, src []float32) []byte {
	at, most := len(dst), BitmapBytes(len(src), len(src))
	if cap(dst)-at < most {
		dst, _ = extend(dst, BitmapBytes(len(src), CountNonzero(src)))
	} else {
		dst = dst[:at+most]
	}
	head := BitmapBytes(len(src), 0)
	bitmap, values := dst[at:at+head], dst[at+head:]
	done, used := packBlocks(bitmap, values, src)
	clear(bitmap[done/8:])
	for i := done; i < len(src); i++ {
		if w := math.Float32bits(src[i]); w != 0 {
			bitmap[i/8] |= 1 << (i % 8)
			binary.LittleEndian.PutUint32(values[used:], w)
			used += 4
		}
	}
	return dst[:at+head+used]
}

// FromBitmap decodes the bitmap form of len(dst) elements. A wire of another
// length than its bitmap asks for, or with bits behind the last element, is an
// error and leaves dst as it was.
//
// Source: ours: AppendBitmap's inverse
func FromBitmap(dst []float32, wire []byte) error {
	bitmap, values, err := splitBitmap(len(dst), wire)
	if err != nil {
		return err
	}
	i, used := unpackBlocks(dst, bitmap, values)
	for values = values[used:]; i < len(dst); i++ {
		dst[i] = 0
		if bitmap[i/8]>>(i%8)&1 != 0 {
			dst[i] = floatAt(values, 0)
			values = values[4:]
		}
	}
	return nil
}

// splitBitmap checks everything that decoding n elements relies on.
func splitBitmap(n int, wire []byte) (bitmap, values []byte, err error) {
	head := BitmapBytes(n, 0)
	if len(wire) < head {
		return nil, nil, fmt.Errorf("vec: decode bitmap: %d bytes, want at least %d for %d elements", len(wire), head, n)
	}
	bitmap, values = wire[:head], wire[head:]
	if n%8 != 0 && bitmap[head-1]>>(n%8) != 0 {
		return nil, nil, fmt.Errorf("vec: decode bitmap: last byte %#02x has bits behind element %d", bitmap[head-1], n)
	}
	if ones := countOnes(bitmap); len(values) != 4*ones {
		return nil, nil, fmt.Errorf("vec: decode bitmap: %d bytes of values, want %d for %d ones", len(values), 4*ones, ones)
	}
	return bitmap, values, nil
}

func countOnes(bitmap []byte) int {
	ones := 0
	for ; len(bitmap) >= 8; bitmap = bitmap[8:] {
		ones += bits.OnesCount64(binary.LittleEndian.Uint64(bitmap))
	}
	for _, b := range bitmap {
		ones += bits.OnesCount8(b)
	}
	return ones
}
