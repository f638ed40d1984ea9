package train

import (
	"math"

	"gradsync/experiments/kit"
)

// TargetEvery is how many gradients lie between two evaluations of a search for a target accuracy, unless
// Config.EvalEvery says otherwise. It depends on no bound of the run, on no method and on no number of workers:
// else the same training would have another time to the same accuracy. It is the finest interval of
// the experiments (dasp/table6, deep networks in profile quick), and costs LeNet-5 a third of a run's time.
const TargetEvery = 30

// ToTarget holds what a training took to a target accuracy.
type ToTarget struct{ Seconds, Pushes, Updates float64 }

// roundingOf is the difference up to which two accuracies are equal: both are rounded quotients.
const roundingOf = 1e-12

// Reach returns what it took until curve first had accuracy, interpolated linearly between
// evaluations, or the first evaluation if that has it. It returns false if none has.
func Reach(curve []Point, accuracy float64) (ToTarget, bool) {
	for i, b := range curve {
		if b.Accuracy < accuracy-roundingOf {
			continue
		}
		end := ToTarget{b.Seconds, float64(b.Pushes), float64(b.Updates)}
		if i == 0 {
			return end, true
		}
		a := curve[i-1]
		f := (accuracy - a.Accuracy) / (b.Accuracy - a.Accuracy)
		between := func(x, y float64) float64 { return x + float64(f*(y-x)) }
		return ToTarget{between(a.Seconds, end.Seconds), between(float64(a.Pushes), end.Pushes), between(float64(a.Updates), end.Updates)}, true
	}
	return ToTarget{}, false
}

// ReachOr returns what Reach finds, and NaNs where curve never has the accuracy.
func ReachOr(curve []Point, accuracy float64) ToTarget {
	if at, ok := Reach(curve, accuracy); ok {
		return at
	}
	return ToTarget{math.NaN(), math.NaN(), math.NaN()}
}

// TimeTo returns what of gives where curve first has accuracy. One that never has it is bounded by its
// last evaluation, and one without an evaluation by 0.
func TimeTo(curve []Point, accuracy float64, of func(ToTarget) float64) kit.Time {
	at, ok := Reach(curve, accuracy)
	if last := len(curve) - 1; !ok && last >= 0 {
		b := curve[last]
		at = ToTarget{b.Seconds, float64(b.Pushes), float64(b.Updates)}
	}
	return kit.Time{At: of(at), Beyond: !ok}
}

// MeanTimeTo returns the geometric mean of TimeTo over several accuracies, the measure that the experiments
// judge by: one crossing is a chance of a curve that goes up and down, and an average along
// the curve needs a quarter of the seeds or fewer for the same interval.
func MeanTimeTo(curve []Point, accuracies []float64, of func(ToTarget) float64) kit.Time {
	each := kit.Map(accuracies, func(a float64) kit.Times { return kit.Times{TimeTo(curve, a, of)} })
	return kit.Together(each)[0]
}

// InSeconds is the quantity of a crossing that times compare.
func InSeconds(x ToTarget) float64 { return x.Seconds }

// Search holds the time that a search for a target accuracy took.
type Search struct {
	Accuracy float64 `json:"accuracy"`
	// Every is the resolution: gradients between two evaluations. Times between them are interpolated.
	Every int64 `json:"every"`
	// MeanSeconds is MeanTimeTo of the curve over Accuracies, kit.TargetsUpTo(Accuracy); FirstSeconds is TimeTo of
	// Accuracy alone. nil: never reached.
	Accuracies   []float64 `json:"accuracies"`
	MeanSeconds  *float64  `json:"mean_seconds"`
	FirstSeconds *float64  `json:"first_seconds"`
}

// searched returns what a run with a target found, nil without one.
func searched(c *Config, curve []Point) *Search {
	if c.TargetAccuracy == 0 {
		return nil
	}
	s := &Search{Accuracy: c.TargetAccuracy, Every: c.EvalEvery, Accuracies: kit.TargetsUpTo(c.TargetAccuracy)}
	mean, first := MeanTimeTo(curve, s.Accuracies, InSeconds), TimeTo(curve, c.TargetAccuracy, InSeconds)
	s.MeanSeconds, s.FirstSeconds = unless(mean.Beyond, mean.At), unless(first.Beyond, first.At)
	return s
}
