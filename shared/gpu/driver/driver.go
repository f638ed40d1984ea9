// Package driver is the seam to a GPU: memory, streams, events, kernels and graphs, as
// CUDA's driver has them and no more than an engine needs.
//
// Open finds NVIDIA's driver at run time, without a C compiler and without a library at
// build time; OpenCu, in builds with the tag cu alone, is linked to the driver by
// gorgonia.org/cu. Both are behind the checks of Checked. Tests also have the PTX that
// ships on the CPU (internal/emulated) and a driver library of our own (fake); one
// contract is for all (contract_test.go).
package driver

import (
	"fmt"
	"time"
	"unsafe"
)

// Driver is one device with its context. It may be used by several goroutines. Work goes
// to a stream, whose calls return before it is done unless they say otherwise. The zero Stream
// is the default one, which is there without being opened; it waits for no other and
// no other for it: Event and Wait, or Sync, put the work of one stream behind that of another.
// Device memory is a pointer that the host must not follow.
//
// Errors are *Error; an error of earlier work may come with any later call. Once a device
// is lost (Error.Lost) every call returns the first error.
//
// Source: ours: the part of CUDA's driver API that this repository needs
type Driver interface {
	// Info describes the device.
	Info() Info
	// Memory returns how many bytes are free, and how many there are.
	Memory() (free, total int, err error)

	// Alloc returns device memory, aligned to 256 bytes, of any content.
	Alloc(bytes int) (unsafe.Pointer, error)
	// Free gives back what Alloc returned, nil too.
	Free(unsafe.Pointer) error
	// Pinned returns host memory that copies reach without the CPU.
	Pinned(bytes int) (unsafe.Pointer, error)
	// FreePinned gives back what Pinned returned, nil too.
	FreePinned(unsafe.Pointer) error

	// Upload copies host memory to the device. Pinned memory must stay as it is until the
	// stream has come by; other memory may be used again on return.
	Upload(s Stream, dst, src unsafe.Pointer, bytes int) error
	// Download copies device memory to the host. Into pinned memory it returns at once,
	// into other memory when the copy is done.
	Download(s Stream, dst, src unsafe.Pointer, bytes int) error
	// Copy copies within the device.
	Copy(s Stream, dst, src unsafe.Pointer, bytes int) error
	// Fill writes v to n words of 32 bits.
	Fill(s Stream, dst unsafe.Pointer, v uint32, n int) error

	// Load compiles PTX for the device.
	Load(ptx string) (Module, error)
	// Unload frees a module and its functions.
	Unload(Module) error
	// Function finds a kernel whose parameters have these sizes in bytes.
	Function(m Module, name string, params ...int) (Func, error)
	// Launch runs a kernel. A cell holds an argument in its low bytes; cells may be used
	// again on return.
	Launch(s Stream, f Func, grid, block Dim, cells []uint64) error

	// Stream opens a stream, CloseStream closes it; Sync waits until its work is done.
	Stream() (Stream, error)
	CloseStream(Stream) error
	Sync(Stream) error
	// Event makes a mark, Record puts it behind a stream's work so far, Wait lets a stream
	// wait for it, SyncEvent the caller.
	Event() (Event, error)
	CloseEvent(Event) error
	Record(Event, Stream) error
	Wait(Stream, Event) error
	SyncEvent(Event) error
	// Elapsed returns the device's time between two marks that have been passed.
	Elapsed(from, to Event) (time.Duration, error)

	// Capture begins to collect a stream's work instead of doing it, EndCapture makes a
	// graph of it. Replay does the work again: same kernels, same addresses. A driver that
	// has none of this returns CUDA_ERROR_NOT_SUPPORTED from all of it.
	Capture(Stream) error
	EndCapture(Stream) (Graph, error)
	Replay(Graph, Stream) error
	CloseGraph(Graph) error

	// Close frees the context. The error says what was not given back.
	Close() error
}

// Host is a Driver in whose context other libraries of CUDA can work: Enter makes it the
// calling thread's and keeps the goroutine there until Leave, which follows a successful
// Enter.
//
// Source: ours: cuBLAS and cuDNN know the current context alone
type Host interface {
	Driver
	Enter() error
	Leave()
}

// Handles of a driver; they mean nothing to another.
//
// Source: ours: CUstream, CUevent, CUmodule, CUgraphExec
type (
	Stream uintptr
	Event  uintptr
	Module uintptr
	Graph  uintptr
)

// Func is a kernel of a loaded module.
//
// Source: ours: CUfunction
type Func struct {
	Handle uintptr
	name   string
	params int
}

// Dim is the shape of a grid or a block; no number of it is 0.
//
// Source: ours: dim3 of CUDA
type Dim struct{ X, Y, Z uint32 }

// Info describes a device.
//
// Source: ours: for a line about the device
type Info struct {
	Name       string
	Memory     int    // bytes
	CUDA       [2]int // the newest version that the driver speaks
	Capability [2]int // compute capability
	Processors int    // streaming multiprocessors
	PCI        string // address on the bus; empty without one
}

// Listed is a device of a list; with Err, which is as Open's, not all of Info is known.
//
// Source: ours: see List
type Listed struct {
	Info
	Err error
}

// Size writes the memory, "141 GiB".
func (i Info) Size() string { return sizeText(i.Memory) }

// sizeText writes a number of bytes.
func sizeText(n int) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.4g GiB", float64(n)/(1<<30))
	case n >= 10<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
