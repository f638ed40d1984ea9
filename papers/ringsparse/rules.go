//gradsync:pure

package ringsparse

import (
	"math"

	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// Sparsity is F: the share of x that is sent as nothing. With threshold 0 that is
// the bit pattern of +0 alone, so that nothing is lost: neither −0 nor a denormal
// is a zero. With a threshold it counts every |x_i| up to it.
//
//	F(x) = |{i : x_i = +0}| / n,   or   |{i : |x_i| ≤ threshold}| / n
//
// An empty block is all zeros: F = 1. NaN is never a zero.
//
// Source: S41
func Sparsity(x []float32, threshold float64) float64 {
	return 1 - Density(x, threshold)
}

// Density is 1 − F.
//
// Source: S41
func Density(x []float32, threshold float64) float64 {
	if len(x) == 0 {
		return 0
	}
	if threshold == 0 {
		return float64(vec.CountNonzero(x)) / float64(len(x))
	}
	kept := 0
	for _, v := range x {
		if !small(v, threshold) {
			kept++
		}
	}
	return float64(kept) / float64(len(x))
}

func small(v float32, threshold float64) bool { return math.Abs(float64(v)) <= threshold }

// drop makes +0 of the entries of x that are at most threshold large, and moves
// what they were, which the wire loses, to residual. Other entries of
// residual are left.
//
// Source: ours: error feedback, without which a threshold gives up "accuracy unaffected"
func drop(x, residual []float32, threshold float64) {
	for i, v := range x {
		if small(v, threshold) {
			residual[i], x[i] = v, 0
		}
	}
}

// Choose keeps the sparser block of the two: weights if Sw ≥ Sg, gradients
// otherwise.
//
//	Sw ≥ Sg → W_i,   Sw < Sg → G_i
//
// sw and sg are F of the two blocks. Where they are equal Choose returns tie: the
// patent's is Weights, also for two dense blocks (0 = 0). byTie reports that nothing
// but tie decided.
//
// Source: S41
func Choose(sw, sg float64, tie Kind) (k Kind, byTie bool) {
	switch {
	case sw > sg: // S4–S6, step 2
		return Weights, false
	case sw < sg: // S4–S6, step 2
		return Gradients, false
	}
	return tie, true // S4–S6, step 2
}

// CostDirect is Ta, the seconds of sending d bytes at b bytes per second.
//
//	Ta = D / B
//
// Source: S42
func CostDirect(d, b float64) float64 { return formula.Ta(d, b) }

// CostCompressed is Tb, the seconds of compressing, sending and decompressing.
//
//	Tb = Tc + Compres(D)/B + Td
//
// Source: S42
func CostCompressed(tc, compressed, b, td float64) float64 { return formula.Tb(tc, compressed, b, td) }

// Compress is the rule of S42: compress if that is sooner there, Tb < Ta. As printed
// the rule is the other way round: direct if Ta ≥ Tb.
//
// Source: S42
func Compress(ta, tb float64, printed bool) bool {
	if printed {
		return !(ta >= tb)
	}
	return tb < ta // S4–S6, step 3
}

// FillIn is the density of a sum of k+1 blocks of density d with independent zeros.
//
//	1 − (1 − d)^(k+1)
//
// Source: ours: the patent re-chooses at every hop (S52) because of it
func FillIn(d float64, k int) float64 { return formula.FillIn(d, k) }

// Coder is a codec and what it costs.
//
// Source: S42
type Coder struct {
	Codec codec.Codec
	// Encode and Decode are bytes of dense float32 per second; 0: it takes no time.
	Encode, Decode float64
}

// Costs returns Tc and Td for a block of d bytes. Direct sending has none.
//
// Source: S42
func (c Coder) Costs(d float64) (tc, td float64) {
	if c.Codec.ID() == 0 {
		return 0, 0
	}
	return seconds(d, c.Encode), seconds(d, c.Decode)
}

func seconds(bytes, rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	return bytes / rate
}

// CheapestCoder decides about one block of n entries: direct, or the candidate of
// the least Tb, by the rule of S42. size gives Compres(D) in bytes. D of Ta is the bytes
// of `direct` entries: n, or the layer's as printed. Of equal Tb the first candidate
// is taken; direct sending is always among them.
//
// Source: S42
func CheapestCoder(candidates []Coder, n, direct int, b float64, printed bool, size func(codec.Codec) float64) Coder {
	dense := Coder{Codec: codec.Dense{}}
	best, least := dense, math.Inf(1)
	for _, c := range candidates {
		if c.Codec.ID() == 0 {
			continue
		}
		tc, td := c.Costs(entryBytes * float64(n))
		if tb := CostCompressed(tc, size(c.Codec), b, td); tb < least {
			best, least = c, tb
		}
	}
	if best.Codec.ID() != 0 && Compress(CostDirect(entryBytes*float64(direct), b), least, printed) {
		return best
	}
	return dense
}

// ratesOf returns the named rates, bytes per second, both 0 if the list has none of that name.
func ratesOf(rates []cluster.CodecRate, name string) (encode, decode float64) {
	for _, r := range rates {
		if r.Name == name {
			return r.Encode, r.Decode
		}
	}
	return 0, 0
}

// sized reports whether SizeAt of the measured density is the codec's exact size: the length of
// these forms follows from how many zeros there are, not where, so that S42 codes nothing to learn it.
func sized(c codec.Codec) bool {
	switch c.(type) {
	case codec.Dense, codec.Bitmap, codec.COO:
		return true
	}
	return false
}

// Sign is s of W′ = W0 + s·η·g.
//
// Source: S51
type Sign int

// The signs.
const (
	Descent Sign = -1 // g is the gradient
	Printed Sign = +1 // g is the gradient negated, as the printed plus needs it: fold makes it so
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
	m32, eta32 := float32(m), float32(eta)
	for i, w := range w0 {
		// s is in the order of the difference and not in the divisor: a weight that did not move gives +0, not −0,
		// which F would not count. float32() rounds the product, so that no fused multiply-add is made of it.
		d := float32(m32*w) - pw[i]
		if s == Printed {
			d = pw[i] - float32(m32*w)
		}
		dst[i] = d / eta32
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
