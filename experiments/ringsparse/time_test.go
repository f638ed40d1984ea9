package ringsparse

import (
	"math/big"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/papers/ringsparse"
)

// The virtual time of whole exchanges is a sum of Ta or Tb, to the nanosecond; one
// nanosecond more is found.
func TestExactCosts(t *testing.T) {
	plan := planRule()
	direct, coded, err := exactCosts(t.Context(), plan, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(direct) != 15 || len(coded) != 14 || countEqual(direct) != 15 || countEqual(coded) != 14 {
		t.Fatalf("%d of %d direct, %d of %d coded are equal", countEqual(direct), len(direct), countEqual(coded), len(coded))
	}
	for i, c := range judgeCosts(plan, direct, coded) {
		wantVerdict(t, c, claims.Equal, []string{"15 of 15", "14 of 14"}[i])
	}
	direct[3].Measured++
	coded[0].Expected = new(big.Rat).Add(coded[0].Expected, big.NewRat(1, 3))
	for i, c := range judgeCosts(plan, direct, coded) {
		wantVerdict(t, c, claims.Differs, []string{"equal in 14 of 15", "equal in 13 of 14"}[i])
	}
}

// One zero by hand at 1 Gb/s: four bytes take 32 ns; coded they are a byte, 8 ns, and
// 2 ns each for packing and unpacking. The printed rule sends the four bytes.
func TestPrintedRuleIsDearer(t *testing.T) {
	c := newRuleCheck(rulePlan{Largest: 1})
	if c.Cases != 6 || c.RightWrong != 0 || c.Wrong != c.Cases-c.Ties || !strings.Contains(c.Smallest, "1 element with 0 non-zeros at 1 Gb/s has Ta = 32 ns and Tb = 12 ns") {
		t.Errorf("%+v", c)
	}
	wantVerdict(t, judgeRule(c), claims.Differs, "20 ns longer")
	if v := judgeRule(c).Measured; v != correctedRule {
		t.Errorf("measured %v", v)
	}
	c.Wrong, c.RightWrong = 1, 1
	wantVerdict(t, judgeRule(c), claims.Differs, "corrected in 1")
	c.Wrong = 0
	wantVerdict(t, judgeRule(c), claims.Equal, "dearer way in 0")
	c.RightWrong = 0 // nothing was found out
	wantVerdict(t, judgeRule(c), claims.Differs, "printed rule wrong in 0")
}

// Two layers on two ranks by hand: steps of 5 and 7 bytes, then of 2 and 9, each the
// larger of the two ranks'.
func TestStepSums(t *testing.T) {
	choices := []ringsparse.Choice{
		{Layer: 0, Hop: 0, Bytes: 5}, {Layer: 0, Hop: 0, Bytes: 3}, {Layer: 0, Hop: 1, Gather: true, Bytes: 7}, {Layer: 0, Hop: 1, Gather: true, Bytes: 1},
		{Layer: 1, Hop: 0, Bytes: 2}, {Layer: 1, Hop: 0, Bytes: 2}, {Layer: 1, Hop: 1, Gather: true, Bytes: 4}, {Layer: 1, Hop: 1, Gather: true, Bytes: 9},
	}
	if most, mean := stepSums(choices, 2); most != 23 || mean != 16.5 {
		t.Errorf("%g and %g, want 23 and 16.5", most, mean)
	}
	choices[2].Bytes, choices[3].Bytes = 0, 0
	if most, _ := stepSums(choices[:4], 4); most != 5 { // of four ranks two sent nothing
		t.Errorf("%g, want 5", most)
	}
}

func TestSlowestVerdicts(t *testing.T) {
	good := slowCheck{Plan: planSlow(), Equal: 1, One: 4, At: 4.1, Uneven: []uneven{{Seconds: []float64{1}, Steps: []float64{1}, Mean: []float64{1}, Distance: 0.01}}}
	wantVerdict(t, judgeSlowest(good), claims.SameSign, "4.00 times as long")
	bad := good
	bad.One = 3.8
	wantVerdict(t, judgeSlowest(bad), claims.Differs, "3.80 times as long")
	bad = good
	bad.Uneven = []uneven{{Seconds: []float64{1}, Distance: 0.06}}
	wantVerdict(t, judgeSlowest(bad), claims.Differs, "within 6.0 %")

	wantVerdict(t, judgeGrowth([]growth{{2, 1}, {10, 1.8}, {16, 1.875}}), claims.Differs, "from N = 10 to 16 by 4.2 %")
	wantVerdict(t, judgeGrowth([]growth{{2, 1.8}, {16, 1.875}}), claims.SameSign, "1.875")
}

// Who is fastest, by hand: the dense ring where it ties.
func TestFastest(t *testing.T) {
	laps := map[cell]lap{}
	for k := range ways {
		laps[cell{0, k, 1, 2}] = lap{Seconds: 2}
	}
	works := []workload{{Title: "a net"}}
	if wins, of, _ := denseWins(works, laps, 1, []int{2}); wins != 1 || of != 1 {
		t.Errorf("%d of %d", wins, of)
	}
	laps[cell{0, 2, 1, 2}] = lap{Seconds: 1}
	wins, _, others := denseWins(works, laps, 1, []int{2})
	if wins != 0 || strings.Join(others, "") != "a net with gradients alone" || gain(laps, 0, "gradients", 1, 2) != 2 {
		t.Errorf("%d, %v", wins, others)
	}
	delete(laps, cell{0, wayIndex("printed"), 1, 2}) // a way that was not run is not the fastest
	if k := fastest(laps, 0, 1, 2); ways[k].Key != "gradients" {
		t.Errorf("%s is the fastest", ways[k].Key)
	}
	if s := slower(laps, 0, "gradients", 1, 2); s != -50 {
		t.Errorf("%g %%, want −50", s)
	}
}

func TestTimeRuns(t *testing.T) {
	r := runProfile(t, iterationTime(), "ci", 0)
	if len(r.Claims) != 5 || len(r.Tables) != 9 || len(r.Figures) != 3 {
		t.Errorf("%d claims, %d tables, %d figures", len(r.Claims), len(r.Tables), len(r.Figures))
	}
}
