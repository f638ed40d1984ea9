package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// chunkFloats bounds the gathered block of one pass (256 KiB), so that it stays
// in the second-level cache. It changes no sum's order.
const chunkFloats = 1 << 16

type convFilter struct {
	g         tensor.Conv
	taps      []int
	x, dy, dw []float32
}

func (engine) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s := stateOf(c)
	s.filter = convFilter{g: g, taps: tapOffsets(&s.taps, g), x: x, dy: dy, dw: dw}
	s.Run(c.Threads, &s.filter, ceil(g.Taps(), 4)/4)
}

// Part computes tap quadruples lo ≤ q < hi of every filter. Each sum runs over
// the images, then over their pixels, in order.
func (t *convFilter) Part(s *scratch, lo, hi int) {
	g, k := t.g, t.g.Taps()
	first, last := 4*lo, min(4*hi, k)
	quads := hi - lo
	in, pixels := g.InC*g.H*g.W, g.OutH()*g.OutW()
	wide := ceil(pixels, 4)
	stride := 16 * quads // floats per quadruple of pixels
	chunk := max(1, chunkFloats/stride)
	pairs := ceil(g.OutC, 2) / 2
	// Taps past the last hold whatever was there; their sums are dropped.
	col := team.Resize(&s.col, min(chunk, wide/4)*stride)
	acc := team.Resize(&s.acc, pairs*quads*8)
	clear(acc)
	for n := 0; n < g.N; n++ {
		image := pad(&s.image, g, t.x[n*in:(n+1)*in])
		rows := padRows(&s.rows, t.dy[n*g.OutC*pixels:(n+1)*g.OutC*pixels], g.OutC, pixels)
		for from := 0; from < wide/4; from += chunk {
			count := min(chunk, wide/4-from)
			for i := 0; i < count; i++ {
				gather(col[i*stride:], image, g, t.taps[first:last], 4*(from+i))
			}
			for o := 0; o < pairs; o++ {
				a0, a1 := rows[2*o*wide+4*from:], rows[(2*o+1)*wide+4*from:]
				for q := 0; q < quads; q++ {
					dots(count, stride, a0, a1, col[16*q:], (*[8]float32)(acc[(o*quads+q)*8:]))
				}
			}
		}
	}
	for o := 0; o < pairs; o++ {
		for q := 0; q < quads; q++ {
			i := first + 4*q
			store(t.dw[2*o*k+i:], k, min(2, g.OutC-2*o), min(4, k-i), (*[8]float32)(acc[(o*quads+q)*8:]))
		}
	}
}

// padRows copies dy[channels][pixels] to an even number of rows whose length is
// a multiple of four, the rest zeros.
func padRows(buf *[]float32, dy []float32, channels, pixels int) []float32 {
	if channels%2 == 0 && pixels%4 == 0 {
		return dy
	}
	wide := ceil(pixels, 4)
	rows := team.Resize(buf, ceil(channels, 2)*wide)
	clear(rows)
	for c := 0; c < channels; c++ {
		copy(rows[c*wide:], dy[c*pixels:(c+1)*pixels])
	}
	return rows
}
