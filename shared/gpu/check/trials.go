package check

import (
	"encoding/binary"
	"math"
	"unsafe"

	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/optim"
	"gradsync/shared/tensor/vec"
)

// Shapes of the trials: no multiple of a tile, so that edges are met.
var (
	conv = tensor.Conv{N: 3, InC: 5, H: 13, W: 11, OutC: 7, KH: 3, KW: 3, Stride: 2, Pad: 1}
	norm = tensor.Norm{N: 5, C: 6, HW: 77, Eps: 1e-5, ReLU: true}
	pool = tensor.Pool{N: 3, C: 5, H: 13, W: 11, Size: 3, Stride: 2}
)

const elements = 5003

// trials run every kernel of the PTX, by name, and the same on the CPU.
var trials = []struct {
	kernels string
	run     func(b *bench)
}{
	{"gemm", func(b *bench) {
		g := tensor.Gemm{TransB: true, M: 70, N: 45, K: 130}
		x, px := b.floats(g.M * g.K)
		y, py := b.floats(g.N * g.K)
		out, to := room[float32](b, g.M*g.N)
		b.keep(b.q.Gemm(g, px, py, to))
		b.cpu.Gemm(&b.call, g, x, y, out)
		down(b, to, out)
	}},
	{"conv_forward", func(b *bench) {
		x, px := b.floats(conv.N * conv.InC * conv.H * conv.W)
		w, pw := b.floats(conv.OutC * conv.Taps())
		bias, pb := b.floats(conv.OutC)
		y, py := room[float32](b, conv.N*conv.OutC*conv.OutH()*conv.OutW())
		b.keep(b.q.ConvForward(conv, px, pw, pb, py))
		b.cpu.ConvForward(&b.call, conv, x, w, bias, y)
		down(b, py, y)
	}},
	{"conv_backward_data", func(b *bench) {
		dy, pdy := b.floats(conv.N * conv.OutC * conv.OutH() * conv.OutW())
		w, pw := b.floats(conv.OutC * conv.Taps())
		dx, pdx := room[float32](b, conv.N*conv.InC*conv.H*conv.W)
		b.keep(b.q.ConvBackwardData(conv, pdy, pw, pdx))
		b.cpu.ConvBackwardData(&b.call, conv, dy, w, dx)
		down(b, pdx, dx)
	}},
	{"conv_backward_filter sum_parts", func(b *bench) {
		x, px := b.floats(conv.N * conv.InC * conv.H * conv.W)
		dy, pdy := b.floats(conv.N * conv.OutC * conv.OutH() * conv.OutW())
		dw, pdw := room[float32](b, conv.OutC*conv.Taps())
		_, scratch := room[float32](b, kernels.FilterScratch(conv))
		b.keep(b.q.ConvBackwardFilter(conv, px, pdy, pdw, scratch))
		b.cpu.ConvBackwardFilter(&b.call, conv, x, dy, dw)
		down(b, pdw, dw)
	}},
	{"bias_forward", func(b *bench) {
		y, py := b.floats(norm.N * norm.C * norm.HW)
		bias, pb := b.floats(norm.C)
		b.keep(b.q.BiasForward(norm.N, norm.C, norm.HW, pb, py, true))
		for i := range y {
			y[i] = max(y[i]+bias[i/norm.HW%norm.C], 0)
		}
		down(b, py, y)
	}},
	{"bias_backward", func(b *bench) {
		dy, pdy := b.floats(norm.N * norm.C * norm.HW)
		db, pdb := room[float32](b, norm.C)
		b.keep(b.q.BiasBackward(norm.N, norm.C, norm.HW, pdy, pdb))
		b.cpu.BiasBackward(&b.call, norm.N, norm.C, norm.HW, dy, db)
		down(b, pdb, db)
	}},
	{"norm_moments norm_apply norm_backward", normalise},
	{"norm_blend", func(b *bench) {
		running, pr := b.floats(elements)
		batch, pb := b.floats(elements)
		b.keep(b.q.BatchNormBlend(elements, pr, pb, 0.25, 1.125))
		for i, v := range running {
			running[i] = float32((1-0.25)*float64(v) + 0.25*(1.125*float64(batch[i])))
		}
		down(b, pr, running)
	}},
	{"add", func(b *bench) {
		x, px := b.floats(elements)
		y, py := b.floats(elements)
		z, pz := room[float32](b, elements)
		b.keep(b.q.Add(elements, px, py, pz, true))
		b.cpu.Add(&b.call, x, y, z, true)
		down(b, pz, z)
	}},
	{"relu_forward relu_backward", func(b *bench) {
		x, px := b.floats(elements)
		dy, pdy := b.floats(elements)
		y, py := room[float32](b, elements)
		dx, pdx := room[float32](b, elements)
		b.keep(b.q.ReLU(elements, px, py))
		b.keep(b.q.ReLUBackward(elements, py, pdy, pdx))
		b.cpu.ReLU(&b.call, x, y)
		b.cpu.ReLUBackward(&b.call, y, dy, dx)
		down(b, py, y)
		down(b, pdx, dx)
	}},
	{"update", func(b *bench) {
		params, pp := b.floats(elements)
		grads, pg := b.floats(elements)
		_, pv := room[float32](b, elements)
		sgd := optim.SGD{Rate: 0.01, Momentum: 0.9, WeightDecay: 1e-4}
		for step := range 3 {
			b.keep(b.q.Update(elements, pp, pv, pg, sgd.Rate, sgd.Momentum, sgd.WeightDecay, step == 0))
			sgd.Step(params, grads)
		}
		down(b, pp, params)
	}},
	{"max_pool_forward max_pool_backward", func(b *bench) {
		in, out := pool.N*pool.C*pool.H*pool.W, pool.N*pool.C*pool.OutH()*pool.OutW()
		x, px := b.floats(in)
		dy, pdy := b.floats(out)
		y, py := room[float32](b, out)
		arg, pa := room[int32](b, out)
		dx, pdx := room[float32](b, in)
		b.keep(b.q.MaxPoolForward(pool, px, py, pa))
		b.keep(b.q.MaxPoolBackward(pool, pdy, pa, pdx))
		b.cpu.MaxPoolForward(&b.call, pool, x, y, arg)
		b.cpu.MaxPoolBackward(&b.call, pool, dy, arg, dx)
		down(b, py, y)
		down(b, pa, arg)
		down(b, pdx, dx)
	}},
	{"avg_pool_forward avg_pool_backward", func(b *bench) {
		in, out := pool.N*pool.C*pool.H*pool.W, pool.N*pool.C*pool.OutH()*pool.OutW()
		x, px := b.floats(in)
		dy, pdy := b.floats(out)
		y, py := room[float32](b, out)
		dx, pdx := room[float32](b, in)
		b.keep(b.q.AvgPoolForward(pool, px, py))
		b.keep(b.q.AvgPoolBackward(pool, pdy, pdx))
		b.cpu.AvgPoolForward(&b.call, pool, x, y)
		b.cpu.AvgPoolBackward(&b.call, pool, dy, dx)
		down(b, py, y)
		down(b, pdx, dx)
	}},
	{"softmax_cross_entropy mean_loss", func(b *bench) {
		const n, classes = 37, 10
		logits, pl := b.floats(n * classes)
		labels := make([]uint8, n)
		for i := range labels {
			labels[i] = uint8(b.r.IntN(classes))
		}
		grads, pg := room[float32](b, n*classes)
		_, losses := room[float64](b, n)
		_, mean := room[float64](b, 1)
		b.keep(b.q.SoftmaxCrossEntropy(n, classes, pl, up(b, labels), pg, losses, mean))
		loss := b.cpu.SoftmaxCrossEntropy(&b.call, n, classes, logits, labels, grads)
		down(b, pg, grads)
		down(b, mean, []float64{loss})
	}},
	{"count_nonzero", func(b *bench) {
		x, px := b.sparse()
		bounds := []int32{0, 1, 1, 300, 1324, elements}
		counts, pc := room[int32](b, len(bounds)-1)
		b.keep(b.q.CountNonzero(len(counts), px, up(b, bounds), pc))
		for i := range counts {
			counts[i] = int32(vec.CountNonzero(x[bounds[i]:bounds[i+1]]))
		}
		down(b, pc, counts)
	}},
	{"bitmap_count prefix_sum bitmap_pack bitmap_unpack", packed},
	{"quantise", func(b *bench) {
		x, px := b.floats(elements)
		q, pq := room[int32](b, elements)
		_, clipped := room[int32](b, kernels.ClippedInts(elements))
		b.keep(b.q.Quantise(elements, px, pq, clipped, 256, 500))
		vec.Quantise(q, x, 256, 500)
		down(b, pq, q)
	}},
	{"quantise_range", func(b *bench) {
		x, px := b.floats(elements)
		q, pq := room[int32](b, elements)
		_, clipped := room[int32](b, kernels.ClippedInts(elements))
		b.keep(b.q.QuantiseRange(elements, px, pq, clipped, 2.5, math.MaxInt32))
		vec.QuantiseRange(q, x, 2.5)
		down(b, pq, q)
	}},
	{"add_int32", func(b *bench) { b.integers(b.q.AddInt32, vec.AddInt32) }},
	{"sub_int32", func(b *bench) { b.integers(b.q.SubInt32, vec.SubInt32) }},
}

// normalise runs a batch norm with its ReLU forward and backward.
func normalise(b *bench) {
	n := norm.N * norm.C * norm.HW
	x, px := b.floats(n)
	dy, pdy := b.floats(n)
	scale, ps := b.floats(norm.C)
	shift, pt := b.floats(norm.C)
	y, py := room[float32](b, n)
	mean, pm := room[float32](b, norm.C)
	variance, pv := room[float32](b, norm.C)
	dx, pdx := room[float32](b, n)
	dscale, pds := room[float32](b, norm.C)
	dshift, pdt := room[float32](b, norm.C)
	b.keep(b.q.BatchNormForward(norm, px, ps, pt, py, pm, pv))
	b.keep(b.q.BatchNormBackward(norm, px, py, pdy, ps, pm, pv, pdx, pds, pdt))
	b.cpu.BatchNormForward(&b.call, norm, x, scale, shift, y, mean, variance)
	b.cpu.BatchNormBackward(&b.call, norm, x, y, dy, scale, mean, variance, dx, dscale, dshift)
	down(b, py, y)
	down(b, pm, mean)
	down(b, pv, variance)
	down(b, pdx, dx)
	down(b, pds, dscale)
	down(b, pdt, dshift)
}

// packed packs what is sparse and unpacks it.
func packed(b *bench) {
	x, px := b.sparse()
	counts, pc := room[int32](b, kernels.Segments(elements))
	_, offsets := room[int32](b, len(counts)+1)
	_, bitmap := room[uint32](b, kernels.BitmapWords(elements))
	_, values := room[uint32](b, elements)
	_, back := room[float32](b, elements)
	b.keep(b.q.PackBitmap(elements, px, pc, offsets, bitmap, values))
	b.keep(b.q.UnpackBitmap(elements, bitmap, values, pc, offsets, back, false))
	form := vec.AppendBitmap(nil, x)
	bytes := (elements + 7) / 8
	words := make([]byte, 4*kernels.BitmapWords(elements))
	copy(words, form[:bytes])
	down(b, bitmap, unsigned(words))
	down(b, values, unsigned(form[bytes:]))
	down(b, back, x)
}

// unsigned reads words of 32 bits.
func unsigned(from []byte) (out []uint32) {
	for ; len(from) > 0; from = from[4:] {
		out = append(out, binary.LittleEndian.Uint32(from))
	}
	return out
}

// sparse draws values of which seven in ten are 0.
func (b *bench) sparse() ([]float32, unsafe.Pointer) {
	x := make([]float32, elements)
	for i := range x {
		if b.r.IntN(10) > 6 {
			x[i] = float32(b.r.NormFloat64())
		}
	}
	return x, up(b, x)
}

// integers adds or subtracts, modulo 2³².
func (b *bench) integers(on func(n int, dst, src unsafe.Pointer) error, cpu func(dst, src []int32)) {
	x, y := make([]int32, elements), make([]int32, elements)
	for i := range x {
		x[i], y[i] = int32(b.r.Uint32()), int32(b.r.Uint32())
	}
	to := up(b, x)
	b.keep(on(elements, to, up(b, y)))
	cpu(x, y)
	down(b, to, x)
}
