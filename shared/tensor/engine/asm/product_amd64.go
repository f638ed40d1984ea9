package asm

import (
	"fmt"
	"unsafe"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// product is one pass out[row][vector] = bias[row] + Σ a·x over reduction
// channels and taps, as a plan lays it out.
type product struct {
	set    *kernels
	plan   *plan
	rows   int
	a      []float32
	rowA   int // distance of two rows in a
	stepA  int // distance of two reduction channels in a
	depth  int // reduction channels
	x      []float32
	stepX  int
	y      []float32
	rowY   int
	bias   []float32 // nil: zeros
	relu   bool
	byRows bool // threads share rows instead of tiles
}

// chunkBytes bounds the outputs that are under way together: they are read and
// written once per block of the reduction.
const chunkBytes = 512 << 10

// packRows is from how many rows on a panel is copied together before it is
// read once per tile of rows.
const packRows = 24

// run splits the work: over tiles where there are enough of them, else over rows.
func (t *product) run(c *tensor.Call, s *state) {
	rowTiles := (t.rows + t.set.rows - 1) / t.set.rows
	t.byRows = len(t.plan.tiles) < 4*max(1, c.Threads) && rowTiles > len(t.plan.tiles)
	n := len(t.plan.tiles)
	if t.byRows {
		n = rowTiles
	}
	s.Run(worth(c.Threads, t.work()), t, n)
}

// work returns how many multiply-adds a product has.
func (t *product) work() int {
	n := 0
	for i := range t.plan.classes {
		n += t.plan.classes[i].taps * len(t.plan.classes[i].vecs)
	}
	return n * t.depth * t.rows * tensor.Lanes
}

func (t *product) Part(s *scratch, lo, hi int) {
	from, to, rows := lo, hi, [2]int{0, t.rows}
	if t.byRows {
		from, to = 0, len(t.plan.tiles)
		rows = [2]int{lo * t.set.rows, min(hi*t.set.rows, t.rows)}
	}
	chunk := max(1, chunkBytes/(4*tensor.Lanes*columns*(rows[1]-rows[0])))
	for ; from < to; from += chunk {
		for d := 0; d == 0 || d < t.depth; d += t.plan.block {
			for i := from; i < min(from+chunk, to); i++ {
				t.tile(s, t.plan.tiles[i], d, rows)
			}
		}
	}
}

// tile computes one tile of vectors for all rows, reduction channels d … d+block.
func (t *product) tile(s *scratch, at tile, d int, rows [2]int) {
	cl := &t.plan.classes[at.class]
	n := int(at.n)
	args := &s.tile
	args.count = min(t.plan.block, t.depth-d) * cl.taps
	args.lda, args.ldc = 4*t.rowA, 4*t.rowY
	args.flags = 0
	if d > 0 {
		args.flags = resume
	}
	if t.relu && d+t.plan.block >= t.depth {
		args.flags |= withReLU
	}
	var vec [columns]spot
	copy(vec[:], cl.vecs[at.first:at.first+at.n])
	for j := range n {
		args.b[j] = &t.x[d*t.stepX+int(vec[j].x)]
	}
	if args.count > 0 {
		args.aoff, args.boff = &cl.aoff[0], &cl.boff[0]
		if rows[1]-rows[0] >= packRows {
			pack(s, n)
		}
	}
	panel := args.b
	for half := 0; half < tensor.Lanes; half += t.set.lanes {
		for j := range n {
			args.b[j] = ahead(panel[j], half)
		}
		for r := rows[0]; r < rows[1]; r += t.set.rows {
			args.a = &t.a[r*t.rowA+d*t.stepA]
			args.bias = &zeros[0]
			if t.bias != nil {
				args.bias = &t.bias[r]
			}
			for j := range n {
				args.c[j] = &t.y[r*t.rowY+int(vec[j].y)+half]
			}
			t.set.tile[min(t.set.rows, rows[1]-r)][n](&args.count)
		}
	}
}

// zeros is the bias of a product without one.
var zeros [8]float32

// pack copies the n vectors of every step of the scratch's tile together and
// makes its arguments read the copy.
func pack(s *scratch, n int) {
	args := &s.tile
	panel := team.Resize(&s.panel, args.count*n*tensor.Lanes)
	args.c[0] = &panel[0]
	packs[n](&args.count)
	for j := range n {
		args.b[j] = &panel[j*tensor.Lanes]
	}
	args.boff = &s.linear(args.count, n)[0]
}

// linear returns the table of a packed panel of n vectors per step.
func (s *scratch) linear(count, n int) []int32 {
	table := s.tables[n]
	for i := len(table); i < count; i++ {
		table = append(table, int32(i*n*tensor.Lanes))
	}
	s.tables[n] = table
	return table
}

// worth returns how many threads pay for `work` multiply-adds: starting one costs
// the time of half a million.
func worth(threads, work int) int {
	return max(1, min(threads, work>>19))
}

// need panics if a buffer is too short: the kernels do not look.
func need(what string, v []float32, n int) {
	if len(v) < n {
		panic(fmt.Sprintf("asm: %s has %d values, want %d", what, len(v), n))
	}
}

// ahead returns the element n behind p. It must lie in p's buffer: the collector sees
// the pointer.
func ahead(p *float32, n int) *float32 {
	return (*float32)(unsafe.Add(unsafe.Pointer(p), 4*n))
}
