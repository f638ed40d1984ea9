package asm

import "gradsync/shared/tensor"

// planKey says what a plan is for.
type planKey struct {
	kind planKind
	conv tensor.Conv
}

type planKind int

const (
	forward planKind = iota
	backwardData
	linearForward
	linearBackward
	linearFilter
	gemm
	winogradInner
)

// innerPlan returns the plan of n of wide vectors side by side.
func (s *state) innerPlan(wide, n, depth, stepA int) *plan {
	return s.planFor(winogradInner, tensor.Conv{N: wide, OutC: n, InC: depth, Stride: stepA})
}

// planFor returns the plan of a shape, made on first use.
func (s *state) planFor(kind planKind, g tensor.Conv) *plan {
	key := planKey{kind, g}
	p := s.products.plans[key]
	if p != nil {
		return p
	}
	switch kind {
	case forward:
		p = forwardPlan(g)
	case backwardData:
		p = backwardPlan(g)
	case linearForward:
		p = linearPlan(g.N, g.InC, 1)
	case linearBackward:
		p = linearPlan(g.N, g.OutC, g.InC)
	case linearFilter:
		p = overlapPlan(g.InC, g.N)
	case gemm:
		p = linearPlan(g.OutC, g.InC, g.Stride)
	case winogradInner:
		p = innerPlan(g.N, g.OutC, g.InC, g.Stride)
	}
	if s.products.plans == nil {
		s.products.plans = map[planKey]*plan{}
	}
	s.products.plans[key] = p
	return p
}

// needConv checks the buffers of a convolution.
func needConv(g tensor.Conv, x, w, y []float32) {
	need("image", x, tensor.BatchInner.Len(g.N, g.InC*g.H*g.W))
	need("filter", w, g.OutC*g.Taps())
	need("output", y, tensor.BatchInner.Len(g.N, g.OutC*g.OutH()*g.OutW()))
}

// needLinear checks the buffers of a linear layer.
func needLinear(g tensor.Linear, x, w, y []float32) {
	need("input", x, tensor.BatchInner.Len(g.N, g.In))
	need("weight", w, g.In*g.Out)
	need("output", y, tensor.BatchInner.Len(g.N, g.Out))
}

func (e engine) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	needConv(g, x, w, y)
	if bias != nil {
		need("bias", bias, g.OutC)
	}
	if winograds4(g) {
		e.winograd4(c, g, x, w, bias, y, false)
		return
	}
	if strideds(g) {
		e.strided(c, g, x, w, bias, y, false)
		return
	}
	if winograds(g) {
		e.winograd(c, g, x, w, bias, y, false)
		return
	}
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(forward, g),
		rows: g.OutC, a: w, rowA: g.Taps(), stepA: g.KH * g.KW, depth: g.InC,
		x: x, stepX: g.H * g.W * pitch, y: y, rowY: g.OutH() * g.OutW() * pitch, bias: bias,
	}
	t.run(c, s)
}

func (e engine) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	needConv(g, dx, w, dy)
	if winograds4(g) {
		e.winograd4(c, g, dy, w, nil, dx, true)
		return
	}
	if strideds(g) {
		e.strided(c, g, dy, w, nil, dx, true)
		return
	}
	if winograds(g) {
		e.winograd(c, g, dy, w, nil, dx, true)
		return
	}
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(backwardData, g),
		rows: g.InC, a: w, rowA: g.KH * g.KW, stepA: g.Taps(), depth: g.OutC,
		x: dy, stepX: g.OutH() * g.OutW() * pitch, y: dx, rowY: g.H * g.W * pitch,
	}
	t.run(c, s)
}

func (e engine) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	needLinear(g, x, w, y)
	need("bias", bias, g.Out)
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(linearForward, tensor.Conv{N: g.N, InC: g.In, OutC: g.Out}),
		rows: g.Out, a: w, rowA: g.In, stepA: 1, depth: g.In,
		x: x, stepX: pitch, y: y, rowY: pitch, bias: bias, relu: g.ReLU,
	}
	t.run(c, s)
}

func (e engine) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	needLinear(g, dx, w, dy)
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(linearBackward, tensor.Conv{N: g.N, InC: g.In, OutC: g.Out}),
		rows: g.In, a: w, rowA: 1, stepA: g.In, depth: g.Out,
		x: dy, stepX: pitch, y: dx, rowY: pitch,
	}
	t.run(c, s)
}
