package crc32c

import "golang.org/x/sys/cpu"

// folds says that fold is there: AVX-512 with products of polynomials.
var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ

// fold makes text, of which b is the continuation in whole blocks, a text of the same remainder.
//
//go:noescape
func fold(text *[block]byte, b []byte, powers *[2]uint64)
