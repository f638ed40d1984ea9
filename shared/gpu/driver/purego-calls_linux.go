//go:build (amd64 || arm64) && !nodl

package driver

import (
	"errors"
	"math"
	"time"
	"unsafe"
)

// Memory asks the driver.
func (l *library) Memory() (free, total int, err error) {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1] = uintptr(unsafe.Pointer(&f.out[0])), uintptr(unsafe.Pointer(&f.out[1]))
	err = l.call(fnMemory, f, 2)
	return int(f.out[0]), int(f.out[1]), err
}

// obtain calls a function that writes a handle to its first argument.
func (l *library) obtain(fn function, args ...uintptr) (uintptr, error) {
	f := l.frame()
	defer l.give(f)
	f.out[0] = 0
	f.args[0] = uintptr(unsafe.Pointer(&f.out))
	copy(f.args[1:], args)
	err := l.call(fn, f, 1+len(args))
	return uintptr(f.out[0]), err
}

// tell calls a function with up to two numbers.
func (l *library) tell(fn function, a, b uintptr, n int) error {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1] = a, b
	return l.call(fn, f, n)
}

// Alloc returns device memory.
func (l *library) Alloc(bytes int) (unsafe.Pointer, error) {
	at, err := l.obtain(fnAlloc, uintptr(bytes))
	return pointer(uint64(at)), err
}

// Free gives back device memory.
func (l *library) Free(p unsafe.Pointer) error { return l.tell(fnFree, uintptr(p), 0, 1) }

// Pinned returns memory of the driver's.
func (l *library) Pinned(bytes int) (unsafe.Pointer, error) {
	at, err := l.obtain(fnPinned, uintptr(bytes), 0)
	return pointer(uint64(at)), err
}

// FreePinned gives back pinned memory.
func (l *library) FreePinned(p unsafe.Pointer) error { return l.tell(fnFreePinned, uintptr(p), 0, 1) }

// pointer makes a device address a pointer, which the host must not follow.
func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// transfer calls one of the copies. The frame keeps both ends where they are.
func (l *library) transfer(fn function, s Stream, dst, src unsafe.Pointer, bytes int) error {
	f := l.frame()
	defer l.give(f)
	f.keep = [2]unsafe.Pointer{dst, src}
	f.args[0], f.args[1], f.args[2], f.args[3] = uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s)
	return l.call(fn, f, 4)
}

// Upload copies to the device.
func (l *library) Upload(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return l.transfer(fnUpload, s, dst, src, bytes)
}

// Download copies to the host.
func (l *library) Download(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return l.transfer(fnDownload, s, dst, src, bytes)
}

// Copy copies within the device.
func (l *library) Copy(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return l.transfer(fnCopy, s, dst, src, bytes)
}

// Fill writes words.
func (l *library) Fill(s Stream, dst unsafe.Pointer, v uint32, n int) error {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1], f.args[2], f.args[3] = uintptr(dst), uintptr(v), uintptr(n), uintptr(s)
	return l.call(fnFill, f, 4)
}

// Load lets the driver compile the PTX.
func (l *library) Load(ptx string) (Module, error) {
	text := append([]byte(ptx), 0)
	f := l.frame()
	defer l.give(f)
	f.keep[0] = unsafe.Pointer(unsafe.SliceData(text))
	f.args[0], f.args[1] = uintptr(unsafe.Pointer(&f.out)), uintptr(f.keep[0])
	err := l.call(fnLoad, f, 2)
	return Module(f.out[0]), err
}

// Unload frees a module.
func (l *library) Unload(m Module) error { return l.tell(fnUnload, uintptr(m), 0, 1) }

// Function finds a kernel.
func (l *library) Function(m Module, name string, _ ...int) (Func, error) {
	text := append([]byte(name), 0)
	f := l.frame()
	defer l.give(f)
	f.keep[0] = unsafe.Pointer(unsafe.SliceData(text))
	f.args[0], f.args[1], f.args[2] = uintptr(unsafe.Pointer(&f.out)), uintptr(m), uintptr(f.keep[0])
	err := l.call(fnFunction, f, 3)
	return Func{Handle: uintptr(f.out[0])}, err
}

// Launch passes the address of each cell.
func (l *library) Launch(s Stream, fn Func, grid, block Dim, cells []uint64) error {
	f := l.frame()
	defer l.give(f)
	copy(f.cells[:], cells)
	for i := range cells {
		f.point[i] = uintptr(unsafe.Pointer(&f.cells[i]))
	}
	f.args = [11]uintptr{
		fn.Handle, uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z), uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
		0, uintptr(s), uintptr(unsafe.Pointer(&f.point)), 0,
	}
	return l.call(fnLaunch, f, 11)
}

// Stream opens a stream that neither waits for the default one nor lets it wait.
func (l *library) Stream() (Stream, error) {
	at, err := l.obtain(fnStream, streamNonBlocking)
	return Stream(at), err
}

// CloseStream closes a stream.
func (l *library) CloseStream(s Stream) error { return l.tell(fnCloseStream, uintptr(s), 0, 1) }

// Sync waits for a stream.
func (l *library) Sync(s Stream) error { return l.tell(fnSync, uintptr(s), 0, 1) }

// Event makes a mark.
func (l *library) Event() (Event, error) {
	at, err := l.obtain(fnEvent, 0)
	return Event(at), err
}

// CloseEvent forgets a mark.
func (l *library) CloseEvent(e Event) error { return l.tell(fnCloseEvent, uintptr(e), 0, 1) }

// Record puts a mark behind a stream's work.
func (l *library) Record(e Event, s Stream) error { return l.tell(fnRecord, uintptr(e), uintptr(s), 2) }

// Wait lets a stream wait for a mark.
func (l *library) Wait(s Stream, e Event) error {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1], f.args[2] = uintptr(s), uintptr(e), 0
	return l.call(fnWait, f, 3)
}

// SyncEvent waits for a mark.
func (l *library) SyncEvent(e Event) error { return l.tell(fnSyncEvent, uintptr(e), 0, 1) }

// Elapsed asks the driver, which counts milliseconds.
func (l *library) Elapsed(from, to Event) (time.Duration, error) {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1], f.args[2] = uintptr(unsafe.Pointer(&f.out)), uintptr(from), uintptr(to)
	if err := l.call(fnElapsed, f, 3); err != nil {
		return 0, err
	}
	return time.Duration(float64(math.Float32frombits(uint32(f.out[0]))) * float64(time.Millisecond)), nil
}

// Capture begins a graph.
func (l *library) Capture(s Stream) error { return l.tell(fnCapture, uintptr(s), captureRelaxed, 2) }

// EndCapture makes the graph one that can be launched.
func (l *library) EndCapture(s Stream) (Graph, error) {
	f := l.frame()
	defer l.give(f)
	f.args[0], f.args[1] = uintptr(s), uintptr(unsafe.Pointer(&f.out))
	if err := l.call(fnEndCapture, f, 2); err != nil {
		return 0, err
	}
	graph := uintptr(f.out[0])
	exec, err := l.obtain(fnInstantiate, graph, 0, 0, 0)
	if other := l.tell(fnCloseGraph, graph, 0, 1); other != nil {
		_ = l.tell(fnCloseGraph, graph, 0, 1) // nobody else can try again
		if err == nil {
			if err = l.CloseGraph(Graph(exec)); err == nil {
				exec = 0
			}
			err = errors.Join(other, err)
		}
	}
	return Graph(exec), err
}

// Replay launches a graph.
func (l *library) Replay(g Graph, s Stream) error { return l.tell(fnReplay, uintptr(g), uintptr(s), 2) }

// CloseGraph frees a graph.
func (l *library) CloseGraph(g Graph) error {
	if g == 0 {
		return Failed(plainName(symbols[fnCloseExec]), codeHandle, "no such graph")
	}
	return l.tell(fnCloseExec, uintptr(g), 0, 1)
}
