package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// TestBatchNorm compares with portable, which sums in float64, within the bound
// of 16·4 float32 chains (16·2 in the backward pass); padding holds NaN.
func TestBatchNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for _, n := range batches {
		for _, hw := range []int{1, 3, 6, 64, 1024} {
			for _, relu := range []bool{false, true} {
				if n*hw == 1 {
					continue // one element has no variance
				}
				batchNorm(t, r, tensor.Norm{N: n, C: 3, HW: hw, Eps: 1e-5, ReLU: relu})
			}
		}
	}
}

func batchNorm(t *testing.T, r *rand.Rand, g tensor.Norm) {
	what := fmt.Sprintf("%+v", g)
	x, dy := laid(r, g.N, g.C*g.HW), laid(r, g.N, g.C*g.HW)
	for i := range x {
		x[i] = 2*x[i] + 3
	}
	scale, shift := normal(r, g.C), normal(r, g.C)
	x = spoilt(x, g.N)
	got := alike(t, what, func(e engine, c *tensor.Call) [][]float32 {
		y, mean, variance := filled(len(x)), filled(g.C), filled(g.C)
		e.BatchNormForward(c, g, x, scale, shift, y, mean, variance)
		again := filled(len(x))
		e.BatchNormInference(c, g, x, scale, shift, mean, variance, again)
		same(t, what+": inference", images(again, g.N), images(y, g.N))
		dx, dscale, dshift := filled(len(x)), filled(g.C), filled(g.C)
		gate := spoilt(y, g.N)
		if !g.ReLU {
			gate = nil
		}
		e.BatchNormBackward(c, g, x, gate, dy, scale, mean, variance, dx, dscale, dshift)
		d := slices.Clone(dy) // in place
		e.BatchNormBackward(c, g, x, gate, d, scale, mean, variance, d, dscale, dshift)
		same(t, what+": in place", d, dx)
		padded(t, what, dx, g.N)
		return [][]float32{images(y, g.N), mean, variance, dx, dscale, dshift}
	})
	p, c := portable.New(), &tensor.Call{}
	flat, dflat := images(x, g.N), images(dy, g.N)
	y, mean, variance := filled(len(flat)), filled(g.C), filled(g.C)
	p.BatchNormForward(c, g, flat, scale, shift, y, mean, variance)
	dx, dscale, dshift := filled(len(flat)), filled(g.C), filled(g.C)
	p.BatchNormBackward(c, g, flat, got[0], dflat, scale, got[1], got[2], dx, dscale, dshift)

	// Longest chain of a sum, its joining, and the arithmetic around it.
	chain := (g.HW*tensor.BatchInner.Pitch(g.N)/16+1)/2 + 8
	eps := float64(chain+4) * 0x1p-24
	largest := func(v []float32) (m float64) {
		for _, f := range v {
			m = max(m, math.Abs(float64(f)))
		}
		return m
	}
	m, top, s := float64(g.N*g.HW), largest(flat), largest(scale)
	inv := 1 / math.Sqrt(float64(slices.Min(variance)))
	near(t, what+": mean", got[1], mean, func(int) float64 { return eps * top })
	near(t, what+": variance", got[2], variance, func(int) float64 { return 4 * eps * top * top })
	near(t, what+": y", got[0], y, func(int) float64 { return 8 * eps * (1 + s*inv*top*(1+inv*inv*top*top)) })
	dtop := largest(dflat)
	near(t, what+": dshift", got[5], dshift, func(int) float64 { return eps * m * dtop })
	near(t, what+": dscale", got[4], dscale, func(int) float64 { return 4 * eps * m * dtop * top * inv })
	near(t, what+": dx", images(got[3], g.N), dx, func(int) float64 { return 8 * eps * s * inv * dtop * (1 + top*top*inv*inv) })
}

// TestNormOrder: the statistics and the parameters' gradients are 4 and 2 chains
// per lane, bit for bit, and what follows from them is one expression.
func TestNormOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 3))
	for _, n := range batches {
		g := tensor.Norm{N: n, C: 1, HW: 7, Eps: 1e-5}
		x, dy, scale, shift := laid(r, n, g.HW), laid(r, n, g.HW), float32(1.25), float32(-0.5)
		m := float64(n * g.HW)
		mean := float32(float64(chains4(x)) / m)
		var squares [4][16]float32
		var sum, dot [2][16]float32
		for i, v := range x {
			if i%tensor.BatchInner.Pitch(n) < n {
				k, l, d := i/16, i%16, v-mean
				squares[k%4][l] = fma32(d, d, squares[k%4][l])
				sum[k%2][l] += dy[i]
				dot[k%2][l] = fma32(dy[i], d, dot[k%2][l])
			}
		}
		for l := range 16 {
			squares[0][l] = (squares[0][l] + squares[1][l]) + (squares[2][l] + squares[3][l])
			sum[0][l] += sum[1][l]
			dot[0][l] += dot[1][l]
		}
		variance := float32(float64(tree(squares[0])) / m)
		inv := 1 / math.Sqrt(float64(variance)+float64(g.Eps))
		slope, dshift := float32(float64(scale)*inv), tree(sum[0])
		along := float64(tree(dot[0]))
		offset, tilt := float32(float64(dshift)/m), float32(along*inv*inv/m)
		y, dx := filled(len(x)), make([]float32, len(x))
		for i, v := range x {
			y[i] = fma32(v-mean, slope, shift)
			if i%tensor.BatchInner.Pitch(n) < n {
				dx[i] = slope * fma32(-(v-mean), tilt, dy[i]-offset)
			}
		}
		for _, e := range engines(t) {
			c, got := &tensor.Call{}, make([][]float32, 6)
			for i, length := range []int{1, 1, len(x), 1, 1, len(x)} {
				got[i] = filled(length)
			}
			e.BatchNormForward(c, g, x, []float32{scale}, []float32{shift}, got[2], got[0], got[1])
			e.BatchNormBackward(c, g, x, nil, dy, []float32{scale}, got[0], got[1], got[5], got[3], got[4])
			for i, want := range [][]float32{{mean}, {variance}, y, {float32(along * inv)}, {dshift}, dx} {
				same(t, fmt.Sprintf("set %d, %d images, output %d", e.isa, n, i), got[i], want)
			}
		}
	}
}
