package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
	"gradsync/shared/tensor/vec"
)

// long tells filters whose gradients put outputs into lanes, one chain over pixels and images: many
// channels, worth a million products per tap and image, of layers that F(4×4, 3×3) does not compute (those with a
// stride). No network narrower than half the width has one. Rows of pixels, over
// the images, and inputs are enough to pay for the transpose of dy.
func long(g tensor.Conv) bool {
	return g.InC%longRows == 0 && g.OutC%tensor.Lanes == 0 && min(g.InC, g.OutC) >= 64 &&
		g.InC*g.OutC*g.OutH()*g.OutW() >= 1<<20 && g.Taps() >= 128 && g.N*g.OutW() >= 64
}

// Blocks of long sums; they change no sum's order.
const (
	longRows  = 8         // input channels of one part
	longSteps = 128       // of a sum at a time, about: its panel of dy stays in the first-level cache
	longBytes = 512 << 10 // of sums under way together
)

// longPlan tells, for the gradient of a filter with outputs in lanes, what depends on the geometry alone: the runs of
// pixels of a row that are summed together, and for each run and tap which of its pixels read the image.
type longPlan struct {
	images []int32 // where x lies for every step of a run
	runs   []longRun
	steps  int // of all runs
}

type longRun struct {
	pixel, pixels int
	taps          []longTap
}

// longTap is a tap within a run: its first pixel that reads the image, how many do, and where.
type longTap struct{ first, pixels, x int }

func newLongPlan(g tensor.Conv) *longPlan {
	pitch := tensor.BatchInner.Pitch(g.N)
	most := min(g.OutW(), max(1, longSteps/g.N))
	p := &longPlan{steps: g.OutH() * g.OutW() * g.N}
	for i := range most * g.N {
		p.images = append(p.images, int32(i/g.N*g.Stride*pitch+i%g.N))
	}
	for oy := range g.OutH() {
		for ox := 0; ox < g.OutW(); ox += most {
			r := longRun{pixel: oy*g.OutW() + ox, pixels: min(most, g.OutW()-ox)}
			for kh := range g.KH {
				y := oy*g.Stride - g.Pad + kh
				for kw := range g.KW {
					t := longTap{first: r.pixels}
					for i := range r.pixels {
						x := (ox+i)*g.Stride - g.Pad + kw
						if y < 0 || y >= g.H || x < 0 || x >= g.W {
							continue
						}
						if t.pixels++; t.pixels == 1 {
							t.first, t.x = i, (y*g.W+x)*pitch
						}
					}
					r.taps = append(r.taps, t)
				}
			}
			p.runs = append(p.runs, r)
		}
	}
	return p
}

// longFilter computes dw[o][c][tap] with outputs in lanes: one chain over pixels and images for every weight.
type longFilter struct {
	set            *kernels
	plan           *longPlan
	g              tensor.Conv
	pitch          int
	cut            cut       // of vectors of outputs
	panels         []float32 // of dy: [run][group of vectors][pixel and image][output]
	dy, x, dw      []float32
	planeY, planeX int
	packing        bool // stage: make the panels
}

func (e engine) longBackwardFilter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s := stateOf(c)
	p := kept(&s.products.longs, g, newLongPlan)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.long
	*t = longFilter{
		set: &sets[e.isa], plan: p, g: g, pitch: pitch, cut: newCut(g.OutC / tensor.Lanes),
		panels: team.Resize(&s.products.b, p.steps*g.OutC), dy: dy, x: x, dw: dw,
		planeY: g.OutH() * g.OutW() * pitch, planeX: g.H * g.W * pitch, packing: true,
	}
	threads := worth(c.Threads, p.steps*g.OutC*g.Taps())
	s.Run(threads, t, len(p.runs))
	t.packing = false
	s.Run(threads, t, g.InC/longRows)
}

func (t *longFilter) Part(s *scratch, lo, hi int) {
	if t.packing {
		for i := lo; i < hi; i++ {
			t.pack(&t.plan.runs[i])
		}
		return
	}
	taps := t.g.KH * t.g.KW
	part := longRows * taps * t.g.OutC
	for group := max(1, longBytes/(4*part)); lo < hi; lo += group {
		to := min(lo+group, hi)
		sums := team.Resize(&s.acc, (to-lo)*part)
		clear(sums)
		for i := range t.plan.runs {
			for part := lo; part < to; part++ {
				t.run(s, &t.plan.runs[i], part*longRows, sums[(part-lo)*longRows*taps*t.g.OutC:])
			}
		}
		vec.Transpose(t.dw[lo*longRows*taps:], t.g.Taps(), sums, t.g.OutC, (to-lo)*longRows*taps, t.g.OutC)
	}
}

// panel returns where a run's panel of a group of n vectors from v on lies.
func (t *longFilter) panel(r *longRun, v int) int {
	return (r.pixel*t.g.OutC + r.pixels*v*tensor.Lanes) * t.g.N
}

// pack puts a run's outputs side by side, a group of vectors after the other.
func (t *longFilter) pack(r *longRun) {
	for v, n := 0, 0; v < t.cut.n; v += n {
		_, n = t.cut.group(v)
		wide := n * tensor.Lanes
		for i := range r.pixels {
			vec.Transpose(t.panels[t.panel(r, v)+i*t.g.N*wide:], wide, t.dy[v*tensor.Lanes*t.planeY+(r.pixel+i)*t.pitch:], t.planeY, wide, t.g.N)
		}
	}
}

// run adds a run's products to the sums of eight input channels from c on: [channel][tap][output].
func (t *longFilter) run(s *scratch, r *longRun, c int, sums []float32) {
	args := &s.tile
	taps := t.g.KH * t.g.KW
	args.lda, args.ldc, args.flags, args.bias = 4*t.planeX, 4*taps*t.g.OutC, resume, &zeros[0]
	args.aoff = &t.plan.images[0]
	for v, n := 0, 0; v < t.cut.n; v += n {
		_, n = t.cut.group(v)
		args.boff = &s.linear(len(t.plan.images), n)[0]
		panel := t.panels[t.panel(r, v):]
		for k := range r.taps {
			tap := &r.taps[k]
			if args.count = tap.pixels * t.g.N; args.count == 0 {
				continue
			}
			for half := 0; half < tensor.Lanes; half += t.set.lanes {
				for j := range n {
					args.b[j] = &panel[(tap.first*t.g.N*n+j)*tensor.Lanes+half]
				}
				for row := 0; row < longRows; row += t.set.rows {
					args.a = &t.x[(c+row)*t.planeX+tap.x]
					for j := range n {
						args.c[j] = &sums[(row*taps+k)*t.g.OutC+(v+j)*tensor.Lanes+half]
					}
					t.set.tile[t.set.rows][n](&args.count)
				}
			}
		}
	}
}
