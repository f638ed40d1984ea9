package compare

import (
	"math"
	"slices"

	"gradsync/experiments/train"
)

// own is the gradients to the target on a method's own curve.
func own(curve []train.Point, target float64) float64 {
	if _, gradients, _, ok := toTarget(curve, target); ok {
		return gradients
	}
	return math.NaN()
}

// toTarget is the time, the gradients and the updates at which a curve first reaches the
// target, linear between evaluations; the first evaluation stands for itself.
func toTarget(curve []train.Point, target float64) (seconds, gradients, updates float64, ok bool) {
	i := slices.IndexFunc(curve, func(p train.Point) bool { return p.Accuracy >= target })
	if i < 0 {
		return 0, 0, 0, false
	}
	b := curve[i]
	if i == 0 {
		return b.Seconds, float64(b.Pushes), float64(b.Updates), true
	}
	a := curve[i-1]
	f := (target - a.Accuracy) / (b.Accuracy - a.Accuracy)
	between := func(x, y float64) float64 { return x + float64(f*(y-x)) }
	return between(a.Seconds, b.Seconds), between(float64(a.Pushes), float64(b.Pushes)), between(float64(a.Updates), float64(b.Updates)), true
}

// reached collects times and gradients to the target by seed; ok is false if a seed
// never reaches it.
func reached(cells []cell, target float64) (seconds, gradients, updates []float64, ok bool) {
	for _, c := range cells {
		s, g, u, found := toTarget(c.Curve, target)
		if !found {
			return nil, nil, nil, false
		}
		seconds, gradients, updates = append(seconds, s), append(gradients, g), append(updates, u)
	}
	return seconds, gradients, updates, len(cells) > 0
}
