package dasp

import (
	"math"
	"testing"
)

// Three pairs with log ratios ln 0.5, ln 0.4, ln 0.8: by hand mean −0.6109,
// sd 0.35383, t(0.975, 2) = 4.3027 (any Student table), half-width 0.8790.
func TestRatioIsPairedOnTheLog(t *testing.T) {
	mean, ci := ratio([]float64{1, 2, 4}, []float64{2, 5, 5})
	if math.Abs(mean-math.Exp(-0.61086)) > 1e-4 {
		t.Errorf("ratio = %g, want the geometric mean %g", mean, math.Exp(-0.61086))
	}
	if ci == nil || math.Abs(math.Log(ci[0])-(-0.61086-0.8790)) > 2e-3 || math.Abs(math.Log(ci[1])-(-0.61086+0.8790)) > 2e-3 {
		t.Errorf("interval %v, want exp(−0.6109 ± 0.879)", ci)
	}
}

func TestOneSeedHasNoInterval(t *testing.T) {
	if _, ci := ratio([]float64{3}, []float64{4}); ci != nil {
		t.Errorf("interval %v from one pair", ci)
	}
}
