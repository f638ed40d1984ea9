package crc32c

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// A processor that folds in 512 bits has the way in 256, too.
func TestNarrow(t *testing.T) {
	if !cpu.X86.HasAVX2 || !multiplies() {
		t.Skip("this processor has no products of polynomials in 256 bits: run this on one of AMD from 2020 on, or of Intel with AVX-512")
	}
	defer func(w, n bool) { wide, narrow = w, n }(wide, narrow)
	wide, narrow = false, true
	testUpdate(t)
}
