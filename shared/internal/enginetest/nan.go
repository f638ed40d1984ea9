package enginetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

var nan = float32(math.NaN())

// nanCount fails unless exactly want values of v are NaN.
func nanCount(t *testing.T, what string, v []float32, want int) {
	t.Helper()
	n := 0
	for _, x := range v {
		if x != x {
			n++
		}
	}
	if n != want {
		t.Errorf("%s: %d outputs are NaN, want %d", what, n, want)
	}
}

// nans: a single NaN in an input reaches every output that depends on it, and
// no other.
func nans(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(8, 8))
	var c tensor.Call
	a, b, out := random(r, 5*7), random(r, 7*6), make([]float32, 5*6)
	a[3] = nan
	clear(b) // 0·NaN is NaN: an engine must not skip zeros
	e.Gemm(&c, tensor.Gemm{M: 5, N: 6, K: 7}, a, b, out)
	nanCount(t, "product, NaN in one row", out, 6)
	nanConv(t, e, &c, r)
	nanElements(t, e, &c)
	nanPools(t, e, &c)
	nanNorms(t, e, &c, r)
}

// nanConv: two images, a NaN in a corner of the second; and in linear layers.
func nanConv(t *testing.T, e tensor.Engine, c *tensor.Call, r *rand.Rand) {
	g := tensor.Conv{N: 2, InC: 1, H: 6, W: 6, OutC: 3, KH: 3, KW: 3, Stride: 1}
	x, dy := random(r, 2*36), random(r, 2*48)
	x[36], dy[48] = nan, nan
	y, dx, dw := output(e, 2, 48), output(e, 2, 36), make([]float32, 27)
	zero := make([]float32, 27)
	e.ConvForward(c, g, gradient(e, x, 2), zero, zero[:3], y)
	nanCount(t, "convolution, NaN in a corner", images(t, "", e, y, 2, 48), 3)
	e.ConvBackwardData(c, g, gradient(e, dy, 2), zero, dx)
	nanCount(t, "convolution's data gradient", images(t, "", e, dx, 2, 36), 9)
	e.ConvBackwardFilter(c, g, gradient(e, make([]float32, 72), 2), gradient(e, dy, 2), dw)
	nanCount(t, "convolution's filter gradient", dw, 9)
	e.BiasBackward(c, 2, 3, 16, gradient(e, dy, 2), dw[:3])
	nanCount(t, "bias gradient", dw[:3], 1)
	for _, relu := range []bool{false, true} {
		l := tensor.Linear{N: 2, In: 36, Out: 5, ReLU: relu}
		z := output(e, 2, 5)
		e.LinearForward(c, l, gradient(e, x, 2), make([]float32, 180), zero[:5], z)
		nanCount(t, "linear", images(t, "", e, z, 2, 5), 5)
	}
}

func nanElements(t *testing.T, e tensor.Engine, c *tensor.Call) {
	v := gradient(e, []float32{-1, nan, 1}, 1)
	e.ReLU(c, v, v)
	nanCount(t, "ReLU", v, 1)
	out := output(e, 1, 3)
	e.ReLUBackward(c, v, gradient(e, []float32{1, 2, 3}, 1), out)
	nanCount(t, "ReLU backward, NaN in y", images(t, "", e, out, 1, 3), 1)
	e.ReLUBackward(c, gradient(e, []float32{1, 1, 0}, 1), gradient(e, []float32{1, nan, nan}, 1), out)
	nanCount(t, "ReLU backward, NaN in dy", images(t, "", e, out, 1, 3), 1)
	for _, relu := range []bool{false, true} {
		e.Add(c, v, gradient(e, []float32{nan, 1, 1}, 1), out, relu)
		nanCount(t, "add", images(t, "", e, out, 1, 3), 2)
	}
	d := output(e, 2, 3)
	if loss := e.SoftmaxCrossEntropy(c, 2, 3, gradient(e, []float32{1, 2, 3, 1, nan, 3}, 2), []uint8{0, 1}, d); loss == loss {
		t.Errorf("loss of a NaN logit is %g", loss)
	}
	nanCount(t, "softmax gradient", images(t, "", e, d, 2, 3), 3)
}

func nanPools(t *testing.T, e tensor.Engine, c *tensor.Call) {
	g := tensor.Pool{N: 2, C: 1, H: 2, W: 2, Size: 2, Stride: 2}
	for at := range 4 { // at any place of the window
		x, y, arg := []float32{1, 2, 3, 4, 1, 2, 3, 4}, output(e, 2, 1), make([]int32, e.Layout().Len(2, 1))
		x[at] = nan
		lx := gradient(e, x, 2)
		e.MaxPoolForward(c, g, lx, y, arg)
		nanCount(t, "max-pool", images(t, "", e, y, 2, 1), 1)
		if chosen := indices(e, arg, 2, 1); chosen[0] != at || chosen[1] != 3 {
			t.Errorf("max-pool chose %d, the NaN is at %d, the maximum of the other image at 3", chosen, at)
		}
		e.AvgPoolForward(c, g, lx, y)
		nanCount(t, "average pool", images(t, "", e, y, 2, 1), 1)
		dy, dx := gradient(e, []float32{nan, 1}, 2), output(e, 2, 4)
		e.MaxPoolBackward(c, g, dy, arg, dx)
		nanCount(t, "max-pool backward", images(t, "", e, dx, 2, 4), 1)
		e.AvgPoolBackward(c, g, dy, dx)
		nanCount(t, "average pool backward", images(t, "", e, dx, 2, 4), 4)
	}
}

// nanNorms: a channel of batch statistics is lost as a whole, the other is not.
func nanNorms(t *testing.T, e tensor.Engine, c *tensor.Call, r *rand.Rand) {
	for _, relu := range []bool{false, true} {
		g := tensor.Norm{N: 3, C: 2, HW: 4, Eps: 1e-5, ReLU: relu}
		x, dy, scale := random(r, 24), random(r, 24), []float32{1, 1}
		x[8+5], dy[8+1] = nan, nan // image 1: channel 1, channel 0
		lx, y := gradient(e, x, 3), output(e, 3, 8)
		mean, variance := make([]float32, 2), make([]float32, 2)
		e.BatchNormInference(c, g, lx, scale, scale, []float32{0, 0}, scale, y)
		nanCount(t, "batch norm, inference", images(t, "", e, y, 3, 8), 1)
		e.BatchNormForward(c, g, lx, scale, []float32{9, 9}, y, mean, variance)
		whole := make([]float32, 24) // the padding too is normalised by a NaN
		e.Layout().Export(whole, y, 3, 8)
		nanCount(t, "batch norm", whole, 12)
		nanCount(t, "batch norm's mean", mean, 1)
		nanCount(t, "batch norm's variance", variance, 1)
		// Shift 9 keeps channel 0 positive, so its NaN gradient passes the ReLU.
		dx, dscale, dshift := output(e, 3, 8), make([]float32, 2), make([]float32, 2)
		e.BatchNormBackward(c, g, lx, y[:len(lx)], gradient(e, dy, 3), scale, mean, variance, dx, dscale, dshift)
		nanCount(t, "batch norm's input gradient", images(t, "", e, dx, 3, 8), 24)
		nanCount(t, "batch norm's scale gradient", dscale, 2)
		nanShift(t, e, c, g, random(r, 24), random(r, 24))
	}
}

// nanShift: a shift that is NaN shows in the gradient too: y is NaN there, and the
// ReLU's gradient with it.
func nanShift(t *testing.T, e tensor.Engine, c *tensor.Call, g tensor.Norm, x, dy []float32) {
	if !g.ReLU {
		return // without a ReLU the gradient does not depend on the shift
	}
	lx, y, one := gradient(e, x, 3), output(e, 3, 8), []float32{1, 1}
	mean, variance := make([]float32, 2), make([]float32, 2)
	e.BatchNormForward(c, g, lx, one, []float32{nan, 0}, y, mean, variance)
	dx, dscale, dshift := output(e, 3, 8), make([]float32, 2), make([]float32, 2)
	e.BatchNormBackward(c, g, lx, y[:len(lx)], gradient(e, dy, 3), one, mean, variance, dx, dscale, dshift)
	nanCount(t, "input gradient of a NaN shift", images(t, "", e, dx, 3, 8), 12)
	nanCount(t, "shift gradient of a NaN shift", dshift, 1)
}
