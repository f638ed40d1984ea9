package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// poolShapes returns random pools; the first ones 2×2, then global ones.
func poolShapes(r *rand.Rand) []tensor.Pool {
	var list []tensor.Pool
	for i := range 42 {
		g := tensor.Pool{N: sizes[i%len(sizes)], C: 1 + r.IntN(3), Size: 1 + r.IntN(3), Stride: 1 + r.IntN(3)}
		g.H, g.W = g.Size+r.IntN(8), g.Size+r.IntN(8)
		switch {
		case i < 14:
			g.Size, g.Stride, g.H, g.W = 2, 2, 2+r.IntN(9), 2+r.IntN(9)
		case i < 21:
			g.Size = 1 + r.IntN(5)
			g.H, g.W, g.Stride = g.Size, g.Size, g.Size
		}
		list = append(list, g)
	}
	return list
}

// windows calls f for every output j and each element x of its window, in order.
func windows(g tensor.Pool, f func(j, x int)) {
	oh, ow := g.OutH(), g.OutW()
	for j := range g.N * g.C * oh * ow {
		for k := range g.Size * g.Size {
			f(j, j/(oh*ow)*g.H*g.W+(j/ow%oh*g.Stride+k/g.Size)*g.W+j%ow*g.Stride+k%g.Size)
		}
	}
}

// indices reads a pool's choices, which are laid out like its outputs.
func indices(e tensor.Engine, arg []int32, n, size int) []int {
	out := make([]int, n*size)
	for i := range out {
		at := i
		if e.Layout() == tensor.BatchInner {
			at = i%size*e.Layout().Pitch(n) + i/size
		}
		out[i] = int(arg[at])
	}
	return out
}

func maxPools(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(6, 6))
	var c tensor.Call
	for _, g := range poolShapes(r) {
		in, out := g.C*g.H*g.W, g.C*g.OutH()*g.OutW()
		x, dy := random(r, g.N*in), random(r, g.N*out)
		for j := range x { // few distinct values: ties
			x[j] = float32(math.Round(float64(x[j])))
		}
		choice := make([]int, len(dy))
		for j := range choice {
			choice[j] = -1
		}
		windows(g, func(j, i int) {
			if choice[j] < 0 || x[i] > x[choice[j]] {
				choice[j] = i
			}
		})
		what := fmt.Sprintf("%+v", g)
		ly, ldx, arg := output(e, g.N, out), output(e, g.N, in), make([]int32, e.Layout().Len(g.N, out))
		e.MaxPoolForward(&c, g, activation(e, x, g.N), ly, arg)
		y, chosen := images(t, what, e, ly, g.N, out), indices(e, arg, g.N, out)
		want := make([]sum, len(x))
		for j, at := range choice {
			plane := at / (g.H * g.W) * g.H * g.W
			if chosen[j] != at-plane || y[j] != x[at] {
				t.Fatalf("%s: output %d is %g from %d, want %g from %d", what, j, y[j], chosen[j], x[at], at-plane)
			}
			want[at].add(dy[j], 1)
		}
		e.MaxPoolBackward(&c, g, gradient(e, dy, g.N), arg, ldx)
		compare(t, "max-pool backward "+what, gradients(t, what, e, ldx, g.N, in), want)
	}
}

func avgPools(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(16, 16))
	var c tensor.Call
	for _, g := range poolShapes(r) {
		in, out := g.C*g.H*g.W, g.C*g.OutH()*g.OutW()
		x, dy := random(r, g.N*in), random(r, g.N*out)
		wantY, wantX, count := make([]sum, len(dy)), make([]sum, len(x)), float64(g.Size*g.Size)
		windows(g, func(j, i int) {
			wantY[j].add64(float64(x[i]) / count)
			wantX[i].add64(float64(dy[j]) / count)
		})
		what := fmt.Sprintf("average pool %+v", g)
		ly, ldx := output(e, g.N, out), output(e, g.N, in)
		e.AvgPoolForward(&c, g, activation(e, x, g.N), ly)
		compare(t, what, images(t, what, e, ly, g.N, out), wantY)
		e.AvgPoolBackward(&c, g, gradient(e, dy, g.N), ldx)
		compare(t, "backward "+what, gradients(t, what, e, ldx, g.N, in), wantX)
	}
}
