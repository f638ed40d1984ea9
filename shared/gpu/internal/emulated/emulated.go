// Package emulated is a GPU on the CPU, for tests: a driver whose device runs PTX (internal/ptx).
package emulated

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/internal/ptx"
)

// Options says what device New stands for.
//
// Source: ours: what tests vary
type Options struct {
	Memory  int  // bytes; 0: 4 GiB
	Workers int  // goroutines of a launch; 0: one per CPU
	Watch   bool // for races in global memory, see ptx.Options

	// Fail returns the code that a call fails with, 0 for none; nil is never. It is asked
	// once per call, one at a time.
	Fail func(call string) int
}

// Driver is a driver.Driver whose device is the package ptx. Every call does its work before
// it returns, whatever the stream. A fault of a kernel is a *driver.Error that wraps a
// *ptx.Fault, and the device is lost.
//
// Source: ours: the shipped PTX where there is no card
type Driver struct {
	driver.Driver
	device *device
}

// Instructions returns how many instructions kernels have run, times threads.
func (d *Driver) Instructions() int64 {
	d.device.mu.Lock()
	defer d.device.mu.Unlock()
	return d.device.instructions
}

type device struct {
	options Options
	release func()

	mu           sync.Mutex
	memory       *ptx.Memory
	lost         error
	handles      uintptr
	streams      map[driver.Stream]*stream
	events       map[driver.Event]time.Time
	modules      map[driver.Module]*ptx.Module
	functions    map[uintptr]*ptx.Kernel
	graphs       map[driver.Graph][]work
	instructions int64
	current      work // under way; it stays here, so that a call allocates nothing
}

type stream struct {
	capturing bool
	captured  []work
}

// The addresses where none can be reserved.
const (
	fixedBase = 0x7_0000_0000_0000
	fixedEnd  = 0x7_4000_0000_0000
)

// New returns a new device.
//
// Source: ours: see Driver
func New(o Options) *Driver {
	if o.Memory == 0 {
		o.Memory = min(4<<30, math.MaxInt)
	}
	base, end, release := reserve()
	d := &device{
		options: o, release: release, memory: ptx.NewMemory(base, end, o.Memory), streams: map[driver.Stream]*stream{0: {}},
		events: map[driver.Event]time.Time{}, modules: map[driver.Module]*ptx.Module{}, functions: map[uintptr]*ptx.Kernel{},
		graphs: map[driver.Graph][]work{},
	}
	return &Driver{driver.Checked(d), d}
}

// Info describes the emulator.
func (d *device) Info() driver.Info {
	return driver.Info{Name: "emulated GPU", Memory: d.options.Memory, CUDA: [2]int{11, 0}, Capability: [2]int{7, 5}, Processors: 1}
}

// Memory returns how many bytes are free and how many there are.
func (d *device) Memory() (free, total int, err error) {
	_, used := d.memory.Live()
	return d.options.Memory - used, d.options.Memory, nil
}

// enter begins a call, whose caller holds the lock, unless the device is lost or the call
// is to fail.
func (d *device) enter(call string) error {
	if d.lost == nil && d.options.Fail != nil {
		if code := d.options.Fail(call); code != 0 {
			return d.keep(driver.Failed(call, code, ""))
		}
	}
	return d.lost
}

// keep remembers an error after which the device is lost.
func (d *device) keep(err error) error {
	if err == nil {
		return nil
	}
	var e *driver.Error
	if errors.As(err, &e) && e.Lost() {
		d.lost = err
	}
	return err
}

func (d *device) handle() uintptr {
	d.handles++
	return d.handles
}

// Alloc returns memory full of NaN.
func (d *device) Alloc(bytes int) (unsafe.Pointer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuMemAlloc"); err != nil {
		return nil, err
	}
	at, _, ok := d.memory.Alloc(bytes)
	if !ok {
		return nil, driver.Failed("cuMemAlloc", codeMemory, "")
	}
	return pointer(at), nil
}

// pointer makes a device address a pointer, which the host must not follow.
func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// Free makes the addresses nobody's.
func (d *device) Free(p unsafe.Pointer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuMemFree"); err != nil {
		return err
	}
	d.memory.Free(address(p))
	return nil
}

// Pinned returns ordinary memory.
func (d *device) Pinned(bytes int) (unsafe.Pointer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuMemHostAlloc"); err != nil {
		return nil, err
	}
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8))), nil
}

// FreePinned leaves the memory to the garbage collector.
func (d *device) FreePinned(unsafe.Pointer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.enter("cuMemFreeHost")
}

// work is one piece of a stream's, kept for a graph or done at once.
type work struct {
	call        string
	dst, src    unsafe.Pointer
	bytes       int
	value       uint32
	function    uintptr
	grid, block ptx.Dim
	cells       [driver.MostParams]uint64
	args        int
	graph       driver.Graph
}

// The codes of CUresult that the device gives.
const (
	codeInvalid    = 1
	codeMemory     = 2
	codeNotInit    = 3
	codeInvalidPTX = 218
	codeHandle     = 400
	codeState      = 401
	codeAddress    = 700
	codeMisaligned = 716
	codeLaunch     = 719
	codeCapturing  = 900
)

// do does a stream's work, or keeps it for a graph.
func (d *device) do(s driver.Stream, w work) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter(w.call); err != nil {
		return err
	}
	at := d.streams[s]
	if at == nil {
		return driver.Failed(w.call, codeHandle, "no such stream")
	}
	if at.capturing {
		at.captured = append(at.captured, w)
		return nil
	}
	d.current = w
	return d.keep(d.now(&d.current))
}

// now does a piece of work.
func (d *device) now(w *work) error {
	switch w.call {
	case callLaunch:
		return d.launch(w)
	case callReplay:
		return d.replay(w.graph)
	}
	var to, from []byte
	var err error
	if w.call == callDownload {
		to = unsafe.Slice((*byte)(w.dst), w.bytes)
	} else if to, err = d.device(w.call, w.dst, w.bytes); err != nil {
		return err
	}
	switch w.call {
	case callFill:
		for i := range to {
			to[i] = byte(w.value >> (8 * (i % 4)))
		}
		return nil
	case callUpload:
		from = unsafe.Slice((*byte)(w.src), w.bytes)
	default:
		if from, err = d.device(w.call, w.src, w.bytes); err != nil {
			return err
		}
	}
	copy(to, from)
	return nil
}

// The calls that queue work.
const (
	callUpload   = "cuMemcpyHtoDAsync"
	callDownload = "cuMemcpyDtoHAsync"
	callCopy     = "cuMemcpyDtoDAsync"
	callFill     = "cuMemsetD32Async"
	callLaunch   = "cuLaunchKernel"
	callReplay   = "cuGraphLaunch"
)

// device returns the bytes of device memory.
func (d *device) device(call string, p unsafe.Pointer, bytes int) ([]byte, error) {
	m := d.memory.Bytes(address(p), bytes)
	if m == nil {
		return nil, driver.Failed(call, codeInvalid, fmt.Sprintf("%d bytes at %p are not all in one allocation", bytes, p))
	}
	return m, nil
}

// Upload copies at once.
func (d *device) Upload(s driver.Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do(s, work{call: callUpload, dst: dst, src: src, bytes: bytes})
}

// Download copies at once.
func (d *device) Download(s driver.Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do(s, work{call: callDownload, dst: dst, src: src, bytes: bytes})
}

// Copy copies at once.
func (d *device) Copy(s driver.Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do(s, work{call: callCopy, dst: dst, src: src, bytes: bytes})
}

// Fill fills at once.
func (d *device) Fill(s driver.Stream, dst unsafe.Pointer, v uint32, n int) error {
	return d.do(s, work{call: callFill, dst: dst, value: v, bytes: 4 * n})
}
