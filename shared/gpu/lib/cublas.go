package lib

import (
	"fmt"
	"math"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/tensor"
)

// Functions of cuBLAS.
const (
	blasProperty = iota
	blasName
	blasCreate
	blasDestroy
	blasStream
	blasWorkspace
	blasMath
	blasGemm
)

var blasSymbols = []string{
	"cublasGetProperty", "?cublasGetStatusString", "cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2",
	"cublasSetMathMode", "cublasSgemm_v2",
}

// Values of cublas_api.h.
const (
	blasPlain      = 0 // cublasOperation_t
	blasTransposed = 1
	blasMathFull   = 0 // cublasMath_t: CUBLAS_DEFAULT_MATH
	blasMathTF32   = 3 // CUBLAS_TF32_TENSOR_OP_MATH
)

// majors are the versions of CUDA whose libraries are tried, the newest first.
var majors = []int{13, 12}

// BLAS is cuBLAS, opened.
//
// Source: ours: libcublas of CUDA 12 or 13
type BLAS struct {
	*opened
	version version
}

// openBLAS opens the newest that the driver, which speaks this version of CUDA, can use;
// zero is any.
func openBLAS(folders []string, cuda [2]int) (*BLAS, error) {
	var files []string
	for _, m := range majors {
		if cuda[0] == 0 || m <= cuda[0] {
			files = append(files, fmt.Sprintf("libcublas.so.%d", m))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("cuBLAS 12 and 13 need a driver of CUDA 12.0 or newer; this one speaks %d.%d", cuda[0], cuda[1])
	}
	handle, path, err := open(folders, files, "libcublasLt.so", "libnvrtc.so")
	if err != nil {
		return nil, err
	}
	o, err := load(handle, path, blasSymbols)
	if err != nil {
		return nil, err
	}
	b, f := &BLAS{opened: o}, newFrame()
	for i, to := range []*int{&b.version.major, &b.version.minor, &b.version.patch} {
		f.out[0] = 0
		if code := f.call(o.address[blasProperty], f.set(uintptr(i), address(&f.out))); code != 0 {
			return nil, b.failed(blasProperty, code)
		}
		*to = int(uint32(f.out[0]))
	}
	return b, nil
}

// Version returns "13.1".
func (b *BLAS) Version() string { return b.version.String() }

// Path returns the opened file.
func (b *BLAS) Path() string { return b.path }

func (b *BLAS) failed(f, code int) *Error {
	return &Error{Library: "cuBLAS " + b.Version(), Call: plain(blasSymbols[f]), Code: code, Name: b.name(blasName, code)}
}

// ProductsRoom returns in how many bytes of device memory Products work, by the device's
// major compute capability: what NVIDIA advises. With memory of its own a handle gives the
// same bits each time.
//
// Source: ours: cublasSetWorkspace
func ProductsRoom(capability int) int {
	if capability >= 9 {
		return 32 << 20
	}
	return 4 << 20
}

// Products multiplies matrices on one stream.
//
// Source: ours: cublasHandle_t
type Products struct {
	lib    *BLAS
	host   driver.Host
	handle uintptr
	*frame
}

// Open makes a handle for a stream, that works in a room of the device's memory; without
// one it takes some itself. With
// tf32 it may round factors to TF32. After an error nothing is open.
func (b *BLAS) Open(h driver.Host, s driver.Stream, room unsafe.Pointer, bytes int, tf32 bool) (*Products, error) {
	p := &Products{b, h, 0, newFrame()}
	if err := p.do(blasCreate, p.set(address(&p.out))); err != nil {
		return nil, err
	}
	p.handle = uintptr(p.out[0])
	mode := uintptr(blasMathFull)
	if tf32 {
		mode = blasMathTF32
	}
	// The workspace comes last: a new stream takes it away.
	err := p.do(blasMath, p.set(p.handle, mode))
	if err == nil {
		err = p.do(blasStream, p.set(p.handle, uintptr(s)))
	}
	if err == nil && bytes > 0 {
		err = p.do(blasWorkspace, p.set(p.handle, uintptr(room), uintptr(bytes)))
	}
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// do calls a function with the frame's first n arguments, in the device's context.
func (p *Products) do(f, n int) error {
	if err := p.host.Enter(); err != nil {
		return err
	}
	code := p.call(p.lib.address[f], n)
	p.host.Leave()
	if code != 0 {
		return p.lib.failed(f, code)
	}
	return nil
}

// Gemm queues tensor.Engine's Gemm. cuBLAS counts down columns, so it is given the product
// of the transposes: outᵀ = op(b)ᵀ·op(a)ᵀ.
func (p *Products) Gemm(g tensor.Gemm, a, b, out unsafe.Pointer) error {
	if max(g.M, g.N, g.K) > math.MaxInt32 {
		return fmt.Errorf("gpu: a product of %d×%d×%d: at most 2147483647 is possible", g.M, g.N, g.K)
	}
	opA, lda, opB, ldb := blasPlain, g.K, blasPlain, g.N
	if g.TransA {
		opA, lda = blasTransposed, g.M
	}
	if g.TransB {
		opB, ldb = blasTransposed, g.K
	}
	n := p.set(p.handle, uintptr(opB), uintptr(opA), uintptr(g.N), uintptr(g.M), uintptr(g.K), address(&p.one),
		uintptr(b), uintptr(ldb), uintptr(a), uintptr(lda), address(&p.zero), uintptr(out), uintptr(g.N))
	return p.do(blasGemm, n)
}

// Close gives the handle back; after an error it may be called again.
func (p *Products) Close() error {
	if p.handle == 0 {
		return nil
	}
	err := p.do(blasDestroy, p.set(p.handle))
	if err == nil {
		p.handle = 0
	}
	return err
}
