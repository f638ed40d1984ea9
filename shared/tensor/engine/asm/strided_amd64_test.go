package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/race"
	"gradsync/shared/tensor"
)

// TestStrided: forward and backward-data with a stride agree with the exact sums within the bound of a sum computed
// the plain way, and their root mean square error is at most that of one chain of fused multiply-adds forward, twice
// that of its shorter ones backward; both instruction sets and all thread counts give the same bits.
func TestStrided(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, g := range []tensor.Conv{
		{N: 17, InC: 64, H: 32, W: 24, OutC: 96, KH: 3, KW: 3, Stride: 2, Pad: 1},   // chunks
		{N: 3, InC: 144, H: 16, W: 24, OutC: 176, KH: 3, KW: 3, Stride: 2, Pad: 1},  // filters where they are used
		{N: 33, InC: 272, H: 8, W: 8, OutC: 256, KH: 3, KW: 3, Stride: 2, Pad: 1},   // one tile
		{N: 20, InC: 208, H: 16, W: 24, OutC: 112, KH: 3, KW: 3, Stride: 2, Pad: 1}, // inputs in two parts
	} {
		if !strideds(g) {
			t.Fatalf("%+v is not computed by F(4×4, 2×2)", g)
		}
		r := rand.New(rand.NewPCG(1, 2))
		outs := g.OutC * g.OutH() * g.OutW()
		x, w, bias, dy := laid(r, g.N, g.InC*g.H*g.W), normal(r, g.OutC*g.Taps()), normal(r, g.OutC), laid(r, g.N, outs)
		var first [2][]float32
		for _, e := range engines(t) {
			for threads := 1; threads <= 3; threads++ {
				got := [2][]float32{make([]float32, len(dy)), make([]float32, len(x))}
				c := &tensor.Call{Threads: threads}
				both := func(x, dy []float32) {
					e.ConvForward(c, g, x, w, bias, got[0])
					e.ConvBackwardData(c, g, dy, w, got[1])
				}
				if threads == 1 {
					both(nans(len(x)), nans(len(dy))) // in all scratch memory; nothing of it may be read again
				}
				both(x, dy)
				if first[0] == nil {
					first = got
					if !race.Enabled { // which looks at the threads; sums exact to the last bit would take it a minute
						stridedSample(t, g, got, x, dy, w, bias)
					}
				}
				same(t, fmt.Sprint("forward ", e.isa, threads, g), got[0], first[0])
				same(t, fmt.Sprint("backward data ", e.isa, threads, g), got[1], first[1])
			}
		}
	}
}

// stridedSample compares some outputs of both passes with the exact sums.
func stridedSample(t *testing.T, g tensor.Conv, got [2][]float32, x, dy, w, bias []float32) {
	t.Helper()
	p, in, out := tensor.BatchInner.Pitch(g.N), g.H*g.W, g.OutH()*g.OutW()
	var errs [2]deviation
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		o, c, n, to, from := r.IntN(g.OutC), r.IntN(g.InC), r.IntN(g.N), r.IntN(out), r.IntN(in)
		var y, dx trueSum
		y.add(bias[o], 1)
		for k := range 9 {
			if h, v := to/g.OutW()*2+k/3-1, to%g.OutW()*2+k%3-1; h >= 0 && h < g.H && v >= 0 && v < g.W {
				for i := range g.InC {
					y.add(w[(o*g.InC+i)*9+k], x[(i*in+h*g.W+v)*p+n])
				}
			}
			h, v := from/g.W+1-k/3, from%g.W+1-k%3
			if h < 0 || v < 0 || h%2+v%2 > 0 || h/2 >= g.OutH() || v/2 >= g.OutW() {
				continue
			}
			for i := range g.OutC {
				dx.add(w[(i*g.InC+c)*9+k], dy[(i*out+h/2*g.OutW()+v/2)*p+n])
			}
		}
		errs[0].add(t, "forward", got[0][(o*out+to)*p+n], y)
		errs[1].add(t, "backward data", got[1][(c*in+from)*p+n], dx)
	}
	for i, what := range []string{"forward", "backward data"} {
		ratio := math.Sqrt(errs[i].ours / errs[i].chains)
		t.Logf("%s %+v: root mean square error %.2f times a chain's", what, g, ratio)
		if ratio > float64(i+1) {
			t.Errorf("%s %+v: root mean square error %.2f times a chain's, want at most %d", what, g, ratio, i+1)
		}
	}
}
