package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

func gemms(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(1, 1))
	var c tensor.Call // shared, so that scratch is dirty
	for i := range 70 {
		g := tensor.Gemm{TransA: r.IntN(2) == 1, TransB: r.IntN(2) == 1, M: 1 + r.IntN(20), N: 1 + r.IntN(20), K: 1 + r.IntN(40)}
		if i >= 60 { // beyond one block of most kernels
			g.M, g.N, g.K = 30+r.IntN(60), 30+r.IntN(60), 200+r.IntN(200)
		}
		a, b, out := random(r, g.M*g.K), random(r, g.K*g.N), plain(g.M*g.N)
		want := make([]sum, g.M*g.N)
		for i := range g.M {
			for j := range g.N {
				for l := range g.K {
					x, y := a[i*g.K+l], b[l*g.N+j]
					if g.TransA {
						x = a[l*g.M+i]
					}
					if g.TransB {
						y = b[j*g.K+l]
					}
					want[i*g.N+j].add(x, y)
				}
			}
		}
		what := fmt.Sprintf("%+v", g)
		e.Gemm(&c, g, a, b, out)
		compare(t, what, out, want)
		untouched(t, what, out, len(want))
	}
}

func (often repeats) linears(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(11, 11))
	var c tensor.Call
	for i := range 40 {
		g := tensor.Linear{N: sizes[i%len(sizes)], In: 1 + r.IntN(40), Out: 1 + r.IntN(20), ReLU: i%2 == 1}
		if i == 0 {
			g.In, g.Out = 300, 70
		}
		x, w, bias, dy := random(r, g.N*g.In), random(r, g.In*g.Out), random(r, g.Out), random(r, g.N*g.Out)
		wantY, wantX, wantW := make([]sum, len(dy)), make([]sum, len(x)), make([]sum, len(w))
		for n := range g.N {
			for o := range g.Out {
				for i := range g.In {
					wantY[n*g.Out+o].add(x[n*g.In+i], w[o*g.In+i])
					wantX[n*g.In+i].add(dy[n*g.Out+o], w[o*g.In+i])
					wantW[o*g.In+i].add(dy[n*g.Out+o], x[n*g.In+i])
				}
				wantY[n*g.Out+o].add(bias[o], 1)
				if g.ReLU {
					wantY[n*g.Out+o].relu()
				}
			}
		}
		y, dx, dw := output(e, g.N, g.Out), output(e, g.N, g.In), plain(len(w))
		lx, ldy := activation(e, x, g.N), gradient(e, dy, g.N)
		what := fmt.Sprintf("%+v", g)
		if i%often.clean == 0 {
			dirty(e, &c)
		}
		e.LinearForward(&c, g, lx, w, bias, y)
		compare(t, "forward "+what, images(t, what, e, y, g.N, g.Out), wantY)
		e.LinearBackwardData(&c, g, ldy, w, dx)
		compare(t, "backward data "+what, gradients(t, what, e, dx, g.N, g.In), wantX)
		e.LinearBackwardFilter(&c, g, lx, ldy, dw)
		compare(t, "backward filter "+what, dw, wantW)
		untouched(t, "backward filter "+what, dw, len(w))
	}
}
