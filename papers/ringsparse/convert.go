//gradsync:pure

package ringsparse

import "gradsync/shared/tensor/vec"

// Sign is s of W′ = W0 + s·η·g: −1 if g is the gradient, +1, as printed, if g is
// the direction of descent.
//
// Source: S51
type Sign int

// The signs.
const (
	Descent Sign = -1
	Printed Sign = +1
)

// LocalStep is the update of S3, kept beside W0: it is sent, never trained on.
//
//	W′ = W0 + s·η·g
//
// All have one length; dst may not be w0 or g.
//
// Source: S3
func LocalStep(dst, w0, g []float32, eta float64, s Sign) { ToWeights(dst, w0, g, eta, 1, s) }

// ToWeights turns the partial sum of m nodes' gradients into that of their weights.
//
//	Pw = m·W0 + s·η·(Pg′ + Pg″)
//
// pg is the sum already. m is the contributor count of the block, k+1 in the
// patent's words. Two roundings per entry beside m·W0's.
//
// Source: S51
func ToWeights(dst, w0, pg []float32, eta float64, m int, s Sign) {
	copy(dst, w0)
	if m != 1 {
		vec.Scale(float32(m), dst)
	}
	vec.AxpyTo(dst, float32(float64(s)*eta), pg)
}

// ToGradients turns the partial sum of m nodes' weights into that of their
// gradients.
//
//	Pg = ((Pw′ + Pw″) − m·W0) / (s·η)
//
// Weights that no node moved give +0, whatever the sign, as long as m·W0 and the
// sum of m times W0 round alike: they do for m ≤ 5. From 6 on rounding makes false
// non-zeros of some.
//
// Source: S51
func ToGradients(dst, w0, pw []float32, eta float64, m int, s Sign) {
	scale, rate := float32(m), float32(eta)
	for i, w := range w0 {
		// The difference is taken in the order in which 0 over a positive rate is +0.
		d := float32(scale*w) - pw[i]
		if s == Printed {
			d = pw[i] - float32(scale*w)
		}
		dst[i] = d / rate
	}
}

// AverageWeights finishes a block of weights: w = ΣW/N.
//
// Source: ours: the patent names no division, and says that all parameters agree
func AverageWeights(w, sum []float32, nodes int) {
	n := float32(nodes)
	for i, v := range sum {
		w[i] = v / n
	}
}

// ApplyGradients finishes a block of gradients, with one multiplication and one
// sum per entry, so that it is the dense ring's step to the bit.
//
//	w = W0 + s·(η/N)·Σg
//
// Source: ours: the patent names no division, and says that all parameters agree
func ApplyGradients(w, sum []float32, eta float64, nodes int, s Sign) {
	vec.AxpyTo(w, float32(float64(s)*eta*(1/float64(nodes))), sum)
}

// Project sets to +0 what the mask does not keep; a nil mask keeps all.
//
// Source: ours: pruned models are where weights are the sparser kind
func Project(x []float32, mask []bool) {
	for i, keep := range mask {
		if !keep {
			x[i] = 0
		}
	}
}
