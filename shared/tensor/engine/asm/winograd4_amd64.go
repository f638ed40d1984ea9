package asm

import (
	"math"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// winograds4 tells convolutions that F(4×4, 3×3) computes, all three passes: 36
// products per 16 outputs instead of 144, for transforms that round more. Against
// exact sums the root mean square error is 1.8 to 2.3 times that of one chain of
// fused multiply-adds forward and backward-data, and 1.3 to 1.9 times that of a
// filter's gradient (see TestWinograd4); F(2×2, 3×3) is below a chain. So only layers
// do that are worth a million products per tap and image: no network narrower than
// half the width has one. Its intermediate values are up to 30 times as large as
// the input's: an Inf, or a value within that of overflowing, makes NaN.
func winograds4(g tensor.Conv) bool {
	return g.KH == 3 && g.KW == 3 && g.Stride == 1 && g.Pad == 1 && g.H%4 == 0 && g.W%4 == 0 &&
		g.InC%tensor.Lanes == 0 && g.OutC%tensor.Lanes == 0 && min(g.InC, g.OutC) >= 64 && g.InC*g.OutC*g.H*g.W >= 1<<20
}

// winograd4Plan holds what depends on the size of the image: where the inputs, 6×6 without a
// stride, and the outputs of every tile lie, 4×4.
type winograd4Plan struct{ tiles []winograd4Tile }

type winograd4Tile struct {
	in, out []int32
	edges   int // of winograd4Masks
}

// winograd4Masks clear a tile's rows and columns outside the image: bit 0 is its
// top, 1 bottom, 2 left, 3 right. A mask is all ones in bits, or zeros.
var winograd4Masks = func() (m [16][4][tensor.Lanes]float32) {
	for edges := range m {
		for i := range m[edges] {
			for l := range m[edges][i] {
				if edges>>i&1 == 0 {
					m[edges][i][l] = math.Float32frombits(math.MaxUint32)
				}
			}
		}
	}
	return m
}()

// newWinograd4Plan makes the plan of images whose pixels are InC apart in what the
// transforms of inputs read, one pitch in what the others do.
func newWinograd4Plan(g tensor.Conv) *winograd4Plan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &winograd4Plan{}
	for ty := 0; ty < g.H; ty += 4 {
		for tx := 0; tx < g.W; tx += 4 {
			t := winograd4Tile{in: make([]int32, points), out: make([]int32, 16)}
			for i, outside := range [4]bool{ty == 0, ty+4 == g.H, tx == 0, tx+4 == g.W} {
				if outside {
					t.edges |= 1 << i
				}
			}
			for i := range t.in { // outside, any address of the image does
				y, x := min(max(ty-1+i/6, 0), g.H-1), min(max(tx-1+i%6, 0), g.W-1)
				t.in[i] = int32((y*g.W + x) * g.InC)
			}
			for i := range t.out {
				t.out[i] = int32(((ty+i/4)*g.W + tx + i%4) * pitch)
			}
			p.tiles = append(p.tiles, t)
		}
	}
	return p
}

// Blocks of F(4×4, 3×3); they change no sum's order.
const (
	points        = 36 // transformed values of a tile
	together      = tensor.Lanes
	stepsBlock    = 128     // of a sum, whose inputs stay in the first-level cache
	filtersInL3   = 3 << 20 // bytes of transformed filters from which on they are made where they are used
	chunkBytes4   = 3 << 19 // of a chunk's transformed inputs and 16 rows' products
	vectorsAtOnce = 12      // of inputs transformed before filters are
	rowsBlock     = 64      // of outputs for which filters are transformed together
	depthBlock    = 128     // and of inputs
)

// cut tells how n vectors are grouped: threes, then pairs, so that none is alone.
type cut struct{ n, threes int }

func newCut(n int) cut {
	threes := n / columns
	if n%columns == 1 && n > 1 {
		threes--
	}
	return cut{n, threes * columns}
}

// group returns the first vector of the group of vector v, and how many it has.
func (c cut) group(v int) (first, n int) {
	if v < c.threes {
		return v - v%columns, columns
	}
	first = v - (v-c.threes)%2
	return first, min(2, c.n-first)
}

// panels is a matrix for each point: rows of vectors, group after group, the rows of
// a group one after the other. A group is what a tile kernel reads.
type panels struct {
	cut
	rows  int
	point int // floats from point to point
	v     []float32
}

func newPanels(buf *[]float32, values, vectors, rows int) panels {
	point := (vectors*rows + 1) * tensor.Lanes // the odd vector spreads the points over the cache's sets
	return panels{newCut(vectors), rows, point, team.Resize(buf, values*point)}
}

// at returns where row r of vector v lies in point 0, and the floats to the next row.
func (p *panels) at(v, r int) (at, next int) {
	first, n := p.group(v)
	return (first*p.rows + r*n + v - first) * tensor.Lanes, n * tensor.Lanes
}

// winograd4 is one convolution by F(4×4, 3×3), forward or backward-data; the
// latter is the same with the filters turned by half a circle. With a stride it is one by F(4×4, 2×2) and its like
// (see strideds).
type winograd4 struct {
	set            *kernels
	input, output  func(args *int)
	weights        func(args *int)
	plan           *winograd4Plan
	of             []int // filter's point of every value of a transformed tile
	atOnce         int   // vectors of tiles transformed before filters are
	rows, depth    int
	w, u           []float32 // filters, and transformed [block of 16 rows][point][depth][16]
	ins            int       // channels of a filter
	turned         bool
	x, y           []float32
	planeX, planeY int // of one channel
	groups         int // vectors of one pixel
	first, vectors int // of tiles: vectors first ≤ v < first+vectors are under way
	chunks         int
	shared         panels
	bias           []float32
	stage          int
}

const (
	filtersFirst = iota // transform all filters
	chunks              // then all of a chunk
	inputsFirst         // transform inputs
	blocks              // then all of a block of rows
)

// winograd4 runs the convolution; turned means backward-data of g.
func (e engine) winograd4(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32, turned bool) {
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.four
	*t = winograd4{
		set: &sets[e.isa], input: winograd4Input2, output: winograd4Output2, weights: winograd4Weights2, of: fourOf,
		plan: kept(&s.products.fours, tensor.Conv{N: g.N, H: g.H, W: g.W, InC: pitch}, newWinograd4Plan), atOnce: vectorsAtOnce,
		rows: g.OutC, depth: g.InC, ins: g.InC, turned: turned,
		w: w, x: x, y: y, planeX: g.H * g.W * pitch, planeY: g.H * g.W * pitch, groups: pitch / tensor.Lanes, bias: bias,
	}
	if e.isa == avx512 {
		t.input, t.output, t.weights = winograd4Input512, winograd4Output512, winograd4Weights512
	}
	if turned {
		t.rows, t.depth, t.weights = g.InC, g.OutC, winograd4Turned2
		if e.isa == avx512 {
			t.weights = winograd4Turned512
		}
	}
	t.run(c, s)
}

// fourOf tells which of a filter's points a value of a tile is multiplied with: its own.
var fourOf = func() (of []int) {
	for i := range points {
		of = append(of, i)
	}
	return of
}()

// run transforms and multiplies.
func (t *winograd4) run(c *tensor.Call, s *state) {
	all := len(t.plan.tiles) * t.groups
	values := len(t.of)
	threads := worth(c.Threads, values*all*tensor.Lanes*t.rows*t.depth)
	if 4*points*t.rows*t.depth <= filtersInL3 {
		t.u = team.Resize(&s.products.b, points*t.rows/together*t.pointU(t.depth))
		t.stage = filtersFirst
		s.Run(threads, t, t.rows/together)
		t.stage, t.vectors = chunks, all
		most := max(2, chunkBytes4/(4*values*(together+t.depth)*tensor.Lanes))
		if most > columns {
			most -= most % columns
		}
		t.chunks = ((all+most-1)/most + threads - 1) / threads * threads // as many for each thread
		s.Run(threads, t, t.chunks)
		return
	}
	parts := (all + t.atOnce - 1) / t.atOnce
	for i := range parts {
		t.first = all * i / parts
		t.vectors = all*(i+1)/parts - t.first
		t.shared = newPanels(&s.products.c, values, t.vectors, t.depth)
		t.stage = inputsFirst
		s.Run(threads, t, t.vectors*(t.depth/together))
		t.stage = blocks
		s.Run(threads, t, (t.rows+rowsBlock-1)/rowsBlock)
	}
}

func (t *winograd4) Part(s *scratch, lo, hi int) {
	s.winograd.temp = &team.Resize(&s.temp, stridedValues*tensor.Lanes)[0]
	for i := lo; i < hi; i++ {
		switch t.stage {
		case filtersFirst:
			t.filters(s, t.u[i*points*t.pointU(t.depth):], i*together, together, 0, t.depth)
		case chunks:
			first := t.vectors * i / t.chunks
			n := t.vectors*(i+1)/t.chunks - first
			in := newPanels(&s.panels[0], len(t.of), n, t.depth)
			for d := range t.depth { // all of a channel's: its pages are read together
				for v := range n {
					t.inputs(s, &in, first, v, d, 1)
				}
			}
			out := team.Resize(&s.panels[1], len(t.of)*t.pointOut(together, n))
			for row := 0; row < t.rows; row += together {
				t.products(s, t.u[row*points/together*t.pointU(t.depth):], &in, out, together, 0, t.depth)
				t.outputs(s, out, first, n, row, together)
			}
		case inputsFirst:
			blocks := t.depth / together
			t.inputs(s, &t.shared, t.first, i/blocks, i%blocks*together, together)
		case blocks:
			t.block(s, i*rowsBlock, min(rowsBlock, t.rows-i*rowsBlock))
		}
	}
}

// block computes rows of outputs, from the filters on.
func (t *winograd4) block(s *scratch, row, rows int) {
	out := team.Resize(&s.panels[1], len(t.of)*t.pointOut(rows, t.vectors))
	u := team.Resize(&s.panels[0], points*rows/together*t.pointU(min(depthBlock, t.depth)))
	for d := 0; d < t.depth; d += depthBlock {
		depth := min(depthBlock, t.depth-d)
		t.filters(s, u, row, rows, d, depth)
		t.products(s, u, &t.shared, out, rows, d, depth)
	}
	t.outputs(s, out, t.first, t.vectors, row, rows)
}

// filters transforms the filters of some rows and channels of depth to u.
func (t *winograd4) filters(s *scratch, u []float32, row, rows, d, depth int) {
	lanes, step := 9*t.ins, 9
	if t.turned {
		lanes, step = step, lanes
	}
	for i := range s.lanes {
		s.lanes[i] = int32(i * lanes)
	}
	args := &s.winograd
	args.offsets = &s.lanes[0]
	args.step, args.next, args.apart, args.plane = 4*step, 4*together, 4*t.pointU(depth), 4*lanes
	for r := 0; r < rows; r += t.set.lanes {
		args.count = depth
		args.src, args.dst = &t.w[(row+r)*lanes+d*step], &u[points*t.pointU(depth)*(r/together)+r%together]
		t.weights(&args.count)
	}
}

// pointU returns the floats from point to point of transformed filters.
func (t *winograd4) pointU(depth int) int { return (depth + 1) * together }

// inputs transforms some channels of vector first + v of tiles to vector v of in.
func (t *winograd4) inputs(s *scratch, in *panels, first, v, d, depth int) {
	args := &s.winograd
	tile, group := &t.plan.tiles[(first+v)/t.groups], (first+v)%t.groups
	at, next := in.at(v, d)
	args.step, args.next, args.apart = 4*t.planeX, 4*next, 4*in.point
	args.offsets, args.mask = &tile.in[0], &winograd4Masks[tile.edges][0][0]
	for half := 0; half < tensor.Lanes; half += t.set.lanes {
		args.count = depth
		args.src, args.dst = &t.x[d*t.planeX+group*tensor.Lanes+half], &in.v[at+half]
		t.input(&args.count)
	}
}

// pointOut returns the floats from point to point of products of n vectors.
func (t *winograd4) pointOut(rows, n int) int { return (rows*n + 1) * tensor.Lanes }

// products multiplies the filters' depth channels from d on, in u, with in.
func (t *winograd4) products(s *scratch, u []float32, in *panels, out []float32, rows, d, depth int) {
	args := &s.tile
	args.lda, args.ldc, args.bias = 4, 4*in.n*tensor.Lanes, &zeros[0]
	args.aoff = &s.linear(stepsBlock, 1)[0]
	point := t.pointOut(rows, in.n)
	for i, of := range t.of {
		for v, n := 0, 0; v < in.n; v += n {
			_, n = in.group(v)
			args.boff = &s.linear(stepsBlock, n)[0]
			for k := 0; k < depth; k += stepsBlock {
				args.count, args.flags = min(stepsBlock, depth-k), 0
				if d+k > 0 {
					args.flags = resume
				}
				at, _ := in.at(v, d+k)
				a := u[of*t.pointU(depth)+k*together:]
				t.column(args, a, in.v[i*in.point+at:], out[i*point+v*tensor.Lanes:], rows, n, points*t.pointU(depth))
			}
		}
	}
}

// column multiplies rows of a, 16 in a block, with n vectors of b.
func (t *winograd4) column(args *tileArgs, a, b, c []float32, rows, n, block int) {
	kernel := t.set.tile[t.set.rows][n]
	row := args.ldc / 4
	for half := 0; half < tensor.Lanes; half += t.set.lanes {
		for j := range n {
			args.b[j] = &b[j*tensor.Lanes+half]
		}
		for r := 0; r < rows; r += t.set.rows {
			args.a = &a[r/together*block+r%together]
			for j := range n {
				args.c[j] = &c[r*row+j*tensor.Lanes+half]
			}
			kernel(&args.count)
		}
	}
}

// outputs transforms the products of n vectors of tiles from first on to y.
func (t *winograd4) outputs(s *scratch, out []float32, first, n, row, rows int) {
	args := &s.winograd
	args.step, args.next, args.apart = 4*n*tensor.Lanes, 4*t.planeY, 4*t.pointOut(rows, n)
	args.count, args.bias, args.biasStep = 1, &zeros[0], 0
	for r := range rows { // all of a channel's: its pages are written together
		if t.bias != nil {
			args.bias = &t.bias[row+r]
		}
		for v := range n {
			tile, group := &t.plan.tiles[(first+v)/t.groups], (first+v)%t.groups
			args.offsets = &tile.out[0]
			for half := 0; half < tensor.Lanes; half += t.set.lanes {
				args.src, args.dst = &out[(r*n+v)*tensor.Lanes+half], &t.y[(row+r)*t.planeY+group*tensor.Lanes+half]
				t.output(&args.count)
			}
		}
	}
}
