package enginetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

func relus(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(5, 5))
	var c tensor.Call
	for _, n := range []int{1, 3, 4096, 4097, 10001} {
		x, dy := random(r, n), random(r, n)
		x[n/2] = 0
		y, dx := make([]float32, n), make([]float32, n)
		e.ReLU(&c, x, y)
		e.ReLUBackward(&c, y, dy, dx)
		for i := range x {
			wantY, wantX := float32(0), float32(0)
			if x[i] > 0 {
				wantY, wantX = x[i], dy[i]
			}
			if y[i] != wantY || dx[i] != wantX {
				t.Fatalf("element %d of %d: ReLU(%g) = %g, gradient %g; want %g, %g", i, n, x[i], y[i], dx[i], wantY, wantX)
			}
		}
		e.ReLU(&c, x, x) // in place
		e.ReLUBackward(&c, x, dy, dy)
		if !slices.Equal(x, y) || !slices.Equal(dy, dx) {
			t.Fatalf("%d elements: in place differs", n)
		}
	}
}

func pools(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(6, 6))
	var c tensor.Call
	for i := range 40 {
		g := tensor.Pool{N: 1 + r.IntN(3), C: 1 + r.IntN(3), Size: 1 + r.IntN(3), Stride: 1 + r.IntN(3)}
		g.H, g.W = g.Size+r.IntN(8), g.Size+r.IntN(8)
		if i < 10 {
			g.Size, g.Stride, g.H, g.W = 2, 2, 2+r.IntN(9), 2+r.IntN(9)
		}
		x := random(r, g.N*g.C*g.H*g.W)
		for j := range x { // few distinct values: ties
			x[j] = float32(math.Round(float64(x[j])))
		}
		oh, ow := g.OutH(), g.OutW()
		n := g.N * g.C * oh * ow
		y, arg, dy, dx := make([]float32, n), make([]int32, n), random(r, n), poisoned(len(x))
		e.MaxPoolForward(&c, g, x, y, arg)
		e.MaxPoolBackward(&c, g, dy, arg, dx)
		want := make([]sum, len(x))
		for j := range y {
			plane, at := j/(oh*ow), -1
			for k := range g.Size * g.Size {
				p := (j/ow%oh*g.Stride+k/g.Size)*g.W + j%ow*g.Stride + k%g.Size
				if at < 0 || x[plane*g.H*g.W+p] > x[plane*g.H*g.W+at] {
					at = p
				}
			}
			if int(arg[j]) != at || y[j] != x[plane*g.H*g.W+at] {
				t.Fatalf("%+v: output %d is %g from %d, want %g from %d", g, j, y[j], arg[j], x[plane*g.H*g.W+at], at)
			}
			want[plane*g.H*g.W+at].add(dy[j], 1)
		}
		compare(t, "max-pool backward", dx, want)
	}
}

// losses compares with the definition in float64, at ordinary and at extreme logits.
func losses(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(7, 7))
	var c tensor.Call
	for _, scale := range []float32{1, 30, 1e4} {
		const n, classes = 7, 10
		z, labels, d := random(r, n*classes), make([]uint8, n), make([]float32, n*classes)
		for i := range z {
			z[i] *= scale
		}
		for i := range labels {
			labels[i] = uint8(r.IntN(classes))
		}
		got := e.SoftmaxCrossEntropy(&c, n, classes, z, labels, d)
		var want float64
		for i := range n {
			row := z[i*classes : (i+1)*classes]
			top, total := float64(slices.Max(row)), 0.0
			for _, v := range row {
				total += math.Exp(float64(v) - top)
			}
			want += (math.Log(total) + top - float64(row[labels[i]])) / n
			for j, v := range row {
				p := math.Exp(float64(v)-top) / total
				if j == int(labels[i]) {
					p--
				}
				if math.Abs(float64(d[i*classes+j])-p/n) > 1e-6 {
					t.Fatalf("scale %g: gradient [%d][%d] is %g, want %g", scale, i, j, d[i*classes+j], p/n)
				}
			}
		}
		if math.Abs(got-want) > 1e-5*(1+want) {
			t.Errorf("scale %g: loss %g, want %g", scale, got, want)
		}
	}
}

// nans: a single NaN in an input reaches every output that depends on it, and
// no other.
func nans(t *testing.T, e tensor.Engine) {
	nan := float32(math.NaN())
	r := rand.New(rand.NewPCG(8, 8))
	var c tensor.Call
	count := func(what string, v []float32, want int) {
		t.Helper()
		n := 0
		for _, x := range v {
			if x != x {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d outputs are NaN, want %d", what, n, want)
		}
	}
	a, b, out := random(r, 5*7), random(r, 7*6), make([]float32, 5*6)
	a[3] = nan
	clear(b) // 0·NaN is NaN: an engine must not skip zeros
	e.Gemm(&c, tensor.Gemm{M: 5, N: 6, K: 7}, a, b, out)
	count("product, NaN in one row", out, 6)

	g := tensor.Conv{N: 1, InC: 1, H: 6, W: 6, OutC: 3, KH: 3, KW: 3, Stride: 1}
	x, y := random(r, 36), make([]float32, 3*16)
	x[0] = nan
	e.ConvForward(&c, g, x, make([]float32, 27), make([]float32, 3), y)
	count("convolution, NaN in a corner", y, 3)

	for at := range 4 { // at any place of the window
		x, y, arg := []float32{1, 2, 3, 4}, make([]float32, 1), make([]int32, 1)
		x[at] = nan
		e.MaxPoolForward(&c, tensor.Pool{N: 1, C: 1, H: 2, W: 2, Size: 2, Stride: 2}, x, y, arg)
		count("max-pool", y, 1)
		if int(arg[0]) != at {
			t.Errorf("max-pool chose %d, the NaN is at %d", arg[0], at)
		}
	}
	v := []float32{-1, nan, 1}
	e.ReLU(&c, v, v)
	count("ReLU", v, 1)
	e.ReLUBackward(&c, v, []float32{1, 2, 3}, out[:3])
	count("ReLU backward", out[:3], 1)
	d := make([]float32, 6)
	if loss := e.SoftmaxCrossEntropy(&c, 2, 3, []float32{1, 2, 3, 1, nan, 3}, []uint8{0, 1}, d); loss == loss {
		t.Errorf("loss of a NaN logit is %g", loss)
	}
	count("softmax gradient", d, 3)
}
