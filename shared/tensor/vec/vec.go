// Package vec holds the vector operations that exchanges need: sums in index
// order, the wire forms of float32 (words, bitmap with values, int32), and the
// transpose between image-major and batch-inner layouts.
//
// Every operation is a loop in Go, and on amd64 kernels for AVX2 and AVX-512 do
// whole blocks of 16 elements first. Every element is one chain of rounded
// operations whatever the kernel, so all give the same bits; only which NaN a sum
// of two NaNs gives is left to the CPU, where a function does not say it. Nothing here starts a goroutine, and
// nothing but Append functions allocates.
package vec

//go:generate go run ./gen/kernels -out kernels_amd64.s -stubs kernels-stubs_amd64.go -pkg vec

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// block is the number of elements the kernels take at a time.
const block = 16

// isa is an instruction set that kernels are written for.
type isa int

const (
	portable isa = iota
	avx2
	avx512
)

// AddTo adds src to dst, element by element. It panics if lengths differ.
func AddTo(dst, src []float32) {
	same(len(dst), len(src))
	for i := addBlocks(dst, floatBytes(src)); i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// Scale multiplies dst by a.
func Scale(a float32, dst []float32) {
	for i := scaleBlocks(dst, a); i < len(dst); i++ {
		dst[i] *= a
	}
}

// AxpyTo adds a·x to dst. It panics if lengths differ.
func AxpyTo(dst []float32, a float32, x []float32) {
	same(len(dst), len(x))
	for i := axpyBlocks(dst, a, x); i < len(dst); i++ {
		// The conversion forbids a fused multiply-add: the same bits everywhere.
		dst[i] += float32(a * x[i])
	}
}

// Bytes returns the length of n elements on the wire.
func Bytes(n int) int { return 4 * n }

// littleEndian: memory holds words as the wire does, so copying is coding.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// View returns x's own memory as the wire has it, of the same length and no
// further capacity: nil where memory holds words otherwise. What is read or
// written through one is seen through the other.
func View(x []float32) []byte {
	if !littleEndian {
		return nil
	}
	if len(x) == 0 {
		return []byte{}
	}
	return floatBytes(x)
}

// Floats returns wire's own memory as the elements that it encodes: the inverse of View.
// It is nil where memory holds words otherwise, where wire does not begin at a multiple of
// four bytes, and where it ends within an element.
func Floats(wire []byte) []float32 {
	if !littleEndian || len(wire)%4 != 0 {
		return nil
	}
	if len(wire) == 0 {
		return []float32{}
	}
	at := unsafe.Pointer(unsafe.SliceData(wire))
	if uintptr(at)%4 != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(at), len(wire)/4)
}

// AppendBytes appends src to dst as little-endian IEEE 754 words.
func AppendBytes(dst []byte, src []float32) []byte {
	dst, out := extend(dst, 4*len(src))
	if littleEndian {
		copy(out, floatBytes(src))
		return dst
	}
	for i, v := range src {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(v))
	}
	return dst
}

// FromBytes decodes wire into dst. The error says which length was expected.
func FromBytes(dst []float32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	if littleEndian {
		copy(floatBytes(dst), wire)
		return nil
	}
	for i := range dst {
		dst[i] = floatAt(wire, i)
	}
	return nil
}

// AddBytes decodes wire and adds it to dst, in index order. Of two NaNs the sum is dst's.
func AddBytes(dst []float32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	for i := addBlocks(dst, wire); i < len(dst); i++ {
		dst[i] = plus(dst[i], floatAt(wire, i))
	}
	return nil
}

// AddToBytes decodes wire, adds dst to that and leaves the sum in dst: AddBytes with the terms exchanged. Of two NaNs the sum is
// wire's.
func AddToBytes(dst []float32, wire []byte) error {
	if err := fits(len(dst), len(wire)); err != nil {
		return err
	}
	for i := addToBlocks(dst, wire); i < len(dst); i++ {
		dst[i] = plus(floatAt(wire, i), dst[i])
	}
	return nil
}

// plus returns a + b, and of two NaNs a, as the kernels do: the compiler takes terms in either order.
func plus(a, b float32) float32 {
	if a != a {
		b = 0
	}
	return a + b
}

// floatAt decodes word i of wire.
func floatAt(wire []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(wire[4*i:]))
}

// floatBytes returns x's memory.
func floatBytes(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// intBytes returns x's memory.
func intBytes(x []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// extend lengthens dst by n bytes, which are to be written, and returns them too.
func extend(dst []byte, n int) (all, tail []byte) {
	at := len(dst)
	if cap(dst)-at < n {
		dst = append(make([]byte, 0, at+n), dst...)
	}
	dst = dst[:at+n]
	return dst, dst[at:]
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
