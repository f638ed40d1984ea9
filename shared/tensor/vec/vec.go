// Package vec holds the vector operations that exchanges need: sums in index
// order and the wire form of float32.
package vec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AddTo adds src to dst, element by element. It panics if lengths differ.
func AddTo(dst, src []float32) {
	same(len(dst), len(src))
	for i, v := range src {
		dst[i] += v
	}
}

// Scale multiplies dst by a.
func Scale(a float32, dst []float32) {
	for i := range dst {
		dst[i] *= a
	}
}

// AxpyTo adds a·x to dst. It panics if lengths differ.
func AxpyTo(dst []float32, a float32, x []float32) {
	same(len(dst), len(x))
	for i, v := range x {
		// The conversion forbids a fused multiply-add: the same bits everywhere.
		dst[i] += float32(a * v)
	}
}

// Bytes is the length of n elements on the wire.
func Bytes(n int) int { return 4 * n }

// AppendBytes appends src to dst as little-endian IEEE 754 words.
func AppendBytes(dst []byte, src []float32) []byte {
	n := len(dst)
	if cap(dst)-n < 4*len(src) {
		dst = append(make([]byte, 0, n+4*len(src)), dst...)
	}
	dst = dst[:n+4*len(src)]
	out := dst[n:]
	for _, v := range src {
		binary.LittleEndian.PutUint32(out, math.Float32bits(v))
		out = out[4:]
	}
	return dst
}

// FromBytes decodes wire into dst. The error says which length was expected.
func FromBytes(dst []float32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(wire))
		wire = wire[4:]
	}
	return nil
}

// AddBytes decodes wire and adds it to dst, in index order.
func AddBytes(dst []float32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	for i := range dst {
		dst[i] += math.Float32frombits(binary.LittleEndian.Uint32(wire))
		wire = wire[4:]
	}
	return nil
}

func fits(elements, bytes int) error {
	if bytes != 4*elements {
		return fmt.Errorf("vec: decode: %d bytes, want %d for %d elements", bytes, 4*elements, elements)
	}
	return nil
}

func same(a, b int) {
	if a != b {
		panic(fmt.Sprintf("vec: lengths %d and %d differ", a, b))
	}
}
