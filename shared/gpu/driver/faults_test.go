package driver_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/internal/ptx"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/internal/enginetest"
	"gradsync/shared/race"
)

// TestBadEnvironments: a machine without a driver gets one line that says so.
func TestBadEnvironments(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libcuda.so.1")
	must(t, os.WriteFile(text, []byte("no library"), 0o644))
	for name, c := range map[string]struct {
		path string
		says []string
	}{
		"no library":        {"/nowhere/libcuda.so.1", []string{"gpu: none (/nowhere/libcuda.so.1 not found: NVIDIA's driver is not installed here)"}},
		"no library at all": {text, []string{"gpu: none (NVIDIA's driver cannot be opened: ", text}},
		"another one":       {"libm.so.6", []string{"gpu: none (libm.so.6 is not NVIDIA's driver: it lacks cuInit)"}},
	} {
		_, err := driver.Open(c.path, 0)
		oneLine(t, name, err, c.says)
	}
}

func oneLine(t *testing.T, name string, err error, says []string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: opened", name)
	}
	if strings.Contains(err.Error(), "built without it") {
		t.Skip(err)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q does not say %q in one line", name, err, s)
		}
	}
}

// TestBadDrivers: so does a driver that is too old, or has no such device.
func TestBadDrivers(t *testing.T) {
	for name, c := range map[string]struct {
		o     fake.Options
		index int
		says  []string
	}{
		"old driver":    {fake.Options{Version: 10020}, 0, []string{"gpu: none (the driver speaks CUDA 10.2; the kernels need 11.0 or newer)"}},
		"no device":     {fake.Options{NoDevices: true}, 0, []string{"gpu: none (", "CUDA_ERROR_NO_DEVICE (100)", "CUDA_VISIBLE_DEVICES"}},
		"second device": {fake.Options{}, 1, []string{"gpu: none (", "device 1 of 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := driver.Open(faketest.Library(t, c.o).Path, c.index)
			oneLine(t, name, err, c.says)
			if _, listed := driver.List(faketest.Library(t, c.o).Path); c.index == 0 && fmt.Sprint(listed) != err.Error() || c.index > 0 && listed != nil {
				t.Errorf("listed: %v", listed)
			}
		})
	}
	d, err := driver.Open(faketest.Library(t, fake.Options{Version: 11000}).Path, 0)
	if err != nil {
		t.Fatalf("a driver of CUDA 11.0: %v", err)
	}
	if got := d.Info(); got.CUDA != [2]int{11, 0} || got.Capability != [2]int{9, 0} || got.Processors != 132 || got.PCI != "0000:00:00.0" {
		t.Errorf("%+v", got)
	}
	if all, err := driver.List(faketest.Library(t, fake.Options{Version: 11000}).Path); err != nil || len(all) != 1 || all[0] != (driver.Listed{Info: d.Info()}) {
		t.Errorf("listed: %+v, %v", all, err)
	}
	if err := d.Close(); err != nil || d.Close() == nil {
		t.Errorf("closed twice (%v)", err)
	}
}

// TestBrokenDevice: a device that cannot be described has its reason in the list, and is no
// reason to do without the others.
func TestBrokenDevice(t *testing.T) {
	const says = "gpu: none (cuDeviceTotalMem: CUDA_ERROR_UNKNOWN (999): "
	l := faketest.Library(t, fake.Options{Devices: 3, Broken: 2})
	all, err := driver.List(l.Path)
	if err != nil || len(all) != 3 {
		t.Fatalf("listed %+v, %v", all, err)
	}
	for i, at := range all {
		info, err := driver.Describe(l.Path, i)
		if i == 1 {
			oneLine(t, "listed", at.Err, []string{says})
			oneLine(t, "described", err, []string{says})
			continue
		}
		d, other := driver.Open(l.Path, i)
		if err := errors.Join(at.Err, err, other); err != nil {
			t.Fatalf("device %d: %v", i, err)
		}
		if at.Info != info || info != d.Info() || info.Memory == 0 {
			t.Errorf("device %d: listed %+v, described %+v, opened %+v", i, at, info, d.Info())
		}
		must(t, d.Close())
	}
}

// TestEveryCallFails: whichever call to the driver fails, the error is a driver's that
// names the call, and what was taken before can be given back.
func TestEveryCallFails(t *testing.T) {
	if testing.Short() && !race.Enabled {
		t.Skip("takes half a second: make test has it")
	}
	t.Run("emulator", func(t *testing.T) {
		at, code, calls := -1, 0, 0
		d := emulated.New(emulated.Options{Fail: func(string) int {
			if calls++; calls == at {
				return code
			}
			return 0
		}})
		everyCall(t, d, func(n, c int) { at, code, calls = n, c, 0 }, func() int { return calls })
	})
	t.Run("fake", func(t *testing.T) {
		l := faketest.Library(t, fake.Options{})
		try := func(err error) { must(t, err) }
		count := func(key string) int {
			n, err := l.Count(key)
			try(err)
			return n
		}
		d := faketest.Open(t, l)
		everyCall(t, d, func(n, code int) { try(l.FailAt(n, code)) }, func() int { return count("calls") })
	})
}

// everyCall lets work's n-th call fail, for every n; failAt begins to count anew.
func everyCall(t *testing.T, d driver.Driver, failAt func(n, code int), calls func() int) {
	t.Helper()
	failAt(-1, 0)
	must(t, work(d))
	all := calls()
	if all < 20 {
		t.Fatalf("%d calls", all)
	}
	var e *driver.Error
	for n := 1; n <= all; n++ {
		failAt(n, 2)
		if err := work(d); !errors.As(err, &e) || e.Code != 2 || !strings.HasPrefix(e.Call, "cu") || strings.HasSuffix(e.Call, "_v2") {
			t.Errorf("call %d: %v, want out of memory", n, err)
		}
	}
	failAt(-1, 0)
	if err := work(d); err != nil {
		t.Errorf("after the failures: %v", err)
	}
	failAt(all-1, 700) // nearly all is given back then
	if first := work(d); !errors.As(first, &e) || !e.Lost() || !strings.Contains(e.Error(), "--device cpu") {
		t.Fatalf("%v, want a lost device", first)
	}
	if _, err := d.Stream(); !errors.Is(err, e) {
		t.Errorf("a lost device: %v, want %v again", err, e)
	}
	if err := d.Close(); err == nil || err.Error() != "gpu: not given back: device memory ×1 (4000 bytes), modules ×1" {
		t.Errorf("close: %v, want what the lost device kept", err)
	}
}

// TestPinnedRefused: it is the host's memory that is short then.
func TestPinnedRefused(t *testing.T) {
	const bytes, says = 50 << 20, "gpu: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): 50 MiB of the host's memory wanted: the host has no more to pin; " +
		"fewer workspaces need less"
	check := func(t *testing.T, d driver.Driver, failAt func(n int)) {
		refused := false
		for n := 1; n <= 3 && !refused; n++ { // other calls come before it
			failAt(n)
			p, err := d.Pinned(bytes)
			if err == nil {
				err = d.FreePinned(p)
			}
			if refused = err != nil && strings.Contains(err.Error(), "cuMemHostAlloc"); refused && err.Error() != says {
				t.Errorf("%v, want %s", err, says)
			}
		}
		failAt(-1)
		if err := d.Close(); err != nil || !refused {
			t.Errorf("refused: %t; %v", refused, err)
		}
	}
	t.Run("emulator", func(t *testing.T) {
		code := 0
		check(t, emulated.New(emulated.Options{Fail: func(string) int { return code }}), func(n int) { code = max(0, min(2*n, 2)) })
	})
	t.Run("fake", func(t *testing.T) {
		l := faketest.Library(t, fake.Options{})
		check(t, faketest.Open(t, l), func(n int) { must(t, l.FailAt(n, 2)) })
	})
}

// TestCodes: after what ends a device every call fails as the first did, and says how to go on
// without it; an unknown error says that too, and ends nothing.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code int
		name string
		lost bool
	}{
		{214, "CUDA_ERROR_ECC_UNCORRECTABLE", true}, {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", true}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS", true},
		{702, "CUDA_ERROR_LAUNCH_TIMEOUT", true}, {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", true}, {710, "CUDA_ERROR_ASSERT", true},
		{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", true}, {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", true}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS", true},
		{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", true}, {718, "CUDA_ERROR_INVALID_PC", true}, {719, "CUDA_ERROR_LAUNCH_FAILED", true},
		{999, "CUDA_ERROR_UNKNOWN", false},
	} {
		code := c.code
		d := emulated.New(emulated.Options{Fail: func(string) int { return code }})
		_, first := d.Alloc(4)
		code = 0
		p, then := d.Alloc(4)
		var e *driver.Error
		if !errors.As(first, &e) || e.Lost() != c.lost || e.Name != c.name || !strings.Contains(first.Error(), "run again with --device cpu") {
			t.Errorf("code %d: %v", c.code, first)
		}
		if c.lost && !errors.Is(then, e) || !c.lost && (then != nil || d.Free(p) != nil) {
			t.Errorf("after code %d: %v", c.code, then)
		}
	}
}

// work uses most of a driver and gives back what it took, also when a call fails.
func work(d driver.Driver) (err error) {
	try := func(e error) {
		if err == nil {
			err = e
		}
	}
	set, e := kernels.Load(d)
	if e != nil {
		return e
	}
	defer func() { retry(try, set.Close) }()
	x, e := d.Alloc(4000)
	try(e)
	defer func() { retry(try, func() error { return d.Free(x) }) }()
	p, e := d.Pinned(4000)
	try(e)
	defer func() { retry(try, func() error { return d.FreePinned(p) }) }()
	s, e := d.Stream()
	if try(e); e == nil {
		defer func() { retry(try, func() error { return d.CloseStream(s) }) }()
	}
	if err == nil {
		try(d.Fill(s, x, 0, 1000))
		try(set.On(s).ReLU(1000, x, x))
		try(d.Download(s, p, x, 4000))
		try(d.Sync(s))
	}
	return err
}

// retry calls give once more where it failed.
func retry(try func(error), give func() error) {
	if err := give(); err != nil {
		try(err)
		_ = give() // the first error counts
	}
}

// TestKernelFault: the emulator's finding is in the error, which stays.
func TestKernelFault(t *testing.T) {
	d := emulated.New(emulated.Options{})
	set, err := kernels.Load(d)
	must(t, err)
	x, err := d.Alloc(400)
	must(t, err)
	first := set.On(0).ReLU(101, x, x)
	var e *driver.Error
	var f *ptx.Fault
	if !errors.As(first, &e) || !errors.As(first, &f) || e.Code != 700 || f.Thread != 100 || f.Kernel != "relu_forward" {
		t.Fatalf("%v, want an illegal address of thread 100", first)
	}
	if err := d.Fill(0, x, 0, 100); !errors.Is(err, e) {
		t.Errorf("then: %v", err)
	}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "device memory ×1 (400 bytes), modules ×1") {
		t.Errorf("close: %v", err)
	}
}

// TestNothingOnTheHost: a host that follows a pointer to device memory is stopped.
func TestNothingOnTheHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("addresses are reserved by the system: tested on Linux")
	}
	check := func(t *testing.T, d driver.Driver) {
		p, err := d.Alloc(400)
		must(t, err)
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if recover() == nil {
				t.Error("the host has read device memory")
			}
			must(t, errors.Join(d.Free(p), d.Close()))
		}()
		t.Log(unsafe.Slice((*float32)(p), 100)[3])
	}
	t.Run("emulator", func(t *testing.T) { check(t, emulated.New(emulated.Options{})) })
	t.Run("fake", func(t *testing.T) { check(t, faketest.Open(t, faketest.Library(t, fake.Options{}))) })
}

// TestNoAllocation: the calls of a training step allocate nothing. Those of a driver library pass purego, which keeps its
// frames in a pool that may forget: see BenchmarkCalls.
func TestNoAllocation(t *testing.T) {
	d := emulated.New(emulated.Options{Workers: 2})
	var err error
	step := calls(t, d)
	if n := enginetest.Quiet(func() { err = step() }); n != 0 || err != nil {
		t.Errorf("%v allocations a step (%v)", n, err)
	}
}

// BenchmarkCalls says what the calls of a training step take and allocate on a driver library.
func BenchmarkCalls(b *testing.B) {
	step := calls(b, faketest.Open(b, faketest.Library(b, fake.Options{})))
	b.ReportAllocs()
	for b.Loop() {
		must(b, step())
	}
}

// calls returns a training step's.
func calls(t testing.TB, d driver.Driver) func() error {
	t.Helper()
	set, err := kernels.Load(d)
	must(t, err)
	x, err := d.Alloc(4000)
	must(t, err)
	s, err := d.Stream()
	must(t, err)
	e, err := d.Event()
	must(t, err)
	q, host := set.On(s), make([]float32, 1000)
	p := unsafe.Pointer(unsafe.SliceData(host))
	return func() error {
		return errors.Join(d.Upload(s, x, p, 4000), q.ReLU(1000, x, x), d.Record(e, s), d.Wait(s, e), d.Fill(s, x, 0, 100),
			d.Download(s, p, x, 4000), d.Sync(s))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
