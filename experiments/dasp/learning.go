package dasp

import (
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// mean returns the mean over seeds of what of finds in a cell.
func mean(cells []cell, of func(cell) float64) kit.Estimate { return kit.Each(cells, of).Mean() }

// secondsAt returns the time to a target of each of cells, nothing unless all reach it.
func secondsAt(cells []cell, target float64) kit.Sample {
	return crossing(cells, target, func(_ cell, at train.Crossing) float64 { return at.Seconds })
}

// told tells whether the interval of e leaves out null, where there is an interval.
func told(e kit.Estimate, null float64) bool { return e.CI != nil && e.Excludes(null) }

// shareCols are the shares of DASP's pushes by state.
func shareCols[R any](digits int, cells func(R) []cell) (cols []kit.Col[R]) {
	for _, s := range states {
		cols = append(cols, kit.Mean(s, "%", digits, func(r R) kit.Estimate {
			return mean(cells(r), func(c cell) float64 { return c.Share[s] }).Times(100)
		}))
	}
	return cols
}

func staleness(c cell) float64 { return c.Staleness.Mean }

// learningCols set trainings of s beside those of a base, paired by seed.
func learningCols[R any](s size, cells func(R) []cell, base []cell) []kit.Col[R] {
	ratio := func(r R) kit.Estimate {
		return secondsAt(cells(r), s.Target).Over(secondsAt(base, s.Target))
	}
	accuracy := func(c cell) float64 { return 100 * c.Accuracy }
	difference := func(r R) kit.Estimate {
		d := make(kit.Sample, len(base))
		for i, c := range cells(r) {
			d[i] = 100 * (c.Accuracy - base[i].Accuracy)
		}
		return d.Mean()
	}
	return []kit.Col[R]{
		kit.Mean("seconds", "s", 3, func(r R) kit.Estimate { return secondsAt(cells(r), s.Target).Mean() }),
		kit.Interval("ratio", "", 3, ratio),
		kit.Mean("pushes", "", 0, func(r R) kit.Estimate {
			return crossing(cells(r), s.Target, func(_ cell, at train.Crossing) float64 { return at.Pushes }).Mean()
		}),
		kit.Mean("accuracy", "%", 2, func(r R) kit.Estimate { return mean(cells(r), accuracy) }),
		kit.Half("difference", "points", 2, difference),
		kit.Flag("missed", func(r R) bool { return secondsAt(cells(r), s.Target) == nil }),
		kit.Flag("time_told", func(r R) bool { return told(ratio(r), 1) }),
		kit.Flag("accuracy_told", func(r R) bool { return told(difference(r), 0) })}
}

// sizeFacts say how LeNet-5 is trained and timed.
func sizeFacts(s size) []result.Fact {
	return append(append(settings(), kit.Number("target", "%", kit.AsIs, 100*s.Target)),
		named("", "batch", s.Batch, "rate", s.Rate, "gradients", s.Pushes, "timed_gradients", workers*perWorker)...)
}

// named returns facts of a unit, keys and numbers in turn.
func named(unit string, pairs ...any) (out []result.Fact) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, result.Fact{Key: pairs[i].(string), Value: pairs[i+1], Unit: unit})
	}
	return out
}

// onlyIf returns x where it is meant, else no number.
func onlyIf(meant bool, x float64) float64 {
	if meant {
		return x
	}
	return math.NaN()
}
