//go:build linux && (amd64 || arm64) && !nodl

package onednn

import "gradsync/shared/tensor"

// convTask is one pass of a convolution. Its parts are equal pieces of the
// batch, so that one kernel per thread serves them all.
type convTask struct {
	pass   pass
	g      tensor.Conv // of one part
	bias   []float32
	first  []float32 // x, or dy when dx is asked
	second []float32 // weights, packed by the caller; or dy when dw is asked
	third  []float32 // the output
	packed uintptr   // the weights as the primitive reads them
}

// piece returns g with the images of one of n parts.
func piece(g tensor.Conv, n int) tensor.Conv {
	g.N /= n
	return g
}

func inputs(g tensor.Conv) int  { return g.N * g.InC * g.H * g.W }
func outputs(g tensor.Conv) int { return g.N * g.OutC * g.OutH() * g.OutW() }
func weights(g tensor.Conv) int { return g.OutC * g.Taps() }

func (e *engine) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	s, n := e.lib.stateOf(c), parts(g.N, maxParts)
	s.conv = convTask{pass: forward, g: piece(g, n), bias: bias, first: x, second: w, third: y}
	s.pack(c, &s.conv)
	s.run(c, &s.conv, n)
}

func (e *engine) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	s, n := e.lib.stateOf(c), parts(g.N, maxParts)
	s.conv = convTask{pass: backwardData, g: piece(g, n), first: dy, second: w, third: dx}
	s.pack(c, &s.conv)
	s.run(c, &s.conv, n)
}

func (e *engine) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s, n := e.lib.stateOf(c), parts(g.N, filterParts)
	s.conv = convTask{pass: backwardFilter, g: piece(g, n), first: x, second: dy, third: dw}
	if n == 1 {
		s.run(c, &s.conv, 1)
		return
	}
	size := weights(g)
	if len(s.partial) < n*size {
		s.partial = make([]float32, n*size)
	}
	s.conv.third = s.partial
	s.run(c, &s.conv, n)
	s.join = joinTask{dw: dw[:size], partial: s.partial, parts: n}
	s.run(c, &s.join, (size+joinBlock-1)/joinBlock)
}

// joinTask adds the parts' filter gradients in part order.
type joinTask struct {
	dw, partial []float32
	parts       int
}

const joinBlock = 4096

func (t *joinTask) part(_ *worker, lo, hi int) {
	size := len(t.dw)
	from, to := lo*joinBlock, min(hi*joinBlock, size)
	dw := t.dw[from:to]
	copy(dw, t.partial[from:to])
	for p := 1; p < t.parts; p++ {
		for i, v := range t.partial[p*size+from : p*size+to] {
			dw[i] += v
		}
	}
}

// packTask reorders the weights once for all parts.
type packTask struct {
	s *state
	t *convTask
}

// pack lays the weights out as the primitive reads them.
func (s *state) pack(c *tensor.Call, t *convTask) {
	s.packing = packTask{s, t}
	s.run(c, &s.packing, 1)
}

func (p *packTask) part(w *worker, _, _ int) {
	k := w.conv(p.t.pass, p.t.g, p.t.bias != nil)
	at := head(p.t.second, weights(p.t.g))
	w.load(&k.second, at, &p.s.packed)
	if k.second.reorder != nil {
		at = p.s.packed.at
	}
	p.t.packed = at
}

func (t *convTask) part(w *worker, lo, hi int) {
	k := w.conv(t.pass, t.g, t.bias != nil)
	in, out := inputs(t.g), outputs(t.g)
	if t.bias != nil {
		w.point(&k.bias, head(t.bias, t.g.OutC))
	}
	for p := lo; p < hi; p++ {
		switch t.pass {
		case forward:
			w.load(&k.first, head(t.first[p*in:], in), &w.input)
			w.point(k.second.read(), t.packed)
			w.store(k, head(t.third[p*out:], out))
		case backwardData:
			w.load(&k.first, head(t.first[p*out:], out), &w.input)
			w.point(k.second.read(), t.packed)
			w.store(k, head(t.third[p*in:], in))
		case backwardFilter:
			size := weights(t.g)
			w.load(&k.first, head(t.first[p*in:], in), &w.input)
			w.load(&k.second, head(t.second[p*out:], out), &w.second)
			w.store(k, head(t.third[p*size:], size))
		}
	}
}

// conv returns the kernel of one pass of a convolution, made on first use.
func (w *worker) conv(p pass, g tensor.Conv, bias bool) *kernel {
	key := shape{p, bias, [9]int{g.N, g.InC, g.H, g.W, g.OutC, g.KH, g.KW, g.Stride, g.Pad}}
	k := w.kernels[key]
	if k == nil {
		k = w.buildConv(p, g, bias)
		w.kernels[key] = k
	}
	return k
}

// convRole says which array of a pass is which of the library's arguments.
type convRole struct {
	query               [3]uintptr
	argument            [3]int32
	first, third, other int // 0 x, 1 weights, 2 y
}

var convRoles = [...]convRole{
	forward:        {[3]uintptr{queryInput, queryWeights, queryOutput}, [3]int32{argInput, argWeights, argOutput}, 0, 2, 1},
	backwardData:   {[3]uintptr{queryInputGrad, queryWeights, queryOutputGrad}, [3]int32{argInputGrad, argWeights, argOutputGrad}, 2, 0, 1},
	backwardFilter: {[3]uintptr{queryInput, queryWeightsGrad, queryOutputGrad}, [3]int32{argInput, argWeightsGrad, argOutputGrad}, 0, 1, 2},
}

func (w *worker) buildConv(p pass, g tensor.Conv, bias bool) *kernel {
	role, k := convRoles[p], &kernel{}
	var hint uintptr
	if p != forward {
		w.describeConv(forward, g, false)
		hint = w.descriptorOf(0)
	}
	w.describeConv(p, g, bias)
	desc := w.descriptorOf(hint)
	k.main = w.primitive(desc)
	dims := [3][]int{{g.N, g.InC, g.H, g.W}, {g.OutC, g.InC, g.KH, g.KW}, {g.N, g.OutC, g.OutH(), g.OutW()}}
	for _, o := range []struct {
		to   *operand
		role int
		out  bool
	}{{&k.first, role.first, false}, {&k.second, role.other, false}, {&k.third, role.third, true}} {
		user := w.plain(&w.build.user, dims[o.role]...)
		*o.to = w.operand(user, w.lib.ask(primitiveDescQuery, desc, role.query[o.role], 0), o.out)
		k.main.bind(role.argument[o.role], o.to.own)
	}
	if bias {
		k.bias = w.memory(w.plain(&w.build.user, g.OutC))
		k.main.bind(argBias, k.bias)
	}
	w.lib.must(primitiveDescDestroy, desc)
	if hint != 0 {
		w.lib.must(primitiveDescDestroy, hint)
	}
	return k
}

// describeConv fills the builder's operation; the library chooses the layouts.
func (w *worker) describeConv(p pass, g tensor.Conv, bias bool) {
	b := &w.build
	x := w.describe(&b.first, tagAny, g.N, g.InC, g.H, g.W)
	f := w.describe(&b.second, tagAny, g.OutC, g.InC, g.KH, g.KW)
	y := w.describe(&b.third, tagAny, g.N, g.OutC, g.OutH(), g.OutW())
	var db uintptr
	if bias {
		db = w.plain(&b.bias, g.OutC)
	}
	stride, pad := b.set(&b.strides, g.Stride, g.Stride), b.set(&b.more, g.Pad, g.Pad)
	op := address(&b.operation)
	switch p {
	case forward:
		w.lib.must(convForwardInit, op, propForward, algorithmDirect, x, f, db, y, stride, pad, pad)
	case backwardData:
		w.lib.must(convDataInit, op, algorithmDirect, x, f, y, stride, pad, pad)
	case backwardFilter:
		w.lib.must(convFilterInit, op, algorithmDirect, x, f, 0, y, stride, pad, pad)
	}
}
