package codedsgd

import (
	"math/big"
	"testing"
)

// TestWhenCodingAddsToSumming enumerates n ≤ 12: the least load is below that of summing alone exactly where
// BestDepth's comment says, at t = r, and no depth between 1 and r is ever the best.
func TestWhenCodingAddsToSumming(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for r := 1; r <= n; r++ {
			want := 1
			if r >= 2 && r < n && r >= n-2 {
				want = r
			}
			lacking := new(big.Int).Binomial(int64(n-1), int64(r)) // blocks a node lacks
			if few := lacking.Int64() < int64(r*(n-r)); few != (want > 1) {
				t.Errorf("n = %d, r = %d: C(n−1, r) < r(n−r) is %v", n, r, few)
			}
			if got := BestDepth(n, r); got != want {
				t.Errorf("n = %d, r = %d: best depth %d, want %d", n, r, got, want)
			}
			best, sum := CompressedLoad(n, r, 0), sumOnlyLoad(n, r)
			if gain := best.Cmp(sum) < 0; gain != (want > 1) {
				t.Errorf("n = %d, r = %d: %v against %v of summing", n, r, best, sum)
			}
			for d := 1; d <= r; d++ {
				if CompressedLoad(n, r, d).Cmp(best) < 0 {
					t.Errorf("n = %d, r = %d: depth %d is below the best", n, r, d)
				}
			}
			if CompressedLoad(n, r, 1).Cmp(sum) != 0 {
				t.Errorf("n = %d, r = %d: depth 1 is not summing", n, r)
			}
			// Alike nodes send no more than any sum on the paper's placement.
			if alike := replicatedLoad(n, r); alike != nil && r < n && alike.Cmp(sum) > 0 {
				t.Errorf("n = %d, r = %d: groups of alike nodes %v, summing %v", n, r, alike, sum)
			}
		}
	}
}

// TestLoadsByHand: numbers worked out with pencil, and the domain.
func TestLoadsByHand(t *testing.T) {
	for _, c := range []struct {
		n, r, t  int
		num, den int64
	}{
		{3, 2, 2, 3, 2},  // one group of 3, 3 packets of 1/6, and 1
		{3, 2, 1, 2, 1},  // 3 unicast slices and 1
		{4, 2, 2, 5, 2},  // 4 groups, 12 packets of 1/8, and 1
		{4, 2, 1, 3, 1},  //
		{4, 3, 3, 4, 3},  // as CSSGD, C(4,4)·4/3
		{10, 2, 1, 9, 1}, // n − r + 1
		{5, 3, 2, 14, 5}, // 4 groups of 3 packets and 3 of 2 of 1/10: 18/10 and 1
		{6, 6, 3, 0, 1},
		{1, 1, 1, 0, 1},
	} {
		if got := CompressedLoad(c.n, c.r, c.t); got.Cmp(big.NewRat(c.num, c.den)) != 0 {
			t.Errorf("n = %d, r = %d, t = %d: %v, want %d/%d", c.n, c.r, c.t, got, c.num, c.den)
		}
	}
	for _, c := range [][3]int{{3, 4, 1}, {3, 0, 0}, {3, 2, 3}, {3, 2, -1}} {
		if got := CompressedLoad(c[0], c[1], c[2]); got != nil {
			t.Errorf("%v: %v, want nil", c, got)
		}
	}
	for _, c := range [][2]int{{10, 3}, {0, 1}, {0, 0}, {-4, 2}, {2, 4}, {4, -2}} {
		if got := replicatedLoad(c[0], c[1]); got != nil {
			t.Errorf("%d nodes in groups of %d: %v", c[0], c[1], got)
		}
	}
	if got := replicatedLoad(10, 2); got.Cmp(big.NewRat(5, 1)) != 0 {
		t.Errorf("10 nodes in pairs: %v, want 5", got)
	}
}
