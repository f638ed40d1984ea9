package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
	"gradsync/shared/tensor/vec"
)

// deep tells filters that many channels and few pixels make: joining 16 partial
// sums would cost them more than computing them, so their input channels go into
// lanes instead of images.
func deep(g tensor.Conv) bool {
	return g.InC >= tensor.Lanes && g.OutH()*g.OutW()*tensor.BatchInner.Pitch(g.N) <= 8*tensor.Lanes
}

// deepPlan tells, for the gradient of a filter with input channels in lanes, what
// depends on the geometry alone: for every tap the pairs of places, one in
// dy and one in the transposed x, of every image of every output it reads.
type deepPlan struct{ taps []deepTap }

type deepTap struct{ aoff, boff []int32 }

func newDeepPlan(g tensor.Conv) *deepPlan {
	pitch, wide := tensor.BatchInner.Pitch(g.N), tensor.BatchInner.Pitch(g.InC)
	p := &deepPlan{}
	for kh := range g.KH {
		for kw := range g.KW {
			var t deepTap
			for pixel := range g.OutH() * g.OutW() {
				y, x := pixel/g.OutW()*g.Stride-g.Pad+kh, pixel%g.OutW()*g.Stride-g.Pad+kw
				if y < 0 || y >= g.H || x < 0 || x >= g.W {
					continue
				}
				for n := range g.N {
					t.aoff = append(t.aoff, int32(pixel*pitch+n))
					t.boff = append(t.boff, int32(((y*g.W+x)*pitch+n)*wide))
				}
			}
			p.taps = append(p.taps, t)
		}
	}
	return p
}

// deepFilter computes dw[o][c][tap] with input channels in lanes: one chain over
// pixels and images for every weight.
type deepFilter struct {
	set     *kernels
	plan    *deepPlan
	g       tensor.Conv
	dy      []float32
	planeY  int
	x       []float32 // transposed: [row][column][image][channel]
	wide    int       // channels, whole vectors
	sums    []float32 // [tap][o][channel]
	dw      []float32
	tiles   int  // of channels
	storing bool // stage: the sums are there, write dw
}

func (e engine) deepBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s := stateOf(c)
	p := kept(&s.products.deeps, g, newDeepPlan)
	pitch, wide := tensor.BatchInner.Pitch(g.N), tensor.BatchInner.Pitch(g.InC)
	t := &s.products.deep
	*t = deepFilter{
		set: &sets[e.isa], plan: p, g: g, dy: dy, planeY: g.OutH() * g.OutW() * pitch,
		x: team.Resize(&s.products.b, g.H*g.W*pitch*wide), wide: wide,
		sums: team.Resize(&s.products.c, len(p.taps)*g.OutC*wide), dw: dw,
		tiles: (wide/tensor.Lanes + columns - 1) / columns,
	}
	threads := worth(c.Threads, g.N*g.OutH()*g.OutW()*g.OutC*g.Taps())
	t.transpose(x, g.H*g.W*pitch)
	s.Run(threads, t, len(p.taps)*t.tiles)
	t.storing = true
	s.Run(threads, t, g.OutC)
}

// transpose puts x's channels side by side. Lanes past the last channel compute
// what nobody reads.
func (t *deepFilter) transpose(x []float32, plane int) {
	vec.Transpose(t.x, t.wide, x, plane, t.g.InC, plane)
}

func (t *deepFilter) Part(s *scratch, lo, hi int) {
	if t.storing {
		t.store(lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		t.sum(s, i/t.tiles, i%t.tiles*columns)
	}
}

// sum computes the chains of one tap and up to three vectors of channels. There
// are at most 128 steps (see deep), so one panel holds them.
func (t *deepFilter) sum(s *scratch, tap, block int) {
	at := &t.plan.taps[tap]
	n := min(columns, t.wide/tensor.Lanes-block)
	args := &s.tile
	args.count = len(at.aoff)
	args.lda, args.ldc = 4*t.planeY, 4*t.wide
	args.flags, args.bias = 0, &zeros[0]
	if args.count > 0 {
		args.boff = &at.boff[0]
		for j := range n {
			args.b[j] = &t.x[(block+j)*tensor.Lanes]
		}
		pack(s, n)
		args.aoff = &at.aoff[0]
	}
	out := t.sums[tap*t.g.OutC*t.wide:]
	for j := range n {
		if args.count == 0 { // nothing is read, but the collector sees the pointers
			args.b[j] = &t.x[0]
		}
	}
	panel := args.b
	for half := 0; half < tensor.Lanes; half += t.set.lanes {
		for j := range n {
			args.b[j] = ahead(panel[j], half)
		}
		for o := 0; o < t.g.OutC; o += t.set.rows {
			args.a = &t.dy[o*t.planeY]
			for j := range n {
				args.c[j] = &out[o*t.wide+(block+j)*tensor.Lanes+half]
			}
			t.set.tile[min(t.set.rows, t.g.OutC-o)][n](&args.count)
		}
	}
}

// store writes the sums of filters lo ≤ o < hi in dw's order.
func (t *deepFilter) store(lo, hi int) {
	taps, in := len(t.plan.taps), t.g.InC
	for o := lo; o < hi; o++ {
		filter, sums := t.dw[o*in*taps:(o+1)*in*taps], t.sums[o*t.wide:]
		if taps == 1 {
			copy(filter, sums)
			continue
		}
		vec.Transpose(filter, taps, sums, t.g.OutC*t.wide, taps, in)
	}
}
