package crc32c

import (
	"hash/crc32"
	"testing"

	"golang.org/x/sys/cpu"
)

// A processor that folds in 512 bits has the way in 256, too.
func TestNarrow(t *testing.T) {
	if !cpu.X86.HasAVX2 || !multiplies() {
		t.Skip("this processor has no products of polynomials in 256 bits: run this on one of AMD from Zen 3 on, or of Intel from Ice Lake on")
	}
	defer func(w, n bool) { wide, narrow = w, n }(wide, narrow)
	wide, narrow = false, true
	testUpdate(t)
	allocatesNothing(t)
}

// A pass moves a text by that length: the remainder is that of text and continuation.
func TestFurther(t *testing.T) {
	if !cpu.X86.HasAVX2 || !multiplies() {
		t.Skip("this processor has no products of polynomials in 256 bits: run this on one of AMD from Zen 3 on, or of Intel from Ice Lake on")
	}
	text, b := [block]byte{7, 8, 9}, make([]byte, pass)
	for i := range b {
		b[i] = byte(i*i + i/block)
	}
	want := crc32.Update(^uint32(0), castagnoli, append(text[:], b...))
	further(&text, b)
	if got := crc32.Update(^uint32(0), castagnoli, text[:]); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}
