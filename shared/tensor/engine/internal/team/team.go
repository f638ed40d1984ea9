// Package team splits an engine's work over threads without allocating: what
// starts a thread is made once and kept.
package team

import "sync"

// Task is a piece of work whose parts lo ≤ i < hi are independent; S is one
// thread's memory.
//
// Source: ours: threads split outputs, never a sum
type Task[S any] interface {
	Part(s *S, lo, hi int)
}

// Team is the threads of one tensor.Call. The zero value is ready; it serves one
// goroutine at a time.
//
// Source: ours: no allocation per call after warm-up
type Team[S any] struct {
	scratch []*S
	starts  []func()
	bounds  []int // thread i does bounds[i] ≤ part < bounds[i+1]
	current Task[S]
	wg      sync.WaitGroup
}

// Run does n parts on that number of threads at most, the caller's among them.
func (t *Team[S]) Run(threads int, task Task[S], n int) {
	threads = max(1, min(threads, n))
	t.grow(threads)
	if threads == 1 {
		task.Part(t.scratch[0], 0, n)
		return
	}
	for i := 0; i <= threads; i++ {
		t.bounds[i] = n * i / threads
	}
	t.current = task
	t.wg.Add(threads)
	for i := 1; i < threads; i++ {
		go t.starts[i]()
	}
	t.starts[0]()
	t.wg.Wait()
	t.current = nil
}

// grow makes room for n threads.
func (t *Team[S]) grow(n int) {
	for i := len(t.scratch); i < n; i++ {
		t.scratch = append(t.scratch, new(S))
		t.starts = append(t.starts, func() {
			t.current.Part(t.scratch[i], t.bounds[i], t.bounds[i+1])
			t.wg.Done()
		})
	}
	if len(t.bounds) < n+1 {
		t.bounds = make([]int, n+1)
	}
}

// Resize returns a slice of length n, reusing the buffer when it is large
// enough; the contents are unspecified.
//
// Source: ours: scratch that grows to what is needed and stays
func Resize[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	*buf = (*buf)[:n]
	return *buf
}
