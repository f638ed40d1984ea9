package kernels

import (
	"unsafe"

	"gradsync/shared/tensor"
)

// tile is how many rows and columns of a product a block does.
const tile = 64

// product launches out[M][N] = a·b; am and ak are the distances of rows and of steps in
// a, bk and bn of steps and of columns in b.
func (q *Queue) product(m, n, k, am, ak, bk, bn int, a, b, bias, out unsafe.Pointer, relu bool) error {
	q.addresses(a, b, bias, out)
	q.ints(m, n, k, am, ak, bk, bn)
	q.flag(relu)
	return q.run(gemm, blocks(n, tile), blocks(m, tile), 1)
}

// Gemm computes tensor.Engine's Gemm.
func (q *Queue) Gemm(g tensor.Gemm, a, b, out unsafe.Pointer) error {
	am, ak, bk, bn := g.K, 1, g.N, 1
	if g.TransA {
		am, ak = 1, g.M
	}
	if g.TransB {
		bk, bn = 1, g.K
	}
	return q.product(g.M, g.N, g.K, am, ak, bk, bn, a, b, nil, out, false)
}

// LinearForward computes y = x·wᵀ + bias, then ReLU if g.ReLU.
func (q *Queue) LinearForward(g tensor.Linear, x, w, bias, y unsafe.Pointer) error {
	return q.product(g.N, g.Out, g.In, g.In, 1, 1, g.In, x, w, bias, y, g.ReLU)
}

// LinearBackwardData computes dx = dy·w.
func (q *Queue) LinearBackwardData(g tensor.Linear, dy, w, dx unsafe.Pointer) error {
	return q.product(g.N, g.In, g.Out, g.Out, 1, g.In, 1, dy, w, nil, dx, false)
}

// LinearBackwardFilter computes dw = dyᵀ·x.
func (q *Queue) LinearBackwardFilter(g tensor.Linear, x, dy, dw unsafe.Pointer) error {
	return q.product(g.Out, g.In, g.N, 1, g.Out, g.In, 1, dy, x, nil, dw, false)
}

// shape adds a convolution's, with its border.
func (q *Queue) shape(g tensor.Conv) {
	q.tensor(g.N, g.InC, g.H, g.W)
	q.tensor(g.N, g.OutC, g.OutH(), g.OutW())
	q.tensor(g.OutC, g.InC, g.KH, g.KW)
	q.tensor(g.H + 2*g.Pad)
	q.tensor(g.W + 2*g.Pad)
	q.ints(g.N, g.InC, g.H, g.W, g.OutC, g.KH, g.KW, g.Stride, g.Pad, g.OutH(), g.OutW())
}

// ConvForward computes y = x ∗ w + bias; a nil bias is none.
func (q *Queue) ConvForward(g tensor.Conv, x, w, bias, y unsafe.Pointer) error {
	q.addresses(x, w, bias, y)
	q.shape(g)
	return q.run(convForward, blocks(g.N*g.OutH()*g.OutW(), tile), blocks(g.OutC, tile), 1)
}

// ConvBackwardData computes dx from dy.
func (q *Queue) ConvBackwardData(g tensor.Conv, dy, w, dx unsafe.Pointer) error {
	q.addresses(dy, w, dx)
	q.shape(g)
	return q.run(convBackwardData, blocks(g.N*g.H*g.W, tile), blocks(g.InC, tile), 1)
}

// filterBlocks is how many blocks a filter's gradient is cut into where its tiles are
// fewer: the same on every card, since it decides the order of the sum.
const filterBlocks = 256

// FilterParts returns into how many sums over images a filter's gradient is cut, and how
// many images each has (the last one the rest).
//
// Source: ours: few tiles of very long sums would leave most of a card idle
func FilterParts(g tensor.Conv) (parts, images int) {
	tiles := blocks(g.OutC, tile) * blocks(g.Taps(), tile)
	images = blocks(g.N, min(max(filterBlocks/tiles, 1), g.N))
	return blocks(g.N, images), images
}

// FilterScratch returns how many floats ConvBackwardFilter needs beside its output.
//
// Source: ours: see FilterParts
func FilterScratch(g tensor.Conv) int {
	if parts, _ := FilterParts(g); parts > 1 {
		return parts * g.OutC * g.Taps()
	}
	return 0
}

// ConvBackwardFilter computes dw from x and dy; scratch holds FilterScratch(g) floats.
func (q *Queue) ConvBackwardFilter(g tensor.Conv, x, dy, dw, scratch unsafe.Pointer) error {
	parts, images := FilterParts(g)
	to := scratch
	if parts == 1 {
		to = dw
	}
	q.addresses(x, dy, to)
	q.tensor(parts, images)
	q.ints(images)
	q.shape(g)
	if err := q.run(convBackwardFilter, blocks(g.Taps(), tile), blocks(g.OutC, tile), parts); err != nil || parts == 1 {
		return err
	}
	n := g.OutC * g.Taps()
	q.addresses(scratch, dw)
	q.ints(n, parts)
	return q.run(sumParts, elements(n), 1, 1)
}

// BiasForward adds a bias to n images of ch channels with hw pixels, in place, then does
// the ReLU if relu: for products that a library made.
func (q *Queue) BiasForward(n, ch, hw int, bias, y unsafe.Pointer, relu bool) error {
	q.addresses(bias, y)
	q.tensor(n, ch, hw)
	q.ints(n*ch*hw, ch, hw)
	q.flag(relu)
	return q.run(biasForward, elements(n*ch*hw), 1, 1)
}

// BiasBackward sums dy of n images over images and hw pixels for each of ch channels.
func (q *Queue) BiasBackward(n, ch, hw int, dy, db unsafe.Pointer) error {
	q.addresses(dy, db)
	q.tensor(n, ch, hw)
	q.ints(n, ch, hw)
	return q.run(biasBackward, ch, 1, 1)
}

// BatchNormForward computes tensor.Engine's BatchNormForward.
func (q *Queue) BatchNormForward(g tensor.Norm, x, scale, shift, y, mean, variance unsafe.Pointer) error {
	q.addresses(x, mean, variance)
	q.tensor(g.N, g.C, g.HW)
	q.ints(g.N, g.C, g.HW)
	if err := q.run(normMoments, g.C, 1, 1); err != nil {
		return err
	}
	return q.BatchNormInference(g, x, scale, shift, mean, variance, y)
}

// BatchNormInference normalises by the given mean and variance.
func (q *Queue) BatchNormInference(g tensor.Norm, x, scale, shift, mean, variance, y unsafe.Pointer) error {
	total := g.N * g.C * g.HW
	q.addresses(x, scale, shift, mean, variance, y)
	q.tensor(g.N, g.C, g.HW)
	q.ints(total, g.C, g.HW)
	q.floats(g.Eps)
	q.flag(g.ReLU)
	return q.run(normApply, elements(total), 1, 1)
}

// BatchNormBackward computes tensor.Engine's BatchNormBackward; without g.ReLU y may be nil.
func (q *Queue) BatchNormBackward(g tensor.Norm, x, y, dy, scale, mean, variance, dx, dscale, dshift unsafe.Pointer) error {
	if !g.ReLU {
		y = nil
	}
	q.addresses(x, y, dy, scale, mean, variance, dx, dscale, dshift)
	q.tensor(g.N, g.C, g.HW)
	q.ints(g.N, g.C, g.HW)
	q.floats(g.Eps)
	return q.run(normBackward, g.C, 1, 1)
}

// BatchNormBlend moves n running statistics: (1−weight)·running + weight·(factor·batch).
func (q *Queue) BatchNormBlend(n int, running, batch unsafe.Pointer, weight, factor float64) error {
	q.addresses(running, batch)
	q.ints(n)
	q.doubles(weight, factor)
	return q.run(normBlend, elements(n), 1, 1)
}

// Add computes y = a + b of n elements, then ReLU if relu.
func (q *Queue) Add(n int, a, b, y unsafe.Pointer, relu bool) error {
	q.addresses(a, b, y)
	q.ints(n)
	q.flag(relu)
	return q.run(add, elements(n), 1, 1)
}

// ReLU computes y = max(x, 0) of n elements.
func (q *Queue) ReLU(n int, x, y unsafe.Pointer) error {
	q.addresses(x, y)
	q.ints(n)
	return q.run(reluForward, elements(n), 1, 1)
}

// ReLUBackward computes dx = dy where y > 0, else 0.
func (q *Queue) ReLUBackward(n int, y, dy, dx unsafe.Pointer) error {
	q.addresses(y, dy, dx)
	q.ints(n)
	return q.run(reluBackward, elements(n), 1, 1)
}

func (q *Queue) pool(k kernel, total int, g tensor.Pool) error {
	q.tensor(g.N, g.C, g.H, g.W)
	q.tensor(g.N, g.C, g.OutH(), g.OutW())
	q.ints(total, g.H, g.W, g.Size, g.Stride, g.OutH(), g.OutW())
	return q.run(k, elements(total), 1, 1)
}

func sizes(g tensor.Pool) (in, out int) {
	return g.N * g.C * g.H * g.W, g.N * g.C * g.OutH() * g.OutW()
}

// MaxPoolForward computes tensor.Engine's MaxPoolForward; arg is int32.
func (q *Queue) MaxPoolForward(g tensor.Pool, x, y, arg unsafe.Pointer) error {
	_, out := sizes(g)
	q.addresses(x, y, arg)
	return q.pool(maxPoolForward, out, g)
}

// MaxPoolBackward adds each dy to the dx that its window chose.
func (q *Queue) MaxPoolBackward(g tensor.Pool, dy, arg, dx unsafe.Pointer) error {
	in, _ := sizes(g)
	q.addresses(dy, arg, dx)
	return q.pool(maxPoolBackward, in, g)
}

// AvgPoolForward writes each window's mean.
func (q *Queue) AvgPoolForward(g tensor.Pool, x, y unsafe.Pointer) error {
	_, out := sizes(g)
	q.addresses(x, y)
	return q.pool(avgPoolForward, out, g)
}

// AvgPoolBackward spreads each dy over its window.
func (q *Queue) AvgPoolBackward(g tensor.Pool, dy, dx unsafe.Pointer) error {
	in, _ := sizes(g)
	q.addresses(dy, dx)
	return q.pool(avgPoolBackward, in, g)
}

// SoftmaxCrossEntropy writes the gradient of the mean loss of n×classes logits, each
// image's loss (n float64) and their mean (one float64); labels are bytes below classes.
func (q *Queue) SoftmaxCrossEntropy(n, classes int, logits, labels, dlogits, losses, mean unsafe.Pointer) error {
	q.addresses(logits, labels, dlogits, losses)
	q.ints(n, classes)
	if err := q.run(softmaxCrossEntropy, elements(n), 1, 1); err != nil {
		return err
	}
	q.addresses(losses, mean)
	q.ints(n)
	return q.run(meanLoss, 1, 1, 1)
}

// Update does optim.SGD's step on n parameters, bit for bit; first is its first one.
// Without momentum velocity may be nil.
func (q *Queue) Update(n int, params, velocity, gradient unsafe.Pointer, rate, momentum, decay float32, first bool) error {
	q.addresses(params, velocity, gradient)
	q.ints(n)
	q.floats(rate, momentum, decay)
	q.flag(first)
	return q.run(update, elements(n), 1, 1)
}
