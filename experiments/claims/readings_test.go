package claims

import (
	"math"
	"testing"

	"gradsync/experiments/result"
)

// The rule by hand, at and beside each of its bounds.
func TestJudgeOverReadings(t *testing.T) {
	of := func(same, opposite, undecided, none int) (x Tally) {
		return counted(1, same, opposite, undecided, none)
	}
	heavy := func(weights ...float64) (x Tally) { // all find the same
		for _, w := range weights {
			x.Add(Holds, w)
		}
		return x
	}
	for _, c := range []struct {
		name    string
		tallies []Tally
		want    string
	}{
		{"all the same", []Tally{of(100, 0, 0, 0)}, SameSign},
		{"at the bounds", []Tally{of(90, 5, 5, 0)}, SameSign},
		{"too many opposite", []Tally{of(90, 6, 4, 0)}, dependsOnReading},
		{"too few the same", []Tally{of(89, 0, 11, 0)}, dependsOnReading},
		{"few the same", []Tally{of(10, 60, 30, 0)}, Differs},
		{"one too many for that", []Tally{of(11, 60, 29, 0)}, dependsOnReading},
		{"few the same, most of the rest open", []Tally{of(5, 44, 51, 0)}, Undecided},
		{"half open", []Tally{of(5, 45, 50, 0)}, Differs},
		{"no case in more than half", []Tally{of(49, 0, 0, 51)}, NoCase},
		{"in half", []Tally{of(50, 0, 0, 50)}, SameSign},
		{"no case is no part of the shares", []Tally{of(54, 3, 3, 40)}, SameSign}, // 90, 5, 5 of 60
		{"both weightings agree", []Tally{of(95, 2, 3, 0), counted(0.1, 91, 4, 5, 0)}, SameSign},
		{"they do not", []Tally{of(95, 2, 3, 0), counted(0.1, 89, 4, 7, 0)}, dependsOnReading},
		{"one says so, one the opposite", []Tally{of(95, 2, 3, 0), of(5, 95, 0, 0)}, dependsOnReading},
		{"one leaves open what differs", []Tally{of(0, 53, 47, 0), of(0, 40, 60, 0)}, Undecided},
		{"the other does", []Tally{of(0, 40, 60, 0), of(0, 53, 47, 0)}, Undecided},
		{"one leaves open what is the same", []Tally{of(95, 2, 3, 0), of(20, 10, 70, 0)}, Undecided},
		{"open beside what depends", []Tally{of(50, 50, 0, 0), of(5, 10, 85, 0)}, dependsOnReading},
		{"open beside no case", []Tally{of(10, 0, 0, 90), of(5, 10, 85, 0)}, dependsOnReading},
		{"open between two that disagree", []Tally{of(95, 2, 3, 0), of(5, 10, 85, 0), of(5, 95, 0, 0)}, dependsOnReading},
		{"just enough readings", []Tally{of(8, 0, 0, 0)}, SameSign},
		{"too few readings", []Tally{of(7, 0, 0, 0)}, Undecided},
		{"enough, of which too few have a case", []Tally{of(7, 0, 0, 7)}, Undecided},
		{"enough without a case", []Tally{of(1, 0, 0, 7)}, NoCase},
		{"too few, most without a case", []Tally{of(1, 0, 0, 6)}, Undecided},
		{"twelve that are worth seven", []Tally{of(12, 0, 0, 0), heavy(2, 1, 1, 1, 1, .2, .2, .2, .2, .2, .2, .2)}, Undecided}, // 7.4² / 8.28
		{"none", []Tally{{}}, Undecided},
		{"no tally", nil, Undecided},
	} {
		if got := OverReadings.Judge(c.tallies...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// counted returns a tally of readings of one weight.
func counted(weight float64, same, opposite, undecided, none int) (x Tally) {
	for finding, n := range map[string]int{Holds: same, Differs: opposite, Undecided: undecided, NoCase: none} {
		for range n {
			x.Add(finding, weight)
		}
	}
	return x
}

// Readings of equal weight are worth their number, whatever the weight; one of weight 3 beside three
// of 1 is (3 + 3)²/(9 + 3) = 3 of 4.
func TestEffective(t *testing.T) {
	if cases, all := counted(0.25, 6, 2, 1, 3).Effective(); cases != 9 || all != 12 {
		t.Errorf("%g and %g readings, want 9 and 12", cases, all)
	}
	var x Tally
	for finding, weight := range map[string]float64{Holds: 3, Differs: 1, Undecided: 1, NoCase: 1} {
		x.Add(finding, weight)
	}
	if cases, all := x.Effective(); math.Abs(cases-25./11) > 1e-12 || all != 3 {
		t.Errorf("%g and %g readings, want 2.27 and 3", cases, all)
	}
	if cases, all := (Tally{}).Effective(); cases != 0 || all != 0 {
		t.Errorf("none are worth %g and %g", cases, all)
	}
}

// Wilson's interval: 81 of 263 as Newcombe prints it (1998, method 3), the others by hand.
func TestWilson(t *testing.T) {
	for _, c := range []struct{ share, n, low, high float64 }{
		{0.5, 20, 0.2993, 0.7007}, {0, 10, 0, 0.2775}, {1, 10, 0.7225, 1}, {81. / 263, 263, 0.2553, 0.3662}, {0.3, 0, 0, 1},
	} {
		if low, high := Wilson(c.share, c.n); math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%g of %g: %.4f to %.4f, want %.4f to %.4f", c.share, c.n, low, high, c.low, c.high)
		}
	}
}

// A reading counts by its finding and weight.
func TestTally(t *testing.T) {
	var x Tally
	for _, f := range []struct {
		finding string
		weight  float64
	}{{Holds, 3}, {Differs, 1}, {Undecided, 0.5}, {Undecided, 0.5}, {NoCase, 5}} {
		x.Add(f.finding, f.weight)
	}
	same, opposite, undecided, noCase := x.Shares()
	if same != 0.6 || opposite != 0.2 || undecided != 0.2 || noCase != 0.5 || x.Cases() != 5 {
		t.Errorf("shares %g, %g, %g, %g of %g cases", same, opposite, undecided, noCase, x.Cases())
	}
	defer func() {
		if recover() == nil {
			t.Error("a verdict was counted as a finding")
		}
	}()
	x.Add(SameSign, 1)
}

// Eight readings, three axes: the first decides all, the second half, the third nothing.
func TestDeciding(t *testing.T) {
	levels := [][]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 0}, {1, 0, 1}}
	first := []bool{true, true, true, true, false, false, false, false}
	if axis, share := Deciding(levels, first); axis != 0 || share != 1 {
		t.Errorf("axis %d decides %g, want all by axis 0", axis, share)
	}
	// Without the first axis: 3 of 4 hold in level 0, 1 of 4 in level 1. Squares: 2 in all, 0.5
	// between, 1.5 within; (0.5 − 1.5/6)/2.
	cut := make([][]int, len(levels))
	for i, l := range levels {
		cut[i] = l[1:]
	}
	if axis, share := Deciding(cut, first); axis != 0 || math.Abs(share-0.125) > 1e-12 {
		t.Errorf("axis %d explains %g, want 0.125 by the second axis", axis, share)
	}
	if axis, share := Deciding(levels, make([]bool, 8)); axis != -1 || share != 0 {
		t.Errorf("axis %d explains %g of what never varies", axis, share)
	}
	if axis, _ := Deciding(nil, nil); axis != -1 {
		t.Errorf("axis %d of no readings", axis)
	}
}

// A number takes the verdict of readings and is never near a stated one; a sentence holds.
func TestVerdictOverReadings(t *testing.T) {
	why := result.Because("over-readings")
	for _, c := range []struct{ id, verdict, want string }{
		{"D13", SameSign, SameSign}, {"D13", dependsOnReading, dependsOnReading},
		{"D42", SameSign, SameSign}, {"D39", SameSign, Holds}, {"D39", Differs, Differs},
		{"D56", NoCase, NoCase},
	} {
		got := Verdict(c.id, Found{Values: []float64{82.1}, Readings: &Readings{c.verdict, why}})
		if got.Verdict != c.want || len(got.Reasons) != 1 || got.Reasons[0].Code != "over-readings" {
			t.Errorf("%s, %s: %s %v, want %s", c.id, c.verdict, got.Verdict, got.Reasons, c.want)
		}
	}
}
