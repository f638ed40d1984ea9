package lib

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"
)

// address is a pointer as an argument; what it points to must be in the heap, or on a device.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// opened is a library with the addresses of its functions.
type opened struct {
	path    string
	address []uintptr
}

// open opens the first of the files that there is in a folder; file by file, since an older
// version in a nearer place is no better. The error says what was wrong with the first file
// that is there and cannot be opened. Files beside it, of the same version, are opened before:
// in a folder that the loader does not know it would not find them.
func open(folders, files []string, beside ...string) (handle uintptr, path string, err error) {
	var flaw error
	for _, name := range files {
		for _, folder := range folders {
			file := filepath.Join(folder, name)
			if folder != "" {
				if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
					continue
				}
			}
			for _, other := range beside {
				_, _ = dlopen(filepath.Join(folder, other+filepath.Ext(name))) // without it the loader says what is missing
			}
			if handle, err = dlopen(file); err == nil {
				return handle, file, nil
			}
			if says := strings.TrimSpace(err.Error()); flaw == nil && (folder != "" || !strings.Contains(says, "No such file")) {
				flaw = fmt.Errorf("%s cannot be opened: %s", file, says)
			}
		}
	}
	if flaw == nil {
		flaw = fmt.Errorf("%s not found: the loader does not know it, and no CUDA toolkit, no wheel of python3 and no folder of %s holds it", files[0], Variable)
	}
	return 0, "", flaw
}

// load looks functions up. What begins with a question mark may be missing.
func load(handle uintptr, path string, symbols []string) (*opened, error) {
	o := &opened{path, make([]uintptr, len(symbols))}
	for i, name := range symbols {
		plain, optional := strings.CutPrefix(name, "?")
		var err error
		if o.address[i], err = dlsym(handle, plain); err != nil && !optional {
			return nil, fmt.Errorf("%s lacks %s", path, plain)
		}
	}
	return o, nil
}

// plain is a function's name in NVIDIA's documentation.
func plain(symbol string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(symbol, "?"), "_v2"), "_v7")
}

// name returns what a code is called.
func (o *opened) name(f, code int) string {
	s := ""
	if o.address[f] != 0 {
		s = cString(invoke(o.address[f], []uintptr{uintptr(code)}))
	}
	if s == "" {
		s = "an error that has no name"
	}
	return s
}

// frame holds the arguments of a call in the heap, where nothing moves. A handle has one of
// its own, so that a call allocates nothing.
type frame struct {
	args    [20]uintptr
	doubles [25]uintptr
	block   [1]uintptr
	out     [2]uint64
	one     [1]float32
	zero    [1]float32
	message [512]byte
}

// newFrame is never inlined, so that what it returns is in the heap.
//
//go:noinline
func newFrame() *frame { return &frame{one: [1]float32{1}} }

// set puts the arguments of a call into place.
func (f *frame) set(args ...uintptr) int { return copy(f.args[:], args) }

// setDoubles puts the arguments of callDoubles into place.
func (f *frame) setDoubles(address uintptr, a, b float64, args []uintptr) {
	f.doubles[0], f.doubles[1], f.doubles[2] = address, uintptr(math.Float64bits(a)), uintptr(math.Float64bits(b))
	copy(f.doubles[3:], args)
}

// call calls a function with the frame's first n arguments.
func (f *frame) call(address uintptr, n int) int {
	r := invoke(address, f.args[:n])
	runtime.KeepAlive(f)
	return int(int32(uint32(r)))
}
