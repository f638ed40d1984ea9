package model_test

import (
	"fmt"
	"math"

	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

// reference computes a network step by step in float64, from the description
// alone: nothing fused, nothing shared, every loop as in the definition.
type reference struct {
	m      *model.Model
	params []float64
	stats  []float64 // batch norms normalise by these; nil: by the batch
	n      int
	shapes []layer.Shape // per step, of its output
	values [][]float64   // per step, [n][c][h][w]
	choice [][]int       // per step: what a max-pool chose
}

// loss runs the network forward on images x and returns the mean cross entropy and its gradient.
func (f *reference) loss(x []float64, labels []uint8) (float64, []float64) {
	f.n = len(labels)
	steps := f.m.Steps()
	f.shapes, f.values, f.choice = make([]layer.Shape, len(steps)), make([][]float64, len(steps)), make([][]int, len(steps))
	offset := 0
	for i, s := range steps {
		in, shape := f.input(i, 0, x)
		out, err := s.Layer.Out(shape)
		if err != nil {
			panic(err)
		}
		f.shapes[i], f.values[i] = out, make([]float64, f.n*out.Len())
		w := f.params[offset:]
		f.forward(i, s.Layer, shape, in, w, x)
		for _, p := range s.Layer.Params() {
			offset += p.Len()
		}
	}
	z := f.values[len(steps)-1]
	d, classes := make([]float64, len(z)), f.m.Classes()
	var loss float64
	for i, l := range labels {
		var total float64
		for _, v := range z[i*classes : (i+1)*classes] {
			total += math.Exp(v)
		}
		loss += (math.Log(total) - z[i*classes+int(l)]) / float64(f.n)
		for j := range classes {
			d[i*classes+j] = math.Exp(z[i*classes+j]) / total / float64(f.n)
		}
		d[i*classes+int(l)] -= 1 / float64(f.n)
	}
	return loss, d
}

// source returns the step that input k of step i comes from, −1 for the image.
func (f *reference) source(i, k int) int {
	if in := f.m.Steps()[i].Inputs; in != nil {
		return in[k]
	}
	return i - 1
}

func (f *reference) input(i, k int, x []float64) ([]float64, layer.Shape) {
	if j := f.source(i, k); j >= 0 {
		return f.values[j], f.shapes[j]
	}
	c, h, w := f.m.Input()
	return x, layer.Shape{C: c, H: h, W: w}
}

// taps calls g for every product of a convolution or term of a pool window.
func taps(n int, in, out layer.Shape, k, stride, pad int, g func(image, pixel, tap, channel, at int)) {
	for image := range n {
		for pixel := range out.H * out.W {
			for tap := range k * k {
				h, w := pixel/out.W*stride+tap/k-pad, pixel%out.W*stride+tap%k-pad
				if h < 0 || h >= in.H || w < 0 || w >= in.W {
					continue
				}
				for c := range in.C {
					g(image, pixel, tap, c, image*in.Len()+(c*in.H+h)*in.W+w)
				}
			}
		}
	}
}

// window returns a pool's size and stride.
func window(l layer.Layer, in layer.Shape) (int, int) {
	switch l := l.(type) {
	case layer.MaxPool:
		if in.H*in.W > 1 {
			return l.Size, l.Stride
		}
	case layer.AvgPool:
		if l.Size == 0 {
			return in.H, in.H
		}
		return l.Size, l.Stride
	}
	return 1, 1
}

func (f *reference) forward(i int, l layer.Layer, in layer.Shape, x, w, image []float64) {
	y, out := f.values[i], f.shapes[i]
	plane := out.H * out.W
	switch l := l.(type) {
	case layer.ReLU:
		for j, v := range x {
			y[j] = max(v, 0)
		}
	case layer.Add:
		other, _ := f.input(i, 1, image)
		for j, v := range x {
			y[j] = v + other[j]
		}
	case layer.BatchNorm:
		for c := range in.C {
			mean, inv := f.normaliser(i, x, in, c)
			for j := range f.channel(in, c) {
				y[j] = w[c]*(x[j]-mean)*inv + w[in.C+c]
			}
		}
	case layer.Linear:
		for j := range y {
			n, o := j/l.Outputs, j%l.Outputs
			y[j] = w[l.Inputs*l.Outputs+o]
			for k := range l.Inputs {
				y[j] += x[n*l.Inputs+k] * w[o*l.Inputs+k]
			}
		}
	case layer.Conv2D:
		if !l.NoBias {
			for j := range y {
				y[j] = w[l.Outputs*l.FanIn()+j/plane%out.C]
			}
		}
		taps(f.n, in, out, l.K, l.Stride, l.Pad, func(n, pixel, tap, c, at int) {
			for o := range out.C {
				y[n*out.Len()+o*plane+pixel] += x[at] * w[(o*in.C+c)*l.K*l.K+tap]
			}
		})
	case layer.MaxPool, layer.AvgPool:
		k, stride := window(l, in)
		_, largest := l.(layer.MaxPool)
		f.choice[i] = make([]int, len(y))
		taps(f.n, in, out, k, stride, 0, func(n, pixel, tap, c, at int) {
			j := n*out.Len() + c*plane + pixel
			switch {
			case !largest:
				y[j] += x[at] / float64(k*k)
			case tap == 0 || x[at] > y[j]:
				y[j], f.choice[i][j] = x[at], at
			}
		})
	default:
		panic(fmt.Sprintf("layer %T", l))
	}
}

// channel iterates over the indices of channel c of a batch.
func (f *reference) channel(s layer.Shape, c int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := range f.n {
			for p := range s.H * s.W {
				if !yield(n*s.Len() + c*s.H*s.W + p) {
					return
				}
			}
		}
	}
}

func (f *reference) moments(x []float64, s layer.Shape, c int) (mean, inv float64) {
	count := float64(f.n * s.H * s.W)
	for j := range f.channel(s, c) {
		mean += x[j] / count
	}
	var variance float64
	for j := range f.channel(s, c) {
		variance += (x[j] - mean) * (x[j] - mean) / count
	}
	return mean, 1 / math.Sqrt(variance+layer.Eps)
}

// normaliser returns the mean and the inverse deviation by which step i, a batch norm, normalises channel c.
func (f *reference) normaliser(i int, x []float64, s layer.Shape, c int) (mean, inv float64) {
	if f.stats == nil {
		return f.moments(x, s, c)
	}
	at := 0
	for _, before := range f.m.Steps()[:i] {
		if norm, ok := before.Layer.(layer.BatchNorm); ok {
			at += 2 * norm.Channels
		}
	}
	return f.stats[at+c], 1 / math.Sqrt(f.stats[at+s.C+c]+layer.Eps)
}

// backward returns the gradient of the parameters, given that of the logits.
func (f *reference) backward(x, d []float64) []float64 {
	steps := f.m.Steps()
	grads, offset := make([]float64, len(f.params)), len(f.params)
	deltas := make([][]float64, len(steps))
	for i, v := range f.values {
		deltas[i] = make([]float64, len(v))
	}
	copy(deltas[len(steps)-1], d)
	scrap := make([]float64, len(x)) // the gradient of the image
	for i := len(steps) - 1; i >= 0; i-- {
		l := steps[i].Layer
		for _, p := range l.Params() {
			offset -= p.Len()
		}
		in, shape := f.input(i, 0, x)
		dx := scrap
		if j := f.source(i, 0); j >= 0 {
			dx = deltas[j]
		}
		if _, sum := l.(layer.Add); sum {
			other := deltas[f.source(i, 1)]
			for j, v := range deltas[i] {
				other[j] += v
			}
		}
		f.step(i, l, shape, in, deltas[i], dx, f.params[offset:], grads[offset:])
	}
	return grads
}

// step adds step i's gradients to dx and dw.
func (f *reference) step(i int, l layer.Layer, in layer.Shape, x, dy, dx, w, dw []float64) {
	out := f.shapes[i]
	plane := out.H * out.W
	switch l := l.(type) {
	case layer.ReLU:
		for j, v := range f.values[i] {
			if v > 0 {
				dx[j] += dy[j]
			}
		}
	case layer.Add:
		for j, v := range dy {
			dx[j] += v
		}
	case layer.BatchNorm:
		for c := range in.C {
			f.stepNorm(i, in, c, x, dy, dx, w, dw)
		}
	case layer.Linear:
		for j, v := range dy {
			n, o := j/l.Outputs, j%l.Outputs
			dw[l.Inputs*l.Outputs+o] += v
			for k := range l.Inputs {
				dw[o*l.Inputs+k] += v * x[n*l.Inputs+k]
				dx[n*l.Inputs+k] += v * w[o*l.Inputs+k]
			}
		}
	case layer.Conv2D:
		for j, v := range dy {
			if !l.NoBias {
				dw[l.Outputs*l.FanIn()+j/plane%out.C] += v
			}
		}
		taps(f.n, in, out, l.K, l.Stride, l.Pad, func(n, pixel, tap, c, at int) {
			for o := range out.C {
				v, k := dy[n*out.Len()+o*plane+pixel], (o*in.C+c)*l.K*l.K+tap
				dw[k] += v * x[at]
				dx[at] += v * w[k]
			}
		})
	case layer.MaxPool:
		for j, at := range f.choice[i] {
			dx[at] += dy[j]
		}
	case layer.AvgPool:
		k, stride := window(l, in)
		taps(f.n, in, out, k, stride, 0, func(n, pixel, _, c, at int) {
			dx[at] += dy[n*out.Len()+c*plane+pixel] / float64(k*k)
		})
	}
}

// stepNorm applies the chain rule through mean and variance of channel c, which are constants if f.stats are given.
func (f *reference) stepNorm(i int, s layer.Shape, c int, x, dy, dx, w, dw []float64) {
	mean, inv := f.normaliser(i, x, s, c)
	count := float64(f.n * s.H * s.W)
	var dmean, dvariance float64
	for j := range f.channel(s, c) {
		hat := (x[j] - mean) * inv
		dw[c] += dy[j] * hat
		dw[s.C+c] += dy[j]
		dmean -= dy[j] * w[c] * inv
		dvariance -= dy[j] * w[c] * (x[j] - mean) * inv * inv * inv / 2
	}
	if f.stats != nil {
		dmean, dvariance = 0, 0
	}
	for j := range f.channel(s, c) {
		dx[j] += dy[j]*w[c]*inv + dmean/count + dvariance*2*(x[j]-mean)/count
	}
}
