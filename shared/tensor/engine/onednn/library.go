//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function numbers the functions of the library we call.
type function int

const (
	engineCreate function = iota
	streamCreate
	streamDestroy
	attrCreate
	attrScratchpad
	descByTag
	descByStrides
	descEqual
	descSize
	convForwardInit
	convDataInit
	convFilterInit
	matmulInit
	primitiveDescCreate
	primitiveDescQuery
	primitiveDescDestroy
	reorderDescCreate
	primitiveCreate
	primitiveDestroy
	primitiveExecute
	memoryCreate
	memoryDestroy
	memoryPoint
	functions // how many
)

var symbols = [functions]string{
	engineCreate:         "dnnl_engine_create",
	streamCreate:         "dnnl_stream_create",
	streamDestroy:        "dnnl_stream_destroy",
	attrCreate:           "dnnl_primitive_attr_create",
	attrScratchpad:       "dnnl_primitive_attr_set_scratchpad_mode",
	descByTag:            "dnnl_memory_desc_init_by_tag",
	descByStrides:        "dnnl_memory_desc_init_by_strides",
	descEqual:            "dnnl_memory_desc_equal",
	descSize:             "dnnl_memory_desc_get_size",
	convForwardInit:      "dnnl_convolution_forward_desc_init",
	convDataInit:         "dnnl_convolution_backward_data_desc_init",
	convFilterInit:       "dnnl_convolution_backward_weights_desc_init",
	matmulInit:           "dnnl_matmul_desc_init",
	primitiveDescCreate:  "dnnl_primitive_desc_create",
	primitiveDescQuery:   "dnnl_primitive_desc_query_md",
	primitiveDescDestroy: "dnnl_primitive_desc_destroy",
	reorderDescCreate:    "dnnl_reorder_primitive_desc_create",
	primitiveCreate:      "dnnl_primitive_create",
	primitiveDestroy:     "dnnl_primitive_destroy",
	primitiveExecute:     "dnnl_primitive_execute",
	memoryCreate:         "dnnl_memory_create",
	memoryDestroy:        "dnnl_memory_destroy",
	memoryPoint:          "dnnl_memory_set_data_handle",
}

// version is the head of dnnl_version_t of both API generations.
type version struct {
	Major, Minor, Patch int32
	_                   int32
	_                   uintptr // hash
	Runtime             uint32  // what runs its threads on the CPU
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// The CPU runtimes that can be held to one thread per call.
const (
	runtimeSequential = 1
	runtimeOpenMP     = 2
)

// usable refuses what this package does not speak. Version 3 changed the C
// functions that describe memory and primitives.
func (v version) usable() error {
	switch {
	case v.Major != 2 || v.Minor < 6:
		return fmt.Errorf("onednn: libdnnl is version %v: this engine speaks the C API of 2.6 and later 2.x only", v)
	case v.Runtime != runtimeSequential && v.Runtime != runtimeOpenMP:
		return fmt.Errorf("onednn: libdnnl %v runs its threads with runtime %d, want %d (sequential) or %d (OpenMP)", v, v.Runtime, runtimeSequential, runtimeOpenMP)
	}
	return nil
}

// loader is the dynamic linker; tests have others.
type loader interface {
	open(file string) (uintptr, error)
	symbol(handle uintptr, name string) (uintptr, error)
	versionOf(handle uintptr) (version, error)
}

// files are tried in this order; version 3 is opened only to name it in the error.
var files = []string{"libdnnl.so.2", "libdnnl.so.3"}

// library is the opened library.
type library struct {
	version    version
	address    [functions]uintptr
	setThreads uintptr // omp_set_num_threads; 0 for the sequential runtime
	engine     uintptr
	attr       uintptr // primitives take their scratch memory from us
}

// openFirst opens the first of the files there is.
func openFirst(from loader) (uintptr, error) {
	var reasons []string
	for _, file := range files {
		handle, err := from.open(file)
		if err == nil {
			return handle, nil
		}
		reasons = append(reasons, err.Error())
	}
	return 0, fmt.Errorf("onednn: cannot open oneDNN (Debian has it as libdnnl2): %s", strings.Join(reasons, "; "))
}

// load opens the library and finds its functions.
func load(from loader) (*library, error) {
	handle, err := openFirst(from)
	if err != nil {
		return nil, err
	}
	v, err := from.versionOf(handle)
	if err != nil {
		return nil, fmt.Errorf("onednn: %w", err)
	}
	if err := v.usable(); err != nil {
		return nil, err
	}
	l := &library{version: v}
	for f, name := range symbols {
		if l.address[f], err = from.symbol(handle, name); err != nil {
			return nil, fmt.Errorf("onednn: libdnnl %v: %w", v, err)
		}
	}
	if v.Runtime == runtimeOpenMP {
		if l.setThreads, err = from.symbol(handle, "omp_set_num_threads"); err != nil {
			return nil, fmt.Errorf("onednn: libdnnl %v: %w", v, err)
		}
	}
	return l, nil
}

// system is the machine's own dynamic linker.
type system struct{}

// The loader keeps an error's text for the thread that asked.
func (system) open(file string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(file, purego.RTLD_LAZY|purego.RTLD_LOCAL)
}

func (system) symbol(handle uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}

func (system) versionOf(handle uintptr) (version, error) {
	address, err := purego.Dlsym(handle, "dnnl_version")
	if err != nil {
		return version{}, err
	}
	r, _, _ := purego.SyscallN(address)
	return **(**version)(unsafe.Pointer(&r)), nil
}

// opened opens the library once per program.
var opened = sync.OnceValues(func() (*library, error) {
	l, err := load(system{})
	if err != nil {
		return nil, err
	}
	return l, l.prepare()
})

// Status opens the library and returns its version, or one line that says why
// the engine is not available.
//
// Source: ours: one line on why the engine is or is not there
func Status() (string, error) {
	l, err := opened()
	if err != nil {
		return "", err
	}
	return l.version.String(), nil
}
