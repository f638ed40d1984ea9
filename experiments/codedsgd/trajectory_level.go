package codedsgd

import (
	"math"

	"gradsync/experiments/train"
)

// The paper's rule for the benchmark accuracy (§3.2.1): "near the target accuracy, a
// level at which the three algorithms differ most, from their original results". Made
// a program before the first run: of the whole per cents from levelsBelow points
// below the best accuracy that any of the trainings reaches on the largest number of
// nodes, up to it, those that all three reach in every seed; of these the one at
// which the spread of the mean times is largest, the highest of equals (to equalSpread:
// ratios of the same clocks at several levels differ by their rounding). If all three
// reach none of them, the highest whole per cent that they do reach.
const levelsBelow = 10

// equalSpread is the relative difference up to which two spreads are equal.
const equalSpread = 1e-9

// rung is a candidate, in per cent, with the mean seconds of each algorithm, NaN
// where a training does not reach it.
type rung struct {
	Percent int
	Seconds []float64
	Spread  float64 // (slowest − fastest)/fastest; NaN unless all reach it
}

// choice is what the rule does with the trainings of several algorithms.
type choice struct {
	Best   float64 // accuracy, a share
	Levels []rung  // the candidates, ascending
	Picked int     // per cent; 0: none
	Below  bool    // no candidate is reached by all: Picked lies below them
}

// lowest reports whether the lowest candidate was picked: one below might have been.
func (c choice) lowest() bool {
	return !c.Below && len(c.Levels) > 0 && c.Picked == c.Levels[0].Percent
}

// chooseLevel applies the rule to curves whose clocks run: [algorithm][run].
func chooseLevel(curves [][][]train.Point) choice {
	var c choice
	all := 1.0 // that every run reaches
	for _, runs := range curves {
		for _, curve := range runs {
			top := 0.0
			for _, p := range curve {
				top = max(top, p.Accuracy)
			}
			c.Best, all = max(c.Best, top), min(all, top)
		}
	}
	highest := int(math.Floor(100*c.Best + 1e-9))
	most := math.Inf(-1)
	for percent := max(highest-levelsBelow, 1); percent <= highest; percent++ {
		l := levelAt(curves, percent)
		if !math.IsNaN(l.Spread) && (math.IsInf(most, -1) || l.Spread >= most*(1-equalSpread)) {
			most, c.Picked = max(most, l.Spread), percent
		}
		c.Levels = append(c.Levels, l)
	}
	if c.Picked == 0 {
		c.Picked, c.Below = int(math.Floor(100*all+1e-9)), true
	}
	return c
}

func levelAt(curves [][][]train.Point, percent int) rung {
	l := rung{Percent: percent}
	least, most := math.Inf(1), 0.0
	for _, runs := range curves {
		sum := 0.0
		for _, curve := range runs {
			sum += secondsTo(curve, float64(percent)/100)
		}
		mean := sum / float64(len(runs))
		l.Seconds = append(l.Seconds, mean)
		least, most = min(least, mean), max(most, mean)
	}
	l.Spread = (most - least) / least
	return l
}
