package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/internal/enginetest"
	"gradsync/shared/race"
	"gradsync/shared/tensor"
)

// TestWinograd4: all three passes agree with the exact sums within the bound of a sum computed the plain way, and their
// root mean square error is at most 2½ times that of one chain of fused multiply-adds; both instruction sets and all
// thread counts give the same bits.
func TestWinograd4(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, g := range []tensor.Conv{
		{N: 17, InC: 64, H: 16, W: 16, OutC: 80, KH: 3, KW: 3, Stride: 1, Pad: 1},   // chunks, two of filter gradients
		{N: 3, InC: 144, H: 12, W: 8, OutC: 192, KH: 3, KW: 3, Stride: 1, Pad: 1},   // filters where they are used
		{N: 33, InC: 464, H: 4, W: 4, OutC: 160, KH: 3, KW: 3, Stride: 1, Pad: 1},   // one tile
		{N: 16, InC: 112, H: 16, W: 20, OutC: 256, KH: 3, KW: 3, Stride: 1, Pad: 1}, // inputs in two parts
	} {
		if !winograds4(g) {
			t.Fatalf("%+v is not computed by F(4×4, 3×3)", g)
		}
		r := rand.New(rand.NewPCG(1, 2))
		x, w, bias, dy := laid(r, g.N, g.InC*g.H*g.W), normal(r, g.OutC*g.Taps()), normal(r, g.OutC), laid(r, g.N, g.OutC*g.H*g.W)
		clean(dy, g.N)
		var first [3][]float32
		for _, e := range engines(t) {
			for threads := 1; threads <= 3; threads++ {
				got := [3][]float32{make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w))}
				c := &tensor.Call{Threads: threads}
				all := func(x, dy []float32) {
					e.ConvForward(c, g, x, w, bias, got[0])
					e.ConvBackwardData(c, g, dy, w, got[1])
					e.ConvBackwardFilter(c, g, x, dy, got[2])
				}
				if threads == 1 {
					all(nans(len(x)), nans(len(dy))) // in all scratch memory; nothing of it may be read again
				}
				all(x, dy)
				if first[0] == nil {
					first = got
					if !race.Enabled { // which looks at the threads; sums exact to the last bit would take it a minute
						sampled(t, g, got, x, dy, w, bias)
					}
				}
				for i, what := range []string{"forward", "backward data", "backward filter"} {
					same(t, fmt.Sprint(what, e.isa, threads, g), got[i], first[i])
				}
			}
		}
	}
}

// TestWinograd4Allocations: after some calls, in which each thread meets the largest of parts, nothing is allocated.
func TestWinograd4Allocations(t *testing.T) {
	for _, g := range []tensor.Conv{
		{N: 32, InC: 64, H: 16, W: 16, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 32, InC: 64, H: 32, W: 32, OutC: 64, KH: 3, KW: 3, Stride: 2, Pad: 1}, // strideds and long
	} {
		x, w, out := make([]float32, g.N*g.InC*g.H*g.W), make([]float32, g.OutC*g.Taps()), make([]float32, g.N*g.OutC*g.OutH()*g.OutW())
		c := &tensor.Call{Threads: 2}
		for _, e := range engines(t) {
			n := enginetest.Quiet(func() {
				e.ConvForward(c, g, x, w, nil, out)
				e.ConvBackwardData(c, g, out, w, x)
				e.ConvBackwardFilter(c, g, x, out, w)
			})
			if n != 0 {
				t.Errorf("%v %+v: %v allocations, want 0", e.isa, g, n)
			}
		}
	}
}

// TestNarrowNetworks: networks at a quarter of their width, all of ResNet-110 and the small
// CNN, which committed results train, do without F(4×4, 3×3), F(4×4, 2×2) and long sums, and full ones have them.
func TestNarrowNetworks(t *testing.T) {
	conv := func(in, out, side int) tensor.Conv {
		return tensor.Conv{N: 32, InC: in, H: side, W: side, OutC: out, KH: 3, KW: 3, Stride: 1, Pad: 1}
	}
	for stage := range 4 { // of ResNet-18 and VGG-19
		if c, side := 64<<stage, 32>>stage; !winograds4(conv(c, c, side)) || stage > 0 && !winograds4(conv(c/2, c, side)) {
			t.Errorf("%d channels of %d×%[2]d pixels are not computed by F(4×4, 3×3)", c, side)
		}
		for _, narrow := range []int{4, 8, 16} {
			if c, side := 64<<stage/narrow, 32>>stage; winograds4(conv(c, c, side)) || winograds4(conv(max(1, c/2), c, side)) {
				t.Errorf("width 1/%d: %d channels of %d×%[3]d pixels are computed by F(4×4, 3×3)", narrow, c, side)
			}
		}
	}
	strided := func(c, side, kernel, n int) tensor.Conv {
		return tensor.Conv{N: n, InC: c, H: side, W: side, OutC: 2 * c, KH: kernel, KW: kernel, Stride: 2, Pad: kernel / 2}
	}
	for stage := range 3 { // of ResNet-18; ResNet-110's are narrower than a quarter
		c, side := 64<<stage, 32>>stage
		if !long(strided(c, side, 3, 32)) || stage > 0 && !long(strided(c, side, 1, 32)) {
			t.Errorf("%d channels of %d×%[2]d pixels with a stride: filters' gradients are no long sums", c, side)
		}
		if !strideds(strided(c, side, 3, 32)) {
			t.Errorf("%d channels of %d×%[2]d pixels with a stride are not computed by F(4×4, 2×2)", c, side)
		}
		for _, narrow := range []int{4, 8, 16} {
			for _, n := range []int{1, 16, 32, 256} {
				if g := strided(c/narrow, side, 3, n); long(g) || strideds(g) || long(strided(c/narrow, side, 1, n)) {
					t.Errorf("width 1/%d: %d channels of %d×%[3]d pixels with a stride are computed by F(4×4, 2×2) or long sums", narrow, c/narrow, side)
				}
			}
		}
	}
	for _, g := range []tensor.Conv{conv(16, 16, 32), conv(32, 32, 16), conv(64, 64, 8), conv(32, 64, 16), conv(512, 512, 2)} {
		if winograds4(g) || long(g) && !deep(g) {
			t.Errorf("%+v is computed by F(4×4, 3×3) or long sums", g)
		}
	}
}

func nans(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// clean makes the gradients of images that are not there zeros, as the layout asks.
func clean(dy []float32, n int) {
	p := tensor.BatchInner.Pitch(n)
	for i := range dy {
		if i%p >= n {
			dy[i] = 0
		}
	}
}

// sampled compares some outputs of each pass with the exact sums.
func sampled(t *testing.T, g tensor.Conv, got [3][]float32, x, dy, w, bias []float32) {
	t.Helper()
	p, plane := tensor.BatchInner.Pitch(g.N), g.H*g.W
	var errs [3]deviation
	r := rand.New(rand.NewPCG(3, 4))
	each := func(pixel, k int, f func(at int)) {
		if h, v := pixel/g.W+k/3-1, pixel%g.W+k%3-1; h >= 0 && h < g.H && v >= 0 && v < g.W {
			f(h*g.W + v)
		}
	}
	for range 3000 {
		o, c, n, pixel, k := r.IntN(g.OutC), r.IntN(g.InC), r.IntN(g.N), r.IntN(plane), r.IntN(9)
		var y, dx, dw trueSum
		y.add(bias[o], 1)
		for tap := range 9 {
			each(pixel, tap, func(at int) {
				for i := range g.InC {
					y.add(w[(o*g.InC+i)*9+tap], x[(i*plane+at)*p+n])
				}
			})
			each(pixel, 8-tap, func(at int) {
				for i := range g.OutC {
					dx.add(w[(i*g.InC+c)*9+tap], dy[(i*plane+at)*p+n])
				}
			})
		}
		for q := range plane {
			each(q, k, func(at int) {
				for i := range g.N {
					dw.add(dy[(o*plane+q)*p+i], x[(c*plane+at)*p+i])
				}
			})
		}
		errs[0].add(t, "forward", got[0][(o*plane+pixel)*p+n], y)
		errs[1].add(t, "backward data", got[1][(c*plane+pixel)*p+n], dx)
		errs[2].add(t, "backward filter", got[2][(o*g.InC+c)*9+k], dw)
	}
	for i, what := range []string{"forward", "backward data", "backward filter"} {
		ratio := math.Sqrt(errs[i].ours / errs[i].chains)
		t.Logf("%s %+v: root mean square error %.2f times a chain's", what, g, ratio)
		if ratio > 2.5 {
			t.Errorf("%s %+v: root mean square error %.2f times a chain's, want at most 2½", what, g, ratio)
		}
	}
}

// deviation adds up squared errors of outputs, and of chains of fused multiply-adds.
type deviation struct{ ours, chains float64 }

func (d *deviation) add(t *testing.T, what string, got float32, want trueSum) {
	t.Helper()
	e, c := float64(got)-want.value, float64(want.chain)-want.value
	if bound := float64(want.terms+2) * 0x1p-24 * want.abs; !(math.Abs(e) <= bound) {
		t.Fatalf("%s: an output is %g, want %g ± %.2g", what, got, want.value, bound)
	}
	d.ours, d.chains = d.ours+e*e, d.chains+c*c
}
