package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// Gemm puts columns of b and out into lanes. A b that is transposed, or whose
// rows do not fill whole vectors, is copied once.
func (e engine) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	need("a", a, g.M*g.K)
	need("b", b, g.K*g.N)
	need("out", out, g.M*g.N)
	s := stateOf(c)
	wide := tensor.BatchInner.Pitch(g.N)
	y := out
	if g.TransB || wide != g.N {
		padded := team.Resize(&s.products.b, g.K*wide)
		if g.TransB {
			tensor.BatchInner.Import(padded, b, g.N, g.K)
		} else {
			for k := range g.K {
				copy(padded[k*wide:], b[k*g.N:(k+1)*g.N]) // lanes past the last column compute what nobody reads
			}
		}
		b = padded
	}
	if wide != g.N {
		y = team.Resize(&s.products.c, g.M*wide)
	}
	rowA, stepA := g.K, 1
	if g.TransA {
		rowA, stepA = 1, g.M
	}
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(gemm, tensor.Conv{OutC: g.N, InC: g.K, Stride: stepA}),
		rows: g.M, a: a, rowA: rowA, stepA: stepA, depth: g.K,
		x: b, stepX: wide, y: y, rowY: wide,
	}
	t.run(c, s)
	if wide != g.N {
		for i := range g.M {
			copy(out[i*g.N:(i+1)*g.N], y[i*wide:])
		}
	}
}

// LinearBackwardFilter puts the inputs into lanes: every weight's gradient is one
// chain over the images. Rows shorter than a vector are summed like a filter's.
func (e engine) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	needLinear(g, x, dw, dy)
	if g.In < tensor.Lanes {
		e.ConvBackwardFilter(c, tensor.Conv{N: g.N, InC: g.In, H: 1, W: 1, OutC: g.Out, KH: 1, KW: 1, Stride: 1}, x, dy, dw)
		return
	}
	s := stateOf(c)
	images := team.Resize(&s.products.b, g.N*g.In)
	tensor.BatchInner.Export(images, x, g.N, g.In)
	t := &s.products.product
	*t = product{
		set: &sets[e.isa], plan: s.planFor(linearFilter, tensor.Conv{N: g.N, InC: g.In}),
		rows: g.Out, a: dy, rowA: tensor.BatchInner.Pitch(g.N), stepA: 1, depth: g.N,
		x: images, stepX: g.In, y: dw, rowY: g.In,
	}
	t.run(c, s)
}
