package asm

import (
	"github.com/klauspost/cpuid/v2"

	"gradsync/shared/simd"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// isa is a set of kernels.
type isa int

const (
	avx2 isa = iota
	avx512
)

func (i isa) String() string { return [...]string{avx2: "avx2", avx512: "avx512"}[i] }

// wide says that this CPU runs the wider set.
var wide = cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW)

// best returns the widest set that this CPU runs and simd allows; ok is false if there is none.
func best() (set isa, ok bool) {
	switch {
	case wide && simd.AVX512():
		return avx512, true
	case simd.AVX2() && cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		return avx2, true
	}
	return 0, false
}

func init() {
	tensor.Register(Name, func() tensor.Engine {
		if set, ok := best(); ok {
			return engine{set}
		}
		return nil
	})
}

// engine has no state but its kernels: scratch lives in the Call.
type engine struct{ isa isa }

// String names the kernels too, "asm (avx512)", and says what kept wider ones away. Results do not: the bits are the
// same.
func (e engine) String() string {
	if wide && !simd.AVX512() {
		return Name + " (" + e.isa.String() + " by GRADSYNC_CPU)"
	}
	return Name + " (" + e.isa.String() + ")"
}

func (engine) Name() string  { return Name }
func (engine) Class() string { return bitClass }

func (engine) Layout() tensor.Layout { return tensor.BatchInner }

// scratch is one thread's memory.
type scratch struct {
	panel, acc, sum []float32
	tile            tileArgs
	sums            sumArgs
	panels          [2][]float32
	tables          [columns + 1][]int32 // see linear
	winograd        winogradArgs
	inner           product
	temp            []float32 // see winogradArgs
	lanes           [16]int32 // offsets of as many filters
}

// state stays in a Call between calls: the tasks live here so that
// starting one allocates nothing.
type state struct {
	team.Team[scratch]

	products productTasks
	elements elementTasks
}

// stateOf returns the Call's scratch, made on first use.
func stateOf(c *tensor.Call) *state {
	if s, ok := c.Scratch.(*state); ok {
		return s
	}
	s := &state{}
	c.Scratch = s
	return s
}
