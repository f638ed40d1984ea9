package setup

import (
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// Summary keeps of a run the numbers that tables and figures need.
type Summary struct {
	Iteration train.IterationTime
	Share     map[string]float64 // of pushes: QIS, WSS, FSS, held
	Seconds   map[string]float64 // waited, by the same
	Gap       train.Distribution
	Staleness train.Distribution
	Spread    int64     // largest v_new − min(v)
	Updates   []float64 // seconds of each version; timing-only BSP runs alone
	Digest    string    // dasp.Log.Digest: methods of one digest did exactly the same
	Curve     []train.Point
	Accuracy  float64 // of the final parameters on all test images
	Data      *result.Data
	Engine    string
}

// Summarise reduces o to its summary, with the time of every update where updates is set.
func Summarise(o *train.Outcome, updates bool) Summary {
	c := Summary{Iteration: o.Iteration, Share: o.StateShare, Seconds: o.StateSeconds, Gap: o.Gap,
		Staleness: o.Staleness, Spread: o.Log.Spread().Max(), Digest: o.Log.Digest(), Curve: o.Curve, Data: o.Data, Engine: o.Engine}
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

// Same reports whether two methods did exactly the same in every seed, event by event: there is
// nothing to compare.
func Same(a, b []Summary) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(x, y Summary) bool { return x.Digest != "" && x.Digest == y.Digest })
}

// PerIteration returns the mean seconds of a worker's iteration.
func PerIteration(c Summary) float64 { return c.Iteration.PerWorker }

// MeanStaleness returns the mean staleness of a run, in versions.
func MeanStaleness(c Summary) float64 { return c.Staleness.Mean }

// toTarget applies of to each run and to what it took to target. It returns nothing unless every
// run reaches it.
func toTarget(runs []Summary, target float64, of func(Summary, train.ToTarget) float64) kit.Sample {
	return kit.Each(runs, func(c Summary) float64 { return of(c, train.ReachOr(c.Curve, target)) })
}

// SecondsAt returns the seconds in which each run reaches target.
func SecondsAt(runs []Summary, target float64) kit.Sample {
	return toTarget(runs, target, func(_ Summary, at train.ToTarget) float64 { return at.Seconds })
}

// PushesAt returns the gradients with which each run reaches target.
func PushesAt(runs []Summary, target float64) kit.Sample {
	return toTarget(runs, target, func(_ Summary, at train.ToTarget) float64 { return at.Pushes })
}

// TimesTo returns what of gives where each run first has target. A run that never has it is bounded
// by its last evaluation.
func TimesTo(runs []Summary, target float64, of func(Summary, train.ToTarget) float64) kit.Times {
	return kit.Map(runs, func(c Summary) kit.Time {
		return train.TimeTo(c.Curve, target, func(at train.ToTarget) float64 { return of(c, at) })
	})
}

// The sets of states that DASP's pushes may visit.
const (
	QISAlone  = "only-qis" // nobody ever waits: DASP is ASP
	neverFSS  = "never-fss"
	neverWSS  = "never-wss"
	allStates = "all"
)

// Visits names the set of states that DASP's pushes are in.
func Visits(runs []Summary) string {
	wss := slices.ContainsFunc(runs, func(c Summary) bool { return c.Share["WSS"] > 0 })
	fss := slices.ContainsFunc(runs, func(c Summary) bool { return c.Share["FSS"] > 0 })
	switch {
	case wss && fss:
		return allStates
	case wss:
		return neverFSS
	case fss:
		return neverWSS
	}
	return QISAlone
}

// Gaps adds up the histograms of the version gap of all seeds.
func Gaps(runs []Summary) (all dasp.Histogram) {
	for _, c := range runs {
		for x, n := range c.Gap.Counts {
			for len(all) <= x {
				all = append(all, 0)
			}
			all[x] += n
		}
	}
	return all
}

// WidestSpread returns the largest spread of versions in any seed.
func WidestSpread(runs []Summary) int64 {
	return kit.Largest(runs, func(c Summary) int64 { return c.Spread })
}

// Shares returns, by state, the share of DASP's pushes in per cent, the mean over seeds.
func Shares(runs []Summary) (row []any) {
	for _, s := range States {
		row = append(row, kit.Each(runs, func(c Summary) float64 { return c.Share[s] }).Mean().Times(100))
	}
	return row
}

// StateColumns heads a sheet of DASP's states: shares of pushes and seconds waited, median and
// 99th percentile of the gap over all seeds, the largest spread, and the states visited.
const StateColumns = " QIS/%.2 WSS/%.2 FSS/%.2 QIS_wait/s.2 WSS_wait/s.2 FSS_wait/s.2 gap/versions p99/versions spread/versions visits:visits"

// StateCells appends the cells of StateColumns to the first cells of a row.
func StateCells(runs []Summary, first ...any) []any {
	row := append(first, Shares(runs)...)
	for _, s := range States {
		row = append(row, kit.Each(runs, func(c Summary) float64 { return c.Seconds[s] }).Mean())
	}
	gaps := Gaps(runs)
	return append(row, gaps.Quantile(0.5), gaps.Quantile(0.99), WidestSpread(runs), Visits(runs))
}

// SizeColumns heads a sheet of how each network is trained: the gradient of the whole network,
// the part of it that is trained, and the target.
const SizeColumns = "model:model gradient/MB narrower/.0 image batch rate pushes every lowest/%.0 step/points.0 target/%.0"

// Cells returns the cells of SizeColumns, followed by more.
func (s Size) Cells(more ...any) []any {
	return append([]any{s.Model, s.Megabytes(), s.Narrower(), kit.OnlyIf(s.Image > 0, float64(s.Image)), s.Batch, s.Rate, s.Pushes, s.EvalEvery,
		100 * s.Targets()[0], 100 * s.Step, 100 * s.Target}, more...)
}
