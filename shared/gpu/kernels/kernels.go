// Package kernels holds the arithmetic that runs on a GPU: CUDA C in the folder cuda, the
// PTX that clang makes of it, and a Go method per kernel.
//
// Every operation of tensor.Engine is there, an optimiser's update, and what sparse and
// coded exchanges do to a gradient before it leaves the device. No kernel uses a library
// or an atomic operation; the order of every sum hangs on the shape alone, so results are
// the same bits on every card, on the emulator and on the fake driver.
package kernels

//go:generate go run ./gen -src cuda -out kernels.ptx

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"unsafe"

	"gradsync/shared/gpu/driver"
)

//go:embed kernels.ptx
var ptx string

//go:embed cuda
var sources embed.FS

// PTX returns the compiled kernels.
//
// Source: ours: what every driver is given
func PTX() string { return ptx }

// Sources returns the CUDA C: kernels.cu and what it includes.
//
// Source: ours: the fake driver compiles the same text
func Sources() fs.FS {
	sub, err := fs.Sub(sources, "cuda")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// kernel numbers the entries of the PTX.
type kernel int

const (
	gemm kernel = iota
	convForward
	convBackwardData
	convBackwardFilter
	sumParts
	biasForward
	biasBackward
	normMoments
	normApply
	normBackward
	normBlend
	add
	reluForward
	reluBackward
	update
	maxPoolForward
	maxPoolBackward
	avgPoolForward
	avgPoolBackward
	softmaxCrossEntropy
	meanLoss
	countNonzero
	bitmapCount
	prefixSum
	bitmapPack
	bitmapUnpack
	quantise
	quantiseRange
	addInt32
	subInt32
	kernels // how many
)

// signatures are the names in the PTX and the parameters: p an address, i an integer, f a
// float32, d a float64.
var signatures = [kernels]struct{ name, params string }{
	gemm:                {"gemm", "ppppiiiiiiii"},
	convForward:         {"conv_forward", "ppppiiiiiiiiiii"},
	convBackwardData:    {"conv_backward_data", "pppiiiiiiiiiii"},
	convBackwardFilter:  {"conv_backward_filter", "pppiiiiiiiiiiii"},
	sumParts:            {"sum_parts", "ppii"},
	biasForward:         {"bias_forward", "ppiiii"},
	biasBackward:        {"bias_backward", "ppiii"},
	normMoments:         {"norm_moments", "pppiii"},
	normApply:           {"norm_apply", "ppppppiiifi"},
	normBackward:        {"norm_backward", "pppppppppiiif"},
	normBlend:           {"norm_blend", "ppidd"},
	add:                 {"add", "pppii"},
	reluForward:         {"relu_forward", "ppi"},
	reluBackward:        {"relu_backward", "pppi"},
	update:              {"update", "pppifffi"},
	maxPoolForward:      {"max_pool_forward", "pppiiiiiii"},
	maxPoolBackward:     {"max_pool_backward", "pppiiiiiii"},
	avgPoolForward:      {"avg_pool_forward", "ppiiiiiii"},
	avgPoolBackward:     {"avg_pool_backward", "ppiiiiiii"},
	softmaxCrossEntropy: {"softmax_cross_entropy", "ppppii"},
	meanLoss:            {"mean_loss", "ppi"},
	countNonzero:        {"count_nonzero", "pppii"},
	bitmapCount:         {"bitmap_count", "ppi"},
	prefixSum:           {"prefix_sum", "ppi"},
	bitmapPack:          {"bitmap_pack", "ppppi"},
	bitmapUnpack:        {"bitmap_unpack", "ppppii"},
	quantise:            {"quantise", "pppiffi"},
	quantiseRange:       {"quantise_range", "pppidfi"},
	addInt32:            {"add_int32", "ppi"},
	subInt32:            {"sub_int32", "ppi"},
}

// threads is how many every block has.
const threads = 256

// Set is the kernels, loaded on a device. It may be used by several goroutines.
//
// Source: ours: a module with its functions
type Set struct {
	driver    driver.Driver
	module    driver.Module
	functions [kernels]driver.Func
}

// Load compiles the kernels for a device. The error is the driver's.
//
// Source: ours: see Set
func Load(d driver.Driver) (*Set, error) { return LoadText(d, ptx) }

// LoadText is Load with another PTX of the same kernels.
//
// Source: ours: tests plant mistakes
func LoadText(d driver.Driver, text string) (*Set, error) {
	s := &Set{driver: d}
	var err error
	if s.module, err = d.Load(text); err != nil {
		return nil, err
	}
	for k, at := range signatures {
		sizes := make([]int, len(at.params))
		for i, p := range at.params {
			sizes[i] = 4
			if p == 'p' || p == 'd' {
				sizes[i] = 8
			}
		}
		if s.functions[k], err = d.Function(s.module, at.name, sizes...); err != nil {
			return nil, errors.Join(err, d.Unload(s.module))
		}
	}
	return s, nil
}

// Close unloads the kernels.
func (s *Set) Close() error { return s.driver.Unload(s.module) }

// Queue sends kernels to one stream. It serves one goroutine at a time and allocates
// nothing. All addresses are device memory of float32 unless a method says otherwise.
// Methods return when the work is queued; the error is the driver's, or says which size,
// of one dimension or of a whole tensor, is beyond what kernels can count.
//
// Source: ours: an engine holds one per caller
type Queue struct {
	set    *Set
	stream driver.Stream
	cells  [24]uint64
	n      int
	large  int // an argument that no kernel takes; 0: none
}

// On returns a queue for a stream.
func (s *Set) On(stream driver.Stream) *Queue { return &Queue{set: s, stream: stream} }

// Stream returns the queue's stream.
func (q *Queue) Stream() driver.Stream { return q.stream }

func (q *Queue) cell(v uint64) { q.cells[q.n] = v; q.n++ }

func (q *Queue) addresses(list ...unsafe.Pointer) {
	for _, p := range list {
		q.cell(uint64(uintptr(p)))
	}
}

// ints adds sizes: dimensions, distances, numbers of elements.
func (q *Queue) ints(list ...int) {
	for _, v := range list {
		q.size(v)
		q.bits(int32(v))
	}
}

// bits adds an integer of any value.
func (q *Queue) bits(v int32) { q.cell(uint64(uint32(v))) }

// size refuses a size that kernels cannot count.
func (q *Queue) size(size int) {
	if size > most || size < math.MinInt32 {
		q.large = size
	}
}

// tensor refuses one whose dimensions have a product that kernels cannot count: their
// indices are int. It adds nothing.
func (q *Queue) tensor(dims ...int) {
	n := 1
	for _, d := range dims {
		if d <= 0 {
			return
		}
		if n > math.MaxInt/d {
			n = math.MaxInt
			break
		}
		n *= d
	}
	q.size(n)
}

func (q *Queue) floats(list ...float32) {
	for _, v := range list {
		q.cell(uint64(math.Float32bits(v)))
	}
}

func (q *Queue) doubles(list ...float64) {
	for _, v := range list {
		q.cell(math.Float64bits(v))
	}
}

func (q *Queue) flag(v bool) {
	if v {
		q.cell(1)
	} else {
		q.cell(0)
	}
}

// run launches a kernel with the cells so far; a grid without blocks does nothing.
func (q *Queue) run(k kernel, x, y, z int) error {
	cells, large := q.cells[:q.n], q.large
	q.n, q.large = 0, 0
	if large != 0 {
		return fmt.Errorf("gpu: kernel %s: a size of %d: at most %d is possible", signatures[k].name, large, most)
	}
	if x == 0 || y == 0 || z == 0 {
		return nil
	}
	return q.set.driver.Launch(q.stream, q.set.functions[k], driver.Dim{X: uint32(x), Y: uint32(y), Z: uint32(z)}, driver.Dim{X: threads, Y: 1, Z: 1}, cells)
}

// grid is how many blocks go over elements at most.
const grid = 2048

// most is how many elements a tensor may have: a kernel's index, an int, goes one step of
// the whole grid beyond.
const most = 1<<31 - grid*threads

// elements is the number of blocks for n elements, more than which a thread does several.
func elements(n int) int { return min(blocks(n, threads), grid) }

func blocks(n, size int) int { return (n + size - 1) / size }
