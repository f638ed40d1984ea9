package check

import (
	"math"
	"unsafe"

	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
)

// Shapes of the trials are no multiples of a tile, so that edges are met.
var (
	gemm = tensor.Gemm{TransB: true, M: 70, N: 45, K: 130}
	conv = tensor.Conv{N: 3, InC: 5, H: 13, W: 11, OutC: 7, KH: 3, KW: 3, Stride: 2, Pad: 1}
	norm = tensor.Norm{N: 5, C: 6, HW: 77, Eps: 1e-5, ReLU: true}
	pool = tensor.Pool{N: 3, C: 5, H: 13, W: 11, Size: 3, Stride: 2}
)

// Lengths that they have.
const (
	elements = 5003
	images   = 3 * 5 * 13 * 11 // of conv and pool
	convOut  = 3 * 7 * 7 * 6
	filters  = 7 * 5 * 3 * 3
	pooled   = 3 * 5 * 6 * 5
	normed   = 5 * 6 * 77
	batch    = 37
	classes  = 10
)

// trials run every kernel of the PTX, by name: those that sum beside the CPU, those that round at most once or move
// values for their bits alone.
var trials = []struct {
	kernels string
	run     func(b *bench)
}{
	{"gemm", both([]int{70 * 130, 45 * 130}, []int{70 * 45}, func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
		e.Gemm(c, gemm, x[0], x[1], y[0])
	})},
	{"conv_forward", both([]int{images, filters, 7}, []int{convOut},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.ConvForward(c, conv, x[0], x[1], x[2], y[0])
		})},
	{"conv_backward_data", both([]int{convOut, filters}, []int{images},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.ConvBackwardData(c, conv, x[0], x[1], y[0])
		})},
	{"conv_backward_filter sum_parts", both([]int{images, convOut}, []int{filters},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.ConvBackwardFilter(c, conv, x[0], x[1], y[0])
		})},
	{"bias_backward", both([]int{normed}, []int{6}, func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
		e.BiasBackward(c, norm.N, norm.C, norm.HW, x[0], y[0])
	})},
	{"norm_moments norm_apply norm_backward", both([]int{normed, normed, 6, 6}, []int{normed, 6, 6, normed, 6, 6},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.BatchNormForward(c, norm, x[0], x[2], x[3], y[0], y[1], y[2])
			e.BatchNormBackward(c, norm, x[0], y[0], x[1], x[2], y[1], y[2], y[3], y[4], y[5])
		})},
	{"add", both([]int{elements, elements}, []int{elements}, func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
		e.Add(c, x[0], x[1], y[0], true)
	})},
	{"relu_forward relu_backward", both([]int{elements, elements}, []int{elements, elements},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.ReLU(c, x[0], y[0])
			e.ReLUBackward(c, y[0], x[1], y[1])
		})},
	{"max_pool_forward max_pool_backward", both([]int{images, pooled}, []int{pooled, pooled, images},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			arg := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(y[1]))), pooled)
			e.MaxPoolForward(c, pool, x[0], y[0], arg)
			e.MaxPoolBackward(c, pool, x[1], arg, y[2])
		})},
	{"avg_pool_forward avg_pool_backward", both([]int{images, pooled}, []int{pooled, images},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			e.AvgPoolForward(c, pool, x[0], y[0])
			e.AvgPoolBackward(c, pool, x[1], y[1])
		})},
	{"softmax_cross_entropy mean_loss", both([]int{batch * classes}, []int{batch * classes},
		func(e tensor.Engine, c *tensor.Call, x, y [][]float32) {
			labels := make([]uint8, batch)
			for i := range labels {
				labels[i] = uint8(i % classes)
			}
			e.SoftmaxCrossEntropy(c, batch, classes, x[0], labels, y[0])
		})},
	{"bias_forward", exact([]int{normed, 6}, nil, func(b *bench, x, _ []unsafe.Pointer) error {
		return b.q.BiasForward(norm.N, norm.C, norm.HW, x[1], x[0], true)
	})},
	{"norm_blend", exact([]int{elements, elements}, nil, func(b *bench, x, _ []unsafe.Pointer) error {
		return b.q.BatchNormBlend(elements, x[0], x[1], 0.25, 1.125)
	})},
	{"update", exact([]int{elements, elements}, []int{elements}, func(b *bench, x, y []unsafe.Pointer) error {
		b.keep(b.q.Update(elements, x[0], y[0], x[1], 0.01, 0.9, 1e-4, true))
		return b.q.Update(elements, x[0], y[0], x[1], 0.01, 0.9, 1e-4, false)
	})},
	{"count_nonzero", exact([]int{elements}, []int{5}, func(b *bench, x, y []unsafe.Pointer) error {
		return b.q.CountNonzero(5, x[0], up(b, []int32{0, 1, 1, 300, 1324, elements}), y[0])
	})},
	{"bitmap_count prefix_sum bitmap_pack bitmap_unpack", exact([]int{elements, elements},
		[]int{kernels.Segments(elements), kernels.Segments(elements) + 1, kernels.BitmapWords(elements), elements},
		func(b *bench, x, y []unsafe.Pointer) error {
			b.keep(b.q.PackBitmap(elements, x[0], y[0], y[1], y[2], y[3]))
			return b.q.UnpackBitmap(elements, y[2], y[3], y[0], y[1], x[1], true)
		})},
	{"quantise", exact([]int{elements}, []int{elements, kernels.ClippedInts(elements)},
		func(b *bench, x, y []unsafe.Pointer) error {
			return b.q.Quantise(elements, x[0], y[0], y[1], 256, 500)
		})},
	{"quantise_range", exact([]int{elements}, []int{elements, kernels.ClippedInts(elements)},
		func(b *bench, x, y []unsafe.Pointer) error {
			return b.q.QuantiseRange(elements, x[0], y[0], y[1], 2.5, math.MaxInt32)
		})},
	{"add_int32", exact([]int{elements, elements}, nil, func(b *bench, x, _ []unsafe.Pointer) error {
		return b.q.AddInt32(elements, x[0], x[1])
	})},
	{"sub_int32", exact([]int{elements, elements}, nil, func(b *bench, x, _ []unsafe.Pointer) error {
		return b.q.SubInt32(elements, x[0], x[1])
	})},
}
