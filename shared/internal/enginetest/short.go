package enginetest

import (
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// shorts: every product panics when any of its buffers is one value too short.
func shorts(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(11, 11))
	g := tensor.Conv{N: 3, InC: 4, H: 6, W: 6, OutC: 5, KH: 3, KW: 3, Stride: 1, Pad: 1}
	fast := tensor.Conv{N: 3, InC: 48, H: 4, W: 4, OutC: 48, KH: 3, KW: 3, Stride: 1, Pad: 1}
	l := tensor.Linear{N: 3, In: 20, Out: 7}
	m := tensor.Gemm{M: 5, N: 16, K: 6}
	length := e.Layout().Len
	type call struct {
		name    string
		lengths []int
		run     func(c *tensor.Call, b [][]float32)
	}
	var calls []call
	for _, g := range []tensor.Conv{g, fast} {
		x, w, y := length(g.N, g.InC*g.H*g.W), g.OutC*g.Taps(), length(g.N, g.OutC*g.OutH()*g.OutW())
		calls = append(calls,
			call{"convolution", []int{x, w, g.OutC, y}, func(c *tensor.Call, b [][]float32) { e.ConvForward(c, g, b[0], b[1], b[2], b[3]) }},
			call{"its data gradient", []int{y, w, x}, func(c *tensor.Call, b [][]float32) { e.ConvBackwardData(c, g, b[0], b[1], b[2]) }},
			call{"its filter gradient", []int{x, y, w}, func(c *tensor.Call, b [][]float32) { e.ConvBackwardFilter(c, g, b[0], b[1], b[2]) }})
	}
	x, w, y := length(l.N, l.In), l.In*l.Out, length(l.N, l.Out)
	calls = append(calls,
		call{"linear", []int{x, w, l.Out, y}, func(c *tensor.Call, b [][]float32) { e.LinearForward(c, l, b[0], b[1], b[2], b[3]) }},
		call{"its data gradient", []int{y, w, x}, func(c *tensor.Call, b [][]float32) { e.LinearBackwardData(c, l, b[0], b[1], b[2]) }},
		call{"its weight gradient", []int{x, y, w}, func(c *tensor.Call, b [][]float32) { e.LinearBackwardFilter(c, l, b[0], b[1], b[2]) }},
		call{"product", []int{30, 96, 80}, func(c *tensor.Call, b [][]float32) { e.Gemm(c, m, b[0], b[1], b[2]) }})
	for _, call := range calls {
		for short := range call.lengths {
			var buffers [][]float32
			for i, n := range call.lengths {
				if i == short {
					n--
				}
				buffers = append(buffers, random(r, n)[:n:n])
			}
			if !panics(func() { call.run(&tensor.Call{}, buffers) }) {
				t.Errorf("%s: buffer %d of %d is one value short, and nobody noticed", call.name, short, len(call.lengths))
			}
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
