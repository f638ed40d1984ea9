package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"gradsync/shared/tensor/vec"
)

// COO (coordinates) is one pair of little-endian words for every element that is
// not +0, in the order of indices: its index, its value.
//
//	bytes = 8·d·n, or 2·d·D for a vector of D = 4n bytes
//
// It beats the bitmap below d = 1/32. The number of pairs is the wire's length:
// a wire cut between two pairs is another vector's, so length and checksum are
// the frame's task. A vector has 2³² elements at most.
//
// Source: S42; ours: the patent leaves the compression algorithm open
type COO struct{}

func (COO) Name() string { return "coo" }

// ID returns 2.
func (COO) ID() uint8 { return 2 }

// Size counts once over src.
func (COO) Size(src []float32) int { return pair * vec.CountNonzero(src) }

// SizeAt returns a size that is exact if density·n is whole.
func (COO) SizeAt(n int, density float64) float64 { return pair * density * float64(n) }

// pair is the bytes of an index and its value.
const pair = 8

// maxCOO is the number of elements that an index can tell apart.
const maxCOO = 1 << 32

// Append packs a chunk's values and bitmap in the cache and gives each value its
// index. It panics if src is longer than a wire can say.
func (c COO) Append(dst []byte, src []float32) []byte {
	if uint64(len(src)) > maxCOO {
		panic(fmt.Sprintf("codec: coo: %d elements, want 2^32 at most", len(src)))
	}
	at, size := len(dst), c.Size(src)
	dst = room(dst, size)[:at+size]
	out := dst[at:]
	var form [chunk/8 + 4*chunk]byte
	for base := 0; base < len(src); base += chunk {
		k := min(chunk, len(src)-base)
		packed := vec.AppendBitmap(form[:0], src[base:base+k])
		m := vec.BitmapBytes(k, 0)
		var mask [chunk / 8]byte
		copy(mask[:], packed[:m])
		out = out[pairs(out, &mask, packed[m:], base):]
	}
	return dst
}

// pairs writes the chunk's values, each behind its index, and returns the bytes.
func pairs(out []byte, mask *[chunk / 8]byte, values []byte, base int) int {
	out = out[:2*len(values)]
	used := 0
	for w := 0; w < len(mask); w += 8 {
		for word := binary.LittleEndian.Uint64(mask[w:]); word != 0; word &= word - 1 {
			index := uint32(base + 8*w + bits.TrailingZeros64(word))
			value := binary.LittleEndian.Uint32(values[used/2:])
			binary.LittleEndian.PutUint64(out[used:], uint64(value)<<32|uint64(index))
			used += pair
		}
	}
	return used
}

func (COO) Decode(dst []float32, wire []byte) error {
	rest := wire
	for base := 0; base < len(dst); base += chunk {
		part := dst[base:min(base+chunk, len(dst))]
		clear(part)
		rest = rest[scatter(part, rest, base):]
	}
	return endCOO(len(dst), wire, rest)
}

func (COO) Accumulate(dst []float32, wire []byte) error {
	var buffer [chunk]float32
	rest := wire
	for base := 0; base < len(dst); base += chunk {
		sum := dst[base:min(base+chunk, len(dst))]
		part := buffer[:len(sum)]
		clear(part)
		rest = rest[scatter(part, rest, base):]
		vec.AddTo(sum, part)
	}
	return endCOO(len(dst), wire, rest)
}

// scatter writes the values whose indices lie in the chunk from base and returns
// the bytes of their pairs. It stops before an index that is not above the last.
func scatter(part []float32, wire []byte, base int) int {
	used, next := 0, 0
	for ; len(wire)-used >= pair; used += pair {
		p := binary.LittleEndian.Uint64(wire[used:])
		i := int64(uint32(p)) - int64(base)
		if i < int64(next) || i >= int64(len(part)) {
			break
		}
		part[i] = math.Float32frombits(uint32(p >> 32))
		next = int(i) + 1
	}
	return used
}

// endCOO says why pairs are left, if any are.
func endCOO(n int, wire, rest []byte) error {
	switch at := (len(wire) - len(rest)) / pair; {
	case uint64(n) > maxCOO:
		return fmt.Errorf("codec: coo: %d elements, want 2^32 at most", n)
	case len(rest) == 0:
		return nil
	case len(wire)%pair != 0:
		return fmt.Errorf("codec: coo: %d bytes are no whole number of pairs", len(wire))
	default:
		return fmt.Errorf("codec: coo: pair %d has index %d, want one above the last and below %d", at, binary.LittleEndian.Uint32(rest), n)
	}
}
