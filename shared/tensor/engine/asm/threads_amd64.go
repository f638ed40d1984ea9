package asm

import (
	"sync"

	"gradsync/shared/tensor"
)

// task is a piece of work whose parts lo ≤ i < hi are independent.
type task interface {
	part(s *scratch, lo, hi int)
}

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

// state is what a Call keeps between calls: the tasks live here so that
// starting one allocates nothing.
type state struct {
	threads []*scratch
	starts  []func()
	bounds  []int // part i is bounds[i]…bounds[i+1]
	current task
	wg      sync.WaitGroup

	products productTasks
	elements elementTasks
}

// stateOf returns the Call's scratch, made on first use.
func stateOf(c *tensor.Call) *state {
	if s, ok := c.Scratch.(*state); ok {
		return s
	}
	s := &state{}
	s.grow(1)
	c.Scratch = s
	return s
}

// grow makes room for n threads.
func (s *state) grow(n int) {
	for i := len(s.threads); i < n; i++ {
		s.threads = append(s.threads, &scratch{})
		s.starts = append(s.starts, func() {
			s.current.part(s.threads[i], s.bounds[i], s.bounds[i+1])
			s.wg.Done()
		})
	}
	if len(s.bounds) < n+1 {
		s.bounds = make([]int, n+1)
	}
}

// run splits n independent parts over the call's threads.
func (s *state) run(c *tensor.Call, t task, n int) {
	s.split(c.Threads, t, n)
}

// split is run with a number of threads of the task's own choice.
func (s *state) split(threads int, t task, n int) {
	threads = min(max(threads, 1), n)
	if threads <= 1 {
		t.part(s.threads[0], 0, n)
		return
	}
	s.grow(threads)
	for i := 0; i <= threads; i++ {
		s.bounds[i] = n * i / threads
	}
	s.current = t
	s.wg.Add(threads)
	for i := 1; i < threads; i++ {
		go s.starts[i]()
	}
	s.starts[0]()
	s.wg.Wait()
	s.current = nil
}

// resize returns a slice of length n, reusing the buffer when it is large
// enough; the contents are unspecified.
func resize[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	*buf = (*buf)[:n]
	return *buf
}
