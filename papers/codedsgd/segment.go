//gradsync:pure

package codedsgd

import (
	"fmt"

	"gradsync/shared/tensor/vec"
)

// Segment returns the bounds of piece k of a length cut in r, 0 ≤ k < r: pieces differ
// by one at most and the first length mod r are the longer ones, so that r > length
// leaves the last ones empty.
//
// Source: Eq. (10)
func Segment(length, r, k int) (lo, hi int) {
	size, longer := length/r, length%r
	lo = k*size + min(k, longer)
	hi = lo + size
	if k < longer {
		hi++
	}
	return lo, hi
}

// Cut says how one layer's gradient is split into segments: its weights, a matrix of
// Rows × Columns numbers row by row, by rows or by columns, and the Rest behind them,
// a bias, by itself. A segment is laid out in order: its part of the matrix row by
// row, then its part of the rest.
//
// Source: Fig. 3
type Cut struct {
	rows, columns, rest int
	r                   int
	byColumn            bool
}

// NewCut returns the cut of a layer of length numbers in r segments. shape is rows and
// columns of its weights, split one of Rows and Columns.
//
// Source: Fig. 3
func NewCut(length int, shape [2]int, r int, split string) (Cut, error) {
	c := Cut{rows: shape[0], columns: shape[1], r: r, byColumn: split == Columns}
	if c.rows < 0 || c.columns < 0 || r < 1 || c.columns > 0 && c.rows > length/c.columns {
		return Cut{}, fmt.Errorf("codedsgd: a layer of %d numbers with weights of %d × %d, in %d segments", length, c.rows, c.columns, r)
	}
	c.rest = length - c.rows*c.columns
	return c, nil
}

// Len returns how many numbers segment k has. Segment 0 is the longest.
//
// Source: Eq. (10)
func (c Cut) Len(k int) int {
	lo, hi := Segment(c.rest, c.r, k)
	if c.byColumn {
		from, to := Segment(c.columns, c.r, k)
		return hi - lo + c.rows*(to-from)
	}
	from, to := Segment(c.rows, c.r, k)
	return hi - lo + c.columns*(to-from)
}

// ranges visits the consecutive parts of the layer that segment k is made of, each
// with its place in the segment.
func (c Cut) ranges(k int, visit func(at, lo, hi int)) {
	at := 0
	next := func(lo, hi int) {
		if hi > lo {
			visit(at, lo, hi)
			at += hi - lo
		}
	}
	if c.byColumn {
		from, to := Segment(c.columns, c.r, k)
		for row := range c.rows {
			next(row*c.columns+from, row*c.columns+to)
		}
	} else {
		from, to := Segment(c.rows, c.r, k)
		next(from*c.columns, to*c.columns)
	}
	lo, hi := Segment(c.rest, c.r, k)
	weights := c.rows * c.columns
	next(weights+lo, weights+hi)
}

// Gather writes segment k of layer to the front of dst.
//
// Source: Alg. 3, line 9
func (c Cut) Gather(dst, layer []int32, k int) {
	c.ranges(k, func(at, lo, hi int) { copy(dst[at:at+hi-lo], layer[lo:hi]) })
}

// AddTo adds segment k of layer to the front of dst modulo 2³².
//
// Source: Eq. (12)
func (c Cut) AddTo(dst, layer []int32, k int) {
	c.ranges(k, func(at, lo, hi int) { vec.AddInt32(dst[at:at+hi-lo], layer[lo:hi]) })
}

// SubtractFrom subtracts segment k of layer from the front of dst modulo 2³².
//
// Source: Eq. (15)
func (c Cut) SubtractFrom(dst, layer []int32, k int) {
	c.ranges(k, func(at, lo, hi int) { vec.SubInt32(dst[at:at+hi-lo], layer[lo:hi]) })
}

// Scatter writes segment k, the front of src, to its place in layer.
//
// Source: Eq. (16)
func (c Cut) Scatter(layer, src []int32, k int) {
	c.ranges(k, func(at, lo, hi int) { copy(layer[lo:hi], src[at:at+hi-lo]) })
}

// AccumulateTo adds segment k, the front of src, to its place in the wider sum of a
// layer.
//
// Source: Eq. (17)
func (c Cut) AccumulateTo(sum []int64, src []int32, k int) {
	c.ranges(k, func(at, lo, hi int) { Accumulate(sum[lo:hi], src[at:at+hi-lo]) })
}
