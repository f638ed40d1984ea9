package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// layers are convolutions of the networks at full width (batch 32) and at an eighth (batch 16).
var layers = []tensor.Conv{
	{N: 32, InC: 64, H: 32, W: 32, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 32, InC: 256, H: 8, W: 8, OutC: 256, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 32, InC: 512, H: 4, W: 4, OutC: 512, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 32, InC: 512, H: 2, W: 2, OutC: 512, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 32, InC: 64, H: 32, W: 32, OutC: 128, KH: 3, KW: 3, Stride: 2, Pad: 1},
	{N: 16, InC: 8, H: 16, W: 16, OutC: 8, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 16, InC: 16, H: 8, W: 8, OutC: 16, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 16, InC: 32, H: 4, W: 4, OutC: 32, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 16, InC: 64, H: 2, W: 2, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1},
	{N: 16, InC: 1, H: 28, W: 28, OutC: 6, KH: 5, KW: 5, Stride: 1, Pad: 2},
	{N: 16, InC: 6, H: 14, W: 14, OutC: 16, KH: 5, KW: 5, Stride: 1},
}

// BenchmarkConv reports GFLOP/s of a layer's three passes, multiplications with
// the border's zeros counted as is customary.
func BenchmarkConv(b *testing.B) {
	for _, e := range engines(b) {
		for _, g := range layers {
			r := rand.New(rand.NewPCG(1, 2))
			x, dy := laid(r, g.N, g.InC*g.H*g.W), laid(r, g.N, g.OutC*g.OutH()*g.OutW())
			w, out := normal(r, g.OutC*g.Taps()), make([]float32, g.OutC*g.Taps())
			y, dx := make([]float32, len(dy)), make([]float32, len(x))
			c := &tensor.Call{Threads: 1}
			flop := 2 * float64(g.N) * float64(g.OutC*g.Taps()*g.OutH()*g.OutW())
			for pass, f := range map[string]func(){
				"forward": func() { e.ConvForward(c, g, x, w, nil, y) },
				"data":    func() { e.ConvBackwardData(c, g, dy, w, dx) },
				"filter":  func() { e.ConvBackwardFilter(c, g, x, dy, out) },
			} {
				b.Run(fmt.Sprintf("%d/%d-%d_%dx%d_n%d/%s", e.isa, g.InC, g.OutC, g.H, g.W, g.N, pass), func(b *testing.B) {
					f()
					for b.Loop() {
						f()
					}
					b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, e := range engines(b) {
		for _, g := range []tensor.Gemm{{M: 512, N: 512, K: 512}, {M: 64, N: 64, K: 64}} {
			r := rand.New(rand.NewPCG(1, 2))
			x, y, out := normal(r, g.M*g.K), normal(r, g.K*g.N), make([]float32, g.M*g.N)
			c := &tensor.Call{Threads: 1}
			b.Run(fmt.Sprintf("%d/%d", e.isa, g.M), func(b *testing.B) {
				for b.Loop() {
					e.Gemm(c, g, x, y, out)
				}
				b.ReportMetric(2*float64(g.M*g.N*g.K)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
