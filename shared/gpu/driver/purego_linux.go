//go:build (amd64 || arm64) && !nodl

package driver

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function numbers the functions of the driver library.
type function int

const (
	fnInit function = iota
	fnVersion
	fnCount
	fnDevice
	fnName
	fnTotal
	fnAttribute
	fnPCI
	fnRetain
	fnRelease
	fnCurrent
	fnMemory
	fnAlloc
	fnFree
	fnPinned
	fnFreePinned
	fnUpload
	fnDownload
	fnCopy
	fnFill
	fnLoad
	fnUnload
	fnFunction
	fnLaunch
	fnStream
	fnCloseStream
	fnSync
	fnWait
	fnEvent
	fnCloseEvent
	fnRecord
	fnSyncEvent
	fnElapsed
	fnCapture
	fnEndCapture
	fnInstantiate
	fnReplay
	fnCloseExec
	fnCloseGraph
	fnErrorName
	functions // how many
)

// symbols are the names that drivers from CUDA 11.0 on export; of two the first there is.
var symbols = [functions]string{
	fnInit: "cuInit", fnVersion: "cuDriverGetVersion", fnCount: "cuDeviceGetCount", fnDevice: "cuDeviceGet", fnName: "cuDeviceGetName",
	fnTotal: "cuDeviceTotalMem_v2", fnAttribute: "cuDeviceGetAttribute", fnPCI: "cuDeviceGetPCIBusId",
	fnRetain: "cuDevicePrimaryCtxRetain", fnRelease: "cuDevicePrimaryCtxRelease_v2", fnCurrent: "cuCtxSetCurrent",
	fnMemory: "cuMemGetInfo_v2", fnAlloc: "cuMemAlloc_v2", fnFree: "cuMemFree_v2", fnPinned: "cuMemHostAlloc", fnFreePinned: "cuMemFreeHost",
	fnUpload: "cuMemcpyHtoDAsync_v2", fnDownload: "cuMemcpyDtoHAsync_v2", fnCopy: "cuMemcpyDtoDAsync_v2", fnFill: "cuMemsetD32Async",
	fnLoad: "cuModuleLoadData", fnUnload: "cuModuleUnload", fnFunction: "cuModuleGetFunction", fnLaunch: "cuLaunchKernel",
	fnStream: "cuStreamCreate", fnCloseStream: "cuStreamDestroy_v2", fnSync: "cuStreamSynchronize", fnWait: "cuStreamWaitEvent",
	fnEvent: "cuEventCreate", fnCloseEvent: "cuEventDestroy_v2", fnRecord: "cuEventRecord", fnSyncEvent: "cuEventSynchronize",
	fnElapsed: "cuEventElapsedTime|cuEventElapsedTime_v2",
	fnCapture: "cuStreamBeginCapture_v2", fnEndCapture: "cuStreamEndCapture",
	fnInstantiate: "cuGraphInstantiateWithFlags|cuGraphInstantiate_v2", fnReplay: "cuGraphLaunch",
	fnCloseExec: "cuGraphExecDestroy", fnCloseGraph: "cuGraphDestroy",
	fnErrorName: "cuGetErrorName",
}

// places are tried in this order: the loader's path, WSL, containers.
var places = []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"}

// Values of CUDA's enumerations, cuda.h of version 11.0.
const (
	attributeProcessors = 16
	attributeMajor      = 75
	attributeMinor      = 76
	streamNonBlocking   = 1
	captureRelaxed      = 2 // cuStreamBeginCapture: any thread may end it
)

// library is NVIDIA's driver with one device.
type library struct {
	address [functions]uintptr
	context uintptr
	device  int32
	info    Info
	frames  sync.Pool

	mu     sync.Mutex
	lost   error
	closed bool
}

var _ Host = (*library)(nil)

// frame holds the arguments of a call; it lies in the heap, where nothing moves.
type frame struct {
	args  [11]uintptr
	ctx   [1]uintptr
	out   [2]uint64
	cells [MostParams]uint64
	point [MostParams]uintptr
	keep  [2]unsafe.Pointer
	text  []byte
}

// Open opens NVIDIA's driver on device number index. An empty path searches; the error
// is one line that says why there is no device.
//
// Source: ours: libcuda found at run time
func Open(path string, index int) (Driver, error) {
	l, err := openDevice(path, index)
	if err != nil {
		return nil, err
	}
	if err := l.retain(); err != nil {
		return nil, noneError{err}
	}
	return Checked(l), nil
}

// Describe describes a device without using it; other devices do not matter. Path, index and
// error are as Open's.
//
// Source: ours: a line for the user
func Describe(path string, index int) (Info, error) {
	l, err := openDevice(path, index)
	if err != nil {
		return Info{}, err
	}
	return l.info, nil
}

// openDevice opens the driver and describes a device.
func openDevice(path string, index int) (*library, error) {
	l, n, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= n {
		err = Failed("cuDeviceGet", codeInvalidDevice, fmt.Sprintf("device %d of %d", index, n))
	} else {
		err = l.describe(index)
	}
	if err != nil {
		return nil, noneError{err}
	}
	return l, nil
}

// List describes the devices that NVIDIA's driver has, at least one, without using any. Path
// and error are as Open's; a device that cannot be described has an error of its own.
//
// Source: ours: a list for the user
func List(path string) ([]Listed, error) {
	l, n, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	var all []Listed
	for i := range n {
		at := Listed{Err: l.describe(i)}
		if at.Info = l.info; at.Err != nil {
			at.Err = noneError{at.Err}
		}
		all = append(all, at)
	}
	return all, nil
}

// openLibrary finds the driver and its functions, and counts the devices.
func openLibrary(path string) (l *library, devices int, err error) {
	handle, path, err := dlopen(path)
	if err != nil {
		return nil, 0, err
	}
	l = &library{}
	l.frames.New = func() any { return new(frame) }
	for f, name := range symbols {
		for _, name := range strings.Split(name, "|") {
			if l.address[f] == 0 {
				l.address[f], err = purego.Dlsym(handle, name)
			}
		}
		if err != nil && f <= int(fnVersion) {
			return nil, 0, fmt.Errorf("gpu: none (%s is not NVIDIA's driver: it lacks %s)", path, name)
		}
	}
	if err := l.version(); err != nil {
		return nil, 0, err
	}
	for f, name := range symbols {
		if l.address[f] == 0 {
			return nil, 0, fmt.Errorf("gpu: none (the driver %s of CUDA %d.%d lacks %s)", path, l.info.CUDA[0], l.info.CUDA[1], plainName(name))
		}
	}
	if devices, err = l.count(); err != nil {
		return nil, 0, noneError{err}
	}
	return l, devices, nil
}

func dlopen(path string) (handle uintptr, found string, err error) {
	list := places
	if path != "" {
		list = []string{path}
	}
	runtime.LockOSThread() // the loader keeps an error's text for the thread that asked
	defer runtime.UnlockOSThread()
	var broken error // of a library that is there
	for _, p := range list {
		if handle, err = purego.Dlopen(p, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			return handle, p, nil
		}
		if broken == nil && !strings.Contains(err.Error(), "No such file") {
			broken = err
		}
	}
	if broken != nil {
		return 0, "", fmt.Errorf("gpu: none (NVIDIA's driver cannot be opened: %s)", strings.TrimSpace(broken.Error()))
	}
	return 0, "", fmt.Errorf("gpu: none (%s not found: NVIDIA's driver is not installed here)", list[0])
}

// version refuses a driver that cannot compile the kernels.
func (l *library) version() error {
	f := l.frame()
	defer l.give(f)
	f.args[0] = uintptr(unsafe.Pointer(&f.out))
	if code := l.raw(fnVersion, f, 1); code != 0 {
		return l.failed(fnVersion, code, "")
	}
	v := int(uint32(f.out[0]))
	l.info.CUDA = [2]int{v / 1000, v % 1000 / 10}
	return newEnough(l.info.CUDA)
}

// ask calls a function that needs no context; what it answers is in the frame.
func (l *library) ask(f *frame, fn function, args ...uintptr) error {
	f.out = [2]uint64{}
	copy(f.args[:], args)
	if code := l.raw(fn, f, len(args)); code != 0 {
		return l.failed(fn, code, "")
	}
	return nil
}

// answer is where a function writes what it answers.
func (f *frame) answer() uintptr { return uintptr(unsafe.Pointer(&f.out)) }

// count starts the driver and returns how many devices it has, at least one.
func (l *library) count() (int, error) {
	f := l.frame()
	defer l.give(f)
	if err := l.ask(f, fnInit, 0); err != nil {
		return 0, err
	}
	if err := l.ask(f, fnCount, f.answer()); err != nil {
		return 0, err
	}
	n := int(uint32(f.out[0]))
	if n == 0 {
		return 0, Failed("cuDeviceGetCount", codeNoDevice, "")
	}
	return n, nil
}

// describe takes a device and reads what is known of it.
func (l *library) describe(index int) error {
	l.info = Info{CUDA: l.info.CUDA}
	f := l.frame()
	defer l.give(f)
	if err := l.ask(f, fnDevice, f.answer(), uintptr(index)); err != nil {
		return err
	}
	l.device = int32(uint32(f.out[0]))
	device := uintptr(l.device)
	for _, a := range []struct {
		to        *int
		attribute uintptr
	}{{&l.info.Capability[0], attributeMajor}, {&l.info.Capability[1], attributeMinor}, {&l.info.Processors, attributeProcessors}} {
		if err := l.ask(f, fnAttribute, f.answer(), a.attribute, device); err != nil {
			return err
		}
		*a.to = int(uint32(f.out[0]))
	}
	if err := l.ask(f, fnTotal, f.answer(), device); err != nil {
		return err
	}
	l.info.Memory = int(f.out[0])
	f.text = make([]byte, 128)
	for _, t := range []struct {
		to *string
		fn function
	}{{&l.info.Name, fnName}, {&l.info.PCI, fnPCI}} {
		clear(f.text)
		if err := l.ask(f, t.fn, uintptr(unsafe.Pointer(unsafe.SliceData(f.text))), uintptr(len(f.text)), device); err != nil {
			return err
		}
		*t.to = cString(f.text)
	}
	return nil
}

// retain opens the device's context.
func (l *library) retain() error {
	f := l.frame()
	defer l.give(f)
	if err := l.ask(f, fnRetain, f.answer(), uintptr(l.device)); err != nil {
		return err
	}
	l.context = uintptr(f.out[0])
	return nil
}

func cString(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

func (l *library) frame() *frame { return l.frames.Get().(*frame) }

func (l *library) give(f *frame) {
	f.keep, f.text = [2]unsafe.Pointer{}, nil
	l.frames.Put(f)
}

// raw calls a function with the frame's first n arguments.
func (l *library) raw(fn function, f *frame, n int) int {
	r, _, _ := purego.SyscallN(l.address[fn], f.args[:n]...)
	runtime.KeepAlive(f)
	return int(int32(uint32(r)))
}

// call calls a function in the device's context, which belongs to a thread.
func (l *library) call(fn function, f *frame, n int) error {
	if err := l.within(fn, f); err != nil {
		return err
	}
	defer runtime.UnlockOSThread()
	if code := l.raw(fn, f, n); code != 0 {
		return l.failed(fn, code, "")
	}
	return nil
}

// within keeps the goroutine on a thread that has the context, unless there is an error.
func (l *library) within(fn function, f *frame) error {
	l.mu.Lock()
	err := l.lost
	if l.closed {
		err = Failed(plainName(symbols[fn]), codeNotInit, "the driver is closed")
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	f.ctx[0] = l.context
	if r, _, _ := purego.SyscallN(l.address[fnCurrent], f.ctx[:]...); uint32(r) != 0 {
		runtime.UnlockOSThread()
		return l.failed(fnCurrent, int(int32(uint32(r))), "")
	}
	return nil
}

// Enter makes the context the calling thread's.
func (l *library) Enter() error {
	f := l.frame()
	defer l.give(f)
	return l.within(fnCurrent, f)
}

// Leave frees the goroutine from its thread.
func (l *library) Leave() { runtime.UnlockOSThread() }

// failed makes an error of a code; what means that the device is lost stays.
func (l *library) failed(fn function, code int, detail string) error {
	e := Failed(plainName(symbols[fn]), code, detail)
	if codes[code].name == "" && l.address[fnErrorName] != 0 {
		var at *byte
		r, _, _ := purego.SyscallN(l.address[fnErrorName], uintptr(code), uintptr(unsafe.Pointer(&at)))
		if uint32(r) == 0 && at != nil {
			e.Name = cString(unsafe.Slice(at, textLength(at)))
		}
	}
	if e.Lost() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.lost == nil {
			l.lost = e
		}
		return l.lost
	}
	return e
}

func textLength(at *byte) int {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(at), n)) != 0 {
		n++
	}
	return n
}

// plainName is a function's name in CUDA's documentation.
func plainName(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, "|")
	return strings.TrimSuffix(symbol, "_v2")
}

// Info describes the device.
func (l *library) Info() Info { return l.info }

// Close gives the context back.
func (l *library) Close() error {
	l.mu.Lock()
	closed, lost := l.closed, l.lost
	l.closed = true
	l.mu.Unlock()
	if closed {
		return errors.New("gpu: the driver is closed already")
	}
	f := l.frame()
	defer l.give(f)
	f.args[0] = uintptr(l.device)
	if code := l.raw(fnRelease, f, 1); code != 0 && lost == nil {
		return l.failed(fnRelease, code, "")
	}
	return nil
}
