package engine

import (
	"math"
	"unsafe"

	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

// norm returns a Call's lane and cuDNN's batch norm; nil after an error.
func (e *Libraries) norm(c *tensor.Call, g tensor.Norm) (*lane, *lib.Norm) {
	l := e.with(c)
	if l == nil || !l.grow(&l.handles.inverse, 2*bytes(g.C)) {
		return nil, nil
	}
	k, err := l.handles.layers.Norm(g)
	if !l.check(err) {
		return nil, nil
	}
	return l, k
}

// takes says whether cuDNN does a batch norm: it wants two values per channel, for its
// variance is the unbiased one.
func (e *Libraries) takes(g tensor.Norm) bool {
	return e.set.DNN != nil && lib.HasNorms && g.N*g.HW > 1 && g.N*g.C*g.HW <= math.MaxInt32
}

// BatchNormForward is cuDNN's, with our ReLU. cuDNN gives the unbiased variance, the
// contract wants the biased one.
func (e *Libraries) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	if !e.takes(g) {
		e.Engine.BatchNormForward(c, g, x, scale, shift, y, mean, variance)
		return
	}
	n := g.N * g.C * g.HW
	px, ps, pt, py, pm, pv := at(x, n), at(scale, g.C), at(shift, g.C), at(y, n), at(mean, g.C), at(variance, g.C)
	l, k := e.norm(c, g)
	if l == nil {
		return
	}
	inverse := l.handles.inverse.at
	spare := unsafe.Add(inverse, bytes(g.C))
	count := float64(g.N * g.HW)
	// What cuDNN multiplies by 0 must be a number.
	if l.keep(l.driver.Fill(l.compute, pv, 0, g.C)) && l.keep(l.driver.Fill(l.compute, spare, 0, g.C)) &&
		l.check(k.Forward(g.Eps, px, ps, pt, py, pm, inverse, pv, spare)) &&
		l.keep(l.queue.BatchNormBlend(g.C, pv, pv, 1, (count-1)/count)) && g.ReLU {
		l.keep(l.queue.ReLU(n, py, py))
	}
}

// BatchNormBackward is cuDNN's, of what our ReLU lets through.
func (e *Libraries) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	if !e.takes(g) {
		e.Engine.BatchNormBackward(c, g, x, y, dy, scale, mean, variance, dx, dscale, dshift)
		return
	}
	n := g.N * g.C * g.HW
	px, pd, ps, pm, pv := at(x, n), at(dy, n), at(scale, g.C), at(mean, g.C), at(variance, g.C)
	dpx, dps, dpt := at(dx, n), at(dscale, g.C), at(dshift, g.C)
	var py unsafe.Pointer
	if g.ReLU {
		py = at(y, n)
	}
	l, k := e.norm(c, g)
	if l == nil || !l.invert(g, pv) {
		return
	}
	h := &l.handles
	if g.ReLU || pd == dpx { // cuDNN does not say that these may be the same
		if !l.grow(&h.masked, bytes(n)) {
			return
		}
		to := h.masked.at
		if g.ReLU {
			l.keep(l.queue.ReLUBackward(n, py, pd, to))
		} else {
			l.keep(l.driver.Copy(l.compute, to, pd, bytes(n)))
		}
		pd = to
	}
	if l.err == nil {
		l.check(k.Backward(g.Eps, px, pd, ps, pm, h.inverse.at, dpx, dps, dpt))
	}
}

// invert writes 1/√(variance + eps) of each channel, as a batch norm of ones by mean 0.
func (l *lane) invert(g tensor.Norm, variance unsafe.Pointer) bool {
	h := &l.handles
	if h.ones < g.C {
		h.ones = 0
		if !l.grow(&h.units, 2*bytes(g.C)) {
			return false
		}
		const one = 0x3f800000 // as a float32
		if !l.keep(l.driver.Fill(l.compute, h.units.at, one, g.C)) || !l.keep(l.driver.Fill(l.compute, unsafe.Add(h.units.at, bytes(g.C)), 0, g.C)) {
			return false
		}
		h.ones = g.C
	}
	ones := h.units.at
	zeros := unsafe.Add(ones, bytes(h.ones))
	return l.keep(l.queue.BatchNormInference(tensor.Norm{N: 1, C: g.C, HW: 1, Eps: g.Eps}, ones, ones, zeros, zeros, variance, h.inverse.at))
}
