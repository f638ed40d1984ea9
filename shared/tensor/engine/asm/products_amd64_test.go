package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

// engines returns all kernel sets that this CPU runs and GRADSYNC_CPU allows.
func engines(t testing.TB) []engine {
	set, ok := best()
	if !ok {
		t.Skip("engine asm needs a CPU with AVX2 and FMA, and no GRADSYNC_CPU=portable")
	}
	if set == avx512 {
		return []engine{{avx2}, {avx512}}
	}
	t.Log("this CPU has no AVX-512, or GRADSYNC_CPU leaves it out: only the AVX2 kernels run")
	return []engine{{avx2}}
}

func normal(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// laid returns n images of random values as a BatchInner buffer.
func laid(r *rand.Rand, n, size int) []float32 {
	v := make([]float32, tensor.BatchInner.Len(n, size))
	tensor.BatchInner.Import(v, normal(r, n*size), n, size)
	return v
}

// fma32 returns the exact fused multiply-add: the float64 sum is rounded to odd, so
// that rounding it once more to float32 is as good as rounding once.
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z) // p is exact: 48 bits
	s := p + c
	t := s - p
	rest := (p - (s - t)) + (c - t)
	bits := math.Float64bits(s)
	if rest != 0 && bits&1 == 0 {
		if (rest > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

var convs = []tensor.Conv{
	{N: 1, InC: 1, H: 1, W: 1, OutC: 1, KH: 1, KW: 1, Stride: 1},
	{N: 16, InC: 3, H: 8, W: 8, OutC: 8, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 20, InC: 5, H: 7, W: 9, OutC: 13, KH: 3, KW: 3, Stride: 2, Pad: 1},
	{N: 33, InC: 2, H: 9, W: 6, OutC: 27, KH: 5, KW: 5, Stride: 1, Pad: 2},
	{N: 5, InC: 30, H: 4, W: 4, OutC: 25, KH: 3, KW: 3, Stride: 1, Pad: 1}, // two blocks of the reduction, packed
	{N: 3, InC: 4, H: 6, W: 6, OutC: 6, KH: 1, KW: 1, Stride: 2},
	{N: 2, InC: 2, H: 8, W: 8, OutC: 3, KH: 1, KW: 2, Stride: 3, Pad: 2}, // whole windows in the border
	{N: 18, InC: 400, H: 1, W: 1, OutC: 9, KH: 3, KW: 3, Stride: 1, Pad: 1},
}

// TestConvIsOneChain: forward and backward-data equal, bit for bit, one chain of
// exact fused multiply-adds in the order of the weights, starting at the bias.
func TestConvIsOneChain(t *testing.T) {
	for _, e := range engines(t) {
		for _, g := range convs {
			r := rand.New(rand.NewPCG(1, 2))
			p := tensor.BatchInner.Pitch(g.N)
			oh, ow := g.OutH(), g.OutW()
			x, w, bias, dy := laid(r, g.N, g.InC*g.H*g.W), normal(r, g.OutC*g.Taps()), normal(r, g.OutC), laid(r, g.N, g.OutC*oh*ow)
			wantY, wantX := make([]float32, len(dy)), make([]float32, len(x))
			for i := range wantY {
				wantY[i] = bias[i/(oh*ow*p)]
			}
			for o := range g.OutC {
				for k := range g.Taps() {
					for pixel := range oh * ow {
						i, kh, kw := k/(g.KH*g.KW), k/g.KW%g.KH, k%g.KW
						h, v := pixel/ow*g.Stride+kh-g.Pad, pixel%ow*g.Stride+kw-g.Pad
						if h < 0 || h >= g.H || v < 0 || v >= g.W {
							continue
						}
						iy, ix := (o*oh*ow+pixel)*p, ((i*g.H+h)*g.W+v)*p
						for lane := range p {
							wantY[iy+lane] = fma32(w[o*g.Taps()+k], x[ix+lane], wantY[iy+lane])
							wantX[ix+lane] = fma32(w[o*g.Taps()+k], dy[iy+lane], wantX[ix+lane])
						}
					}
				}
			}
			for threads := 1; threads <= 3; threads++ {
				c := &tensor.Call{Threads: threads}
				y, dx := make([]float32, len(dy)), make([]float32, len(x))
				e.ConvForward(c, g, x, w, bias, y)
				e.ConvBackwardData(c, g, dy, w, dx)
				same(t, fmt.Sprint("forward ", e.isa, threads, g), y, wantY)
				same(t, fmt.Sprint("backward data ", e.isa, threads, g), dx, wantX)
			}
		}
	}
}

func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d of %d is %g, want %g", what, i, len(want), got[i], want[i])
		}
	}
}

// TestFilterIsChains: a filter's gradient equals, bit for bit, 16 chains of exact fused multiply-adds, one per lane,
// joined by the fixed tree; where channels lie in lanes, one chain over pixels and images.
func TestFilterIsChains(t *testing.T) {
	list := append(slices.Clone(convs),
		tensor.Conv{N: 17, InC: 70, H: 2, W: 2, OutC: 30, KH: 3, KW: 3, Stride: 1, Pad: 1}, // channels in lanes
		tensor.Conv{N: 2, InC: 40, H: 1, W: 1, OutC: 8, KH: 3, KW: 3, Stride: 1, Pad: 1},   // taps that meet nothing
		tensor.Conv{N: 60, InC: 20, H: 2, W: 1, OutC: 3, KH: 2, KW: 2, Stride: 2, Pad: 1},
		tensor.Conv{N: 40, InC: 4, H: 12, W: 12, OutC: 9, KH: 3, KW: 3, Stride: 1, Pad: 1}) // several blocks of rows
	for _, e := range engines(t) {
		for _, g := range list {
			r := rand.New(rand.NewPCG(3, 4))
			p := tensor.BatchInner.Pitch(g.N)
			oh, ow := g.OutH(), g.OutW()
			x, dy := laid(r, g.N, g.InC*g.H*g.W), laid(r, g.N, g.OutC*oh*ow)
			want, got := make([]float32, g.OutC*g.Taps()), make([]float32, g.OutC*g.Taps())
			for i := range want {
				var lanes [16]float32
				o, c, kh, kw := i/g.Taps(), i/(g.KH*g.KW)%g.InC, i/g.KW%g.KH, i%g.KW
				for pixel := range oh * ow {
					h, v := pixel/ow*g.Stride+kh-g.Pad, pixel%ow*g.Stride+kw-g.Pad
					if h < 0 || h >= g.H || v < 0 || v >= g.W {
						continue
					}
					for n := range p {
						if deep(g) {
							lanes[0] = fma32(dy[(o*oh*ow+pixel)*p+n], x[((c*g.H+h)*g.W+v)*p+n], lanes[0])
							continue
						}
						lanes[n%16] = fma32(dy[(o*oh*ow+pixel)*p+n], x[((c*g.H+h)*g.W+v)*p+n], lanes[n%16])
					}
				}
				want[i] = tree(lanes)
			}
			for threads := 1; threads <= 3; threads++ {
				e.ConvBackwardFilter(&tensor.Call{Threads: threads}, g, x, dy, got)
				same(t, fmt.Sprint("backward filter ", e.isa, threads, g), got, want)
			}
		}
	}
}

func tree(v [16]float32) float32 {
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			v[i] += v[i+half]
		}
	}
	return v[0]
}

// TestLinearAndGemmAreOneChain: products of matrices and linear layers, the
// gradient of the weights included, are one chain each.
func TestLinearAndGemmAreOneChain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, g := range []tensor.Gemm{{M: 5, N: 7, K: 3}, {M: 33, N: 48, K: 400}, {M: 17, N: 35, K: 250}, {M: 100, N: 16, K: 20}} {
		for trans := range 4 {
			g.TransA, g.TransB = trans&1 > 0, trans&2 > 0
			a, b, want := normal(r, g.M*g.K), normal(r, g.K*g.N), make([]float32, g.M*g.N)
			for i := range want {
				for k := range g.K {
					x, y := a[i/g.N*g.K+k], b[k*g.N+i%g.N]
					if g.TransA {
						x = a[k*g.M+i/g.N]
					}
					if g.TransB {
						y = b[i%g.N*g.K+k]
					}
					want[i] = fma32(x, y, want[i])
				}
			}
			for _, e := range engines(t) {
				got := make([]float32, len(want))
				e.Gemm(&tensor.Call{Threads: 2}, g, a, b, got)
				same(t, fmt.Sprintf("%v %+v", e.isa, g), got, want)
			}
		}
	}
	for _, g := range []tensor.Linear{{N: 16, In: 300, Out: 20}, {N: 5, In: 7, Out: 3, ReLU: true}, {N: 250, In: 17, Out: 9},
		{N: 7, In: 16, Out: 5}, {N: 17, In: 400, Out: 201, ReLU: true}} {
		p := tensor.BatchInner.Pitch(g.N)
		x, w, bias, dy := laid(r, g.N, g.In), normal(r, g.In*g.Out), normal(r, g.Out), laid(r, g.N, g.Out)
		y, dx, dw := make([]float32, p*g.Out), make([]float32, p*g.In), make([]float32, len(w))
		for o := range g.Out {
			for n := range p {
				v := bias[o]
				for i := range g.In {
					v = fma32(w[o*g.In+i], x[i*p+n], v)
					dx[i*p+n] = fma32(w[o*g.In+i], dy[o*p+n], dx[i*p+n])
				}
				if y[o*p+n] = v; g.ReLU {
					y[o*p+n] = max(v, 0)
				}
			}
			for i := range g.In {
				var lanes [16]float32
				for n := range g.N {
					if g.In < 16 {
						lanes[n%16] = fma32(dy[o*p+n], x[i*p+n], lanes[n%16])
					} else {
						dw[o*g.In+i] = fma32(dy[o*p+n], x[i*p+n], dw[o*g.In+i])
					}
				}
				if g.In < 16 {
					dw[o*g.In+i] = tree(lanes)
				}
			}
		}
		for _, e := range engines(t) {
			for threads := 1; threads <= 3; threads++ {
				c := &tensor.Call{Threads: threads}
				gotY, gotX, gotW := make([]float32, len(y)), make([]float32, len(dx)), make([]float32, len(dw))
				e.LinearForward(c, g, x, w, bias, gotY)
				e.LinearBackwardData(c, g, dy, w, gotX)
				e.LinearBackwardFilter(c, g, x, dy, gotW)
				same(t, fmt.Sprintf("forward %v %d %+v", e.isa, threads, g), gotY, y)
				same(t, fmt.Sprintf("backward data %v %d %+v", e.isa, threads, g), gotX, dx)
				same(t, fmt.Sprintf("backward filter %v %d %+v", e.isa, threads, g), gotW, dw)
			}
		}
	}
}
