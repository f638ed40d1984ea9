//gradsync:pure

package codedsgd

import "gradsync/shared/tensor/vec"

// Top is int32's largest number, which stands for the range's end.
//
// Source: §3.1
const Top = 0x7FFFFFFF

// Quantise writes src in fixed point to dst: Top stands for limit and −Top for −limit,
// halves go to the even neighbour. It returns how many numbers were out of range and
// became its end, and how many were no numbers: NaN becomes 0, infinities the end of
// their sign. It panics if dst is shorter.
//
//	q = round(v·Top/limit)
//
// Products are float64's, so of every float32 in range the error is half a step,
// limit/Top/2, but for a millionth of it: 2.33e-9 at limit 10.
//
// Source: §3.1
func Quantise(dst []int32, src []float32, limit float64) (saturated, notFinite int) {
	c := vec.QuantiseRange(dst[:len(src):len(dst)], src, limit)
	return c.Saturated, c.NaN + c.Inf
}

// Dequantise returns what a number, or a sum of numbers, in fixed point stands for.
//
//	v = q·limit/Top
//
// Source: §3.1
func Dequantise(q int64, limit float64) float64 { return float64(q) * (limit / Top) }

// Accumulate adds src to the wider sum: a sum of blocks may be out of int32's range.
// It panics if sum is shorter.
//
// Source: Eq. (17)
func Accumulate(sum []int64, src []int32) { vec.AddInt32Wide(sum[:len(src):len(sum)], src) }

// Update takes the step of descent that a sum of the batch's gradients gives, the
// same bits for the same sum. It is made in float64 and rounded once.
//
//	w ← w − η·(Σ·limit/Top/|F_j| + λ·w)
//
// Source: Eq. (4)
func Update(w []float32, sum []int64, limit float64, batch int, rate, decay float64) {
	step := limit / Top / float64(batch)
	for i, q := range sum {
		v := float64(w[i])
		w[i] = float32(v - float64(rate*(float64(float64(q)*step)+float64(decay*v))))
	}
}
