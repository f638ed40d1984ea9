//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"fmt"
	"testing"

	"gradsync/shared/tensor"
)

// BenchmarkConv times a convolution's three passes, in operations (two per product).
func BenchmarkConv(b *testing.B) {
	e, err := New()
	if err != nil {
		b.Skipf("this benchmark needs oneDNN, which is optional: %v", err)
	}
	for _, g := range []tensor.Conv{
		{N: 16, InC: 1, H: 28, W: 28, OutC: 6, KH: 5, KW: 5, Stride: 1, Pad: 2},
		{N: 16, InC: 16, H: 16, W: 16, OutC: 16, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 32, InC: 64, H: 32, W: 32, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 32, InC: 512, H: 4, W: 4, OutC: 512, KH: 3, KW: 3, Stride: 1, Pad: 1},
	} {
		x, w, y := make([]float32, inputs(g)), make([]float32, weights(g)), make([]float32, outputs(g))
		for i := range x {
			x[i] = float32(i%7) - 3
		}
		for i := range w {
			w[i] = float32(i%5) - 2
		}
		for i := range y {
			y[i] = float32(i%3) - 1
		}
		for threads := 1; threads <= 2; threads++ {
			c := tensor.Call{Threads: threads}
			for _, pass := range []struct {
				name string
				run  func()
			}{
				{"forward", func() { e.ConvForward(&c, g, x, w, nil, y) }},
				{"data", func() { e.ConvBackwardData(&c, g, y, w, x) }},
				{"filter", func() { e.ConvBackwardFilter(&c, g, x, y, w) }},
			} {
				b.Run(fmt.Sprintf("%dx%dx%dx%d-%d/threads=%d/%s", g.N, g.InC, g.H, g.W, g.OutC, threads, pass.name), func(b *testing.B) {
					for b.Loop() {
						pass.run()
					}
					b.ReportMetric(2*float64(outputs(g)*g.Taps())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}
