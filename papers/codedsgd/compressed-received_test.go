package codedsgd

import (
	"math"
	"testing"

	"gradsync/papers/codedsgd/formula"
)

// TestSumOnlyReceived counts, of every plan of depth 1 with n ≤ 9, the slices that
// each node receives; every node receives the same.
func TestSumOnlyReceived(t *testing.T) {
	checked := 0
	plans(t, 9, func(n, r, depth int, p *SumPlan) {
		if depth != 1 {
			return
		}
		slices := make([]int, n) // of 1/n gradient
		for _, packet := range p.packets {
			for _, to := range packet.To {
				slices[to]++
			}
		}
		for k, got := range slices {
			if r < n {
				got += n - 1 // the sums of all, from everybody
			}
			checked++
			if want := formula.SumOnlyReceived(n, r); math.Abs(float64(got)/float64(n)-want) > 1e-15 {
				t.Errorf("n = %d, r = %d: node %d receives %d slices of 1/%d, the formula gives %g gradients", n, r, k, got, n, want)
			}
		}
	})
	if checked != 285 {
		t.Errorf("%d nodes, want 285", checked)
	}
}
