package quiz

import "math/rand/v2"

// draw is the stream of random numbers of one question.
type draw struct{ *rand.Rand }

// from draws a whole number from lo to hi, both included.
func (d draw) from(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// coin is true half of the time.
func (d draw) coin() bool { return d.IntN(2) == 1 }

// pick draws one of the items.
func pick[T any](d draw, items ...T) T { return items[d.IntN(len(items))] }

// members draws how many of the numbers 0 … n−1, ascending.
func (d draw) members(n, many int) (out []int) {
	for i := range n {
		if d.IntN(n-i) < many-len(out) {
			out = append(out, i)
		}
	}
	return out
}

// small draws a vector of n whole numbers from −9 to 9.
func (d draw) small(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(d.from(-9, 9))
	}
	return x
}

// sparse draws a vector with so many non-zeros, each of 1 … 9 in quarters and halves
// or whole.
func (d draw) sparse(n, nonzero int) []float32 {
	x := make([]float32, n)
	for _, i := range d.members(n, nonzero) {
		x[i] = float32(d.from(1, 9)) * pick[float32](d, 1, -1, 0.5, 0.25)
	}
	return x
}
