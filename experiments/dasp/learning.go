package dasp

import (
	"context"
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// keptCell runs cfg, or returns what is kept of an earlier run of it.
func keptCell(ctx context.Context, env exp.Env, cfg train.Config) (cell, error) {
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (cell, error) { return reduce(o, cfg.TimingOnly && cfg.Sync == "bsp"), nil })
}

// mean returns the mean over seeds of what of finds in a cell.
func mean(cells []cell, of func(cell) float64) kit.Estimate { return kit.Each(cells, of).Mean() }

// toReach returns what of says of the point where each cell's curve reaches target;
// nothing unless all of them do.
func toReach(cells []cell, target float64, of func(train.Crossing) float64) kit.Sample {
	return kit.Each(cells, func(c cell) float64 {
		at, ok := train.Reach(c.Curve, target)
		return onlyIf(ok, of(at))
	})
}

func secondsOf(at train.Crossing) float64 { return at.Seconds }

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
		return toReach(cells(r), s.Target, secondsOf).Over(toReach(base, s.Target, secondsOf))
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
		kit.Mean("seconds", "s", 3, func(r R) kit.Estimate { return toReach(cells(r), s.Target, secondsOf).Mean() }),
		kit.Interval("ratio", "", 3, ratio),
		kit.Mean("pushes", "", 0, func(r R) kit.Estimate {
			return toReach(cells(r), s.Target, func(at train.Crossing) float64 { return at.Pushes }).Mean()
		}),
		kit.Mean("accuracy", "%", 2, func(r R) kit.Estimate { return mean(cells(r), accuracy) }),
		kit.Half("difference", "points", 2, difference),
		kit.Flag("missed", func(r R) bool { return toReach(cells(r), s.Target, secondsOf) == nil }),
		kit.Flag("time_told", func(r R) bool { return told(ratio(r), 1) }),
		kit.Flag("accuracy_told", func(r R) bool { return told(difference(r), 0) })}
}

// sizeFacts say how LeNet-5 is trained.
func sizeFacts(s size) []result.Fact {
	return []result.Fact{kit.Finding("model", "model", s.Model), kit.Counted("batch", "", s.Batch), kit.Number("rate", "", kit.AsIs, s.Rate),
		kit.Counted("gradients", "", s.Pushes), kit.Number("target", "%", kit.AsIs, 100*s.Target), kit.Counted("clock_batch", "", fullBatch),
		kit.Counted("timed_gradients", "", workers*perWorker), kit.Counted("smin", "versions", smin), kit.Counted("smax", "versions", smax),
		kit.Number("alpha", "", kit.AsIs, alpha)}
}

// paired is a ratio and its interval as three entries, the interval empty for
// one seed.
func paired(ours, base []float64) []any {
	r, ci := ratio(ours, base)
	if ci == nil {
		return []any{r, nil, nil}
	}
	return []any{r, ci[0], ci[1]}
}

// onlyIf returns x where it is meant, else no number.
func onlyIf(meant bool, x float64) float64 {
	if meant {
		return x
	}
	return math.NaN()
}
