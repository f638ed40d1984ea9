package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
	"gradsync/shared/tensor/vec"
)

// winograd4Filter computes the gradient of a filter by F(4×4, 3×3)'s transpose:
// inputs and gradients of outputs are transformed, multiplied and summed over
// tiles and images, one chain for every point, output and input channel (in
// lanes), and the sums transformed to nine gradients.
//
// Source: Winograd's algorithm transposed, as convolutions' backward passes are
type winograd4Filter struct {
	set              *kernels
	input, gradient  func(args *int)
	filter           func(args *int)
	plan             *winograd4Plan
	g                tensor.Conv
	pitch            int
	x, xt            []float32 // xt is transposed: [pixel][image][channel]
	dy, dw           []float32
	plane            int
	first, tiles     int       // tiles first ≤ t < first+tiles are under way
	rows             int       // outputs of a block
	in               panels    // vectors of channels; a row is an image of a tile
	out              []float32 // [point][output][tile][image]
	rowOut, pointOut int
	images           []int32   // of out's row: one step each
	sums             []float32 // [block][point][output][channel]
	last             bool
	stage            int
}

// filterMost is up to how many images of tiles are multiplied together, filterSteps about how many of them at a
// time where there are more, fewSteps where all sums are at most sumsInL2 (the operands then stay there beside them);
// filterRows, manyRows where steps are many, and filterVectors4 are how large a block of sums is.
const (
	filterMost     = 256
	filterSteps    = 96
	fewSteps       = 32
	sumsInL2       = 1 << 20 // bytes
	filterRows     = 32
	manyRows       = 64
	filterVectors4 = 8
)

const (
	transposing = iota
	transforming
	multiplying
)

func (e engine) winograd4Filter(c *tensor.Call, g tensor.Conv, x, dy, dw []float32) {
	s := stateOf(c)
	pitch := tensor.BatchInner.Pitch(g.N)
	t := &s.products.fourDW
	images := t.images
	*t = winograd4Filter{
		set: &sets[e.isa], input: winograd4Input2, gradient: winograd4Gradient2, filter: winograd4Filter2,
		plan: kept(&s.products.fours, tensor.Conv{N: g.N, H: g.H, W: g.W, InC: pitch * g.InC}, newWinograd4Plan),
		g:    g, pitch: pitch, x: x, xt: team.Resize(&s.products.b, g.H*g.W*pitch*g.InC), dy: dy, dw: dw, plane: g.H * g.W * pitch,
	}
	if e.isa == avx512 {
		t.input, t.gradient, t.filter = winograd4Input512, winograd4Gradient512, winograd4Filter512
	}
	all := len(t.plan.tiles)
	most := all
	if all*g.N > filterMost {
		steps := filterSteps
		if 4*points*g.InC*g.OutC <= sumsInL2 {
			steps = fewSteps
		}
		most = min(all, max(1, steps/g.N))
	}
	t.rows = filterRows
	if most*g.N >= manyRows && g.OutC >= 2*manyRows {
		t.rows = manyRows
	}
	t.images = images[:0]
	for i := range most * g.N {
		t.images = append(t.images, int32(i/g.N*pitch+i%g.N))
	}
	t.rowOut = (most*pitch + tensor.Lanes)
	t.pointOut = g.OutC*t.rowOut + tensor.Lanes
	t.out = team.Resize(&s.products.c, points*t.pointOut)
	threads := worth(c.Threads, points*all*pitch*g.InC*g.OutC)
	blocks := (g.OutC + t.rows - 1) / t.rows
	if most < all {
		t.sums = team.Resize(&s.products.e, points*blocks*t.rows*g.InC)
	}
	t.stage = transposing
	s.Run(threads, t, g.H*g.W)
	for t.first = 0; t.first < all; t.first += most {
		t.tiles = min(most, all-t.first)
		t.last = t.first+t.tiles == all
		t.in = newPanels(&s.products.d, points, g.InC/tensor.Lanes, t.tiles*g.N)
		t.stage = transforming
		s.Run(threads, t, t.tiles*tensor.Lanes) // each a sixteenth of a tile's images and outputs
		t.stage = multiplying
		s.Run(threads, t, blocks)
	}
}

func (t *winograd4Filter) Part(s *scratch, lo, hi int) {
	if t.stage == transposing {
		wide := t.pitch * t.g.InC
		vec.Transpose(t.xt[lo*wide:], t.g.InC, t.x[lo*t.pitch:], t.plane, t.g.InC, (hi-lo)*t.pitch)
		return
	}
	s.winograd.temp = &team.Resize(&s.temp, points*tensor.Lanes)[0]
	for i := lo; i < hi; i++ {
		if t.stage == multiplying {
			t.block(s, i*t.rows, min(t.rows, t.g.OutC-i*t.rows))
			continue
		}
		tile, share := i/tensor.Lanes, i%tensor.Lanes
		for n := t.g.N * share / tensor.Lanes; n < t.g.N*(share+1)/tensor.Lanes; n++ {
			t.inputs(s, tile*t.g.N+n)
		}
		for o := t.g.OutC / tensor.Lanes * share; o < t.g.OutC/tensor.Lanes*(share+1); o++ {
			t.gradients(s, tile, o)
		}
	}
}

// inputs transforms all channels of an image of a tile; rows are counted through both.
func (t *winograd4Filter) inputs(s *scratch, row int) {
	args := &s.winograd
	tile := &t.plan.tiles[t.first+row/t.g.N]
	args.step, args.next, args.apart = 4*tensor.Lanes, 4*tensor.Lanes, 4*t.in.point
	args.offsets, args.mask = &tile.in[0], &winograd4Masks[tile.edges][0][0]
	x := t.xt[row%t.g.N*t.g.InC:]
	for v, n := 0, 0; v < t.in.n; v += n {
		_, n = t.in.group(v)
		at, _ := t.in.at(v, row)
		for half := 0; half < tensor.Lanes; half += t.set.lanes {
			args.count = n
			args.src, args.dst = &x[v*tensor.Lanes+half], &t.in.v[at+half]
			t.input(&args.count)
		}
	}
}

// gradients transforms the gradients of an output's tile, all images.
func (t *winograd4Filter) gradients(s *scratch, tile, o int) {
	args := &s.winograd
	args.step, args.next, args.apart = 4*t.set.lanes, 4*t.set.lanes, 4*t.pointOut
	args.offsets = &t.plan.tiles[t.first+tile].out[0]
	args.count = t.pitch / t.set.lanes
	args.src, args.dst = &t.dy[o*t.plane], &t.out[o*t.rowOut+tile*t.pitch]
	t.gradient(&args.count)
}

// block sums products of some outputs, a few vectors of channels at a time.
func (t *winograd4Filter) block(s *scratch, o, rows int) {
	vectors := t.in.n
	for v := 0; v < vectors; {
		from := v
		for v < vectors && v-from < filterVectors4 {
			_, n := t.in.group(v)
			if v+n-from > filterVectors4 {
				break
			}
			v += n
		}
		wide := (v - from) * tensor.Lanes
		var sums []float32
		if t.sums != nil {
			sums = t.sums[points*(o*t.g.InC+rows*from*tensor.Lanes):]
		} else {
			sums = team.Resize(&s.panels[0], points*rows*wide)
		}
		t.multiply(s, sums, o, rows, from, v)
		if t.last {
			t.filters(s, sums, o, rows, from*tensor.Lanes, wide)
		}
	}
}

// multiply adds to the sums of some outputs and vectors of channels.
func (t *winograd4Filter) multiply(s *scratch, sums []float32, o, rows, from, to int) {
	args := &s.tile
	wide := (to - from) * tensor.Lanes
	args.lda, args.ldc, args.bias = 4*t.rowOut, 4*wide, &zeros[0]
	for i := range points {
		for v, n := from, 0; v < to; v += n {
			_, n = t.in.group(v)
			args.boff = &s.linear(stepsBlock, n)[0]
			for k := 0; k < t.in.rows; k += stepsBlock {
				args.count, args.flags = min(stepsBlock, t.in.rows-k), 0
				if t.first+k > 0 {
					args.flags = resume
				}
				args.aoff = &t.images[k]
				at, _ := t.in.at(v, k)
				b, c := t.in.v[i*t.in.point+at:], sums[i*rows*wide+(v-from)*tensor.Lanes:]
				t.column(args, t.out[i*t.pointOut+o*t.rowOut:], b, c, rows, n)
			}
		}
	}
}

// column multiplies rows of a with n vectors of b.
func (t *winograd4Filter) column(args *tileArgs, a, b, c []float32, rows, n int) {
	kernel := t.set.tile[t.set.rows][n]
	row := args.ldc / 4
	for half := 0; half < tensor.Lanes; half += t.set.lanes {
		for j := range n {
			args.b[j] = &b[j*tensor.Lanes+half]
		}
		for r := 0; r < rows; r += t.set.rows {
			args.a = &a[r*t.rowOut]
			for j := range n {
				args.c[j] = &c[r*row+j*tensor.Lanes+half]
			}
			kernel(&args.count)
		}
	}
}

// filters transforms sums to gradients and writes them in dw's order.
func (t *winograd4Filter) filters(s *scratch, sums []float32, o, rows, c, wide int) {
	args := &s.winograd
	taps := team.Resize(&s.panels[1], 9*wide)
	args.step, args.next = 4*tensor.Lanes, 4*tensor.Lanes
	args.apart, args.plane = 4*rows*wide, 4*wide
	for r := range rows {
		for half := 0; half < tensor.Lanes; half += t.set.lanes {
			args.count = wide / tensor.Lanes
			args.src, args.dst = &sums[r*wide+half], &taps[half]
			t.filter(&args.count)
		}
		args.count, args.src, args.dst = wide/8, &taps[0], &t.dw[((o+r)*t.g.InC+c)*9]
		winograd4Store(&args.count)
	}
}
