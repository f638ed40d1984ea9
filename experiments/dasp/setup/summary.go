package setup

import (
	"math"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// Summary is one run in the numbers that tables and figures need.
type Summary struct {
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

func Summarise(o *train.Outcome, updates bool) Summary {
	c := Summary{Iteration: o.Iteration, Share: o.StateShare, Seconds: o.StateSeconds, Gap: o.Gap,
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

func PerIteration(c Summary) float64 { return c.Iteration.PerWorker }

func MeanStaleness(c Summary) float64 { return c.Staleness.Mean }

// Identical tells whether two methods did the same in every seed.
func Identical(a, b []Summary) bool {
	return slices.EqualFunc(a, b, func(x, y Summary) bool { return slices.Equal(x.Curve, y.Curve) })
}

// Crossing returns what of gives of each cell where its curve first has the target, nothing
// unless all have it.
func Crossing(cells []Summary, target float64, of func(Summary, train.Crossing) float64) kit.Sample {
	return kit.Each(cells, func(c Summary) float64 {
		x, ok := train.Reach(c.Curve, target)
		if !ok {
			return math.NaN()
		}
		return of(c, x)
	})
}

// SecondsAt and PushesAt return the time and the gradients to a target of each of cells.
func SecondsAt(cells []Summary, target float64) kit.Sample {
	return Crossing(cells, target, func(_ Summary, at train.Crossing) float64 { return at.Seconds })
}

func PushesAt(cells []Summary, target float64) kit.Sample {
	return Crossing(cells, target, func(_ Summary, at train.Crossing) float64 { return at.Pushes })
}

// What DASP's pushes visit of its states.
const (
	QISAlone  = "only-qis" // nobody ever waits: DASP is ASP
	neverFSS  = "never-fss"
	neverWSS  = "never-wss"
	allStates = "all"
)

// Visits tells which states DASP's pushes are in.
func Visits(cells []Summary) string {
	wss := slices.ContainsFunc(cells, func(c Summary) bool { return c.Share["WSS"] > 0 })
	fss := slices.ContainsFunc(cells, func(c Summary) bool { return c.Share["FSS"] > 0 })
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

// Gaps merges the gaps of all seeds.
func Gaps(cells []Summary) (all dasp.Histogram) {
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

func WidestSpread(cells []Summary) int64 {
	return kit.Largest(cells, func(c Summary) int64 { return c.Spread })
}
