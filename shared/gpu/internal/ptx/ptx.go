// Package ptx runs PTX, the assembly of NVIDIA's GPUs, on the CPU: the very text that a
// driver would be given, so that a kernel is tested where there is no card.
//
// It knows the instructions of the kernels that ship and calls everything else an error.
// While it runs them it watches for faults a card keeps quiet about: threads that touch
// a word of shared memory without a barrier between, shared memory read before it is
// written, addresses in no allocation or not aligned, barriers and shuffles that not all
// threads reach. A Fault names kernel, line, instruction, block and thread.
//
// A warp of 32 threads executes an instruction at a time; after a branch that only some
// take, they join again where all ways meet. Blocks run on several goroutines. Neither
// results nor faults depend on how many.
package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// Module is a parsed file.
//
// Source: ours: PTX ISA 7.0, as far as the kernels of this repository use it
type Module struct {
	kernels map[string]*Kernel
}

// Kernel returns the entry of that name, nil if there is none.
func (m *Module) Kernel(name string) *Kernel { return m.kernels[name] }

// Names lists the entries, sorted.
func (m *Module) Names() []string {
	var names []string
	for name := range m.kernels {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Kernel is one entry of a module.
//
// Source: ours: PTX ISA, .entry
type Kernel struct {
	Name   string
	Params []int // sizes in bytes
	Block  Dim   // the only shape of a block it may be launched with (.maxntid); zero: any

	code   []instruction
	words  int    // registers of 32 bits: special ones, declared ones, constants
	longs  int    // registers of 64 bits: declared ones, constants
	begin  [2]int // of constants in both
	preds  int    // predicates
	shared []bool // per word of shared memory: declared, not the space between variables
	local  []bool // the same of each thread's own memory
	consts []constant
	always []int // predicates that hold
	sites  int   // accesses to global memory
	idle   pool
}

// Dim is the shape of a grid or a block.
//
// Source: ours: dim3 of CUDA
type Dim struct{ X, Y, Z uint32 }

// count returns the number of elements.
func (d Dim) count() int { return int(d.X) * int(d.Y) * int(d.Z) }

func (d Dim) at(i int) Dim {
	x, y := int(d.X), int(d.Y)
	return Dim{uint32(i % x), uint32(i / x % y), uint32(i / (x * y))}
}

func (d Dim) String() string { return fmt.Sprintf("(%d, %d, %d)", d.X, d.Y, d.Z) }

// Fault is a mistake of a kernel found while it ran.
//
// Source: ours: what compute-sanitizer reports on a card
type Fault struct {
	Kernel string
	Line   int    // of the PTX
	Text   string // the instruction
	What   string
	Block  Dim
	Thread int // within the block
}

func (f *Fault) Error() string {
	return fmt.Sprintf("ptx: kernel %s, line %d, %q: %s: block %v, thread %d", f.Kernel, f.Line, f.Text, f.What, f.Block, f.Thread)
}

// instruction is a decoded line.
type instruction struct {
	kind   kind
	negate bool
	guard  int // predicate, or -1
	target int // of a branch
	meet   int // where all ways from a branch meet; the end of the code if nowhere before
	run    step
	line   int
	text   string
}

type kind uint8

const (
	plain kind = iota
	branch
	exit
	wait
)

// step executes one instruction for the active threads of a warp.
type step func(w *warp)

// constant is a register that holds one value in all threads.
type constant struct {
	wide bool
	at   int
	bits uint64
}

// Parse reads a module. The error names the line, and the first thing in it that this
// package does not know.
//
// Source: ours: PTX ISA 7.0
func Parse(text string) (*Module, error) {
	p := parser{module: &Module{kernels: map[string]*Kernel{}}, global: layout{offset: map[string]uint64{}}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line == "" || line[0] == 0 {
			continue
		}
		if err := p.line(i+1, line); err != nil {
			return nil, fmt.Errorf("ptx: line %d, %q: %w", i+1, line, err)
		}
	}
	if p.state != outside {
		return nil, fmt.Errorf("ptx: the text ends within kernel %s", p.kernel.Name)
	}
	if len(p.module.kernels) == 0 {
		return nil, fmt.Errorf("ptx: no kernel in %d bytes of text", len(text))
	}
	return p.module, nil
}
