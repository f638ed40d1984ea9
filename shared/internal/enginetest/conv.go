package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// shapes returns the convolutions that have gone wrong for somebody, then random ones.
func shapes(r *rand.Rand) []tensor.Conv {
	list := []tensor.Conv{
		{N: 1, InC: 1, H: 1, W: 1, OutC: 1, KH: 1, KW: 1, Stride: 1},
		{N: 1, InC: 3, H: 7, W: 5, OutC: 4, KH: 1, KW: 1, Stride: 1},           // 1×1
		{N: 2, InC: 2, H: 9, W: 9, OutC: 3, KH: 1, KW: 1, Stride: 2},           // 1×1, stride 2: some inputs unread
		{N: 2, InC: 1, H: 28, W: 28, OutC: 6, KH: 5, KW: 5, Stride: 1, Pad: 2}, // LeNet-5's first
		{N: 1, InC: 6, H: 14, W: 14, OutC: 16, KH: 5, KW: 5, Stride: 1},        // and second
		{N: 3, InC: 2, H: 8, W: 8, OutC: 5, KH: 3, KW: 3, Stride: 2, Pad: 1},   // last row of the border unread
		{N: 1, InC: 40, H: 20, W: 20, OutC: 3, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 16, InC: 8, H: 16, W: 16, OutC: 8, KH: 3, KW: 3, Stride: 1, Pad: 1}, // ResNet-18's, narrow
		{N: 17, InC: 9, H: 8, W: 8, OutC: 17, KH: 3, KW: 3, Stride: 2, Pad: 1},
		{N: 20, InC: 16, H: 8, W: 8, OutC: 33, KH: 1, KW: 1, Stride: 2}, // its shortcut
		{N: 33, InC: 3, H: 16, W: 16, OutC: 8, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 4, InC: 70, H: 2, W: 2, OutC: 65, KH: 3, KW: 3, Stride: 1, Pad: 1}, // its last, more border than image
		{N: 16, InC: 33, H: 1, W: 1, OutC: 20, KH: 3, KW: 3, Stride: 1, Pad: 1},
		{N: 17, InC: 48, H: 6, W: 4, OutC: 49, KH: 3, KW: 3, Stride: 1, Pad: 1}, // where a fast algorithm may be chosen
		{N: 2, InC: 20, H: 2, W: 2, OutC: 18, KH: 3, KW: 3, Stride: 1, Pad: 1},  // many channels, few pixels
	}
	for i := range 42 {
		g := tensor.Conv{
			N: sizes[i%len(sizes)], InC: 1 + r.IntN(4), OutC: 1 + r.IntN(5),
			KH: 1 + r.IntN(4), KW: 1 + r.IntN(4), Stride: 1 + r.IntN(3), Pad: r.IntN(3),
		}
		g.H, g.W = g.KH+r.IntN(9), g.KW+r.IntN(9)
		list = append(list, g)
	}
	return list
}

// connections calls f for every product of a convolution: output, input and
// weight index.
func connections(g tensor.Conv, f func(y, x, w int)) {
	oh, ow := g.OutH(), g.OutW()
	for n := range g.N {
		for o := range g.OutC {
			for p := range oh * ow {
				for k := range g.Taps() {
					i, kh, kw := k/(g.KH*g.KW), k/g.KW%g.KH, k%g.KW
					h, v := p/ow*g.Stride+kh-g.Pad, p%ow*g.Stride+kw-g.Pad
					if h >= 0 && h < g.H && v >= 0 && v < g.W {
						f((n*g.OutC+o)*oh*ow+p, ((n*g.InC+i)*g.H+h)*g.W+v, o*g.Taps()+k)
					}
				}
			}
		}
	}
}

func (often repeats) convs(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(2, 2))
	var c tensor.Call
	for i, g := range shapes(r) {
		plane := g.OutH() * g.OutW()
		in, out := g.InC*g.H*g.W, g.OutC*plane
		x, w, bias, dy := random(r, g.N*in), random(r, g.OutC*g.Taps()), random(r, g.OutC), random(r, g.N*out)
		wantY, wantX, wantW := make([]sum, len(dy)), make([]sum, len(x)), make([]sum, len(w))
		connections(g, func(iy, ix, iw int) {
			wantY[iy].add(x[ix], w[iw])
			wantX[ix].add(dy[iy], w[iw])
			wantW[iw].add(dy[iy], x[ix])
		})
		if i%3 == 2 {
			bias = nil
		} else {
			for i := range wantY {
				wantY[i].add(bias[i/plane%g.OutC], 1)
			}
		}
		what := fmt.Sprintf("%+v, bias %t", g, bias != nil)
		y, dx, dw := output(e, g.N, out), output(e, g.N, in), plain(len(w))
		lx, ldy := activation(e, x, g.N), gradient(e, dy, g.N)
		if i%often.clean == 0 {
			dirty(e, &c)
		}
		e.ConvForward(&c, g, lx, w, bias, y)
		compare(t, "forward "+what, images(t, "forward "+what, e, y, g.N, out), wantY)
		e.ConvBackwardData(&c, g, ldy, w, dx)
		compare(t, "backward data "+what, gradients(t, "backward data "+what, e, dx, g.N, in), wantX)
		e.ConvBackwardFilter(&c, g, lx, ldy, dw)
		compare(t, "backward filter "+what, dw, wantW)
		untouched(t, "backward filter "+what, dw, len(w))
	}
}

// dirty leaves NaN all over the scratch memory: a convolution larger than most
// in shapes, with odd sizes so that every kind of padding is used.
func dirty(e tensor.Engine, c *tensor.Call) {
	g := tensor.Conv{N: 1, InC: 5, H: 19, W: 19, OutC: 7, KH: 5, KW: 5, Stride: 1, Pad: 1}
	in, out := output(e, 1, g.InC*g.H*g.W), output(e, 1, g.OutC*g.OutH()*g.OutW())
	w := plain(g.OutC * g.Taps())
	e.ConvForward(c, g, in, w, w, make([]float32, len(out)))
	e.ConvBackwardData(c, g, out, w, make([]float32, len(in)))
	e.ConvBackwardFilter(c, g, in, out, make([]float32, len(w)))
}

func biases(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(3, 3))
	var c tensor.Call
	for i := range 35 {
		n, ch, hw := sizes[i%len(sizes)], 1+r.IntN(6), 1+r.IntN(30)
		dy, db := random(r, n*ch*hw), plain(ch)
		sums := make([]sum, ch)
		for i, v := range dy {
			sums[i/hw%ch].add(v, 1)
		}
		e.BiasBackward(&c, n, ch, hw, gradient(e, dy, n), db)
		what := fmt.Sprintf("bias backward %d×%d×%d", n, ch, hw)
		compare(t, what, db, sums)
		untouched(t, what, db, ch)
	}
}
