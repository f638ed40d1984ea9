package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/race"
	"gradsync/shared/tensor"
)

// TestWinograd: forward and backward-data agree with the exact sums within the bound of a sum computed the plain way,
// and their root mean square error is at most that of one chain of fused multiply-adds; both instruction sets and all
// thread counts give the same bits.
func TestWinograd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, g := range []tensor.Conv{
		{N: 16, InC: 48, H: 4, W: 4, OutC: 56, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 33, InC: 51, H: 6, W: 8, OutC: 50, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 5, InC: 200, H: 10, W: 4, OutC: 49, KH: 3, KW: 3, Stride: 1, Pad: 1},
	} {
		if !winograds(g) {
			t.Fatalf("%+v is not computed by Winograd's algorithm", g)
		}
		r := rand.New(rand.NewPCG(1, 2))
		x, w, bias, dy := laid(r, g.N, g.InC*g.H*g.W), normal(r, g.OutC*g.Taps()), normal(r, g.OutC), laid(r, g.N, g.OutC*g.H*g.W)
		var firstY, firstX []float32
		for _, e := range engines(t) {
			for threads := 1; threads <= 3; threads++ {
				y, dx := make([]float32, len(dy)), make([]float32, len(x))
				c := &tensor.Call{Threads: threads}
				e.ConvForward(c, g, x, w, bias, y)
				e.ConvBackwardData(c, g, dy, w, dx)
				if firstY == nil {
					firstY, firstX = y, dx
					if !race.Enabled { // which looks at the threads; sums exact to the last bit would take it a minute
						wantY, wantX := exact(g, x, dy, w, bias)
						within(t, fmt.Sprintf("forward %+v", g), y, wantY)
						within(t, fmt.Sprintf("backward data %+v", g), dx, wantX)
					}
				}
				same(t, fmt.Sprint("forward ", e.isa, threads, g), y, firstY)
				same(t, fmt.Sprint("backward data ", e.isa, threads, g), dx, firstX)
			}
		}
	}
}

// trueSum is an exact sum, the sum of the products' magnitudes, how many there
// are, and one chain of fused multiply-adds.
type trueSum struct {
	value, abs float64
	terms      int
	chain      float32
}

func (r *trueSum) add(x, y float32) {
	p := float64(x) * float64(y)
	r.value, r.abs, r.terms = r.value+p, r.abs+math.Abs(p), r.terms+1
	r.chain = fma32(x, y, r.chain)
}

func exact(g tensor.Conv, x, dy, w, bias []float32) (y, dx []trueSum) {
	p, plane := tensor.BatchInner.Pitch(g.N), g.H*g.W
	y, dx = make([]trueSum, len(dy)), make([]trueSum, len(x))
	for i := range y {
		y[i].add(bias[i/(plane*p)], 1)
	}
	for o := range g.OutC {
		for k := range g.Taps() {
			for pixel := range plane {
				c, h, v := k/9, pixel/g.W+k/3%3-1, pixel%g.W+k%3-1
				if h < 0 || h >= g.H || v < 0 || v >= g.W {
					continue
				}
				iy, ix := (o*plane+pixel)*p, ((c*g.H+h)*g.W+v)*p
				for lane := range p {
					y[iy+lane].add(w[o*g.Taps()+k], x[ix+lane])
					dx[ix+lane].add(w[o*g.Taps()+k], dy[iy+lane])
				}
			}
		}
	}
	return y, dx
}

func within(t *testing.T, what string, got []float32, want []trueSum) {
	t.Helper()
	var ours, chains float64
	for i, w := range want {
		d := float64(got[i]) - w.value
		if bound := float64(w.terms+2) * 0x1p-24 * w.abs; !(math.Abs(d) <= bound) {
			t.Fatalf("%s: output %d is %g, want %g ± %.2g", what, i, got[i], w.value, bound)
		}
		c := float64(w.chain) - w.value
		ours, chains = ours+d*d, chains+c*c
	}
	ratio := math.Sqrt(ours / chains)
	t.Logf("%s: root mean square error %.2f times a chain's", what, ratio)
	if ratio > 1 {
		t.Errorf("%s: root mean square error %.2f times a chain's, want at most 1", what, ratio)
	}
}
