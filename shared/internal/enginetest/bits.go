package enginetest

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/tensor"
)

// sameBits runs every operation on 1, 2, 3 and 5 threads and under GOMAXPROCS 1,
// 2 and 7 (or as often as it is told), for less and for more than one vector of images. The larger batch
// makes millions of multiply-adds and more than 100,000 elements, so that an
// engine that spares threads for small work uses them.
func (often repeats) sameBits(t *testing.T, e tensor.Engine) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range often.images {
		var want [][]float32
		for _, procs := range often.procs {
			runtime.GOMAXPROCS(procs)
			for _, threads := range often.threads {
				w := newWork(e, n)
				w.run(&tensor.Call{Threads: threads})
				if want == nil {
					want = w.outputs
				}
				for i := range want {
					if !slices.Equal(want[i], w.outputs[i]) {
						t.Fatalf("output %d of all operations on %d images differs with %d threads, GOMAXPROCS %d", i, n, threads, procs)
					}
				}
			}
		}
	}
}

// Quiet returns how many allocations a call of f makes after others, 0 where some call makes none: what f only makes to
// keep it does not count. What the runtime allocates for itself, for goroutines and cleanups, is made on stacks of its
// own and does not count.
//
// Source: ours: the counter of allocations is the process's, a profile of all of them says whose each is
func Quiet(f func()) (made int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	// More than the things that a call may make once and keep, as a thread does at its first part of an operation: each
	// that is not quiet has made one of them, so that a quiet one comes before these are over, whichever thread is late.
	for range 200 {
		before := allocated()
		f() // fills the pools that a collection has emptied
		runtime.MemProfileRate = 1
		f()
		runtime.MemProfileRate = 0
		if made = allocated() - before; made == 0 {
			break
		}
	}
	return made
}

// allocated returns how many profiled objects were made by goroutines that are not the runtime's.
func allocated() (objects int64) {
	for range 3 { // a profile is up to two collections old
		runtime.GC()
	}
	records := make([]runtime.MemProfileRecord, 20_000)
	n, _ := runtime.MemProfile(records, true) // too many, and the next line panics
	for _, r := range records[:n] {
		if s := r.Stack(); !strings.HasPrefix(runtime.FuncForPC(s[len(s)-2]).Name(), "runtime.") { // above goexit
			objects += r.AllocObjects
		}
	}
	return objects
}

// allocations: after some calls nothing is allocated, on one thread or two.
func (often repeats) allocations(t *testing.T, e tensor.Engine) {
	for _, threads := range []int{1, 2} {
		w, c := newWork(e, often.batch), tensor.Call{Threads: threads}
		if n := Quiet(func() { w.run(&c) }); n != 0 {
			t.Errorf("%d threads: %v allocations per step, want 0", threads, n)
		}
	}
}

// work is every operation once, on fixed inputs.
type work struct {
	e       tensor.Engine
	g       tensor.Conv
	pool    tensor.Pool
	norm    tensor.Norm
	linear  tensor.Linear
	gemm    tensor.Gemm
	in      [12][]float32
	labels  []uint8
	arg     []int32
	outputs [][]float32
}

func newWork(e tensor.Engine, n int) *work {
	r := rand.New(rand.NewPCG(9, 9))
	w := &work{e: e, labels: make([]uint8, n),
		g:      tensor.Conv{N: n, InC: 8, H: 9, W: 11, OutC: 24, KH: 3, KW: 3, Stride: 1, Pad: 1},
		pool:   tensor.Pool{N: n, C: 24, H: 9, W: 11, Size: 2, Stride: 2},
		norm:   tensor.Norm{N: n, C: 24, HW: 99, Eps: 1e-5, ReLU: true},
		linear: tensor.Linear{N: n, In: 480, Out: 37, ReLU: true},
		gemm:   tensor.Gemm{M: 133, N: 137, K: 129},
	}
	const in, out, pooled = 792, 2376, 480
	batch := func(size int) []float32 { return gradient(e, random(r, n*size), n) }
	w.in = [12][]float32{
		batch(in), batch(out), random(r, 1728), random(r, 24), random(r, 24), // x, dy, convolution, bias or scale, shift
		batch(pooled), batch(37), random(r, 37*480), random(r, 37), // linear x, dy, weight, bias
		random(r, 133*129), random(r, 129*137), make([]float32, 24), // product's operands, variance
	}
	for i := range w.in[11] {
		w.in[11][i] = float32(i + 1)
	}
	l := e.Layout()
	for _, size := range []int{
		l.Len(n, out), l.Len(n, in), 1728, 24, // convolution: y, dx, dw, db
		l.Len(n, pooled), l.Len(n, out), l.Len(n, pooled), l.Len(n, out), // pools: max y, dx, average y, dx
		l.Len(n, out), l.Len(n, out), 24, 24, l.Len(n, out), 24, 24, // norm: inference, y, mean, variance, dx, dscale, dshift
		l.Len(n, out), l.Len(n, out), l.Len(n, out), // add, ReLU, its gradient
		l.Len(n, 37), l.Len(n, pooled), 37 * 480, 133 * 137, // linear y, dx, dw, product
		1, l.Len(n, 37), // loss and its gradient
	} {
		w.outputs = append(w.outputs, make([]float32, size))
	}
	w.arg = make([]int32, l.Len(n, pooled))
	return w
}

func (w *work) run(c *tensor.Call) {
	e, in, out := w.e, &w.in, w.outputs
	x, dy, filter, scale, shift := in[0], in[1], in[2], in[3], in[4]
	e.ConvForward(c, w.g, x, filter, scale, out[0])
	e.ConvBackwardData(c, w.g, dy, filter, out[1])
	e.ConvBackwardFilter(c, w.g, x, dy, out[2])
	e.BiasBackward(c, w.g.N, 24, 99, dy, out[3])
	e.MaxPoolForward(c, w.pool, out[0], out[4], w.arg)
	e.MaxPoolBackward(c, w.pool, in[5], w.arg, out[5])
	e.AvgPoolForward(c, w.pool, out[0], out[6])
	e.AvgPoolBackward(c, w.pool, in[5], out[7])
	e.BatchNormInference(c, w.norm, out[0], scale, shift, shift, in[11], out[8])
	e.BatchNormForward(c, w.norm, out[0], scale, shift, out[9], out[10], out[11])
	e.BatchNormBackward(c, w.norm, out[0], out[9], dy, scale, out[10], out[11], out[12], out[13], out[14])
	e.Add(c, out[0], out[8], out[15], true)
	e.ReLU(c, out[0], out[16])
	e.ReLUBackward(c, out[16], dy, out[17])
	e.LinearForward(c, w.linear, in[5], in[7], in[8], out[18])
	e.LinearBackwardData(c, w.linear, in[6], in[7], out[19])
	e.LinearBackwardFilter(c, w.linear, in[5], in[6], out[20])
	e.Gemm(c, w.gemm, in[9], in[10], out[21])
	out[22][0] = float32(e.SoftmaxCrossEntropy(c, w.g.N, 37, out[18], w.labels, out[23]))
}
