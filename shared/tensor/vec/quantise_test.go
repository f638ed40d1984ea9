package vec

import (
	"math"
	"slices"
	"testing"
)

// By hand: halves go to even; 2^31 and all beyond, and −2^31, leave the range
// −(2^31 − 1) … 2^31 − 1, of which the largest float32 is 2^31 − 128.
func TestQuantiseByHand(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const most = math.MaxInt32
	eachSet(t, func(t *testing.T) {
		for _, c := range []struct {
			x, scale float32
			limit    int32
			want     int32
			clipped  Clipped
		}{
			{0.5, 1, 9, 0, Clipped{}}, {1.5, 1, 9, 2, Clipped{}}, {2.5, 1, 9, 2, Clipped{}}, {-2.5, 1, 9, -2, Clipped{}}, {-3.5, 1, 9, -4, Clipped{}},
			{0.25, 10, 9, 2, Clipped{}}, {9.4, 1, 9, 9, Clipped{}}, {9.5, 1, 9, 9, Clipped{Saturated: 1}}, {-1e30, 1, 9, -9, Clipped{Saturated: 1}},
			{1e30, 1e30, 9, 9, Clipped{Saturated: 1}}, // the product is Inf, the element is not
			{inf, 1, 9, 9, Clipped{Inf: 1}}, {-inf, 1, 9, -9, Clipped{Inf: 1}}, {nan, 1, 9, 0, Clipped{NaN: 1}},
			{1 << 31, 1, most, most, Clipped{Saturated: 1}}, {-(1 << 31), 1, most, -most, Clipped{Saturated: 1}},
			{1<<31 - 128, 1, most, most - 127, Clipped{}}, {0.4, 1, 0, 0, Clipped{}}, {1, 1, 0, 0, Clipped{Saturated: 1}},
			{1<<24 + 2, 1, 1<<24 + 1, 1<<24 + 1, Clipped{Saturated: 1}}, // 2^24 + 1 is no float32
		} {
			for _, n := range []int{1, block, block + 3} {
				x, q := make([]float32, n), make([]int32, n)
				x[n-1] = c.x
				got := Quantise(q, x, c.scale, c.limit)
				if q[n-1] != c.want || got != c.clipped {
					t.Errorf("%g·%g with limit %d, n = %d: %d, %+v; want %d, %+v", c.x, c.scale, c.limit, n, q[n-1], got, c.want, c.clipped)
				}
			}
		}
	})
}

// TestWrappingSumsAreExact: partial sums out of range do no harm, and
// subtraction undoes addition. By hand: (2^31 − 1) + 5 − 7 = 2^31 − 3.
func TestWrappingSumsAreExact(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, n := range []int{1, block, 3*block + 5} {
			x, five, seven := make([]int32, n), make([]int32, n), make([]int32, n)
			for i := range x {
				x[i], five[i], seven[i] = math.MaxInt32, 5, 7
			}
			AddInt32(x, five)
			if x[n-1] != math.MinInt32+4 {
				t.Errorf("2^31 − 1 + 5 wraps to %d", x[n-1])
			}
			SubInt32(x, seven)
			if err := AddInt32Bytes(x, AppendInt32(nil, five)); err != nil {
				t.Error(err)
			}
			SubInt32(x, five)
			if x[0] != math.MaxInt32-2 || x[n-1] != math.MaxInt32-2 {
				t.Errorf("%d … %d, want %d", x[0], x[n-1], math.MaxInt32-2)
			}
		}
	})
}

func TestWordsOfTheWrongLength(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		q := make([]int32, 77)
		wire := AppendInt32(nil, q)
		if FromInt32(q, wire[1:]) == nil || AddInt32Bytes(q, wire[1:]) == nil {
			t.Error("a byte too few is no error")
		}
	})
}

func TestQuantisePanicsOnNonsense(t *testing.T) {
	for _, c := range []struct {
		scale float32
		limit int32
	}{{0, 1}, {-1, 1}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}, {1, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("scale %g, limit %d: no panic", c.scale, c.limit)
				}
			}()
			Quantise(nil, nil, c.scale, c.limit)
		}()
	}
}

// FuzzWords: a wire of any other length than four bytes an element is an error
// that changes nothing; the right length never is.
func FuzzWords(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, 1)
	f.Add([]byte{1, 2, 3}, 1)
	f.Add(make([]byte, 4*block+4), block)
	f.Add(make([]byte, 4*block+4), block+1)
	f.Fuzz(func(t *testing.T, wire []byte, n int) {
		if n < 0 || n > 1<<12 {
			return
		}
		x, q := make([]float32, n), make([]int32, n)
		for name, err := range map[string]error{
			"FromBytes": FromBytes(x, wire), "AddBytes": AddBytes(x, wire),
			"FromInt32": FromInt32(q, wire), "AddInt32Bytes": AddInt32Bytes(q, wire),
		} {
			if (err == nil) != (len(wire) == 4*n) {
				t.Errorf("%s: %d bytes for %d elements: %v", name, len(wire), n, err)
			}
			if err != nil && (CountNonzero(x) != 0 || slices.Max(append(q, 0)) != 0) {
				t.Errorf("%s: an error changed the vector", name)
			}
		}
	})
}
