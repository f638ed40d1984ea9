package portable

import "gradsync/shared/tensor"

// AvgPoolForward sums each window row by row. Average pools see the smallest maps
// of a network, so one thread does them.
func (engine) AvgPoolForward(_ *tensor.Call, g tensor.Pool, x, y []float32) {
	oh, ow := g.OutH(), g.OutW()
	count := float32(g.Size * g.Size)
	for i := range g.N * g.C * oh * ow {
		plane := x[i/(oh*ow)*g.H*g.W:]
		corner := i/ow%oh*g.Stride*g.W + i%ow*g.Stride
		var sum float32
		for r := range g.Size {
			for _, v := range plane[corner+r*g.W : corner+r*g.W+g.Size] {
				sum += v
			}
		}
		y[i] = sum / count
	}
}

// AvgPoolBackward adds the windows' shares in their order.
func (engine) AvgPoolBackward(_ *tensor.Call, g tensor.Pool, dy, dx []float32) {
	oh, ow := g.OutH(), g.OutW()
	count := float32(g.Size * g.Size)
	clear(dx[:g.N*g.C*g.H*g.W])
	for i, d := range dy[:g.N*g.C*oh*ow] {
		plane := dx[i/(oh*ow)*g.H*g.W:]
		corner := i/ow%oh*g.Stride*g.W + i%ow*g.Stride
		for r := range g.Size {
			row := plane[corner+r*g.W : corner+r*g.W+g.Size]
			for j := range row {
				row[j] += d / count
			}
		}
	}
}
