//gradsync:pure

// Package formula holds the patent's formulas as plain functions of numbers, for
// the command line, for the page and for the method itself. D are bytes, B bytes
// per second, times seconds; d is a density, the share of entries that are not
// zero.
//
// It imports math only, so that it also runs in a browser.
package formula

import "math"

// T returns the seconds of synchronising one layer without compression:
//
//	T = 2(N−1)/N · D/B
//
// It is 0 for N ≤ 1, D/B for N = 2, and tends to 2D/B.
//
// Source: S13
func T(n int, d, b float64) float64 {
	if n <= 1 {
		return 0
	}
	return 2 * float64(n-1) / float64(n) * d / b
}

// Ta returns the seconds of sending d bytes as they are:
//
//	Ta = D/B
//
// d is the size of what is sent, the block; the text calls it the layer's.
//
// Source: S42
func Ta(d, b float64) float64 { return d / b }

// Tb returns the seconds of compressing, sending and decompressing:
//
//	Tb = Tc + Compres(D)/B + Td
//
// Source: S42
func Tb(tc, compressed, b, td float64) float64 { return tc + compressed/b + td }

// Pw returns the partial sum of weights of m nodes, from that of gradients:
//
//	Pw = m·W0 + s·η·(Pg′ + Pg″)
//
// pg is the sum Pg′ + Pg″ and m = k+1, k the exchanges received. s is −1 for
// gradients and +1, the printed sign, for descent directions.
//
// Source: S51
func Pw(w0, eta, pg float64, m, s int) float64 {
	return float64(float64(m)*w0) + float64(float64(s)*eta*pg)
}

// Pg returns the partial sum of gradients of m nodes, from that of weights:
//
//	Pg = ((Pw′ + Pw″) − m·W0) / (s·η)
//
// Source: S51
func Pg(w0, eta, pw float64, m, s int) float64 {
	return (pw - float64(float64(m)*w0)) / (float64(s) * eta)
}

// FillIn returns the density of a sum of k+1 blocks of density d whose zeros are
// independent, that is after k receives:
//
//	1 − (1−d)^(k+1)
//
// Source: ours: why late blocks go dense
func FillIn(d float64, k int) float64 {
	if d >= 1 {
		return 1
	}
	return -math.Expm1(float64(k+1) * math.Log1p(-d))
}

// BitmapBytes returns the bytes of n float32 of density d as bitmap and values:
//
//	n/8 + 4·d·n
//
// Source: ours: the patent names no compression; D/32 + d·D
func BitmapBytes(n, d float64) float64 { return n/8 + float64(4*d*n) }

// COOBytes returns the bytes of n float32 of density d as coordinates and values:
//
//	8·d·n
//
// Source: ours: the patent names no compression; 2·d·D
func COOBytes(n, d float64) float64 { return 8 * d * n }

// BitmapSaves reports whether bitmap and values are sooner there than the block
// itself, which is S42 with that form:
//
//	(1 − d − 1/32)·D/B > Tc + Td
//
// Source: ours: Tb < Ta solved for what is saved
func BitmapSaves(d, size, b, tc, td float64) bool {
	return (1-d-1./32)*size/b > tc+td
}

// BitmapBreakEven returns the density below which BitmapSaves, for rates of
// packing and unpacking in bytes of the dense block per second:
//
//	d* = 1 − 1/32 − B·(1/encode + 1/decode)
//
// It is negative where nothing is sparse enough.
//
// Source: ours: BitmapSaves solved for d, Tc = D/encode, Td = D/decode
func BitmapBreakEven(b, encode, decode float64) float64 {
	return 1 - 1./32 - float64(b*(1/encode+1/decode))
}

// cooBelow returns the density below which coordinates are shorter than a bitmap:
// 8·d = 1/8 + 4·d at d = 1/32.
//
// Source: ours: COOBytes = BitmapBytes
func cooBelow() float64 { return 1. / 32 }

// Steps returns the exchanges of one layer: N−1 of reduce-scatter, N−1 of
// all-gather.
//
// Source: S6
func Steps(n int) (reduce, gather int) { return max(n-1, 0), max(n-1, 0) }

// Dense returns the bytes that one rank sends, on average, for a layer of d bytes
// of dense blocks: T·B.
//
// Source: S13
func Dense(n int, d float64) float64 { return T(n, d, 1) }

// GatherSparse returns the bytes that one rank sends when every rank's block of
// size bytes goes to all others unsummed, the rival of a sparse ring:
//
//	(N−1)·size
//
// Source: ours: all-gather of sparse gradients
func GatherSparse(n int, size float64) float64 { return float64(max(n-1, 0)) * size }

// unit is the unit roundoff of float32, half the distance from 1 to the next.
const unit = 1. / (1 << 24)

// ConversionError bounds how far a block's sum of m gradients may be from the exact
// one if it travels as weights or gradients in any order, in float32. With M = |W0| +
// η·max|g| the sums of weights err by at most, in units of M/2²⁴,
//
//	3         local step: product, sum, and the rounded rate
//	j         the sum of j terms
//	4j        one conversion of a sum of j: m·W0, product, sum or difference, rate
//
// per hop, and η times less than that as gradients:
//
//	|Pg − Σg| ≤ 2⁻²⁴·(5m(m+1)/2 + 3m)·(|W0| + η·max|g|)/η
//
// So what conversion loses grows with the weight over the step, not with the
// gradient. Terms of second order add a thousandth for m < 1000.
//
// Source: ours: standard rounding analysis of S51
func ConversionError(w0, eta, gmax float64, m int) float64 {
	n := float64(m)
	return 1.001 * unit * (float64(2.5*n*(n+1)) + float64(3*n)) * (math.Abs(w0) + float64(eta*gmax)) / eta
}

// UpdateError bounds how far a parameter may be from W0 − η·Σg/N after an exchange in
// which its block was converted in any way: ConversionError's sum over N, and three
// roundings of the average.
//
//	|w − (W0 − η·Σg/N)| ≤ 2⁻²⁴·(5(N+1)/2 + 6)·(|W0| + η·max|g|)
//
// Source: ours: standard rounding analysis of S51
func UpdateError(w0, eta, gmax float64, n int) float64 {
	return 1.001 * unit * (float64(2.5*float64(n+1)) + 6) * (math.Abs(w0) + float64(eta*gmax))
}
