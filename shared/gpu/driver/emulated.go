package driver

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
	"unsafe"

	"gradsync/shared/gpu/ptx"
)

// EmulatorOptions says what device Emulated stands for.
//
// Source: ours: what tests vary
type EmulatorOptions struct {
	Memory  int  // bytes; 0: 4 GiB
	Workers int  // goroutines of a launch; 0: one per CPU
	Watch   bool // for races in global memory, see ptx.Options

	// Fail returns the code that a call fails with, 0 for none; nil is never. It is asked
	// once per call, one at a time.
	Fail func(call string) int
}

// Emulator is a Driver whose device is the package ptx. Every call does its work before
// it returns, whatever the stream. A fault of a kernel is an *Error that wraps a
// *ptx.Fault, and the device is lost.
//
// Source: ours: the shipped PTX where there is no card
type Emulator struct {
	options EmulatorOptions
	release func()
	books   *books

	mu           sync.Mutex
	memory       *ptx.Memory
	lost         error
	handles      uintptr
	streams      map[Stream]*emulatedStream
	events       map[Event]time.Time
	modules      map[Module]*emulatedModule
	functions    map[uintptr]*ptx.Kernel
	graphs       map[Graph][]func() error
	instructions int64
}

type emulatedStream struct {
	capturing bool
	captured  []func() error
}

type emulatedModule struct {
	module  *ptx.Module
	entries map[string][]int
}

// The addresses where none can be reserved.
const (
	fixedBase = 0x7_0000_0000_0000
	fixedEnd  = 0x7_4000_0000_0000
)

// Emulated returns a new device.
//
// Source: ours: see Emulator
func Emulated(o EmulatorOptions) *Emulator {
	if o.Memory == 0 {
		o.Memory = min(4<<30, math.MaxInt)
	}
	base, end, release := reserve()
	return &Emulator{
		options: o, release: release, books: newBooks(), memory: ptx.NewMemory(base, end, o.Memory), streams: map[Stream]*emulatedStream{0: {}},
		events: map[Event]time.Time{}, modules: map[Module]*emulatedModule{}, functions: map[uintptr]*ptx.Kernel{}, graphs: map[Graph][]func() error{},
	}
}

// Instructions returns how many instructions kernels have run, times threads.
func (d *Emulator) Instructions() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instructions
}

// Info describes the emulator.
func (d *Emulator) Info() Info {
	return Info{Name: "emulated GPU", Memory: d.options.Memory, CUDA: [2]int{11, 0}, Capability: [2]int{7, 5}, Processors: 1}
}

// Memory returns how many bytes are free and how many there are.
func (d *Emulator) Memory() (free, total int, err error) {
	_, used := d.memory.Live()
	return d.options.Memory - used, d.options.Memory, nil
}

// enter locks the device for a call, unless it is lost or the call is to fail.
func (d *Emulator) enter(call string) (leave func(), err error) {
	d.mu.Lock()
	if d.lost == nil && d.options.Fail != nil {
		if code := d.options.Fail(call); code != 0 {
			err = d.now(func() error { return failed(call, code, "") })
		}
	}
	if d.lost != nil {
		err = d.lost
	}
	if err != nil {
		d.mu.Unlock()
		return nil, err
	}
	return d.mu.Unlock, nil
}

func (d *Emulator) handle() uintptr {
	d.handles++
	return d.handles
}

// Alloc returns memory full of NaN.
func (d *Emulator) Alloc(bytes int) (unsafe.Pointer, error) {
	leave, err := d.enter("cuMemAlloc")
	if err != nil {
		return nil, err
	}
	defer leave()
	if bytes <= 0 {
		return nil, failed("cuMemAlloc", codeInvalid, fmt.Sprintf("%d bytes", bytes))
	}
	at, free, ok := d.memory.Alloc(bytes)
	if !ok {
		return nil, failed("cuMemAlloc", codeMemory, wanted(bytes, free, d.options.Memory))
	}
	p := pointer(at)
	d.books.take(d.books.memory, p, bytes)
	return p, nil
}

// wanted is the detail of an allocation that did not fit.
func wanted(bytes, free, total int) string {
	return fmt.Sprintf("%s wanted, %s free of %s", sizeText(bytes), sizeText(free), sizeText(total))
}

// pointer makes a device address a pointer, which the host must not follow.
func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// Free makes the addresses nobody's.
func (d *Emulator) Free(p unsafe.Pointer) error {
	leave, err := d.enter("cuMemFree")
	if err != nil {
		return err
	}
	defer leave()
	if p == nil {
		return nil
	}
	has, err := d.books.drop(d.books.memory, p, func() error { d.memory.Free(address(p)); return nil })
	if !has {
		return failed("cuMemFree", codeInvalid, fmt.Sprintf("nothing is allocated at %p", p))
	}
	return err
}

// Pinned returns ordinary memory.
func (d *Emulator) Pinned(bytes int) (unsafe.Pointer, error) {
	leave, err := d.enter("cuMemHostAlloc")
	if err != nil {
		return nil, err
	}
	defer leave()
	if bytes <= 0 {
		return nil, failed("cuMemHostAlloc", codeInvalid, fmt.Sprintf("%d bytes", bytes))
	}
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8)))
	d.books.take(d.books.pinned, p, bytes)
	return p, nil
}

// FreePinned leaves the memory to the garbage collector.
func (d *Emulator) FreePinned(p unsafe.Pointer) error {
	leave, err := d.enter("cuMemFreeHost")
	if err != nil {
		return err
	}
	defer leave()
	has, err := d.books.drop(d.books.pinned, p, func() error { return nil })
	if p != nil && !has {
		return failed("cuMemFreeHost", codeInvalid, fmt.Sprintf("%p is not pinned", p))
	}
	return err
}

// do runs a stream's work, or keeps it for a graph.
func (d *Emulator) do(call string, s Stream, work func() error) error {
	leave, err := d.enter(call)
	if err != nil {
		return err
	}
	defer leave()
	at := d.streams[s]
	if at == nil {
		return failed(call, codeHandle, "no such stream")
	}
	if at.capturing {
		at.captured = append(at.captured, work)
		return nil
	}
	return d.now(work)
}

// now runs work; a lost device stays so.
func (d *Emulator) now(work func() error) error {
	err := work()
	var e *Error
	if errors.As(err, &e) && e.Lost() {
		d.lost = err
	}
	return err
}

// device returns the bytes of device memory.
func (d *Emulator) device(call string, p unsafe.Pointer, bytes int) ([]byte, error) {
	m := d.memory.Bytes(address(p), bytes)
	if m == nil {
		return nil, failed(call, codeInvalid, fmt.Sprintf("%d bytes at %p are not all in one allocation", bytes, p))
	}
	return m, nil
}

// Upload copies at once.
func (d *Emulator) Upload(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do("cuMemcpyHtoDAsync", s, func() error {
		to, err := d.device("cuMemcpyHtoDAsync", dst, bytes)
		copy(to, unsafe.Slice((*byte)(src), bytes))
		return err
	})
}

// Download copies at once.
func (d *Emulator) Download(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do("cuMemcpyDtoHAsync", s, func() error {
		from, err := d.device("cuMemcpyDtoHAsync", src, bytes)
		copy(unsafe.Slice((*byte)(dst), bytes), from)
		return err
	})
}

// Copy copies at once.
func (d *Emulator) Copy(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.do("cuMemcpyDtoDAsync", s, func() error {
		from, err := d.device("cuMemcpyDtoDAsync", src, bytes)
		if err != nil {
			return err
		}
		to, err := d.device("cuMemcpyDtoDAsync", dst, bytes)
		copy(to, from)
		return err
	})
}

// Fill fills at once.
func (d *Emulator) Fill(s Stream, dst unsafe.Pointer, v uint32, n int) error {
	return d.do("cuMemsetD32Async", s, func() error {
		to, err := d.device("cuMemsetD32Async", dst, 4*n)
		for i := range to {
			to[i] = byte(v >> (8 * (i % 4)))
		}
		return err
	})
}
