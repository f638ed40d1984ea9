package train

import "math"

// Crossing is where a curve first has an accuracy.
type Crossing struct{ Seconds, Pushes, Updates float64 }

// roundingOf is how far an accuracy may lie below another one that it equals: both are
// quotients.
const roundingOf = 1e-12

// Reach returns where curve first has accuracy, linear between evaluations; the first
// evaluation stands for itself. It returns false if the curve never has it.
func Reach(curve []Point, accuracy float64) (Crossing, bool) {
	for i, b := range curve {
		if b.Accuracy < accuracy-roundingOf {
			continue
		}
		end := Crossing{b.Seconds, float64(b.Pushes), float64(b.Updates)}
		if i == 0 {
			return end, true
		}
		a := curve[i-1]
		f := (accuracy - a.Accuracy) / (b.Accuracy - a.Accuracy)
		between := func(x, y float64) float64 { return x + float64(f*(y-x)) }
		return Crossing{between(a.Seconds, end.Seconds), between(float64(a.Pushes), end.Pushes), between(float64(a.Updates), end.Updates)}, true
	}
	return Crossing{}, false
}

// ReachOr is Reach with a crossing of no numbers where curve never has accuracy.
func ReachOr(curve []Point, accuracy float64) Crossing {
	if at, ok := Reach(curve, accuracy); ok {
		return at
	}
	return Crossing{math.NaN(), math.NaN(), math.NaN()}
}
