package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

var poolShapes = []tensor.Pool{
	{C: 3, H: 8, W: 8, Size: 2, Stride: 2},
	{C: 2, H: 7, W: 8, Size: 2, Stride: 2}, // a border is dropped
	{C: 2, H: 8, W: 9, Size: 2, Stride: 2},
	{C: 1, H: 2, W: 2, Size: 2, Stride: 2},
	{C: 2, H: 8, W: 8, Size: 2, Stride: 3}, // pixels between windows
	{C: 2, H: 6, W: 7, Size: 2, Stride: 1}, // windows overlap
	{C: 2, H: 9, W: 11, Size: 3, Stride: 2},
	{C: 2, H: 7, W: 7, Size: 3, Stride: 3},
	{C: 2, H: 5, W: 4, Size: 1, Stride: 2},
	{C: 5, H: 4, W: 4, Size: 4, Stride: 4}, // global
	{C: 7, H: 1, W: 1, Size: 1, Stride: 1},
	{C: 9, H: 32, W: 32, Size: 2, Stride: 2}, // on several threads
}

// argImages returns images for indices.
func argImages(v []int32, n int) []float32 {
	f := make([]float32, len(v))
	for i, x := range v {
		f[i] = float32(x)
	}
	return images(f, n)
}

// TestPools compares with portable, bit for bit but for the sign of zero: a lane
// does what portable does. Values are few, so that there are ties, and some NaN.
func TestPools(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for _, g := range poolShapes {
		for _, n := range batches {
			g.N = n
			pools(t, r, g)
		}
	}
}

func pools(t *testing.T, r *rand.Rand, g tensor.Pool) {
	n, what := g.N, fmt.Sprintf("%+v", g)
	out := g.C * g.OutH() * g.OutW()
	x, dy := laid(r, n, g.C*g.H*g.W), laid(r, n, out)
	for i := range x {
		x[i] = float32(math.Round(float64(x[i])))
		if r.IntN(40) == 0 {
			x[i] = nan
		}
	}
	x = spoilt(x, n)
	got := alike(t, what, func(e engine, c *tensor.Call) [][]float32 {
		y, arg, dx := filled(len(dy)), make([]int32, len(dy)), filled(len(x))
		e.MaxPoolForward(c, g, x, y, arg)
		e.MaxPoolBackward(c, g, dy, arg, dx)
		mean, spread := filled(len(dy)), filled(len(x))
		e.AvgPoolForward(c, g, x, mean)
		e.AvgPoolBackward(c, g, dy, spread)
		padded(t, what, dx, n)
		padded(t, what, spread, n)
		return [][]float32{images(y, n), argImages(arg, n), images(dx, n), images(mean, n), images(spread, n)}
	})
	p, c := portable.New(), &tensor.Call{}
	flat, dflat := images(x, n), images(dy, n)
	y, arg, dx := filled(len(dflat)), make([]int32, len(dflat)), filled(len(flat))
	p.MaxPoolForward(c, g, flat, y, arg)
	p.MaxPoolBackward(c, g, dflat, arg, dx)
	mean, spread := filled(len(dflat)), filled(len(flat))
	p.AvgPoolForward(c, g, flat, mean)
	p.AvgPoolBackward(c, g, dflat, spread)
	choice := make([]float32, len(arg))
	for i, a := range arg {
		choice[i] = float32(a)
	}
	for i, want := range [][]float32{y, choice, dx, mean, spread} {
		for j, w := range want {
			if v := got[i][j]; v != w && (v == v || w == w) {
				t.Fatalf("%s: element %d of output %d is %g, want %g", what, j, i, v, w)
			}
		}
	}
}
