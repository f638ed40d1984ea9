// Package crc32c computes the checksum of frames: CRC-32C, as hash/crc32 does, and large bodies three times as fast where the
// processor multiplies polynomials in 512 bits, half as fast again where it does in 256.
package crc32c

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block is how many bytes are folded into one another, and least the shortest text for which that is worth it.
const (
	block = 256
	least = 4 * block
)

// In 256 bits folding is no faster than the processor's instruction for 8 bytes of CRC-32C, and uses other parts of it. So both
// run at once: of each pass the first bytes are folded, and three texts of stride bytes after them go through that instruction,
// not a power of two apart, which would meet in one set of the cache. One more block ends it.
const (
	stride = 65 * 64
	folded = 4 * stride
	pass   = folded + 3*stride + block
)

// Update continues sum, 0 at first, over b: crc32.Update with Castagnoli's polynomial P.
//
// A text A·x^n + B has the remainder of (A·x^n mod P) + B. So the first 256 bytes are folded into the next 256, word by word,
// until 256 bytes with the same remainder are left, of which crc32 makes the sum.
func Update(sum uint32, b []byte) uint32 {
	if !wide && !narrow || len(b) < least || narrow && len(b) < block+pass {
		return crc32.Update(sum, castagnoli, b)
	}
	var text [block]byte
	copy(text[:], b)
	// A sum is the complement of the register, which a text begins in.
	binary.LittleEndian.PutUint32(text[:], binary.LittleEndian.Uint32(text[:])^^sum)
	b = b[block:]
	if wide {
		n := len(b) / block * block
		fold(&text, b[:n], &next)
		b = b[n:]
	}
	for ; len(b) >= pass; b = b[pass:] { // narrow
		further(&text, b)
	}
	return crc32.Update(^register(&text), castagnoli, b)
}

// further makes text, of which b is the continuation, a text of the same remainder a pass further on. A register is the beginning
// of the text that comes after it, so those that the three texts leave move to the end of the last one.
func further(text *[block]byte, b []byte) {
	sums := foldAndSum(text, b, &next)
	var first, second, rest [block]byte
	binary.LittleEndian.PutUint32(first[:], sums[0])
	binary.LittleEndian.PutUint32(second[:], sums[1])
	copy(rest[:], b[pass-block:])
	binary.LittleEndian.PutUint32(rest[:], binary.LittleEndian.Uint32(rest[:])^sums[2])
	move(&first, &second, &over)
	move(&first, &rest, &over)
	move(text, &first, &beyond)
}

// next, over and beyond move a text by a block, past one of the three texts, and past all of them.
var next, over, beyond = powers(block), powers(stride), powers(3*stride + block)

// powers returns the factors that move the low and the high word of 16 bytes n bytes further: the first is 64 bits before
// the second in the text. Bits are mirrored, as CRC-32C has them, and a product of mirrored words is one bit off.
func powers(n int) [2]uint64 { return [2]uint64{power(8*n + 32), power(8*n - 32)} }

// power returns x^n mod P, mirrored, shifted by that bit.
func power(n int) uint64 {
	const p = 0x1edc6f41 // without x^32
	r := uint32(1)
	for range n {
		carry := r >> 31
		r = r<<1 ^ carry*p
	}
	return uint64(bits.Reverse32(r)) << 1
}
