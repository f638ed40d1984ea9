package asm

import (
	"github.com/klauspost/cpuid/v2"

	"gradsync/shared/tensor"
)

// isa is a set of kernels.
type isa int

const (
	avx2 isa = iota
	avx512
)

func (i isa) String() string { return [...]string{avx2: "avx2", avx512: "avx512"}[i] }

// best returns the widest set this CPU runs; ok is false if it runs none.
func best() (set isa, ok bool) {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW):
		return avx512, true
	case cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		return avx2, true
	}
	return 0, false
}

func init() {
	if set, ok := best(); ok {
		tensor.Register(Name, func() tensor.Engine { return engine{set} })
	}
}

// engine has no state but its kernels: scratch lives in the Call.
type engine struct{ isa isa }

// String names the kernels too: "asm (avx512)". Results do not: the bits are the
// same.
func (e engine) String() string { return Name + " (" + e.isa.String() + ")" }

func (engine) Name() string  { return Name }
func (engine) Class() string { return Class }

func (engine) Layout() tensor.Layout { return tensor.BatchInner }
