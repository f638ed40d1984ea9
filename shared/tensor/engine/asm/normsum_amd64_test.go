package asm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

var _ tensor.Fuser = engine{}

// TestBatchNormAdd: what is done in one sweep has the bits of the operations one after
// the other, padding included, in place and apart, with a NaN in an activation.
func TestBatchNormAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	for _, n := range batches {
		for _, hw := range []int{1, 3, 6, 64, 1024} {
			if n*hw > 1 { // one element has no variance
				batchNormAdd(t, r, tensor.Norm{N: n, C: 3, HW: hw, Eps: 1e-5})
			}
		}
	}
}

// TestBatchNormReLUBackward: the bits are those of BatchNormBackward, which reads the output,
// with outputs of 0 and a NaN among them.
func TestBatchNormReLUBackward(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 5))
	for _, n := range batches {
		for _, hw := range []int{2, 3, 6, 64, 1024} {
			g := tensor.Norm{N: n, C: 4, HW: hw, Eps: 1e-5, ReLU: true}
			what := fmt.Sprintf("%+v", g)
			x, dy, scale, shift := laid(r, n, g.C*hw), laid(r, n, g.C*hw), normal(r, g.C), normal(r, g.C)
			scale[1], shift[1] = 0, 0 // outputs of 0 and −0
			x[len(x)-tensor.BatchInner.Pitch(n)] = nan
			alike(t, what, func(e engine, c *tensor.Call) [][]float32 {
				y, mean, variance := filled(len(x)), filled(g.C), filled(g.C)
				want := [][]float32{filled(len(x)), filled(g.C), filled(g.C)}
				got := [][]float32{filled(len(x)), filled(g.C), filled(g.C)}
				e.BatchNormForward(c, g, x, scale, shift, y, mean, variance)
				e.BatchNormBackward(c, g, x, y, dy, scale, mean, variance, want[0], want[1], want[2])
				e.BatchNormReLUBackward(c, g, x, dy, scale, shift, mean, variance, got[0], got[1], got[2])
				over := slices.Clone(dy)
				e.BatchNormReLUBackward(c, g, x, over, scale, shift, mean, variance, over, got[1], got[2])
				same(t, what+": in place", over, got[0])
				for i := range want {
					same(t, fmt.Sprintf("%s: output %d", what, i), got[i], want[i])
				}
				return got
			})
		}
	}
}

func batchNormAdd(t *testing.T, r *rand.Rand, g tensor.Norm) {
	what, size := fmt.Sprintf("%+v", g), g.C*g.HW
	x, other, dy, more := laid(r, g.N, size), laid(r, g.N, size), laid(r, g.N, size), laid(r, g.N, size)
	scale, shift := normal(r, g.C), normal(r, g.C)
	other[len(other)/2] = nan
	outputs := func() (v [8][]float32) {
		for i := range v {
			v[i] = filled(len(x))
			if i > 3 {
				v[i] = filled(g.C)
			}
		}
		return v
	}
	alike(t, what, func(e engine, c *tensor.Call) [][]float32 {
		want, got := outputs(), outputs()
		y, both, d, dx, mean, variance, dscale, dshift := want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7]
		e.BatchNormForward(c, g, x, scale, shift, y, mean, variance)
		e.Add(c, y, other, y, true)
		e.BatchNormAdd(c, g, x, other, scale, shift, got[0], got[4], got[5])
		inPlace := slices.Clone(other)
		e.BatchNormAdd(c, g, x, inPlace, scale, shift, inPlace, got[4], got[5])
		same(t, what+": in place", inPlace, got[0])

		e.Add(c, dy, more, both, false)
		got[1] = both
		for _, from := range [][2][]float32{{dy, more}, {dy, nil}, {both, nil}} {
			total := both
			if &from[0][0] == &dy[0] && from[1] == nil {
				total = dy
			}
			e.ReLUBackward(c, y, total, d)
			e.BatchNormBackward(c, g, x, nil, d, scale, mean, variance, dx, dscale, dshift)
			e.BatchNormAddBackward(c, g, x, y, from[0], from[1], got[2], scale, mean, variance, got[3], got[6], got[7])
			for i := range want {
				same(t, fmt.Sprintf("%s: output %d", what, i), got[i], want[i])
			}
			over := slices.Clone(from[0])
			e.BatchNormAddBackward(c, g, x, y, over, from[1], over, scale, mean, variance, over, got[6], got[7])
			same(t, what+": over dy", over, dx)
			if from[1] != nil {
				over = slices.Clone(from[1])
				e.BatchNormAddBackward(c, g, x, y, from[0], over, over, scale, mean, variance, over, got[6], got[7])
				same(t, what+": over more", over, dx)
			}
		}
		return got[:]
	})
}
