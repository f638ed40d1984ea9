package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/internal/enginetest"
	"gradsync/shared/race"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// batches have no padding, some, and several groups of images.
var batches = race.Less([]int{1, 5, 16, 17, 20, 32, 33}, []int{5, 33})

var nan = float32(math.NaN())

// spoilt returns v, laid out, with NaN in the padding: no sum over images may see it.
func spoilt(v []float32, n int) []float32 {
	v = slices.Clone(v)
	pitch := tensor.BatchInner.Pitch(n)
	for i := range v {
		if i%pitch >= n {
			v[i] = nan
		}
	}
	return v
}

// filled returns a buffer whose every element must be written.
func filled(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = nan
	}
	return v
}

// images returns a laid-out batch as portable wants it.
func images(v []float32, n int) []float32 {
	size := len(v) / tensor.BatchInner.Pitch(n)
	out := make([]float32, n*size)
	tensor.BatchInner.Export(out, v, n, size)
	return out
}

// padded fails unless the padding of a gradient is zero.
func padded(t *testing.T, what string, v []float32, n int) {
	t.Helper()
	pitch := tensor.BatchInner.Pitch(n)
	for i, x := range v {
		if i%pitch >= n && x != 0 {
			t.Fatalf("%s: padding %d is %g, want 0", what, i, x)
		}
	}
}

// near fails unless every got is within bound(i) of want.
func near(t *testing.T, what string, got, want []float32, bound func(i int) float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= bound(i)) {
			t.Fatalf("%s: element %d is %g, want %g ± %.2g", what, i, got[i], want[i], bound(i))
		}
	}
}

// alike runs f for every instruction set on one to three threads; all outputs
// must have the same bits, and f gives them. It returns the first.
func alike(t *testing.T, what string, f func(e engine, c *tensor.Call) [][]float32) [][]float32 {
	t.Helper()
	var first [][]float32
	for _, e := range engines(t) {
		for threads := 1; threads <= 3; threads++ {
			got := f(e, &tensor.Call{Threads: threads})
			if first == nil {
				first = got
			}
			for i := range got {
				same(t, fmt.Sprintf("%s: output %d, set %d, %d threads", what, i, e.isa, threads), got[i], first[i])
			}
		}
	}
	return first
}

func TestPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	p := portable.New()
	for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 50, passBlock + 3, small + 5*passBlock + 7} {
		a, b := normal(r, n), normal(r, n)
		if n > 2 {
			a[n/2], a[n-1], b[n/3] = 0, nan, nan
		}
		got := alike(t, fmt.Sprint(n, " elements"), func(e engine, c *tensor.Call) [][]float32 {
			sum, raised, y, dx := filled(n), filled(n), filled(n), filled(n)
			e.Add(c, a, b, sum, false)
			e.Add(c, a, b, raised, true)
			e.ReLU(c, a, y)
			e.ReLUBackward(c, y, b, dx)
			x, dy := slices.Clone(a), slices.Clone(b) // in place
			e.ReLU(c, x, x)
			e.ReLUBackward(c, x, dy, dy)
			s := slices.Clone(a)
			e.Add(c, s, b, s, true)
			same(t, "in place", slices.Concat(x, dy, s), slices.Concat(y, dx, raised))
			return [][]float32{sum, raised, y, dx}
		})
		want := [][]float32{filled(n), filled(n), filled(n), filled(n)}
		p.Add(nil, a, b, want[0], false)
		p.Add(nil, a, b, want[1], true)
		p.ReLU(&tensor.Call{}, a, want[2])
		p.ReLUBackward(&tensor.Call{}, want[2], b, want[3])
		for i := range want {
			for j, w := range want[i] {
				if g := got[i][j]; g != w && (g == g || w == w) {
					t.Fatalf("%d elements: output %d of pass %d is %g, want %g", n, j, i, g, w)
				}
			}
		}
	}
}

func TestBiasBackward(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for _, n := range batches {
		for _, hw := range []int{1, 2, 3, 4, 5, 6, 7, 100, 1024} {
			const ch = 5
			dy := laid(r, n, ch*hw)
			got := alike(t, fmt.Sprint(n, hw), func(e engine, c *tensor.Call) [][]float32 {
				db := filled(ch)
				e.BiasBackward(c, n, ch, hw, dy, db)
				clean := filled(ch)
				e.BiasBackward(c, n, ch, hw, spoilt(dy, n), clean)
				same(t, "NaN in the padding", clean, db)
				return [][]float32{db}
			})
			want := make([]float32, ch)
			for i := range want {
				want[i] = chains4(dy[i*len(dy)/ch : (i+1)*len(dy)/ch])
			}
			same(t, fmt.Sprintf("bias of %d images, %d pixels", n, hw), got[0], want)
		}
	}
}

// chains4 sums a channel in the kernels' order, spelt out.
func chains4(x []float32) float32 {
	var chains [4][16]float32
	for i, v := range x {
		chains[i/16%4][i%16] += v
	}
	for l := range 16 {
		chains[0][l] = (chains[0][l] + chains[1][l]) + (chains[2][l] + chains[3][l])
	}
	return tree(chains[0])
}

// TestOneCallManyBatches: what a Call keeps follows the number of images, and after a first round nothing is allocated.
func TestOneCallManyBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	const ch, side = 5, 32
	for _, e := range engines(t) {
		for threads := 1; threads <= 2; threads++ {
			c := &tensor.Call{Threads: threads}
			for _, n := range []int{33, 5, 20, 16, 64, 5} {
				dy := laid(r, n, ch*side*side)
				got, want := filled(ch), filled(ch)
				e.BiasBackward(c, n, ch, side*side, spoilt(dy, n), got)
				e.BiasBackward(&tensor.Call{}, n, ch, side*side, dy, want)
				same(t, fmt.Sprint(n, " images"), got, want)
				if allocs := enginetest.Quiet(everyElement(e, c, n, ch, side, dy)); allocs != 0 {
					t.Errorf("set %d, %d threads, %d images: %v allocations, want 0", e.isa, threads, n, allocs)
				}
			}
		}
	}
}

// everyElement returns a call of every operation on buffers of its own.
func everyElement(e engine, c *tensor.Call, n, ch, side int, x []float32) func() {
	y, dx, arg, labels := filled(len(x)), filled(len(x)), make([]int32, len(x)), make([]uint8, n)
	mean, variance, scale, shift := filled(ch), filled(ch), filled(ch), filled(ch)
	norm := tensor.Norm{N: n, C: ch, HW: side * side, Eps: 1e-5, ReLU: true}
	pool := tensor.Pool{N: n, C: ch, H: side, W: side, Size: 2, Stride: 2}
	return func() {
		e.BiasBackward(c, n, ch, side*side, x, mean)
		e.BatchNormForward(c, norm, x, scale, shift, y, mean, variance)
		e.BatchNormInference(c, norm, x, scale, shift, mean, variance, y)
		e.BatchNormBackward(c, norm, x, y, x, scale, mean, variance, dx, scale, shift)
		e.Add(c, x, x, y, true)
		e.ReLU(c, x, y)
		e.ReLUBackward(c, y, x, dx)
		e.MaxPoolForward(c, pool, x, y, arg)
		e.MaxPoolBackward(c, pool, y, arg, dx)
		e.AvgPoolForward(c, pool, x, y)
		e.AvgPoolBackward(c, pool, y, dx)
		e.SoftmaxCrossEntropy(c, n, ch, x, labels, y)
	}
}
