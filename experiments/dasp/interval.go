package dasp

import (
	"gradsync/experiments/exp"
	"math"
)

// ratio is the geometric mean over seeds of ours[s]/base[s] with its 95 %
// interval, paired by seed on the log ratio:
//
//	exp( mean d ± t(0.975, n−1) · sd(d)/√n ),  d_s = ln(ours_s/base_s)
//
// One seed has no interval (ci is nil). ratio panics if the lengths differ or
// are zero.
func ratio(ours, base []float64) (mean float64, ci *[2]float64) {
	if len(ours) != len(base) || len(ours) == 0 {
		panic("dasp: ratio needs pairs of seeds")
	}
	d := make([]float64, len(ours))
	for i := range d {
		d[i] = math.Log(ours[i] / base[i])
	}
	m, half := exp.MeanAndHalf(d)
	if !math.IsNaN(half) {
		ci = &[2]float64{math.Exp(m - half), math.Exp(m + half)}
	}
	return math.Exp(m), ci
}
