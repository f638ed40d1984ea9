package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/optim"
)

func TestGemm(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(1, 1))
		for i, g := range []tensor.Gemm{{M: 1, N: 1, K: 1}, {M: 3, N: 5, K: 7}, {M: 64, N: 64, K: 16}, {M: 65, N: 63, K: 17}, {M: 2, N: 130, K: 33}, {M: 70,
			N: 3, K: 1}} {
			for form := range 4 {
				g.TransA, g.TransB = form&1 != 0, form&2 != 0
				a, b := random(r, g.M*g.K), random(r, g.K*g.N)
				out := room[float32](m, g.M*g.N)
				m.ok(m.Gemm(g, up(m, a), up(m, b), out))
				want := make([]sum, g.M*g.N)
				for j := range want {
					for k := range g.K {
						x, y := a[j/g.N*g.K+k], b[k*g.N+j%g.N]
						if g.TransA {
							x = a[k*g.M+j/g.N]
						}
						if g.TransB {
							y = b[j%g.N*g.K+k]
						}
						want[j].add(float64(x) * float64(y))
					}
				}
				within(m.t, fmt.Sprintf("case %d, %+v", i, g), down[float32](m, out, g.M*g.N), want)
				m.clear()
			}
		}
	})
}

func TestLinear(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(2, 2))
		for _, g := range []tensor.Linear{{N: 3, In: 20, Out: 10, ReLU: true}, {N: 17, In: 65, Out: 33}} {
			x, w, bias, dy := random(r, g.N*g.In), random(r, g.Out*g.In), random(r, g.Out), random(r, g.N*g.Out)
			px, pw, pdy := up(m, x), up(m, w), up(m, dy)
			y, dx, dw := room[float32](m, g.N*g.Out), room[float32](m, g.N*g.In), room[float32](m, g.Out*g.In)
			m.ok(m.LinearForward(g, px, pw, up(m, bias), y))
			m.ok(m.LinearBackwardData(g, pdy, pw, dx))
			m.ok(m.LinearBackwardFilter(g, px, pdy, dw))
			wantY, wantX, wantW := make([]sum, g.N*g.Out), make([]sum, g.N*g.In), make([]sum, g.Out*g.In)
			for n := range g.N {
				for o := range g.Out {
					at := n*g.Out + o
					for i := range g.In {
						wantY[at].add(float64(x[n*g.In+i]) * float64(w[o*g.In+i]))
						wantX[n*g.In+i].add(float64(dy[at]) * float64(w[o*g.In+i]))
						wantW[o*g.In+i].add(float64(dy[at]) * float64(x[n*g.In+i]))
					}
					if wantY[at].add(float64(bias[o])); g.ReLU {
						wantY[at].value = max(wantY[at].value, 0)
					}
				}
			}
			within(m.t, "y", down[float32](m, y, len(wantY)), wantY)
			within(m.t, "dx", down[float32](m, dx, len(wantX)), wantX)
			within(m.t, "dw", down[float32](m, dw, len(wantW)), wantW)
			m.clear()
		}
	})
}

// convs are odd shapes: borders, strides, windows as large as the map, more channels and
// pixels than a tile, one image and several.
var convs = []tensor.Conv{
	{N: 1, InC: 1, H: 1, W: 1, OutC: 1, KH: 1, KW: 1, Stride: 1},
	{N: 2, InC: 3, H: 7, W: 5, OutC: 4, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 3, InC: 2, H: 8, W: 9, OutC: 5, KH: 3, KW: 2, Stride: 2, Pad: 1},
	{N: 5, InC: 1, H: 12, W: 12, OutC: 6, KH: 5, KW: 5, Stride: 1, Pad: 2},
	{N: 1, InC: 5, H: 4, W: 4, OutC: 66, KH: 4, KW: 4, Stride: 1},
	{N: 2, InC: 67, H: 3, W: 3, OutC: 3, KH: 1, KW: 1, Stride: 2},
	{N: 2, InC: 2, H: 9, W: 6, OutC: 3, KH: 2, KW: 3, Stride: 3, Pad: 2},
}

func TestConv(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(3, 3))
		for i, g := range convs {
			x, w, dy := random(r, g.N*g.InC*g.H*g.W), random(r, g.OutC*g.Taps()), random(r, g.N*g.OutC*g.OutH()*g.OutW())
			bias := random(r, g.OutC)
			wantY, wantX, wantW := make([]sum, len(dy)), make([]sum, len(x)), make([]sum, len(w))
			terms(g, func(y, x_, w_ int) {
				wantY[y].add(float64(x[x_]) * float64(w[w_]))
				wantX[x_].add(float64(dy[y]) * float64(w[w_]))
				wantW[w_].add(float64(dy[y]) * float64(x[x_]))
			})
			px, pw, pdy, pbias := up(m, x), up(m, w), up(m, dy), up(m, bias)
			if i%2 == 0 {
				pbias = nil
			} else {
				plane := g.OutH() * g.OutW()
				for j := range wantY {
					wantY[j].add(float64(bias[j/plane%g.OutC]))
				}
			}
			y, dx, dw, scratch := room[float32](m, len(dy)), room[float32](m, len(x)), room[float32](m, len(w)), room[float32](m, kernels.FilterScratch(g))
			m.ok(m.ConvForward(g, px, pw, pbias, y))
			m.ok(m.ConvBackwardData(g, pdy, pw, dx))
			m.ok(m.ConvBackwardFilter(g, px, pdy, dw, scratch))
			within(m.t, fmt.Sprintf("y of %+v", g), down[float32](m, y, len(dy)), wantY)
			within(m.t, fmt.Sprintf("dx of %+v", g), down[float32](m, dx, len(x)), wantX)
			within(m.t, fmt.Sprintf("dw of %+v", g), down[float32](m, dw, len(w)), wantW)
			m.clear()
		}
	})
}

// terms calls f for every product of a convolution: indices of y, x and w.
func terms(g tensor.Conv, f func(y, x, w int)) {
	oh, ow := g.OutH(), g.OutW()
	for y := range g.N * g.OutC * oh * ow {
		n, o, r, c := y/(g.OutC*oh*ow), y/(oh*ow)%g.OutC, y/ow%oh, y%ow
		for k := range g.Taps() {
			i, h, w := k/(g.KH*g.KW), r*g.Stride+k/g.KW%g.KH-g.Pad, c*g.Stride+k%g.KW-g.Pad
			if h >= 0 && h < g.H && w >= 0 && w < g.W {
				f(y, ((n*g.InC+i)*g.H+h)*g.W+w, o*g.Taps()+k)
			}
		}
	}
}

// TestFilterParts: a filter's gradient is cut by its shape alone, and every image is in a part.
func TestFilterParts(t *testing.T) {
	for _, c := range []struct {
		g             tensor.Conv
		parts, images int
	}{
		{tensor.Conv{N: 64, InC: 1, H: 28, W: 28, OutC: 6, KH: 5, KW: 5, Stride: 1, Pad: 2}, 64, 1},
		{tensor.Conv{N: 64, InC: 512, H: 4, W: 4, OutC: 512, KH: 3, KW: 3, Stride: 1, Pad: 1}, 1, 64},
		{tensor.Conv{N: 65, InC: 64, H: 32, W: 32, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1}, 22, 3},
	} {
		parts, images := kernels.FilterParts(c.g)
		if parts != c.parts || images != c.images || (parts-1)*images >= c.g.N || parts*images < c.g.N {
			t.Errorf("%+v: %d parts of %d images, want %d of %d", c.g, parts, images, c.parts, c.images)
		}
	}
}

func TestElements(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(5, 5))
		var c tensor.Call
		e := portable.New()
		for _, n := range []int{0, 1, 255, 257, 5000} {
			a, b := special(r, random(r, n)), special(r, random(r, n))
			want, out := make([]float32, n), room[float32](m, n)
			pa, pb := up(m, a), up(m, b)
			for _, relu := range []bool{false, true} {
				e.Add(&c, a, b, want, relu)
				m.ok(m.Add(n, pa, pb, out, relu))
				same(m.t, fmt.Sprintf("add, ReLU %t", relu), down[float32](m, out, n), want)
			}
			e.ReLU(&c, a, want)
			m.ok(m.ReLU(n, pa, out))
			same(m.t, "ReLU", down[float32](m, out, n), want)
			e.ReLUBackward(&c, want, b, want)
			m.ok(m.ReLUBackward(n, out, pb, pb))
			same(m.t, "ReLU backward in place", down[float32](m, pb, n), want)
			m.clear()
		}
	})
}

func TestPools(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(6, 6))
		var c tensor.Call
		e := portable.New()
		for _, g := range []tensor.Pool{
			{N: 2, C: 3, H: 6, W: 8, Size: 2, Stride: 2}, {N: 1, C: 2, H: 7, W: 5, Size: 3, Stride: 2}, {N: 3, C: 1, H: 5, W: 6, Size: 2, Stride: 3},
			{N: 2, C: 2, H: 4, W: 4, Size: 4, Stride: 4}, {N: 1, C: 1, H: 9, W: 9, Size: 3, Stride: 1},
		} {
			in, out := g.N*g.C*g.H*g.W, g.N*g.C*g.OutH()*g.OutW()
			x, dy := special(r, random(r, in)), random(r, out)
			for i := range x {
				x[i] = float32(math.Round(float64(x[i]))) // ties
			}
			y, dx, arg := make([]float32, out), make([]float32, in), make([]int32, out)
			px, pdy := up(m, x), up(m, dy)
			py, pdx, parg := room[float32](m, out), room[float32](m, in), room[int32](m, out)
			e.MaxPoolForward(&c, g, x, y, arg)
			e.MaxPoolBackward(&c, g, dy, arg, dx)
			m.ok(m.MaxPoolForward(g, px, py, parg))
			m.ok(m.MaxPoolBackward(g, pdy, parg, pdx))
			same(m.t, "maximum", down[float32](m, py, out), y)
			same(m.t, "maximum's gradient", down[float32](m, pdx, in), dx)
			for i, v := range down[int32](m, parg, out) {
				if v != arg[i] {
					m.t.Fatalf("%+v: output %d is from %d, want %d", g, i, v, arg[i])
				}
			}
			e.AvgPoolForward(&c, g, x, y)
			e.AvgPoolBackward(&c, g, dy, dx)
			m.ok(m.AvgPoolForward(g, px, py))
			m.ok(m.AvgPoolBackward(g, pdy, pdx))
			same(m.t, "mean", down[float32](m, py, out), y)
			same(m.t, "mean's gradient", down[float32](m, pdx, in), dx)
			m.clear()
		}
	})
}

// TestLoss: loss and gradient have the bits of the engines on the CPU.
func TestLoss(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(7, 7))
		var c tensor.Call
		for i, scale := range []float32{1, 30, 300, 1e4, 1, 1} {
			n, classes := []int{7, 17, 5, 16, 300, 2}[i], []int{10, 10, 4, 3, 3, 7}[i]
			z, labels := random(r, n*classes), make([]uint8, n)
			for i := range z {
				z[i] *= scale
			}
			if i == 5 {
				z[3], z[8] = float32(math.NaN()), float32(math.Inf(-1))
			}
			for i := range labels {
				labels[i] = uint8(r.IntN(classes))
			}
			want := make([]float32, len(z))
			loss := portable.New().SoftmaxCrossEntropy(&c, n, classes, z, labels, want)
			d, losses, mean := room[float32](m, len(z)), room[float64](m, n), room[float64](m, 1)
			m.ok(m.SoftmaxCrossEntropy(n, classes, up(m, z), up(m, labels), d, losses, mean))
			same(m.t, fmt.Sprintf("gradient at scale %g", scale), down[float32](m, d, len(z)), want)
			if got := down[float64](m, mean, 1)[0]; got != loss && got == got {
				m.t.Fatalf("scale %g: loss %v, want %v", scale, got, loss)
			}
			m.log[len(m.log)-1] = nil // a NaN's bits
			m.clear()
		}
	})
}

// TestUpdate: three steps have the bits of optim.SGD.
func TestUpdate(t *testing.T) {
	onAll(t, func(m *machine) {
		r := rand.New(rand.NewPCG(8, 8))
		const n = 1000
		for _, s := range []optim.SGD{{Rate: 0.1}, {Rate: 0.05, Momentum: 0.9}, {Rate: 0.05, WeightDecay: 1e-4}, {Rate: 0.03, Momentum: 0.9, WeightDecay: 5e-4}} {
			theta := special(r, random(r, n))
			p, v := up(m, theta), room[float32](m, n)
			for step := range 3 {
				g := special(r, random(r, n))
				m.ok(m.Update(n, p, v, up(m, g), s.Rate, s.Momentum, s.WeightDecay, step == 0))
				s.Step(theta, g)
				same(m.t, fmt.Sprintf("step %d of rate %g, momentum %g, decay %g", step, s.Rate, s.Momentum, s.WeightDecay), down[float32](m, p, n), theta)
			}
			m.clear()
		}
	})
}
