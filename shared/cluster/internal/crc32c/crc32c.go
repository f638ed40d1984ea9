// Package crc32c computes the checksum of frames: CRC-32C, as hash/crc32 does, and large bodies three times as fast where the
// processor multiplies polynomials in 512 bits.
package crc32c

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"sync"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block is how many bytes are folded into one another, and least the shortest text for which that is worth it.
const (
	block = 256
	least = 4 * block
)

// texts are kept: crc32 makes what it reads escape, and 256 bytes a message would be most of what a message allocates.
var texts = sync.Pool{New: func() any { return new([block]byte) }}

// Update continues sum, 0 at first, over b: crc32.Update with Castagnoli's polynomial P.
//
// A text A·x^n + B has the remainder of (A·x^n mod P) + B. So the first 256 bytes are folded into the next 256, word by word,
// until 256 bytes with the same remainder are left, of which crc32 makes the sum.
func Update(sum uint32, b []byte) uint32 {
	if !folds || len(b) < least {
		return crc32.Update(sum, castagnoli, b)
	}
	text := texts.Get().(*[block]byte)
	defer texts.Put(text)
	copy(text[:], b)
	// A sum is the complement of the register, which a text begins in.
	binary.LittleEndian.PutUint32(text[:], binary.LittleEndian.Uint32(text[:])^^sum)
	n := (len(b) - block) / block * block
	fold(text, b[block:block+n], &powers)
	return crc32.Update(crc32.Update(^uint32(0), castagnoli, text[:]), castagnoli, b[block+n:])
}

// powers holds the factors that move the low and the high word of 16 bytes 256 bytes further: the first is 64 bits before
// the second in the text. Bits are mirrored, as CRC-32C has them, and a product of mirrored words is one bit off.
var powers = [2]uint64{power(8*block + 32), power(8*block - 32)}

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
