package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// filterPlan tells, for the gradient of a convolution's filter, what depends on the
// geometry alone: for every tap the outputs that read the image through it.
type filterPlan struct {
	taps []filterTap
	rows int // of outputs in one block
}

// filterTap lists, output row after output row, where dy and x lie for every
// product of one tap.
type filterTap struct {
	first, last int // rows of outputs, first ≤ row < last
	perRow      int // vectors of one row
	aoff, boff  []int32
}

// filterVectors is about how many vectors of every channel one pass sums, so that
// the channels of a group stay in the second-level cache while all taps read
// them. It changes no sum's order.
const filterVectors = 64

func newFilterPlan(g tensor.Conv) *filterPlan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &filterPlan{rows: max(1, filterVectors*tensor.Lanes/(g.OutW()*pitch))}
	for kh := range g.KH {
		for kw := range g.KW {
			t := filterTap{first: -1}
			for oy := range g.OutH() {
				y := oy*g.Stride - g.Pad + kh
				if y < 0 || y >= g.H {
					continue
				}
				if t.first < 0 {
					t.first = oy
				}
				t.last = oy + 1
				before := len(t.aoff)
				for ox := range g.OutW() {
					x := ox*g.Stride - g.Pad + kw
					if x < 0 || x >= g.W {
						continue
					}
					for lane := 0; lane < pitch; lane += tensor.Lanes {
						t.aoff = append(t.aoff, int32((oy*g.OutW()+ox)*pitch+lane))
						t.boff = append(t.boff, int32((y*g.W+x)*pitch+lane))
					}
				}
				t.perRow = len(t.aoff) - before
			}
			p.taps = append(p.taps, t)
		}
	}
	return p
}

// within returns the entries of output rows from … to−1.
func (t *filterTap) within(from, to int) (lo, hi int) {
	if t.first < 0 {
		return 0, 0
	}
	lo, hi = max(from, t.first)-t.first, min(to, t.last)-t.first
	return lo * t.perRow, max(lo, hi) * t.perRow
}

// filterSums computes dw[o][c][tap] = Σ dy[o]·x[c] over images and pixels: 16
// partial sums, one per lane, pixel after pixel, joined by the fixed tree.
type filterSums struct {
	set       *kernels
	plan      *filterPlan
	outs, ins int
	high      int // rows of outputs
	dy        []float32
	planeY    int
	x         []float32
	planeX    int
	dw        []float32
	columnsIn int // blocks of input channels
	blockAcc  int // floats of one block's partial sums
}

// groupBytes bounds the partial sums under way together.
const groupBytes = 384 << 10

func (e engine) ConvBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	needConv(g, x, dw, dy)
	if winograds4(g) {
		e.winograd4Filter(c, g, x, dy, dw)
		return
	}
	if deep(g) {
		e.deepBackwardFilter(c, g, x, dy, dw)
		return
	}
	if long(g) {
		e.longBackwardFilter(c, g, x, dy, dw)
		return
	}
	s := stateOf(c)
	p := kept(&s.products.filters, g, newFilterPlan)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.filter
	*t = filterSums{
		set: &sets[e.isa], plan: p, outs: g.OutC, ins: g.InC, high: g.OutH(),
		dy: dy, planeY: g.OutH() * g.OutW() * pitch, x: x, planeX: g.H * g.W * pitch, dw: dw,
		columnsIn: (g.InC + columns - 1) / columns,
	}
	t.blockAcc = t.set.rows * columns * tensor.Lanes * len(p.taps)
	work := 0
	for i := range p.taps {
		work += len(p.taps[i].aoff)
	}
	blocks := (g.OutC + t.set.rows - 1) / t.set.rows * t.columnsIn
	s.Run(worth(c.Threads, work*tensor.Lanes*g.OutC*g.InC), t, blocks)
}

// Part computes blocks lo ≤ b < hi of output × input channels, a group of them
// at a time.
func (t *filterSums) Part(s *scratch, lo, hi int) {
	group := 1
	if t.plan.rows < t.high {
		group = max(1, groupBytes/(4*t.blockAcc))
	}
	acc := team.Resize(&s.acc, group*t.blockAcc)
	for ; lo < hi; lo += group {
		to := min(lo+group, hi)
		for row := 0; row < t.high; row += t.plan.rows {
			for b := lo; b < to; b++ {
				t.block(s, b, acc[(b-lo)*t.blockAcc:], row)
			}
		}
		for b := lo; b < to; b++ {
			t.store(s, b, acc[(b-lo)*t.blockAcc:])
		}
	}
}

// shape returns a block's first channels and how many there are.
func (t *filterSums) shape(b int) (o, c, rows, cols int) {
	o, c = b/t.columnsIn*t.set.rows, b%t.columnsIn*columns
	return o, c, min(t.set.rows, t.outs-o), min(columns, t.ins-c)
}

// block adds the outputs of some rows to a block's partial sums.
func (t *filterSums) block(s *scratch, b int, acc []float32, row int) {
	o, c, rows, cols := t.shape(b)
	args := &s.sums
	args.lda, args.ldb = 4*t.planeY, 4*t.planeX
	args.more = row
	f := t.set.sums[rows][cols]
	slot := t.blockAcc / len(t.plan.taps)
	for i := range t.plan.taps {
		at := &t.plan.taps[i]
		lo, hi := at.within(row, row+t.plan.rows)
		args.count = hi - lo
		if args.count > 0 {
			args.aoff, args.boff = &at.aoff[lo], &at.boff[lo]
		} else if row > 0 {
			continue
		}
		for half := 0; half < tensor.Lanes; half += t.set.lanes {
			args.a, args.b, args.acc = &t.dy[o*t.planeY+half], &t.x[c*t.planeX+half], &acc[i*slot+half]
			f(&args.count)
		}
	}
}

// store joins a block's partial sums and writes them to dw.
func (t *filterSums) store(s *scratch, b int, acc []float32) {
	o, c, rows, cols := t.shape(b)
	taps := len(t.plan.taps)
	slot := t.blockAcc / taps
	sum := team.Resize(&s.sum, t.set.rows*columns)
	for i := range taps {
		reduce16(rows*cols, &acc[i*slot], &sum[0])
		for r := range rows {
			row := t.dw[((o+r)*t.ins+c)*taps+i:]
			for j := range cols {
				row[j*taps] = sum[r*cols+j]
			}
		}
	}
}
