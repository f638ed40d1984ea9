// Package enginetest is the conformance suite of tensor.Engine: every engine
// runs it in its own tests.
//
// Products are compared with a plain float64 reference; the tolerance is the
// bound of floating-point summation, so it is neither tuned nor generous:
//
//	|got − want| ≤ (k+2)·2⁻²⁴·Σ|a·b|   for a sum of k products
package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

// Run checks everything the contract of tensor.Engine says.
//
// Source: ours: the contract in shared/tensor/engine.go
func Run(t *testing.T, e tensor.Engine) {
	t.Run("gemm", func(t *testing.T) { gemms(t, e) })
	t.Run("conv", func(t *testing.T) { convs(t, e) })
	t.Run("bias", func(t *testing.T) { biases(t, e) })
	t.Run("relu", func(t *testing.T) { relus(t, e) })
	t.Run("pool", func(t *testing.T) { pools(t, e) })
	t.Run("loss", func(t *testing.T) { losses(t, e) })
	t.Run("nan", func(t *testing.T) { nans(t, e) })
	t.Run("sameBits", func(t *testing.T) { sameBits(t, e) })
	t.Run("allocations", func(t *testing.T) { allocations(t, e) })
}

// random fills a buffer with distinct values around zero.
func random(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// poisoned is an output buffer: NaN shows what an engine forgot to write, and
// the guard behind it what it should not have.
func poisoned(n int) []float32 {
	v := make([]float32, n+8)
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// sum is a reference value: the exact-enough sum and what bounds its error.
type sum struct {
	value, abs float64
	terms      int
}

func (s *sum) add(x, y float32) {
	p := float64(x) * float64(y)
	s.value += p
	s.abs += math.Abs(p)
	s.terms++
}

// compare checks n outputs and the guard behind them.
func compare(t *testing.T, what string, got []float32, want []sum) {
	t.Helper()
	for i, w := range want {
		bound := float64(w.terms+2) * 0x1p-24 * w.abs
		if d := math.Abs(float64(got[i]) - w.value); !(d <= bound) {
			t.Fatalf("%s: output %d is %g, want %g ± %.2g", what, i, got[i], w.value, bound)
		}
	}
	for i := len(want); i < len(got); i++ {
		if got[i] == got[i] {
			t.Fatalf("%s: wrote %g behind its %d outputs", what, got[i], len(want))
		}
	}
}

func gemms(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(1, 1))
	var c tensor.Call // shared, so that scratch is dirty
	for range 60 {
		g := tensor.Gemm{TransA: r.IntN(2) == 1, TransB: r.IntN(2) == 1, M: 1 + r.IntN(20), N: 1 + r.IntN(20), K: 1 + r.IntN(40)}
		a, b, out := random(r, g.M*g.K), random(r, g.K*g.N), poisoned(g.M*g.N)
		want := make([]sum, g.M*g.N)
		for i := range g.M {
			for j := range g.N {
				for l := range g.K {
					x, y := a[i*g.K+l], b[l*g.N+j]
					if g.TransA {
						x = a[l*g.M+i]
					}
					if g.TransB {
						y = b[j*g.K+l]
					}
					want[i*g.N+j].add(x, y)
				}
			}
		}
		e.Gemm(&c, g, a, b, out)
		compare(t, fmt.Sprintf("%+v", g), out, want)
	}
}

// sameBits runs every threaded operation on 1, 2, 3 and 5 threads and under
// GOMAXPROCS 1, 2 and 7.
func sameBits(t *testing.T, e tensor.Engine) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want [][]float32
	for _, procs := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(procs)
		for _, threads := range []int{1, 2, 3, 5} {
			got := everything(e, &tensor.Call{Threads: threads})
			if want == nil {
				want = got
			}
			for i := range want {
				if !slices.Equal(want[i], got[i]) {
					t.Fatalf("output %d of everything differs with %d threads, GOMAXPROCS %d", i, threads, procs)
				}
			}
		}
	}
}

// everything returns the outputs of every operation on fixed inputs.
func everything(e tensor.Engine, c *tensor.Call) [][]float32 {
	r := rand.New(rand.NewPCG(9, 9))
	g := tensor.Conv{N: 3, InC: 3, H: 9, W: 11, OutC: 5, KH: 3, KW: 3, Stride: 1, Pad: 1}
	p := tensor.Pool{N: 3, C: 5, H: 9, W: 11, Size: 2, Stride: 2}
	in, out := g.N*g.InC*g.H*g.W, g.N*g.OutC*g.OutH()*g.OutW()
	x, w, bias, dy := random(r, in), random(r, g.OutC*g.Taps()), random(r, g.OutC), random(r, out)
	y, dx, dw, db := make([]float32, out), make([]float32, in), make([]float32, len(w)), make([]float32, g.OutC)
	e.ConvForward(c, g, x, w, bias, y)
	e.ConvBackwardData(c, g, dy, w, dx)
	e.ConvBackwardFilter(c, g, x, dy, dw)
	e.BiasBackward(c, g.N, g.OutC, g.OutH()*g.OutW(), dy, db)
	small := make([]float32, p.N*p.C*p.OutH()*p.OutW())
	arg := make([]int32, len(small))
	e.MaxPoolForward(c, p, y, small, arg)
	back := make([]float32, out)
	e.MaxPoolBackward(c, p, small, arg, back)
	e.ReLU(c, y, y)
	drelu := make([]float32, out)
	e.ReLUBackward(c, y, dy, drelu)
	product := make([]float32, 33*37)
	e.Gemm(c, tensor.Gemm{M: 33, N: 37, K: 29}, random(r, 33*29), random(r, 29*37), product)
	d := make([]float32, 33*37)
	loss := e.SoftmaxCrossEntropy(c, 33, 37, product, make([]uint8, 33), d)
	return [][]float32{y, dx, dw, db, small, back, drelu, product, d, {float32(loss)}}
}

// allocations: after a first call nothing is allocated, on one thread or two.
func allocations(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(4, 4))
	g := tensor.Conv{N: 2, InC: 2, H: 8, W: 8, OutC: 3, KH: 3, KW: 3, Stride: 1, Pad: 1}
	x, w, bias, y := random(r, 256), random(r, 54), random(r, 3), make([]float32, 2*3*64)
	dx, dw, db := make([]float32, 256), make([]float32, 54), make([]float32, 3)
	for _, threads := range []int{1, 2} {
		c := tensor.Call{Threads: threads}
		step := func() {
			e.ConvForward(&c, g, x, w, bias, y)
			e.ReLU(&c, y, y)
			e.ConvBackwardFilter(&c, g, x, y, dw)
			e.BiasBackward(&c, 2, 3, 64, y, db)
			e.ConvBackwardData(&c, g, y, w, dx)
			e.Gemm(&c, tensor.Gemm{M: 3, N: 9, K: 6}, w, w, dx)
		}
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("%d threads: %v allocations per step, want 0", threads, n)
		}
	}
}
