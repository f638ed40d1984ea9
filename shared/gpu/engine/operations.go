package engine

import (
	"unsafe"

	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
)

// Gemm queues a product.
func (e *Engine) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	pa, pb, po := at(a, g.M*g.K), at(b, g.K*g.N), at(out, g.M*g.N)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.Gemm(g, pa, pb, po))
	}
}

// lengths returns how many values x, w and y have.
func lengths(g tensor.Conv) (x, w, y int) {
	return g.N * g.InC * g.H * g.W, g.OutC * g.Taps(), g.N * g.OutC * g.OutH() * g.OutW()
}

// ConvForward queues a convolution.
func (e *Engine) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	nx, nw, ny := lengths(g)
	px, pw, py := at(x, nx), at(w, nw), at(y, ny)
	var pb unsafe.Pointer
	if bias != nil {
		pb = at(bias, g.OutC)
	}
	if l := e.lane(c); l != nil {
		l.keep(l.queue.ConvForward(g, px, pw, pb, py))
	}
}

// ConvBackwardData queues its data gradient.
func (e *Engine) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	nx, nw, ny := lengths(g)
	pd, pw, px := at(dy, ny), at(w, nw), at(dx, nx)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.ConvBackwardData(g, pd, pw, px))
	}
}

// ConvBackwardFilter queues its filter gradient, in parts where that needs scratch memory.
func (e *Engine) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	nx, nw, ny := lengths(g)
	px, pd, pw := at(x, nx), at(dy, ny), at(dw, nw)
	if l := e.lane(c); l != nil && l.grow(&l.scratch, bytes(kernels.FilterScratch(g))) {
		l.keep(l.queue.ConvBackwardFilter(g, px, pd, pw, l.scratch.at))
	}
}

// LinearForward queues a linear layer.
func (e *Engine) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	px, pw, pb, py := at(x, g.N*g.In), at(w, g.In*g.Out), at(bias, g.Out), at(y, g.N*g.Out)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.LinearForward(g, px, pw, pb, py))
	}
}

// LinearBackwardData queues its data gradient.
func (e *Engine) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	pd, pw, px := at(dy, g.N*g.Out), at(w, g.In*g.Out), at(dx, g.N*g.In)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.LinearBackwardData(g, pd, pw, px))
	}
}

// LinearBackwardFilter queues its weight gradient.
func (e *Engine) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	px, pd, pw := at(x, g.N*g.In), at(dy, g.N*g.Out), at(dw, g.In*g.Out)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.LinearBackwardFilter(g, px, pd, pw))
	}
}

// BiasBackward queues a bias's gradient.
func (e *Engine) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	pd, pb := at(dy, n*ch*hw), at(db, ch)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.BiasBackward(n, ch, hw, pd, pb))
	}
}

// BatchNormForward queues a batch norm by the batch's statistics.
func (e *Engine) BatchNormForward(c *tensor.Call, g tensor.Norm, x, scale, shift, y, mean, variance []float32) {
	n := g.N * g.C * g.HW
	px, ps, pt, py, pm, pv := at(x, n), at(scale, g.C), at(shift, g.C), at(y, n), at(mean, g.C), at(variance, g.C)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.BatchNormForward(g, px, ps, pt, py, pm, pv))
	}
}

// BatchNormInference queues a batch norm by given statistics.
func (e *Engine) BatchNormInference(c *tensor.Call, g tensor.Norm, x, scale, shift, mean, variance, y []float32) {
	n := g.N * g.C * g.HW
	px, ps, pt, pm, pv, py := at(x, n), at(scale, g.C), at(shift, g.C), at(mean, g.C), at(variance, g.C), at(y, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.BatchNormInference(g, px, ps, pt, pm, pv, py))
	}
}

// BatchNormBackward queues a batch norm's gradients.
func (e *Engine) BatchNormBackward(c *tensor.Call, g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift []float32) {
	n := g.N * g.C * g.HW
	px, pd, ps, pm, pv := at(x, n), at(dy, n), at(scale, g.C), at(mean, g.C), at(variance, g.C)
	dpx, dps, dpt := at(dx, n), at(dscale, g.C), at(dshift, g.C)
	var py unsafe.Pointer
	if g.ReLU {
		py = at(y, n)
	}
	if l := e.lane(c); l != nil {
		l.keep(l.queue.BatchNormBackward(g, px, py, pd, ps, pm, pv, dpx, dps, dpt))
	}
}

// Add queues a sum.
func (e *Engine) Add(c *tensor.Call, a, b, y []float32, relu bool) {
	n := len(a)
	pa, pb, py := at(a, n), at(b, n), at(y, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.Add(n, pa, pb, py, relu))
	}
}

// ReLU queues a ReLU.
func (e *Engine) ReLU(c *tensor.Call, x, y []float32) {
	n := len(x)
	px, py := at(x, n), at(y, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.ReLU(n, px, py))
	}
}

// ReLUBackward queues a ReLU's gradient.
func (e *Engine) ReLUBackward(c *tensor.Call, y, dy, dx []float32) {
	n := len(y)
	py, pd, px := at(y, n), at(dy, n), at(dx, n)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.ReLUBackward(n, py, pd, px))
	}
}

// ends returns how many values a pool reads and writes.
func ends(g tensor.Pool) (in, out int) {
	return g.N * g.C * g.H * g.W, g.N * g.C * g.OutH() * g.OutW()
}

// MaxPoolForward queues a max-pool.
func (e *Engine) MaxPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32, arg []int32) {
	in, out := ends(g)
	px, py, pa := at(x, in), at(y, out), at(arg, out)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.MaxPoolForward(g, px, py, pa))
	}
}

// MaxPoolBackward queues its gradient.
func (e *Engine) MaxPoolBackward(c *tensor.Call, g tensor.Pool, dy []float32, arg []int32, dx []float32) {
	in, out := ends(g)
	pd, pa, px := at(dy, out), at(arg, out), at(dx, in)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.MaxPoolBackward(g, pd, pa, px))
	}
}

// AvgPoolForward queues an average pool.
func (e *Engine) AvgPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32) {
	in, out := ends(g)
	px, py := at(x, in), at(y, out)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.AvgPoolForward(g, px, py))
	}
}

// AvgPoolBackward queues its gradient.
func (e *Engine) AvgPoolBackward(c *tensor.Call, g tensor.Pool, dy, dx []float32) {
	in, out := ends(g)
	pd, px := at(dy, out), at(dx, in)
	if l := e.lane(c); l != nil {
		l.keep(l.queue.AvgPoolBackward(g, pd, px))
	}
}
