package vec

import (
	"math"
	"slices"
	"testing"
)

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
			must(t, AddInt32Bytes(x, AppendInt32(nil, five)))
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
		if wire := AppendInt32(nil, q); FromInt32(q, wire[1:]) == nil || AddInt32Bytes(q, wire[1:]) == nil {
			t.Error("a byte too few is no error")
		}
	})
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
