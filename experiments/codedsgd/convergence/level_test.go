package convergence

import (
	"math"
	"testing"

	"gradsync/experiments/train"
)

// curveOf returns a curve evaluated every second, of accuracies in per cent.
func curveOf(accuracies ...float64) (out []train.Point) {
	for i, a := range accuracies {
		out = append(out, train.Point{Updates: int64(i + 1), Seconds: float64(i + 1), Accuracy: a / 100})
	}
	return out
}

func TestUpdatesAndSecondsTo(t *testing.T) {
	c := curveOf(50, 60, 58, 80)
	if x, y := updatesTo(c, 0.55), secondsTo(clocked(c, 3), 0.6); math.Abs(x-1.5) > 1e-9 || y != 6 {
		t.Errorf("%g updates, want 1.5; on a clock of 3 s per update %g s, want 6", x, y)
	}
	if x, y := updatesTo(c, 0.801), secondsTo(c, 0.801); !math.IsNaN(x) || !math.IsNaN(y) {
		t.Errorf("a level above the curve is reached at %g, %g", x, y)
	}
}

// The rule by hand. a and b have one trajectory with two clocks, the third algorithm
// is behind them at first and catches up.
func TestChooseLevel(t *testing.T) {
	a := curveOf(70, 75, 80, 85, 86)
	b := clocked(a, 2)
	late := curveOf(60, 70, 76, 81, 85.5)
	c := pickLevel([][][]train.Point{{a}, {b}, {late}})
	// Candidates are 76 to 86; 86 is not reached by the third. a and b differ by a
	// factor 2 everywhere; the third is between them, so that all are equal: the highest.
	if c.Picked != 85 || c.Below || len(c.Levels) != 11 || c.Levels[0].Percent != 76 || c.Best != 0.86 {
		t.Errorf("%+v", c)
	}
	if l := c.Levels[10]; !math.IsNaN(l.Spread) || !math.IsNaN(l.Seconds[2]) || math.IsNaN(l.Seconds[0]) {
		t.Errorf("86 %%: %+v", l)
	}
	// Three times as slow, the third makes the spread, which is largest where it lags
	// most: of a's times at 76 (2.2 s) to 85 (4 s), by hand.
	slow := clocked(late, 3)
	c = pickLevel([][][]train.Point{{a}, {b}, {slow}})
	best, at := 0.0, 0
	for p := 76; p <= 85; p++ {
		x := secondsTo(a, float64(p)/100)
		if s := (3*secondsTo(late, float64(p)/100) - x) / x; s >= best {
			best, at = s, p
		}
	}
	if c.Picked != at || math.Abs(c.Levels[at-76].Spread-best) > 1e-9 {
		t.Errorf("picked %d, by hand %d (%g)", c.Picked, at, best)
	}
	// An algorithm of which one run stays below all candidates.
	c = pickLevel([][][]train.Point{{a, a}, {b, b}, {late, curveOf(50, 60.4)}})
	if c.Picked != 60 || !c.Below {
		t.Errorf("%+v", c)
	}
}

// Two clocks of one trajectory have one ratio at every level but for rounding: the
// highest is picked, not the one that rounds highest.
func TestChooseLevelTakesTheHighestOfEqualSpreads(t *testing.T) {
	curve := curveOf(70, 75.3, 79.1, 83.7, 85.2, 86.9)
	fast, slow := clocked(curve, 0.22978), clocked(curve, 0.53637)
	between := clocked(curve, 0.3)
	c := pickLevel([][][]train.Point{{fast}, {slow}, {between}})
	if c.Picked != 86 {
		t.Errorf("picked %d, want the highest, 86", c.Picked)
	}
	rounded := false
	for _, l := range c.Levels {
		rounded = rounded || l.Spread > c.Levels[len(c.Levels)-1].Spread
	}
	if !rounded {
		t.Error("all spreads are equal to the last bit, and the test says nothing")
	}
	// A difference that is more than rounding decides.
	slow[2].Seconds *= 1.001
	if c := pickLevel([][][]train.Point{{fast}, {slow}, {between}}); c.Picked != 79 {
		t.Errorf("picked %d, want 79", c.Picked)
	}
}
