package asm

import (
	"math"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

//go:generate go run ./gen/winograd -out winograd_amd64.s -stubs winograd-stubs_amd64.go -pkg asm

// winogradArgs is read by a transform; gen/winograd knows the offsets.
// Distances are in bytes, offsets in elements.
type winogradArgs struct {
	count      int // channels
	src, dst   *float32
	step, next int // of two channels in src and in dst
	apart      int // of two of the 16 transformed values
	offsets    *int32
	mask       *float32
	bias       *float32
	biasStep   int
	temp       *float32 // 36 vectors, of F(4×4, 3×3); 81 with a stride
	plane      int      // of two of the 9 planes of filters' taps, or of two filters
}

// winograds tells convolutions that F(2×2, 3×3) computes: 16 products per four
// outputs instead of 36, for transforms whose cost grows with the channels only.
// Its intermediate values are up to four times as large as the input's: an Inf,
// or a value within that of overflowing, makes NaN where a plain sum has Inf.
func winograds(g tensor.Conv) bool {
	return g.KH == 3 && g.KW == 3 && g.Stride == 1 && g.Pad == 1 &&
		g.H%2 == 0 && g.W%2 == 0 && g.H >= 4 && g.W >= 4 && g.InC >= winogradChannels && g.OutC >= winogradChannels
}

// winogradChannels is from how many channels on the transforms pay.
const winogradChannels = 48

// winogradPlan holds what depends on the size of the image: the 4×4 inputs and 2×2
// outputs of every tile.
type winogradPlan struct {
	tiles []winogradTile
	masks [][16][tensor.Lanes]float32 // all ones in bits, or zeros outside the image
}

type winogradTile struct {
	in   [16]int32
	out  [4]int32
	mask int // of the border, −1 inside
}

func newWinogradPlan(g tensor.Conv) *winogradPlan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &winogradPlan{}
	known := map[[16]bool]int{}
	for ty := 0; ty < g.H; ty += 2 {
		for tx := 0; tx < g.W; tx += 2 {
			t := winogradTile{mask: -1}
			var inside [16]bool
			full := true
			for i := range inside {
				y, x := ty-1+i/4, tx-1+i%4
				inside[i] = y >= 0 && y < g.H && x >= 0 && x < g.W
				full = full && inside[i]
				// Outside, any address of the image does: the mask clears it.
				t.in[i] = int32((min(max(y, 0), g.H-1)*g.W + min(max(x, 0), g.W-1)) * pitch)
			}
			for i := range t.out {
				t.out[i] = int32(((ty+i/2)*g.W + tx + i%2) * pitch)
			}
			if !full {
				id, ok := known[inside]
				if !ok {
					id = len(p.masks)
					known[inside] = id
					p.masks = append(p.masks, maskOf(inside))
				}
				t.mask = id
			}
			p.tiles = append(p.tiles, t)
		}
	}
	return p
}

func maskOf(inside [16]bool) (m [16][tensor.Lanes]float32) {
	for i := range m {
		for l := range m[i] {
			if inside[i] {
				m[i][l] = math.Float32frombits(math.MaxUint32)
			}
		}
	}
	return m
}

// winograd is one convolution by F(2×2, 3×3), forward or backward-data; the
// latter is the same with the filters turned by half a circle.
type winograd struct {
	set            *kernels
	input, edge    func(args *int)
	output         func(args *int)
	plan           *winogradPlan
	whole, rest    *plan // of a chunk's products; rest is the last chunk's
	rows, depth    int
	w, u           []float32 // filters, and transformed [16][out][in]
	outs, ins      int       // of the filters
	turned         bool
	x, y           []float32
	plane, groups  int // of one channel; vectors of one pixel
	chunk, vectors int
	bias           []float32
	weights        bool // stage: transform the filters
}

// chunkFloats bounds a chunk's transformed inputs and products (1.25 MiB).
const chunkFloats = 5 << 16

// winograd runs the convolution; turned means backward-data of g.
func (e engine) winograd(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32, turned bool) {
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.winograd
	*t = winograd{
		set: &sets[e.isa], input: winogradInput2, edge: winogradEdge2, output: winogradOutput2,
		plan: kept(&s.products.winograds, tensor.Conv{N: g.N, H: g.H, W: g.W}, newWinogradPlan), rows: g.OutC, depth: g.InC, outs: g.OutC, ins: g.InC, turned: turned,
		w: w, u: team.Resize(&s.products.b, 16*g.OutC*g.InC), x: x, y: y,
		plane: g.H * g.W * pitch, groups: pitch / tensor.Lanes, bias: bias,
	}
	if e.isa == avx512 {
		t.input, t.edge, t.output = winogradInput512, winogradEdge512, winogradOutput512
	}
	stepA := 1
	if turned {
		t.rows, t.depth, stepA = g.InC, g.OutC, g.InC
	}
	t.vectors = len(t.plan.tiles) * t.groups
	t.chunk = max(2*columns, chunkFloats/(16*(g.InC+g.OutC)*tensor.Lanes)/columns*columns)
	t.chunk = min(t.chunk, t.vectors)
	t.whole = s.innerPlan(t.chunk, t.chunk, t.depth, stepA)
	t.rest = s.innerPlan(t.chunk, (t.vectors-1)%t.chunk+1, t.depth, stepA)
	threads := worth(c.Threads, 16*t.vectors*tensor.Lanes*g.InC*g.OutC)
	t.weights = true
	s.Run(threads, t, g.OutC)
	t.weights = false
	s.Run(threads, t, (t.vectors+t.chunk-1)/t.chunk)
}

func (t *winograd) Part(s *scratch, lo, hi int) {
	if t.weights {
		t.transformFilters(&s.winograd, lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		first := i * t.chunk
		t.compute(s, first, min(first+t.chunk, t.vectors))
	}
}

// transformFilters transforms the filters of outputs lo ≤ o < hi, eight channels
// at a time; the last eight may repeat some.
func (t *winograd) transformFilters(args *winogradArgs, lo, hi int) {
	args.step, args.next, args.apart = 4*9*8, 4*8, 4*t.outs*t.ins
	for o := lo; o < hi; o++ {
		for _, part := range [2][2]int{{0, t.ins / 8}, {t.ins - 8, min(t.ins%8, 1)}} {
			if args.count = part[1]; args.count > 0 {
				at := o*t.ins + part[0]
				args.src, args.dst = &t.w[9*at], &t.u[at]
				winogradWeights(&args.count)
			}
		}
	}
}

// compute does vectors first ≤ v < last of tiles.
func (t *winograd) compute(s *scratch, first, last int) {
	wide := t.chunk * tensor.Lanes
	in := team.Resize(&s.panels[0], 16*t.depth*wide)
	out := team.Resize(&s.panels[1], 16*t.rows*wide)
	args := &s.winograd
	args.step, args.next, args.apart = 4*t.plane, 4*wide, 4*t.depth*wide
	for v := first; v < last; v++ {
		tile := &t.plan.tiles[v/t.groups]
		f := t.input
		args.offsets = &tile.in[0]
		if tile.mask >= 0 {
			f, args.mask = t.edge, &t.plan.masks[tile.mask][0][0]
		}
		for half := 0; half < tensor.Lanes; half += t.set.lanes {
			args.count = t.depth
			args.src, args.dst = &t.x[v%t.groups*tensor.Lanes+half], &in[(v-first)*tensor.Lanes+half]
			f(&args.count)
		}
	}
	t.products(s, in, out, last-first)
	args.step, args.next, args.apart = 4*wide, 4*t.plane, 4*t.rows*wide
	args.bias, args.biasStep = &zeros[0], 0
	if t.bias != nil {
		args.bias, args.biasStep = &t.bias[0], 4
	}
	for v := first; v < last; v++ {
		args.offsets = &t.plan.tiles[v/t.groups].out[0]
		for half := 0; half < tensor.Lanes; half += t.set.lanes {
			args.count = t.rows
			args.src, args.dst = &out[(v-first)*tensor.Lanes+half], &t.y[v%t.groups*tensor.Lanes+half]
			t.output(&args.count)
		}
	}
}

// products multiplies the 16 transformed values of n vectors of tiles.
func (t *winograd) products(s *scratch, in, out []float32, n int) {
	wide := t.chunk * tensor.Lanes
	p := &s.inner
	*p = product{
		set: t.set, plan: t.whole, rows: t.rows, rowA: t.ins, stepA: 1, depth: t.depth,
		stepX: wide, rowY: wide,
	}
	if n < t.chunk {
		p.plan = t.rest
	}
	if t.turned {
		p.rowA, p.stepA = 1, t.ins
	}
	for i := range 16 {
		at := i
		if t.turned { // a turned filter's transform has rows and columns 0 and 3 exchanged
			at = 4*turn[i/4] + turn[i%4]
		}
		p.a, p.x, p.y = t.u[at*t.outs*t.ins:], in[i*t.depth*wide:], out[i*t.rows*wide:]
		p.Part(s, 0, len(p.plan.tiles))
	}
}

var turn = [4]int{3, 1, 2, 0}
