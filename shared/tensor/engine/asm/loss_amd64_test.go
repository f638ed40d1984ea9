package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// TestLoss: portable's bits, at ordinary and at extreme logits, and with NaN in one image.
func TestLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	const classes = 10
	for _, n := range append(batches, 2000) {
		for _, scale := range []float32{1, 30, 1e4, 1e38} {
			z := laid(r, n, classes)
			for i := range z {
				z[i] *= scale // 1e38: some are infinite
			}
			if scale == 30 {
				z[3*len(z)/classes] = nan
			}
			labels := make([]uint8, n)
			for i := range labels {
				labels[i] = uint8(r.IntN(classes))
			}
			got := alike(t, fmt.Sprint(n, scale), func(e engine, c *tensor.Call) [][]float32 {
				d := filled(len(z))
				loss := math.Float64bits(e.SoftmaxCrossEntropy(c, n, classes, spoilt(z, n), labels, d))
				return [][]float32{d, {math.Float32frombits(uint32(loss >> 32)), math.Float32frombits(uint32(loss))}}
			})
			want := filled(n * classes)
			loss := portable.New().SoftmaxCrossEntropy(nil, n, classes, images(z, n), labels, want)
			halves := uint64(math.Float32bits(got[1][0]))<<32 | uint64(math.Float32bits(got[1][1]))
			if g := math.Float64frombits(halves); g != loss && (g == g || loss == loss) {
				t.Errorf("%d images, scale %g: loss %v, want %v", n, scale, g, loss)
			}
			for i, g := range images(got[0], n) {
				if w := want[i]; g != w && (g == g || w == w) {
					t.Fatalf("%d images, scale %g: gradient %d is %g, want %g", n, scale, i, g, w)
				}
			}
			padded(t, "gradient", got[0], n)
		}
	}
}
