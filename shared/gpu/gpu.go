// Package gpu finds an NVIDIA GPU at run time and makes it the engine "cuda" of
// tensor.Lookup: no set-up, no C compiler and no library at build time. A machine that has
// none, or one that cannot be used, gets one line that says why:
//
//	what is the matter                line
//	no driver                         gpu: none (libcuda.so.1 not found: NVIDIA's driver is not installed here)
//	a broken library of that name     gpu: none (NVIDIA's driver cannot be opened: …
//	another library                   gpu: none (… is not NVIDIA's driver: it lacks cuInit)
//	a driver before CUDA 11.0         gpu: none (the driver speaks CUDA 10.2; the kernels need 11.0 or newer)
//	no device                         gpu: none (cuInit: CUDA_ERROR_NO_DEVICE (100): the driver sees no NVIDIA device; CUDA_VISIBLE_DEVICES may hide it)
//	no device of that number          gpu: none (cuDeviceGet: CUDA_ERROR_INVALID_DEVICE (101): device 3 of 1: no device has that number)
//	a device before capability 7.5    gpu: none (… has compute capability 7.0; the kernels need 7.5 or newer)
//	no memory left                    gpu: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): … wanted, … free of …: a smaller batch or fewer workspaces need less
//	TF32 without libraries            gpu: TF32 needs cuBLAS or cuDNN: cuBLAS: none (…
//	TF32 before capability 8.0        gpu: TF32 needs compute capability 8.0 or newer; … has 7.5
//	a device that breaks off          gpu: …: CUDA_ERROR_ILLEGAL_ADDRESS (700): the device is lost to this process; run again with --device cpu
//
// In the last case the call that failed first is named, and every later one names it too.
//
// Where cuBLAS and cuDNN are (NVIDIA's toolkit, python3's wheels or GRADSYNC_CUDA_LIBS; none
// needs them) they do products, convolutions and batch norms, which is another bit class;
// gradsync devices says what is missing:
//
//	no library                        cuBLAS: none (libcublas.so.12 not found: …
//	cuDNN of another version          cuDNN: none (… is cuDNN 8.9; this program speaks cuDNN 9)
//	cuDNN for a newer CUDA            cuDNN: none (… is built for CUDA 13; the driver speaks 12.9)
//	a library that does not start     cuDNN: none (…: gpu: cuDNN 9.7: cudnnCreate: … (1001))
//
// NCCL is opened only where ranks sum on their devices (Options.Collective):
//
//	no NCCL                           gpu: NCCL: none (libnccl.so.2 not found: …
//	fewer devices than ranks          gpu: sums over devices need one for each rank: 3 ranks, 2 devices
package gpu

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

// Name is the engine's, for tensor.Lookup.
//
// Source: ours: one engine, whichever device it is on
const Name = "cuda"

// EnvDriver names an environment variable with the path of the driver library, where the
// loader does not find it. EnvRequire is one that, set to 1, makes a missing GPU a failure.
//
// Source: ours: for machines set up in an unusual way, and for their tests
const (
	EnvDriver  = "GRADSYNC_CUDA_DRIVER"
	EnvRequire = "GRADSYNC_REQUIRE_GPU"
	// EnvLibraries is one with folders of cuBLAS, cuDNN and NCCL, or "none".
	EnvLibraries = lib.Variable
)

// Number returns N of a device called "cuda" (0) or "cuda:N", and whether name is one.
func Number(name string) (n int, ok bool) {
	name, index, numbered := strings.Cut(name, ":")
	if name != Name {
		return 0, false
	}
	if numbered {
		n, err := strconv.Atoi(index)
		return n, err == nil && n >= 0
	}
	return 0, true
}

// Required reports whether EnvRequire is 1.
func Required() bool { return os.Getenv(EnvRequire) == "1" }

// oldest is the compute capability that the kernels are made for.
var oldest = [2]int{7, 5}

// Status describes a device, or says why there is none.
//
// Source: ours: for a line about the device
type Status struct {
	Reason    error // nil if there is a device
	Info      driver.Info
	Release   string // of NVIDIA's driver, "580.65.06"; empty if the system does not tell
	Libraries string // found and used by Open: "cuBLAS 13.1, cuDNN 9.28"
}

// String returns one line, "gpu: NVIDIA H200, …" or "gpu: none (…)".
func (s Status) String() string {
	if s.Reason != nil {
		return s.Reason.Error()
	}
	return "gpu: " + s.device()
}

func (s Status) device() string {
	i := s.Info
	speaks := fmt.Sprintf("CUDA %d.%d", i.CUDA[0], i.CUDA[1])
	if s.Release != "" {
		speaks = "driver " + s.Release + " (" + speaks + ")"
	}
	if s.Libraries != "" {
		speaks += ", " + s.Libraries
	}
	return fmt.Sprintf("%s, %s, compute capability %d.%d, %s", i.Name, i.Size(), i.Capability[0], i.Capability[1], speaks)
}

// List describes all devices, without using any; a machine without one has one Status, with
// the reason.
func List() []Status {
	all, err := driver.List(os.Getenv(EnvDriver))
	if err != nil {
		return []Status{{Reason: err}}
	}
	var out []Status
	for _, d := range all {
		out = append(out, statusOf(d.Info, d.Err))
	}
	return out
}

// Probe describes device number index without using it.
func Probe(index int) Status { return statusOf(driver.Describe(os.Getenv(EnvDriver), index)) }

func statusOf(i driver.Info, err error) Status {
	s := Status{Reason: err, Info: i}
	if err != nil {
		return s
	}
	s.Release = release()
	if c := i.Capability; c[0] < oldest[0] || c[0] == oldest[0] && c[1] < oldest[1] {
		s.Reason = fmt.Errorf("gpu: none (%s has compute capability %d.%d; the kernels need %d.%d or newer)", i.Name, c[0], c[1], oldest[0], oldest[1])
	}
	return s
}

var releaseLine = regexp.MustCompile(`Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)`)

// release reads the version of NVIDIA's kernel module; the driver library does not tell it.
func release() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	if m := releaseLine.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// Device is a GPU with our kernels on it.
//
// Source: ours: opened once per process
type Device struct {
	Status
	engine interface {
		tensor.Collective
		Collect(*lib.NCCL)
		Close() error
	}
	driver driver.Driver
}

// Options say which device to open and how it computes.
//
// Source: ours: what a command line chooses
type Options struct {
	Index int
	TF32  bool // libraries may round factors of products to 10 bits of fraction
	// Collective opens NCCL, so that the device can sum with other ranks'.
	Collective bool
}

var (
	register sync.Once
	current  atomic.Pointer[Device] // what tensor.Lookup gives
)

// Open loads the kernels on a device, finds libraries, and makes it the engine Name of
// tensor.Lookup. The error is one line, that of Status or of the call that failed.
func Open(o Options) (*Device, error) {
	d, err := open(o)
	if err == nil {
		d.register()
	}
	return d, err
}

// OpenRanks opens a device with NCCL for each of this process's ranks, as Open does; rank r gets
// number r modulo how many there are, and the first is the engine Name.
func OpenRanks(ranks []int, o Options) (all []*Device, err error) {
	list := List()
	if none := list[0]; none.Info.Name == "" {
		return nil, none.Reason
	}
	if len(ranks) > len(list) {
		return nil, fmt.Errorf("gpu: sums over devices need one for each rank: %d ranks, %s", len(ranks), counted(len(list), "device"))
	}
	o.Collective = true
	for _, r := range ranks {
		o.Index = r % len(list)
		d, err := open(o)
		if err != nil {
			for _, d := range all {
				err = errors.Join(err, d.Close())
			}
			return nil, err
		}
		all = append(all, d)
	}
	all[0].register()
	return all, nil
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// open does Open for a device that Lookup does not give.
func open(o Options) (*Device, error) {
	s := Probe(o.Index)
	if s.Reason != nil {
		return nil, s.Reason
	}
	d, err := driver.Open(os.Getenv(EnvDriver), o.Index)
	if err != nil {
		return nil, err
	}
	device := &Device{Status: s, driver: d}
	if err := device.choose(o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return device, nil
}

// register makes the device tensor.Lookup's.
func (d *Device) register() {
	current.Store(d)
	register.Do(func() { tensor.Register(Name, func() tensor.Engine { return current.Load().engine }) })
}

// choose makes the engine, with the libraries that work.
func (d *Device) choose(o Options) (err error) {
	var nccl *lib.NCCL
	if o.Collective {
		if nccl, err = lib.FindNCCL(nil); err != nil {
			return fmt.Errorf("gpu: %w", err)
		}
		defer func() {
			if err == nil {
				d.engine.Collect(nccl)
				d.Libraries = strings.TrimPrefix(d.Libraries+", "+d.engine.Collector(), ", ")
			}
		}()
	}
	set := libraries(d.driver)
	switch d.Libraries = set.String(); {
	case d.Libraries == "" && o.TF32:
		return fmt.Errorf("gpu: TF32 needs cuBLAS or cuDNN: %s", strings.Join(set.Missing, "; "))
	case d.Libraries == "":
		d.engine, err = engine.New(d.driver)
		return err
	case o.TF32:
		d.Libraries += ", TF32"
	}
	d.engine, err = engine.WithLibraries(d.driver, set, o.TF32)
	return err
}

// libraries finds those that work on a device.
func libraries(d driver.Driver) *lib.Set {
	set := lib.Find(nil, d.Info().CUDA)
	if host, ok := d.(driver.Host); ok && (set.BLAS != nil || set.DNN != nil) {
		return set.Working(host)
	}
	return &lib.Set{Missing: set.Missing}
}

// Libraries returns a line for each library that is there, with its file, or is missing, with
// the reason; of a machine without a usable GPU none.
func Libraries() []string {
	d, err := driver.Open(os.Getenv(EnvDriver), 0)
	if err != nil {
		return nil
	}
	set := libraries(d)
	if d.Close() != nil {
		return nil
	}
	var lines []string
	if set.BLAS != nil {
		lines = append(lines, fmt.Sprintf("cuBLAS: %s (%s)", set.BLAS.Version(), set.BLAS.Path()))
	}
	if set.DNN != nil {
		lines = append(lines, fmt.Sprintf("cuDNN: %s (%s)", set.DNN.Version(), set.DNN.Path()))
	}
	lines = append(lines, set.Missing...)
	if n, err := lib.FindNCCL(nil); err != nil {
		lines = append(lines, err.Error())
	} else {
		lines = append(lines, fmt.Sprintf("NCCL: %s (%s)", n.Version(), n.Path()))
	}
	return lines
}

// Engine returns what computes on the device.
func (d *Device) Engine() tensor.Collective { return d.engine }

// Driver returns the seam to the device.
func (d *Device) Driver() driver.Driver { return d.driver }

// Close gives the device back. Whoever has looked the engine up must be done with it. The
// error names what was not given back.
func (d *Device) Close() error { return errors.Join(d.engine.Close(), d.driver.Close()) }
