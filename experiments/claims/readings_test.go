package claims

import (
	"math"
	"testing"

	"gradsync/experiments/result"
)

// The rule by hand, at and beside each of its bounds. A tally is the same, the opposite, neither and no case.
func TestJudgeOverReadings(t *testing.T) {
	for _, c := range []struct {
		name    string
		n       int
		tallies []Tally
		want    string
	}{
		{"all the same", 100, []Tally{{100, 0, 0, 0}}, SameSign},
		{"at the bounds", 100, []Tally{{90, 5, 5, 0}}, SameSign},
		{"too many opposite", 100, []Tally{{90, 6, 4, 0}}, Depends},
		{"too few the same", 100, []Tally{{89, 0, 11, 0}}, Depends},
		{"few the same", 100, []Tally{{10, 60, 30, 0}}, Differs},
		{"one too many for that", 100, []Tally{{11, 60, 29, 0}}, Depends},
		{"few the same, most of the rest open", 100, []Tally{{5, 44, 51, 0}}, Undecided},
		{"half open", 100, []Tally{{5, 45, 50, 0}}, Differs},
		{"no case in more than half", 100, []Tally{{49, 0, 0, 51}}, NoCase},
		{"in half", 100, []Tally{{50, 0, 0, 50}}, SameSign},
		{"no case is no part of the shares", 100, []Tally{{54, 3, 3, 40}}, SameSign}, // 90, 5, 5 of 60
		{"both weightings agree", 100, []Tally{{95, 2, 3, 0}, {9.1, 0.4, 0.5, 0}}, SameSign},
		{"they do not", 100, []Tally{{95, 2, 3, 0}, {8.9, 0.4, 0.7, 0}}, Depends},
		{"one says so, one the opposite", 100, []Tally{{95, 2, 3, 0}, {5, 95, 0, 0}}, Depends},
		{"just enough readings", 8, []Tally{{8, 0, 0, 0}}, SameSign},
		{"too few readings", 7, []Tally{{7, 0, 0, 0}}, Undecided},
		{"none", 0, []Tally{{}}, Undecided},
	} {
		if got := OverReadings.Judge(c.n, c.tallies...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
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
		{"D13", SameSign, SameSign}, {"D13", Depends, Depends}, {"D42", SameSign, SameSign}, {"D39", SameSign, Holds}, {"D39", Differs, Differs},
		{"D56", NoCase, NoCase},
	} {
		got := Verdict(c.id, Found{Values: []float64{82.1}, Readings: &Readings{c.verdict, why}})
		if got.Verdict != c.want || len(got.Reasons) != 1 || got.Reasons[0].Code != "over-readings" {
			t.Errorf("%s, %s: %s %v, want %s", c.id, c.verdict, got.Verdict, got.Reasons, c.want)
		}
	}
}
