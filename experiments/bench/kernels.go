package bench

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/vec"
)

// kernel is one vector operation on float32 or int32 elements.
type kernel struct {
	density float64 // share of the source's elements that are not 0
	// open returns the operation and how many bytes it reads and writes.
	open func(b *buffers) (run func() error, moved int)
}

// buffers are a kernel's operands, each of the job's bytes.
type buffers struct {
	x, y []float32
	p, q []int32
	wire []byte
}

// kernels are the contenders of KindVec. What they move counts as their
// bandwidth: Copy reads and writes each byte once.
var kernels = map[string]kernel{
	Copy: {1, func(b *buffers) (func() error, int) {
		return func() error { copy(b.y, b.x); return nil }, 2 * vec.Bytes(len(b.x))
	}},
	"add-float32": {1, func(b *buffers) (func() error, int) {
		return func() error { vec.AddTo(b.y, b.x); return nil }, 3 * vec.Bytes(len(b.x))
	}},
	"quantise": {1, func(b *buffers) (func() error, int) {
		return func() error { vec.Quantise(b.p, b.x, 1<<20, 1<<30); return nil }, 2 * vec.Bytes(len(b.x))
	}},
	"add-int32": {1, func(b *buffers) (func() error, int) {
		return func() error { vec.AddInt32(b.p, b.q); return nil }, 3 * vec.Bytes(len(b.x))
	}},
	"sub-int32": {1, func(b *buffers) (func() error, int) {
		return func() error { vec.SubInt32(b.p, b.q); return nil }, 3 * vec.Bytes(len(b.x))
	}},
}

// densities lists the densities at which the bitmap kernels are measured, in percent.
var densities = []int{1, 10, 50, 100}

func init() {
	for _, percent := range densities {
		kernels[fmt.Sprintf("pack-%d%%", percent)] = kernel{float64(percent) / 100, func(b *buffers) (func() error, int) {
			b.pack()
			return func() error { b.wire = vec.AppendBitmap(b.wire[:0], b.x); return nil }, vec.Bytes(len(b.x)) + len(b.wire)
		}}
		kernels[fmt.Sprintf("unpack-add-%d%%", percent)] = kernel{float64(percent) / 100, func(b *buffers) (func() error, int) {
			b.pack()
			return func() error { return vec.AddBitmap(b.y, b.wire) }, 2*vec.Bytes(len(b.x)) + len(b.wire)
		}}
	}
}

func (b *buffers) pack() {
	b.wire = vec.AppendBitmap(make([]byte, 0, vec.BitmapBytes(len(b.x), len(b.x))), b.x)
}

// Kernels lists the contenders of KindVec, Copy first.
func Kernels() []string {
	names := []string{Copy}
	for _, verb := range []string{"pack", "unpack-add"} {
		for _, percent := range densities {
			names = append(names, fmt.Sprintf("%s-%d%%", verb, percent))
		}
	}
	return append(names, "quantise", "add-int32", "sub-int32", "add-float32")
}

// openVec opens a kernel on random operands.
func openVec(j Job) (*Task, error) {
	k, ok := kernels[j.Contender]
	if !ok {
		return nil, fmt.Errorf("bench: no kernel %q", j.Contender)
	}
	r, n := rand.New(rand.NewPCG(5, 6)), j.Bytes/4
	b := &buffers{x: make([]float32, n), y: make([]float32, n), p: make([]int32, n), q: make([]int32, n)}
	for i := range b.x {
		if r.Float64() < k.density {
			b.x[i] = 1 + r.Float32()
		}
		b.y[i], b.p[i], b.q[i] = 1+r.Float32(), int32(r.Uint32()), int32(r.Uint32())
	}
	once, moved := k.open(b)
	return &Task{Class: "–", Bytes: float64(moved), Run: func(steps int) error {
		for range steps {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// openGemm opens one product of an engine, of gonum or of OpenBLAS.
func openGemm(j Job) (*Task, error) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b, out := normal(r, j.M*j.K), normal(r, j.K*j.N), make([]float32, j.M*j.N)
	t := &Task{Class: j.Contender}
	once := func() {}
	switch j.Contender {
	case Gonum:
		x, y, z := matrix(j.M, j.K, a), matrix(j.K, j.N, b), matrix(j.M, j.N, out)
		once = func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z) }
	case OpenBLAS:
		sgemm, facts, err := openBLAS(j.Threads)
		if err != nil {
			return nil, err
		}
		t.Facts = facts
		once = func() { sgemm(j.M, j.N, j.K, a, b, out) }
	default:
		e, err := tensor.Lookup(j.Contender)
		if err != nil {
			return nil, err
		}
		call, g := &tensor.Call{Threads: j.Threads}, tensor.Gemm{M: j.M, N: j.N, K: j.K}
		t.Class = e.Class()
		once = func() { e.Gemm(call, g, a, b, out) }
	}
	t.Run = func(steps int) error {
		for range steps {
			once()
		}
		return nil
	}
	return t, nil
}

func matrix(rows, cols int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
