package crc32c

import (
	"golang.org/x/sys/cpu"

	"gradsync/shared/simd"
)

// wide says that there are products of polynomials in 512 bits, narrow that there are in 256 alone.
var (
	wide   = simd.AVX512() && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasSSE42
	narrow = !wide && simd.AVX2() && cpu.X86.HasAVX2 && cpu.X86.HasSSE42 && multiplies()
)

// multiplies reports whether the processor has VPCLMULQDQ, for which package cpu looks only where there is AVX-512.
func multiplies() bool

// fold makes text, of which b is the continuation in whole blocks, a text of the same remainder, in 512 bits.
//
//go:noescape
func fold(text *[block]byte, b []byte, powers *[2]uint64)

// move moves text as far as powers say, onto b, in 256 bits.
//
//go:noescape
func move(text, b *[block]byte, powers *[2]uint64)

// foldAndSum folds the first bytes of a pass into text and returns the registers that the three texts after them leave, each from 0.
//
//go:noescape
func foldAndSum(text *[block]byte, b []byte, powers *[2]uint64) (sums [3]uint32)

// register returns the register that text leaves, from 0: crc32 would make it escape, and a message would allocate it.
//
//go:noescape
func register(text *[block]byte) uint32
