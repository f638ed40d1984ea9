package claims

import (
	"math"
	"testing"

	"gradsync/experiments/result"
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

// A claim that was declared to need more seeds than there are does not hold by fewer, however narrow its
// interval is, nor is its effect null; an interval that lies wholly on the other side refutes it by any
// number of seeds, and with as many as it needs it is judged as others are.
func TestClaimsThatNeedMoreSeeds(t *testing.T) {
	at := func(x float64, seeds int) Found { return Number(x, &[2]float64{x - 0.1, x + 0.1}, nil, seeds) }
	of := func(seeds int) Found { return at(3.5, seeds) }
	for _, c := range []struct {
		name string
		f    Found
		want string
	}{
		{"few", of(20), Undecided},
		{"few, the same sign", at(30, 20), Undecided},
		{"few, no effect", Number(0, &[2]float64{}, nil, 20), Undecided},
		{"few, open", Number(-3, &[2]float64{-8, 2}, nil, 20), Undecided},
		{"few, the other side", at(-10, 3), Differs},
		{"as many", of(SeedsFor("D22")), Equal},
		{"no seeds", of(0), Equal},
		{"not run", Found{Missing: []result.Reason{result.Because("one-seed")}, Seeds: 3}, NotRun},
		{"no case", Found{Values: []float64{0}, NoCase: []bool{true}, Seeds: 3}, NoCase},
	} {
		got := Verdict("D22", c.f)
		if got.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Verdict, c.want)
		}
		if c.name == "few" && got.Reasons[0].Code != "needs-seeds" {
			t.Errorf("the reason is %v", got.Reasons)
		}
	}
	if got := Verdict("D27", of(3)); got.Verdict == Undecided {
		t.Errorf("D27 was not declared and is %s", got.Verdict)
	}
}
