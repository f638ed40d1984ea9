//go:build amd64 && !nodl

package fake

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

const supported = true

// lock waits until no other process holds a file's lock.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Options varies the device; zero fields leave it whole.
//
// Source: ours: for tests of bad machines
type Options struct {
	Lazy      bool // work is done when somebody waits for it
	Memory    int  // bytes
	Version   int  // of CUDA as the driver gives it: 11040 is 11.4
	NoDevices bool
	Devices   int // 0: as many as the environment says in FAKE_CUDA_DEVICES, else 1
	Broken    int // 1 + the number of a device that cannot be described; 0: none
	// Capability is the compute capability, 75 for 7.5; 0: 9.0.
	Capability int
}

// Library is one fake driver with a state of its own.
//
// Source: ours: see the package
type Library struct {
	Path   string
	handle uintptr
}

// New puts a copy of a built library into dir, since one file has one state, and sets it up.
//
// Source: ours: see Library
func New(built, dir string, o Options) (*Library, error) {
	text, err := os.ReadFile(built)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		return nil, err
	}
	return open(path, o)
}

// Linked sets up the libcuda.so.1 that this program was linked to, see Install. The error
// says so if it is no fake.
//
// Source: ours: see Library
func Linked(o Options) (*Library, error) {
	l, err := open("libcuda.so.1", o)
	if err != nil {
		return nil, fmt.Errorf("fake: the program's libcuda.so.1 is not a fake driver: %w", err)
	}
	return l, nil
}

func open(path string, o Options) (*Library, error) {
	l := &Library{Path: path}
	var err error
	if l.handle, err = purego.Dlopen(l.Path, purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
		return nil, err
	}
	set := map[string]int{"lazy": 0}
	if o.Lazy {
		set["lazy"] = 1
	}
	if o.Memory != 0 {
		set["memory"] = o.Memory
	}
	if o.Version != 0 {
		set["version"] = o.Version
	}
	if o.Capability != 0 {
		set["capability"] = o.Capability
	}
	if o.Devices != 0 {
		set["devices"] = o.Devices
	}
	if o.NoDevices {
		set["devices"] = 0
	}
	if o.Broken != 0 {
		set["broken"] = o.Broken - 1
	}
	for key, v := range set {
		if err := l.configure(key, v); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Libraries puts cuBLAS and cuDNN of this driver into dir, from what BuildLibraries built,
// under NVIDIA's names; each has a state of its own. cuda is the version they are for.
func (l *Library) Libraries(built, dir string, cuda int) (blas, dnn *Library, err error) {
	text, err := os.ReadFile(built)
	if err != nil {
		return nil, nil, err
	}
	var both [2]*Library
	for i, name := range []string{fmt.Sprintf("libcublas.so.%d", cuda), "libcudnn.so.9"} {
		o := &Library{Path: filepath.Join(dir, name)}
		if err := os.WriteFile(o.Path, text, 0o755); err != nil {
			return nil, nil, err
		}
		if o.handle, err = purego.Dlopen(o.Path, purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
			return nil, nil, err
		}
		var args []uintptr
		for _, name := range []string{"fakeContext", "fakeValid", "fakeAt", "fakeSubmit"} {
			f, err := purego.Dlsym(l.handle, name)
			if err != nil {
				return nil, nil, err
			}
			args = append(args, f)
		}
		attach, err := purego.Dlsym(o.handle, "fakeAttach")
		if err != nil {
			return nil, nil, err
		}
		purego.SyscallN(attach, args...)
		if err := o.Set("cuda", cuda); err != nil {
			return nil, nil, err
		}
		both[i] = o
	}
	return both[0], both[1], nil
}

// NCCL puts the libnccl.so.2 of this driver beside it, from what BuildNCCL built; also in
// another process it finds the driver there.
func (l *Library) NCCL(built string) (*Library, error) {
	text, err := os.ReadFile(built)
	if err != nil {
		return nil, err
	}
	o := &Library{Path: filepath.Join(filepath.Dir(l.Path), "libnccl.so.2")}
	if err := os.WriteFile(o.Path, text, 0o755); err != nil {
		return nil, err
	}
	o.handle, err = purego.Dlopen(o.Path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return o, err
}

// Set changes what a fake library is: "major", cuDNN's version; "none", whether cuDNN has no
// algorithm that gives the same bits each time; "refused", how many of the two that do, 1 and
// 11, are listed and do not run; "version" is NCCL's.
func (l *Library) Set(key string, v int) error { return l.configure(key, v) }

// call calls one of the library's functions with a name.
func (l *Library) call(function, key string, v int) (int, error) {
	f, err := purego.Dlsym(l.handle, function)
	if err != nil {
		return 0, err
	}
	text := append([]byte(key), 0)
	r, _, _ := purego.SyscallN(f, uintptr(unsafe.Pointer(unsafe.SliceData(text))), uintptr(v))
	runtime.KeepAlive(text)
	return int(r), nil
}

func (l *Library) configure(key string, v int) error {
	r, err := l.call("fakeConfigure", key, v)
	if err == nil && uint32(r) != 0 {
		err = fmt.Errorf("fake: there is nothing called %s", key)
	}
	return err
}

// FailAt lets the n-th call from now on return a code; what would be the end of a real
// device is the end of this one.
func (l *Library) FailAt(n, code int) error {
	if err := l.configure("fail_code", code); err != nil {
		return err
	}
	return l.configure("fail_at", n)
}

// Count returns how often a function has been called ("cuLaunchKernel"), or "calls" of
// all, "bytes up", "bytes down", and how many handles and allocations are "open".
func (l *Library) Count(key string) (int, error) { return l.call("fakeCount", key, 0) }
