package claims

import (
	"math"
	"testing"
)

// The declared numbers are those of a paired test: ((1.96 + 0.84)·sd / log effect)² and two or three
// more for Student's t, at the standard deviation that the list names. No claim that 20 seeds resolve
// is on the list.
func TestSeedsAreWhatTheEffectNeeds(t *testing.T) {
	needed := func(c Claim) float64 {
		x, _ := c.Number()
		return math.Pow((1.96+0.8416)*0.17/math.Log(1-x/100), 2)
	}
	for _, id := range []string{"D21", "D22", "D25", "D26"} {
		c, ok := Get(id)
		if n := float64(SeedsFor(id)); !ok || n < needed(c) || n > needed(c)+4 {
			t.Errorf("%s: %g seeds are declared, the formula gives %.1f", id, n, needed(c))
		}
	}
	if len(seedsFor) != 4 || SeedsFor("D27") != 0 {
		t.Errorf("%d claims are declared, D27 with %d seeds", len(seedsFor), SeedsFor("D27"))
	}
	for id, n := range seedsFor {
		if n <= 20 {
			t.Errorf("%s: %d seeds are not beyond a run", id, n)
		}
	}
}
