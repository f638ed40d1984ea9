package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// scratch is one thread's memory.
type scratch struct {
	panel, acc, sum []float32
	tile            tileArgs
	sums            sumArgs
	panels          [2][]float32
	tables          [columns + 1][]int32 // see linear
	winograd        winogradArgs
	inner           product
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
