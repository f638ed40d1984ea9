package dasp

import (
	"context"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// cell is one run in the numbers that tables and figures need.
type cell struct {
	Iteration train.IterationTime
	Share     map[string]float64 // of pushes: QIS, WSS, FSS, held
	Seconds   map[string]float64 // waited, by the same
	Gap       train.Distribution
	Staleness train.Distribution
	Spread    int64     // largest v_new − min(v)
	Updates   []float64 // seconds of each version; timing-only BSP runs alone
	Curve     []train.Point
	Accuracy  float64 // of the final parameters on all test images
	Data      *result.Data
	Engine    string
}

// cellOf runs cfg, or returns what an earlier call or an interrupted command kept of it.
func cellOf(ctx context.Context, env exp.Env, cfg train.Config) (cell, error) {
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (cell, error) { return reduce(o, cfg.TimingOnly && cfg.Sync == "bsp"), nil })
}

func reduce(o *train.Outcome, updates bool) cell {
	c := cell{Iteration: o.Iteration, Share: o.StateShare, Seconds: o.StateSeconds, Gap: o.Gap,
		Staleness: o.Staleness, Spread: o.Log.Spread().Max(), Curve: o.Curve, Data: o.Data, Engine: o.Engine}
	if o.TestAccuracy != nil {
		c.Accuracy = *o.TestAccuracy
	}
	if updates {
		for _, u := range o.Log.Updates {
			c.Updates = append(c.Updates, u.At.Seconds())
		}
	}
	return c
}

func perIteration(c cell) float64 { return c.Iteration.PerWorker }
func staleness(c cell) float64    { return c.Staleness.Mean }

// mean returns the mean over seeds of what of finds in a cell.
func mean[C any](cells []C, of func(C) float64) kit.Estimate { return kit.Each(cells, of).Mean() }

// identical tells whether two methods did the same in every seed.
func identical(a, b []cell) bool {
	return slices.EqualFunc(a, b, func(x, y cell) bool { return slices.Equal(x.Curve, y.Curve) })
}

// crossing returns what of gives of each cell where its curve first has the target, nothing
// unless all have it.
func crossing(cells []cell, target float64, of func(cell, train.Crossing) float64) kit.Sample {
	return kit.Each(cells, func(c cell) float64 { return of(c, train.ReachOr(c.Curve, target)) })
}

// secondsAt and pushesAt return the time and the gradients to a target of each of cells.
func secondsAt(cells []cell, target float64) kit.Sample {
	return crossing(cells, target, func(_ cell, at train.Crossing) float64 { return at.Seconds })
}

func pushesAt(cells []cell, target float64) kit.Sample {
	return crossing(cells, target, func(_ cell, at train.Crossing) float64 { return at.Pushes })
}

// What DASP's pushes visit of its states.
const (
	qisAlone  = "only-qis" // nobody ever waits: DASP is ASP
	neverFSS  = "never-fss"
	neverWSS  = "never-wss"
	allStates = "all"
)

// visits tells which states DASP's pushes are in.
func visits(cells []cell) string {
	wss := slices.ContainsFunc(cells, func(c cell) bool { return c.Share["WSS"] > 0 })
	fss := slices.ContainsFunc(cells, func(c cell) bool { return c.Share["FSS"] > 0 })
	switch {
	case wss && fss:
		return allStates
	case wss:
		return neverFSS
	case fss:
		return neverWSS
	}
	return qisAlone
}

// gaps merges the gaps of all seeds.
func gaps(cells []cell) (all dasp.Histogram) {
	for _, c := range cells {
		for x, n := range c.Gap.Counts {
			for len(all) <= x {
				all = append(all, 0)
			}
			all[x] += n
		}
	}
	return all
}

func widestSpread(cells []cell) int64 {
	return kit.Largest(cells, func(c cell) int64 { return c.Spread })
}

// shares are those of DASP's pushes by state, in per cent: the mean over seeds.
func shares(cells []cell) (row []any) {
	for _, s := range states {
		row = append(row, mean(cells, func(c cell) float64 { return c.Share[s] }).Times(100))
	}
	return row
}

// stateColumns are those of DASP's states, and stateCells their cells after the first of a
// row: shares of pushes and seconds waited, the gaps of all seeds, the largest spread of any,
// and which states the pushes visit.
const stateColumns = " QIS/%.2 WSS/%.2 FSS/%.2 QIS_wait/s.2 WSS_wait/s.2 FSS_wait/s.2 gap/versions p99/versions spread/versions visits:visits"

func stateCells(cells []cell, first ...any) []any {
	row := append(first, shares(cells)...)
	for _, s := range states {
		row = append(row, mean(cells, func(c cell) float64 { return c.Seconds[s] }))
	}
	gaps := gaps(cells)
	return append(row, gaps.Quantile(0.5), gaps.Quantile(0.99), widestSpread(cells), visits(cells))
}

// learningColumns set trainings beside those of a base, and learningCells are their cells
// after the first of a row, paired by seed: which times and accuracies can be told from the
// base's, where there are intervals.
const learningColumns = " seconds/s.3 ratio~/.3 pushes/.0 accuracy/%.2 difference±/points.2 missed time_told accuracy_told"

func learningCells(target float64, cells, base []cell, first ...any) []any {
	seconds, gained := secondsAt(cells, target), make(kit.Sample, len(base))
	for i, c := range cells {
		gained[i] = 100 * (c.Accuracy - base[i].Accuracy)
	}
	ratio, difference := seconds.Over(secondsAt(base, target)), gained.Mean()
	told := func(e kit.Estimate, null float64) bool { return e.CI != nil && e.Excludes(null) }
	return append(first, seconds.Mean(), ratio, pushesAt(cells, target).Mean(), mean(cells, func(c cell) float64 { return 100 * c.Accuracy }),
		difference, seconds == nil, told(ratio, 1), told(difference, 0))
}

func sizeFacts(s size) []result.Fact {
	return append(settings(), kit.Facts("target/%", 100*s.Target, "batch", s.Batch, "rate", s.Rate, "gradients", s.Pushes,
		"timed_gradients", workers*perWorker)...)
}
