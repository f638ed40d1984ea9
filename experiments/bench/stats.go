package bench

import "slices"

// Spread is the least, the middle and the largest of several values.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// SpreadOf sorts a copy; an even number of values has the mean of the two in the
// middle as its median. No values have the zero Spread.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// Scaled multiplies by a positive factor.
func (s Spread) Scaled(by float64) Spread { return Spread{by * s.Min, by * s.Median, by * s.Max} }

// ratios are the quotients, a's by b's, of the rounds both took part in: what two
// contenders saw at about the same time, so that a disturbance which lasts
// longer than a round meets both.
func ratios(a, b []float64) []float64 {
	var out []float64
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}
