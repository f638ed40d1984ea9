package optim

import (
	"runtime"
	"testing"
)

// Pieces cover a vector, every element once, with one core and with two.
func TestPieces(t *testing.T) {
	for _, cores := range []int{1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		for _, n := range []int{0, 1, stretch, stretch + 1, Large - 1, Large, 2*Large + 3} {
			seen := make([]byte, n)
			Pieces(n, func(lo, hi int) {
				if lo >= hi || hi-lo > stretch {
					t.Errorf("%d elements: a piece from %d to %d", n, lo, hi)
				}
				for i := lo; i < hi; i++ {
					seen[i]++
				}
			})
			for i, k := range seen {
				if k != 1 {
					t.Fatalf("%d cores, %d elements: element %d came %d times", cores, n, i, k)
				}
			}
		}
	}
}
