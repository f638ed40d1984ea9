package ring

import (
	"fmt"
	"math"
)

// patience is the largest factor that costs an exchange less than a tenth.
func patience(cases []slowCase, of func(slowCase) float64) (most float64) {
	for _, c := range cases {
		if of(c) <= 1.1*of(cases[0]) {
			most = math.Max(most, c.Factor)
		}
	}
	return most
}

// overtaken is the first factor at which the single reducer beats the ring; no
// number if none does.
func overtaken(cases []slowCase) float64 {
	for _, c := range cases {
		if c.Naive < c.Ring {
			return c.Factor
		}
	}
	return math.NaN()
}

func slowNotes(cases []slowCase) []string {
	first, last := cases[0], cases[len(cases)-1]
	worst := 0.0
	for _, c := range cases {
		worst = math.Max(worst, math.Abs(c.Ring/c.AllSlow-1))
	}
	notes := []string{
		fmt.Sprintf("One slow link sets the pace of the whole ring: slowing one host of %d costs what slowing all of them costs, to %.2f %%. Every chunk passes every link.", slowRanks, 100*worst),
		fmt.Sprintf("Leaving the slow host out costs a sixteenth of the data and gives %.2f s again, at every factor.", last.Short),
		fmt.Sprintf("A single reducer bears a worker's link slowed by up to %g at less than a tenth more time, because the reducer's own link is the bottleneck; a slow reducer, ×%g, takes %.0f s.", patience(cases, func(c slowCase) float64 { return c.Naive }), last.Factor, last.NaiveTop),
	}
	if a, z := first.Halving/first.Ring, last.Halving/last.Ring; z > 1.1*a {
		notes = append(notes, fmt.Sprintf("Halving-doubling, as fast as the ring among equals (×%.2f), suffers more from the slow host: at ×%g it takes %.2f times the ring's time.", a, last.Factor, z))
	}
	if f := overtaken(cases); !math.IsNaN(f) {
		notes = append(notes, fmt.Sprintf("From a factor of %g on the single reducer beats the ring, %.1f s at 1 against %.1f.", f, first.Naive, first.Ring))
	} else {
		notes = append(notes, fmt.Sprintf("Even so the single reducer is never faster here: %.1f s against %.1f at ×%g.", last.Naive, last.Ring, last.Factor))
	}
	return append(notes, "A slowed host is slow both ways; a link that is slow in one direction only is not modelled.")
}
