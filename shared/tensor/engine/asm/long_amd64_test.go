package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// TestLongFilterIsOneChain: where outputs lie in lanes, sampled weights' gradients equal, bit for bit, one chain of
// exact fused multiply-adds over pixels and images, and all are the same with either instruction set and any threads.
func TestLongFilterIsOneChain(t *testing.T) {
	for _, g := range []tensor.Conv{
		{N: 17, InC: 64, H: 32, W: 30, OutC: 80, KH: 3, KW: 3, Stride: 2, Pad: 1}, // runs of seven pixels and of one
		{N: 33, InC: 128, H: 16, W: 16, OutC: 144, KH: 1, KW: 1, Stride: 2},
		{N: 5, InC: 72, H: 20, W: 13, OutC: 64, KH: 5, KW: 3, Stride: 1, Pad: 2}, // taps that meet nothing in a run
	} {
		if !long(g) {
			t.Fatalf("%+v: outputs are not in lanes", g)
		}
		r := rand.New(rand.NewPCG(5, 6))
		p, outs := tensor.BatchInner.Pitch(g.N), g.OutH()*g.OutW()
		x, dy := laid(r, g.N, g.InC*g.H*g.W), laid(r, g.N, g.OutC*outs)
		var first []float32
		for _, e := range engines(t) {
			for threads := 1; threads <= 3; threads++ {
				c, got := &tensor.Call{Threads: threads}, make([]float32, g.OutC*g.Taps())
				if threads == 1 {
					e.ConvBackwardFilter(c, g, nans(len(x)), nans(len(dy)), got) // in all scratch memory; nothing of it may be read again
				}
				e.ConvBackwardFilter(c, g, x, dy, got)
				if first == nil {
					first = got
				}
				same(t, fmt.Sprint("backward filter ", e.isa, threads, g), got, first)
			}
		}
		for range 1000 {
			i := r.IntN(len(first))
			o, c, kh, kw := i/g.Taps(), i/(g.KH*g.KW)%g.InC, i/g.KW%g.KH, i%g.KW
			var want float32
			for pixel := range outs {
				h, v := pixel/g.OutW()*g.Stride-g.Pad+kh, pixel%g.OutW()*g.Stride-g.Pad+kw
				if h < 0 || h >= g.H || v < 0 || v >= g.W {
					continue
				}
				for n := range g.N {
					want = fma32(dy[(o*outs+pixel)*p+n], x[((c*g.H+h)*g.W+v)*p+n], want)
				}
			}
			same(t, fmt.Sprintf("weight %d of %+v", i, g), first[i:i+1], []float32{want})
		}
	}
}
