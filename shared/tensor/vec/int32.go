package vec

import "encoding/binary"

// AddInt32 adds src to dst modulo 2^32: the sum of any number of vectors is
// exact if it is in range, in any order. It panics if lengths differ.
//
// Source: ours: two's complement
func AddInt32(dst, src []int32) {
	same(len(dst), len(src))
	for i := addIntBlocks(dst, intBytes(src)); i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// SubInt32 subtracts src from dst modulo 2^32, and so undoes AddInt32. It panics
// if lengths differ.
//
// Source: ours: two's complement
func SubInt32(dst, src []int32) {
	same(len(dst), len(src))
	for i := subIntBlocks(dst, intBytes(src)); i < len(dst); i++ {
		dst[i] -= src[i]
	}
}

// AppendInt32 appends src to dst as little-endian words.
//
// Source: ours: the wire form of integers
func AppendInt32(dst []byte, src []int32) []byte {
	dst, out := extend(dst, 4*len(src))
	if littleEndian {
		copy(out, intBytes(src))
		return dst
	}
	for i, v := range src {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(v))
	}
	return dst
}

// FromInt32 decodes wire into dst. The error says which length was expected.
//
// Source: ours: AppendInt32's inverse
func FromInt32(dst []int32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	if littleEndian {
		copy(intBytes(dst), wire)
		return nil
	}
	for i := range dst {
		dst[i] = intAt(wire, i)
	}
	return nil
}

// AddInt32Bytes decodes wire and adds it to dst modulo 2^32.
//
// Source: ours: AddInt32 without a decoded copy
func AddInt32Bytes(dst []int32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	for i := addIntBlocks(dst, wire); i < len(dst); i++ {
		dst[i] += intAt(wire, i)
	}
	return nil
}

// intAt decodes word i of wire.
func intAt(wire []byte, i int) int32 { return int32(binary.LittleEndian.Uint32(wire[4*i:])) }
