//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"runtime"
	"sync"
	"unsafe"

	"gradsync/shared/tensor"
)

// task is a piece of work whose parts lo ≤ i < hi are independent.
type task interface {
	part(w *worker, lo, hi int)
}

// state stays in a Call between calls: tasks and everything the library
// writes to live here, on the heap, so that nothing is allocated per call.
type state struct {
	lib     *library
	workers []*worker
	starts  []func()
	bounds  []int // part i is bounds[i]…bounds[i+1]
	current task
	wg      sync.WaitGroup
	rest    tensor.Call // the portable engine's

	conv    convTask
	packing packTask
	product productTask
	join    joinTask
	packed  buffer    // weights as the primitive wants them
	partial []float32 // filter gradients of the parts of a batch
}

// worker is one thread's primitives and memory. Its kernels are built on first
// use and kept.
type worker struct {
	lib     *library
	owned   *objects
	stream  uintptr
	kernels map[shape]*kernel
	build   builder
	args    [4]uintptr // of the calls that must not allocate

	input, second, output, scratch buffer
}

// objects lists what the library must free once the Call is gone.
type objects struct {
	lib  *library
	list []object
}

type object struct {
	destroy function
	handle  uintptr
}

func (o *objects) add(destroy function, handle uintptr) {
	o.list = append(o.list, object{destroy, handle})
}

func (o *objects) free() {
	for _, x := range o.list {
		o.lib.ask(x.destroy, x.handle)
	}
}

// stateOf returns the Call's scratch, made on first use.
func (l *library) stateOf(c *tensor.Call) *state {
	if s, ok := c.Scratch.(*state); ok {
		return s
	}
	s := &state{lib: l}
	s.grow(1)
	c.Scratch = s
	return s
}

// grow makes room for n threads.
func (s *state) grow(n int) {
	for i := len(s.workers); i < n; i++ {
		w := &worker{lib: s.lib, owned: &objects{lib: s.lib}, kernels: map[shape]*kernel{}}
		s.lib.must(streamCreate, address(&w.stream), s.lib.engine, streamInOrder)
		w.owned.add(streamDestroy, w.stream)
		runtime.AddCleanup(w, (*objects).free, w.owned)
		s.workers = append(s.workers, w)
		s.starts = append(s.starts, func() {
			s.do(i)
			s.wg.Done()
		})
	}
	if len(s.bounds) < n+1 {
		s.bounds = make([]int, n+1)
	}
}

// do runs one thread's parts with the library held to this thread.
func (s *state) do(i int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s.lib.single()
	s.current.part(s.workers[i], s.bounds[i], s.bounds[i+1])
}

// run splits n independent parts over the call's threads.
func (s *state) run(c *tensor.Call, t task, n int) {
	threads := min(max(c.Threads, 1), n)
	s.grow(threads)
	for i := 0; i <= threads; i++ {
		s.bounds[i] = n * i / threads
	}
	s.current = t
	s.wg.Add(threads - 1)
	for i := 1; i < threads; i++ {
		go s.starts[i]()
	}
	s.do(0)
	s.wg.Wait()
	s.current = nil
	runtime.KeepAlive(c)
}

// buffer is memory that only grows, aligned for vectors; its contents are
// unspecified.
type buffer struct {
	floats []float32
	at     uintptr
}

// fit returns the address of at least n bytes.
func (b *buffer) fit(n int) uintptr {
	if n > 4*len(b.floats)-alignment || b.at == 0 {
		b.floats = make([]float32, (n+alignment)/4+1)
		start := uintptr(unsafe.Pointer(&b.floats[0]))
		b.at = (start + alignment - 1) &^ (alignment - 1)
	}
	return b.at
}
