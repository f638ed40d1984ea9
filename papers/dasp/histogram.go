//gradsync:pure

package dasp

// Histogram counts how often each whole number from 0 occurred: entry x is the
// count of x.
//
// Source: ours: staleness and gaps are whole numbers, so nothing is binned away
type Histogram []int64

// Add counts x once. It panics if x is negative.
//
// Source: ours: see Histogram
func (h *Histogram) Add(x int64) {
	for int64(len(*h)) <= x {
		*h = append(*h, 0)
	}
	(*h)[x]++
}

// Total returns how many numbers were counted.
//
// Source: ours: see Histogram
func (h Histogram) Total() (n int64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Mean returns the arithmetic mean, 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Mean() float64 {
	var sum int64
	for x, c := range h {
		sum += int64(x) * c
	}
	return ratio(float64(sum), h.Total())
}

// Max returns the largest number counted, 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Max() int64 { return max(int64(len(h))-1, 0) }

// Quantile returns the least x such that at least the fraction q of the
// numbers is at most x; q in [0, 1]. It returns 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Quantile(q float64) int64 {
	need := q * float64(h.Total())
	var n int64
	for x, c := range h {
		if n += c; c > 0 && float64(n) >= need {
			return int64(x)
		}
	}
	return h.Max()
}
