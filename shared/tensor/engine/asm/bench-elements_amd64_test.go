package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
)

// BenchmarkElements reports GB/s of the buffers each operation has, counted once however often it reads them.
func BenchmarkElements(b *testing.B) {
	for _, e := range engines(b) {
		for _, g := range []tensor.Pool{
			{N: 16, C: 8, H: 16, W: 16, Size: 2, Stride: 2},
			{N: 64, C: 16, H: 16, W: 16, Size: 2, Stride: 2},
			{N: 32, C: 64, H: 32, W: 32, Size: 2, Stride: 2},
		} {
			benchmarkElements(b, e, g)
		}
	}
}

func benchmarkElements(b *testing.B, e engine, g tensor.Pool) {
	r := rand.New(rand.NewPCG(1, 2))
	size := g.C * g.H * g.W
	x, dy := laid(r, g.N, size), laid(r, g.N, size)
	y, dx := make([]float32, len(x)), make([]float32, len(x))
	p, arg := make([]float32, len(x)/4), make([]int32, len(x)/4)
	scale, shift, mean, variance := normal(r, g.C), normal(r, g.C), make([]float32, g.C), make([]float32, g.C)
	norm := tensor.Norm{N: g.N, C: g.C, HW: g.H * g.W, Eps: 1e-5, ReLU: true}
	c := &tensor.Call{Threads: 1}
	for _, op := range []struct {
		name    string
		buffers float64 // of the size of x
		f       func()
	}{
		{"batchnorm", 2, func() { e.BatchNormForward(c, norm, x, scale, shift, y, mean, variance) }},
		{"batchnorm backward", 4, func() { e.BatchNormBackward(c, norm, x, y, dy, scale, mean, variance, dx, shift, shift) }},
		{"bias backward", 1, func() { e.BiasBackward(c, g.N, g.C, g.H*g.W, dy, shift) }},
		{"add", 3, func() { e.Add(c, x, dy, y, true) }},
		{"relu", 2, func() { e.ReLU(c, x, y) }},
		{"relu backward", 3, func() { e.ReLUBackward(c, y, dy, dx) }},
		{"max-pool", 1.5, func() { e.MaxPoolForward(c, g, x, p, arg) }},
		{"max-pool backward", 1.5, func() { e.MaxPoolBackward(c, g, p, arg, dx) }},
		{"average pool", 1.25, func() { e.AvgPoolForward(c, g, x, p) }},
		{"average pool backward", 1.25, func() { e.AvgPoolBackward(c, g, p, dx) }},
	} {
		b.Run(fmt.Sprintf("%s/%d×%d×%d×%d/set%d", op.name, g.N, g.C, g.H, g.W, e.isa), func(b *testing.B) {
			for b.Loop() {
				op.f()
			}
			b.ReportMetric(4*op.buffers*float64(len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}

func BenchmarkLoss(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	z, labels := laid(r, 64, 10), make([]uint8, 64)
	d, c := make([]float32, len(z)), &tensor.Call{}
	for b.Loop() {
		engines(b)[0].SoftmaxCrossEntropy(c, 64, 10, z, labels, d)
	}
}
