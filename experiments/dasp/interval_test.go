package dasp

import (
	"math"
	"testing"

	"gradsync/experiments/train"
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
	p, pci := reduction([]float64{1, 2, 4}, []float64{2, 5, 5})
	if math.Abs(p-100*(1-mean)) > 1e-9 || pci[0] != 100*(1-ci[1]) || pci[1] != 100*(1-ci[0]) {
		t.Errorf("reduction %g %v does not restate the ratio %g %v", p, pci, mean, ci)
	}
}

func TestOneSeedHasNoInterval(t *testing.T) {
	if _, ci := ratio([]float64{3}, []float64{4}); ci != nil {
		t.Errorf("interval %v from one pair", ci)
	}
}

func TestToTargetInterpolates(t *testing.T) {
	curve := []train.Point{{Pushes: 10, Seconds: 1, Accuracy: 0.2}, {Pushes: 20, Seconds: 3, Accuracy: 0.6}, {Pushes: 30, Seconds: 4, Accuracy: 0.5}}
	_, s, p, ok := toTarget(curve, 0.5) // three quarters of the way from 0.2 to 0.6
	if !ok || math.Abs(s-2.5) > 1e-12 || math.Abs(p-17.5) > 1e-12 {
		t.Errorf("reached %t at %g s, %g gradients, want 2.5 and 17.5", ok, s, p)
	}
	if _, s, _, ok := toTarget(curve, 0.1); !ok || s != 1 {
		t.Errorf("a first evaluation above the target: %t, %g s, want its own second", ok, s)
	}
	if _, _, _, ok := toTarget(curve, 0.7); ok {
		t.Error("0.7 was never reached")
	}
}
