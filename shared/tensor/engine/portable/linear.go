package portable

import "gradsync/shared/tensor"

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
