//go:build linux && (amd64 || arm64) && !nodl

package onednn

import "gradsync/shared/tensor"

// productTask is a matrix product on one thread.
type productTask struct {
	g               tensor.Gemm
	a, b, bias, out []float32
}

func (e *engine) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	s := e.lib.stateOf(c)
	s.product = productTask{g: g, a: a, b: b, out: out}
	s.run(c, &s.product, 1)
}

func (e *engine) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	s := e.lib.stateOf(c)
	s.product = productTask{g: tensor.Gemm{TransB: true, M: g.N, N: g.Out, K: g.In}, a: x, b: w, bias: bias, out: y}
	s.run(c, &s.product, 1)
	if !g.ReLU {
		return
	}
	for i, v := range y[:g.N*g.Out] {
		y[i] = max(v, 0)
	}
}

func (e *engine) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	e.Gemm(c, tensor.Gemm{M: g.N, N: g.In, K: g.Out}, dy, w, dx)
}

func (e *engine) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	e.Gemm(c, tensor.Gemm{TransA: true, M: g.Out, N: g.In, K: g.N}, dy, x, dw)
}

func (t *productTask) part(w *worker, _, _ int) {
	g := t.g
	key := shape{product, t.bias != nil, [9]int{g.M, g.N, g.K, flag(g.TransA), flag(g.TransB)}}
	k := w.kernels[key]
	if k == nil {
		k = w.buildProduct(g, t.bias != nil)
		w.kernels[key] = k
	}
	w.point(&k.first.user, head(t.a, g.M*g.K))
	w.point(&k.second.user, head(t.b, g.K*g.N))
	if t.bias != nil {
		w.point(&k.bias, head(t.bias, g.N))
	}
	w.store(k, head(t.out, g.M*g.N))
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// buildProduct makes the kernel of a product. It reads and writes the caller's
// arrays: a transposed matrix is one with its strides exchanged.
func (w *worker) buildProduct(g tensor.Gemm, bias bool) *kernel {
	b, k := &w.build, &kernel{}
	x := w.matrix(&b.first, g.M, g.K, g.TransA)
	y := w.matrix(&b.second, g.K, g.N, g.TransB)
	z := w.matrix(&b.third, g.M, g.N, false)
	var db uintptr
	if bias {
		db = w.matrix(&b.bias, 1, g.N, false)
	}
	w.lib.must(matmulInit, address(&b.operation), x, y, db, z)
	desc := w.descriptorOf(0)
	k.main = w.primitive(desc)
	k.first.user, k.second.user, k.third.user = w.memory(x), w.memory(y), w.memory(z)
	k.main.bind(argInput, k.first.user)
	k.main.bind(argWeights, k.second.user)
	k.main.bind(argOutput, k.third.user)
	if bias {
		k.bias = w.memory(db)
		k.main.bind(argBias, k.bias)
	}
	w.lib.must(primitiveDescDestroy, desc)
	return k
}

// matrix describes rows×cols numbers, stored by columns if transposed.
func (w *worker) matrix(d *descriptor, rows, cols int, transposed bool) uintptr {
	b := &w.build
	strides := b.set(&b.strides, cols, 1)
	if transposed {
		strides = b.set(&b.strides, 1, rows)
	}
	w.lib.must(descByStrides, address(d), 2, b.set(&b.dims, rows, cols), float32Type, strides)
	return address(d)
}
