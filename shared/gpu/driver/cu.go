//go:build cu && cgo

package driver

//#cgo LDFLAGS: -lcuda
//#include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

// throughCu is a Driver whose calls are gorgonia.org/cu's. It has no graphs, and the one
// line of C is for pinned memory, which cu frees and cannot allocate.
type throughCu struct {
	device  cu.Device
	context cu.CUContext
	info    Info

	streams   table[Stream, cu.Stream]
	events    table[Event, cu.Event]
	modules   table[Module, cu.Module]
	functions table[uintptr, cu.Function]

	mu     sync.Mutex
	lost   error
	closed bool
}

// table numbers what cu returns, whose own handles are hidden. No number is given twice.
type table[H ~uintptr, V any] struct {
	mu   sync.Mutex
	last H
	of   map[H]V
}

func (t *table[H, V]) add(v V) H {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[H]V{}
	}
	t.last++
	t.of[t.last] = v
	return t.last
}

func (t *table[H, V]) get(h H) (v V, has bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, has = t.of[h]
	return v, has
}

func (t *table[H, V]) drop(h H) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, h)
}

// OpenCu opens device number index through gorgonia.org/cu, for builds with the tag cu.
// Such a program does not start without libcuda.so.1, and ends itself, before main, where
// the driver has no device: so does cu.
//
// Source: ours: gorgonia.org/cu v0.9.6 behind Driver
func OpenCu(index int) (Driver, error) {
	d := &throughCu{device: cu.Device(index)}
	v := cu.Version()
	d.info.CUDA = [2]int{v / 1000, v % 1000 / 10}
	if err := newEnough(d.info.CUDA); err != nil {
		return nil, err
	}
	if err := d.start(index); err != nil {
		return nil, noneError{err}
	}
	return Checked(d), nil
}

// start describes the device and takes its context.
func (d *throughCu) start(index int) error {
	n, err := cu.NumDevices()
	if err != nil {
		return d.failed("cuDeviceGetCount", err)
	}
	if index < 0 || index >= n {
		return Failed("cuDeviceGet", codeInvalidDevice, fmt.Sprintf("device %d of %d", index, n))
	}
	if d.info.Name, err = d.device.Name(); err != nil {
		return d.failed("cuDeviceGetName", err)
	}
	total, err := d.device.TotalMem()
	if err != nil {
		return d.failed("cuDeviceTotalMem", err)
	}
	d.info.Memory = int(total)
	var domain, bus, slot int
	for _, a := range []struct {
		to        *int
		attribute cu.DeviceAttribute
	}{
		{&d.info.Capability[0], cu.ComputeCapabilityMajor}, {&d.info.Capability[1], cu.ComputeCapabilityMinor},
		{&d.info.Processors, cu.MultiprocessorCount}, {&domain, cu.PciDomainID}, {&bus, cu.PciBusID}, {&slot, cu.PciDeviceID},
	} {
		if *a.to, err = d.device.Attribute(a.attribute); err != nil {
			return d.failed("cuDeviceGetAttribute", err)
		}
	}
	d.info.PCI = fmt.Sprintf("%04x:%02x:%02x.0", domain, bus, slot)
	if d.context, err = d.device.RetainPrimaryCtx(); err != nil {
		return d.failed("cuDevicePrimaryCtxRetain", err)
	}
	return nil
}

// call runs f in the device's context, which belongs to a thread.
func (d *throughCu) call(name string, f func() error) error {
	d.mu.Lock()
	err := d.lost
	if d.closed {
		err = Failed(name, codeNotInit, "the driver is closed")
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		return d.failed("cuCtxSetCurrent", err)
	}
	if err := f(); err != nil {
		return d.failed(name, err)
	}
	return nil
}

// failed makes an error of cu's, a CUresult of a hidden type; what means that the device
// is lost stays.
func (d *throughCu) failed(call string, err error) error {
	code := codeUnknown
	if v := reflect.ValueOf(err); v.CanInt() {
		code = int(v.Int())
	}
	e := Failed(call, code, "")
	if codes[code].name == "" {
		e.Name = err.Error()
	}
	if e.Lost() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.lost == nil {
			d.lost = e
		}
		return d.lost
	}
	return e
}

// on runs f with a stream.
func (d *throughCu) on(name string, s Stream, f func(cu.Stream) error) error {
	stream, has := d.streams.get(s)
	if !has && s != 0 {
		return Failed(name, codeHandle, "no such stream")
	}
	return d.call(name, func() error { return f(stream) })
}

// Info describes the device.
func (d *throughCu) Info() Info { return d.info }

// Close gives the context back.
func (d *throughCu) Close() error {
	d.mu.Lock()
	closed, lost := d.closed, d.lost
	d.closed = true
	d.mu.Unlock()
	if closed {
		return errors.New("gpu: the driver is closed already")
	}
	if err := d.device.ReleasePrimaryCtx(); err != nil && lost == nil {
		return d.failed("cuDevicePrimaryCtxRelease", err)
	}
	return nil
}

// Memory asks the driver.
func (d *throughCu) Memory() (free, total int, err error) {
	var f, t int64
	err = d.call("cuMemGetInfo", func() (err error) {
		f, t, err = cu.MemInfo()
		return err
	})
	return int(f), int(t), err
}

// Alloc returns device memory.
func (d *throughCu) Alloc(bytes int) (p unsafe.Pointer, err error) {
	err = d.call("cuMemAlloc", func() error {
		at, err := cu.MemAlloc(int64(bytes))
		p = *(*unsafe.Pointer)(unsafe.Pointer(&at))
		return err
	})
	return p, err
}

// Free gives back device memory.
func (d *throughCu) Free(p unsafe.Pointer) error {
	return d.call("cuMemFree", func() error { return cu.MemFree(devicePtr(p)) })
}

func devicePtr(p unsafe.Pointer) cu.DevicePtr { return cu.DevicePtr(uintptr(p)) }

// cuError makes a CUresult an error that failed can read.
type cuError int

func (e cuError) Error() string { return fmt.Sprintf("CUresult %d", int(e)) }

// Pinned returns memory of the driver's.
func (d *throughCu) Pinned(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := d.call("cuMemHostAlloc", func() error {
		if r := C.cuMemHostAlloc(&p, C.size_t(bytes), 0); r != C.CUDA_SUCCESS {
			return cuError(r)
		}
		return nil
	})
	return p, err
}

// FreePinned gives back pinned memory.
func (d *throughCu) FreePinned(p unsafe.Pointer) error {
	return d.call("cuMemFreeHost", func() error { return cu.MemFreeHost(p) })
}

// Upload copies to the device.
func (d *throughCu) Upload(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.on("cuMemcpyHtoDAsync", s, func(s cu.Stream) error { return cu.MemcpyHtoDAsync(devicePtr(dst), src, int64(bytes), s) })
}

// Download copies to the host.
func (d *throughCu) Download(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.on("cuMemcpyDtoHAsync", s, func(s cu.Stream) error { return cu.MemcpyDtoHAsync(dst, devicePtr(src), int64(bytes), s) })
}

// Copy copies within the device.
func (d *throughCu) Copy(s Stream, dst, src unsafe.Pointer, bytes int) error {
	return d.on("cuMemcpyDtoDAsync", s, func(s cu.Stream) error {
		return cu.MemcpyDtoDAsync(devicePtr(dst), devicePtr(src), int64(bytes), s)
	})
}

// Fill writes words.
func (d *throughCu) Fill(s Stream, dst unsafe.Pointer, v uint32, n int) error {
	return d.on("cuMemsetD32Async", s, func(s cu.Stream) error { return cu.MemsetD32Async(devicePtr(dst), uint(v), int64(n), s) })
}

// Load lets the driver compile the PTX.
func (d *throughCu) Load(ptx string) (Module, error) {
	var m cu.Module
	err := d.call("cuModuleLoadData", func() (err error) {
		m, err = cu.LoadData(ptx)
		return err
	})
	if err != nil {
		return 0, err
	}
	return d.modules.add(m), nil
}

// Unload frees a module.
func (d *throughCu) Unload(m Module) error {
	of, has := d.modules.get(m)
	if !has {
		return Failed("cuModuleUnload", codeHandle, "no such module")
	}
	if err := d.call("cuModuleUnload", of.Unload); err != nil {
		return err
	}
	d.modules.drop(m)
	return nil
}

// Function finds a kernel.
func (d *throughCu) Function(m Module, name string, _ ...int) (Func, error) {
	of, has := d.modules.get(m)
	if !has {
		return Func{}, Failed("cuModuleGetFunction", codeHandle, "no such module")
	}
	var f cu.Function
	err := d.call("cuModuleGetFunction", func() (err error) {
		f, err = of.Function(name)
		return err
	})
	if err != nil {
		return Func{}, err
	}
	return Func{Handle: d.functions.add(f)}, nil
}

// Launch passes the address of each cell; cu copies eight bytes from there.
func (d *throughCu) Launch(s Stream, fn Func, grid, block Dim, cells []uint64) error {
	f, has := d.functions.get(fn.Handle)
	if !has {
		return Failed("cuLaunchKernel", codeHandle, "no such function")
	}
	var all [MostParams]unsafe.Pointer
	args := all[:len(cells)]
	for i := range cells {
		args[i] = unsafe.Pointer(&cells[i])
	}
	return d.on("cuLaunchKernel", s, func(s cu.Stream) error {
		return f.Launch(int(grid.X), int(grid.Y), int(grid.Z), int(block.X), int(block.Y), int(block.Z), 0, s, args)
	})
}

// Stream opens a stream that neither waits for the default one nor lets it wait.
func (d *throughCu) Stream() (Stream, error) {
	var s cu.Stream
	err := d.call("cuStreamCreate", func() (err error) {
		s, err = cu.MakeStream(cu.NonBlocking)
		return err
	})
	if err != nil {
		return 0, err
	}
	return d.streams.add(s), nil
}

// CloseStream closes a stream.
func (d *throughCu) CloseStream(s Stream) error {
	of, has := d.streams.get(s)
	if !has {
		return Failed("cuStreamDestroy", codeHandle, "no such handle")
	}
	if err := d.call("cuStreamDestroy", of.Destroy); err != nil { // of is a copy: Destroy forgets it in any case
		return err
	}
	d.streams.drop(s)
	return nil
}

// Sync waits for a stream.
func (d *throughCu) Sync(s Stream) error {
	return d.on("cuStreamSynchronize", s, cu.Stream.Synchronize)
}

// Event makes a mark.
func (d *throughCu) Event() (Event, error) {
	var e cu.Event
	err := d.call("cuEventCreate", func() (err error) {
		e, err = cu.MakeEvent(cu.DefaultEvent)
		return err
	})
	if err != nil {
		return 0, err
	}
	return d.events.add(e), nil
}

// event finds a mark.
func (d *throughCu) event(name string, e Event) (cu.Event, error) {
	of, has := d.events.get(e)
	if !has {
		return of, Failed(name, codeHandle, "no such handle")
	}
	return of, nil
}

// CloseEvent forgets a mark.
func (d *throughCu) CloseEvent(e Event) error {
	of, err := d.event("cuEventDestroy", e)
	if err != nil {
		return err
	}
	if err := d.call("cuEventDestroy", func() error { return cu.DestroyEvent(&of) }); err != nil {
		return err
	}
	d.events.drop(e)
	return nil
}

// Record puts a mark behind a stream's work.
func (d *throughCu) Record(e Event, s Stream) error {
	of, err := d.event("cuEventRecord", e)
	if err != nil {
		return err
	}
	return d.on("cuEventRecord", s, of.Record)
}

// Wait lets a stream wait for a mark.
func (d *throughCu) Wait(s Stream, e Event) error {
	of, err := d.event("cuStreamWaitEvent", e)
	if err != nil {
		return err
	}
	return d.on("cuStreamWaitEvent", s, func(s cu.Stream) error { return s.Wait(of, 0) })
}

// SyncEvent waits for a mark.
func (d *throughCu) SyncEvent(e Event) error {
	of, err := d.event("cuEventSynchronize", e)
	if err != nil {
		return err
	}
	return d.call("cuEventSynchronize", of.Synchronize)
}

// Elapsed asks the driver, which counts milliseconds.
func (d *throughCu) Elapsed(from, to Event) (time.Duration, error) {
	a, err := d.event("cuEventElapsedTime", from)
	if err != nil {
		return 0, err
	}
	b, err := d.event("cuEventElapsedTime", to)
	if err != nil {
		return 0, err
	}
	var ms float64
	err = d.call("cuEventElapsedTime", func() (err error) {
		ms, err = a.Elapsed(b)
		return err
	})
	return time.Duration(ms * float64(time.Millisecond)), err
}

// noGraphs is the error of all calls that have to do with one.
func noGraphs(call string) error {
	return Failed(call, codeUnsupported, "gorgonia.org/cu captures no stream")
}

// Capture is not supported.
func (*throughCu) Capture(Stream) error { return noGraphs("cuStreamBeginCapture") }

// EndCapture is not supported.
func (*throughCu) EndCapture(Stream) (Graph, error) { return 0, noGraphs("cuStreamEndCapture") }

// Replay is not supported.
func (*throughCu) Replay(Graph, Stream) error { return noGraphs("cuGraphLaunch") }

// CloseGraph is not supported.
func (*throughCu) CloseGraph(Graph) error { return noGraphs("cuGraphExecDestroy") }
