package portable

import "gradsync/shared/tensor"

type poolTask struct {
	g        tensor.Pool
	x, y     []float32
	arg      []int32
	backward bool
}

func (engine) MaxPoolForward(c *tensor.Call, g tensor.Pool, x, y []float32, arg []int32) {
	s := stateOf(c)
	s.pool = poolTask{g: g, x: x, y: y, arg: arg}
	s.Run(c.Threads, &s.pool, g.N*g.C)
}

func (engine) MaxPoolBackward(c *tensor.Call, g tensor.Pool, dy []float32, arg []int32, dx []float32) {
	s := stateOf(c)
	s.pool = poolTask{g: g, x: dx, y: dy, arg: arg, backward: true}
	s.Run(c.Threads, &s.pool, g.N*g.C)
}

// Part pools planes lo ≤ i < hi.
func (t *poolTask) Part(_ *scratch, lo, hi int) {
	in, out := t.g.H*t.g.W, t.g.OutH()*t.g.OutW()
	for i := lo; i < hi; i++ {
		x := t.x[i*in : (i+1)*in]
		y := t.y[i*out : (i+1)*out]
		arg := t.arg[i*out : (i+1)*out]
		switch {
		case t.backward:
			clear(x)
			for j, at := range arg {
				x[at] += y[j]
			}
		case t.g.Size == 2 && t.g.Stride == 2:
			poolPairs(t.g, x, y, arg)
		default:
			poolPlane(t.g, x, y, arg)
		}
	}
}

// poolPlane pools one plane of any window.
func poolPlane(g tensor.Pool, x, y []float32, arg []int32) {
	oh, ow := g.OutH(), g.OutW()
	for r := 0; r < oh; r++ {
		for c := 0; c < ow; c++ {
			corner := r*g.Stride*g.W + c*g.Stride
			best, at := x[corner], corner
			for dr := 0; dr < g.Size; dr++ {
				row := corner + dr*g.W
				for i, v := range x[row : row+g.Size] {
					if v > best || v != v {
						best, at = v, row+i
					}
				}
			}
			y[r*ow+c], arg[r*ow+c] = best, int32(at)
		}
	}
}

// poolPairs does poolPlane for the usual 2×2 window, twice as fast.
func poolPairs(g tensor.Pool, x, y []float32, arg []int32) {
	oh, ow := g.OutH(), g.OutW()
	for r := 0; r < oh; r++ {
		corner := 2 * r * g.W
		top, bottom := x[corner:corner+2*ow], x[corner+g.W:corner+g.W+2*ow]
		out, chosen := y[r*ow:(r+1)*ow], arg[r*ow:(r+1)*ow]
		for c := range out {
			p, q := (*[2]float32)(top[2*c:]), (*[2]float32)(bottom[2*c:])
			best, at := p[0], 0
			if v := p[1]; v > best || v != v {
				best, at = v, 1
			}
			if v := q[0]; v > best || v != v {
				best, at = v, g.W
			}
			if v := q[1]; v > best || v != v {
				best, at = v, g.W+1
			}
			out[c], chosen[c] = best, int32(corner+2*c+at)
		}
	}
}

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
