//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Values of the C API's enumerations, dnnl_types.h of version 2.6.
const (
	kindCPU         = 1
	streamInOrder   = 1
	scratchpadUser  = 1
	float32Type     = 3
	tagAny          = 1
	tagPlain        = 1 // plus the number of dimensions: a is 2, abcd is 5
	propForward     = 64
	algorithmDirect = 1
	statusOK        = 0

	queryInput       = 129
	queryInputGrad   = 130
	queryWeights     = 131
	queryWeightsGrad = 132
	queryOutput      = 133
	queryOutputGrad  = 134
	queryScratchpad  = 136

	argInput       = 1
	argOutput      = 17
	argWeights     = 33
	argBias        = 41
	argScratchpad  = 80
	argInputGrad   = 129
	argOutputGrad  = 145
	argWeightsGrad = 161
)

// Sizes: room for the library's structures, and the alignment of its buffers.
const (
	maxDims         = 12   // DNNL_MAX_NDIMS
	descriptorWords = 128  // dnnl_memory_desc_t has 87
	operationWords  = 2048 // the largest operation descriptor used has 747
	alignment       = 64
)

var statuses = [...]string{"success", "out of memory", "invalid arguments", "unimplemented", "iterator ends", "runtime error", "not required"}

// descriptor holds a dnnl_memory_desc_t. Only the library looks into it.
type descriptor [descriptorWords]uint64

// operation holds any of the library's operation descriptors.
type operation [operationWords]uint64

// address returns v's, for the duration of a call: v must not be on a stack, which
// moves.
func address[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// head returns the address of v, which must have n elements or more.
func head(v []float32, n int) uintptr {
	v = v[:n]
	return address(&v[0])
}

// must calls f and panics with its status if it fails. Arguments are checked by
// this package's callers, so a failure is a shape the library cannot do.
func (l *library) must(f function, args ...uintptr) {
	if err := l.try(f, args...); err != nil {
		panic(err)
	}
}

func (l *library) try(f function, args ...uintptr) error {
	r, _, _ := purego.SyscallN(l.address[f], args...)
	return failure(f, int(int32(r)))
}

// failure returns the error of a status, nil for success.
func failure(f function, status int) error {
	if status == statusOK {
		return nil
	}
	text := "unknown"
	if status > 0 && status < len(statuses) {
		text = statuses[status]
	}
	return fmt.Errorf("onednn: %s failed: status %d (%s)", symbols[f], status, text)
}

// ask calls a function that returns a value.
func (l *library) ask(f function, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(l.address[f], args...)
	return r
}

// repeat calls f with the first n of the worker's arguments, as must does but
// without an allocation. (Arguments listed in a call to purego are moved to the
// heap.)
func (w *worker) repeat(f function, n int) {
	r, _, _ := purego.SyscallN(w.lib.address[f], w.args[:n]...)
	if err := failure(f, int(int32(r))); err != nil {
		panic(err)
	}
}

var oneThread = []uintptr{1}

// single tells the runtime to use one thread when this operating-system thread
// calls it; the caller holds on to it with runtime.LockOSThread.
func (l *library) single() {
	if l.setThreads != 0 {
		purego.SyscallN(l.setThreads, oneThread...)
	}
}

// prepare makes the objects all calls share.
func (l *library) prepare() error {
	if err := l.try(engineCreate, address(&l.engine), kindCPU, 0); err != nil {
		return err
	}
	if err := l.try(attrCreate, address(&l.attr)); err != nil {
		return err
	}
	return l.try(attrScratchpad, l.attr, scratchpadUser)
}
