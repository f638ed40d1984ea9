package vec

// Clipped counts the elements that quantisation could not represent.
//
// Source: ours: a value changed by more than its rounding is reported
type Clipped struct {
	Saturated int // finite, out of range: the nearer end of the range
	NaN       int // 0
	Inf       int // the end of the range of its sign
}
