// Package portable is the engine that runs everywhere: pure Go, no assembly, no
// cgo. Its bits are the same on every machine, for any number of threads.
//
// How it stays fast without vector instructions: every product runs through
// one of two 2×4 register tiles over packed panels (kernel.go), convolutions
// gather their panels tile by tile so that they never leave the first-level
// cache (im2col.go), and nothing allocates after the first call.
//
// How it keeps its bits: every output is one sum in one fixed order, products
// are rounded before they are added (float32(x*y)+z, since Go may fuse on some
// machines), threads split outputs and never a sum, and exp and log are our own
// (internal/explog) because the standard library's differ between machines.
package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// Name selects the engine (--engine).
const Name = "portable"

func init() { tensor.Register(Name, New) }

// engine has no state: scratch lives in the Call.
type engine struct{}

// New returns the engine.
//
// Source: ours: reference arithmetic
func New() tensor.Engine { return engine{} }

func (engine) Name() string  { return Name }
func (engine) Class() string { return Name }

func (engine) Layout() tensor.Layout { return tensor.ImageMajor }

// scratch is one thread's memory.
type scratch struct {
	panel, col, image, rows, acc []float32
}

// state stays in a Call between calls: the tasks live here so that
// starting one allocates nothing.
type state struct {
	team.Team[scratch]

	packed []float32 // the operand all threads share
	taps   []int     // offset of each filter tap in a padded image

	gemm   gemmTask
	conv   convForward
	data   convData
	filter convFilter
	bias   biasTask
	relu   reluTask
	pool   poolTask
	norm   normTask
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

func ceil(n, to int) int { return (n + to - 1) / to * to }
