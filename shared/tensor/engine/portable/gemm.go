package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

type gemmTask struct {
	g      tensor.Gemm
	packed []float32
	b, out []float32
}

func (engine) Gemm(c *tensor.Call, g tensor.Gemm, a, b, out []float32) {
	s := stateOf(c)
	packed := team.Resize(&s.packed, ceil(g.M, 2)*g.K)
	rs, cs := g.K, 1
	if g.TransA {
		rs, cs = 1, g.M
	}
	packPairs(packed, a, g.M, g.K, rs, cs)
	s.gemm = gemmTask{g: g, packed: packed, b: b, out: out}
	s.Run(c.Threads, &s.gemm, ceil(g.N, 4)/4)
}

// Part computes column quadruples lo ≤ t < hi.
func (t *gemmTask) Part(s *scratch, lo, hi int) {
	g := t.g
	panel := team.Resize(&s.panel, 4*g.K)
	var c [8]float32
	for q := lo; q < hi; q++ {
		j := 4 * q
		packQuad(panel, t.b, j, g.K, g.N, g.TransB)
		for i := 0; i < g.M; i += 2 {
			tile(g.K, t.packed[i*g.K:], panel, &c)
			store(t.out[i*g.N+j:], g.N, min(2, g.M-i), min(4, g.N-j), &c)
		}
	}
}

// LinearForward does the plain product, then bias and ReLU in one pass: the same bits
// as three operations.
func (e engine) LinearForward(c *tensor.Call, g tensor.Linear, x, w, bias, y []float32) {
	e.Gemm(c, tensor.Gemm{TransB: true, M: g.N, N: g.Out, K: g.In}, x, w, y)
	for i := range g.N {
		row := y[i*g.Out : (i+1)*g.Out]
		for j, b := range bias[:g.Out] {
			row[j] += b
			if g.ReLU {
				row[j] = max(row[j], 0)
			}
		}
	}
}

func (e engine) LinearBackwardData(c *tensor.Call, g tensor.Linear, dy, w, dx []float32) {
	e.Gemm(c, tensor.Gemm{M: g.N, N: g.In, K: g.Out}, dy, w, dx)
}

func (e engine) LinearBackwardFilter(c *tensor.Call, g tensor.Linear, x, dy, dw []float32) {
	e.Gemm(c, tensor.Gemm{TransA: true, M: g.Out, N: g.In, K: g.N}, dy, x, dw)
}
