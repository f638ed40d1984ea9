// Package simd limits which of the processor's vector instructions our assembly uses, so that one machine tests what a
// lesser one would run: GRADSYNC_CPU=avx2 leaves out AVX-512, GRADSYNC_CPU=portable all of them. A program with another
// value ends before it begins, with exit code 2.
package simd

import (
	"fmt"
	"os"
)

func limit() string { return os.Getenv("GRADSYNC_CPU") }

func init() {
	switch limit() {
	case "", "avx2", "portable":
	default:
		fmt.Fprintf(os.Stderr, "gradsync: GRADSYNC_CPU=%q: want avx2 or portable\n", limit())
		os.Exit(2)
	}
}

// AVX512 reports whether AVX-512 may be used where the processor has it. Like AVX2 it reads the variable each time:
// go test then knows that what it kept of another value is of no use.
func AVX512() bool { return limit() == "" }

// AVX2 reports whether vector instructions may be used at all.
func AVX2() bool { return limit() != "portable" }
