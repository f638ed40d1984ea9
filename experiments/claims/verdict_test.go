package claims

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/result"
)

func ci(lo, hi float64) []*[2]float64 { return []*[2]float64{{lo, hi}} }

var data = []result.Reason{result.Because("data", "used", "fashion-mnist")}

// TestVerdict walks every rule. The documents' numbers are rows of claims.csv: D13 states
// 82.1 % (tolerance 5, null 0), D15 1.5 % (0.75, 0), D21 5.9 % (2.95, 0), D41 6 workers, D42
// the ratios 0.831; 0.8437; 0.8720 (0.05, 1).
func TestVerdict(t *testing.T) {
	yes, no := true, false
	stated, other := result.Because(AsStated), result.Because("tie", "to", "gradients")
	one := func(x float64) Found { return Found{Values: []float64{x}} }
	over := func(x float64, ci []*[2]float64, differs ...result.Reason) Found {
		return Found{Values: []float64{x}, CI95: ci, Seeds: 3, Differs: differs}
	}
	for _, test := range []struct {
		name, id string
		f        Found
		want     string
		codes    []string
	}{
		{"equal", "D13", one(82.1), Equal, []string{"deterministic"}},
		{"equal to 1e-9", "D13", one(82.1 * (1 + 0.9e-9)), Equal, []string{"deterministic"}},
		{"no longer equal", "D13", one(82.1 * (1 + 2e-9)), Within, []string{"deterministic"}},
		{"a count", "D41", one(6), Equal, []string{"deterministic"}},
		{"within", "D13", over(77.2, ci(70, 80)), Within, nil},
		{"within needs no significance", "D13", over(80, ci(-5, 90)), Within, nil},
		{"beyond the tolerance", "D13", one(77), SameSign, []string{"gap", "deterministic"}},
		{"same sign", "D13", over(12, ci(3, 20)), SameSign, []string{"gap"}},
		{"interval holds the null", "D13", over(12, ci(-1, 20)), Differs, []string{"ci-contains-null"}},
		{"interval ends at the null", "D13", over(12, ci(0, 20)), Differs, []string{"ci-contains-null"}},
		{"other side", "D13", one(-12), Differs, []string{"other-side", "deterministic"}},
		{"on the null", "D13", one(0), Differs, []string{"no-difference", "deterministic"}},
		{"no difference is not within", "D15", one(0), Differs, []string{"no-difference", "deterministic"}},
		{"one seed says so", "D13", Found{Values: []float64{12}, Seeds: 1}, SameSign, []string{"gap", "one-seed"}},
		{"cap of equal", "D13", over(82.1, ci(80, 84), data...), SameSign, []string{"capped"}},
		{"cap of within", "D21", over(5, ci(4, 6), data...), SameSign, []string{"capped"}},
		{"the cap is no reason to differ", "D21", over(5, ci(-1, 11), data...), Differs, []string{"capped", "ci-contains-null"}[1:]},
		{"worse than its cap", "D21", over(-0.1, nil, data...), Differs, []string{"other-side"}},
		{"cap of a count", "D41", over(6, nil, data...), SameSign, []string{"capped"}},
		{"wrong count", "D41", one(7), Differs, []string{"gap", "deterministic"}},
		{"list within", "D42", Found{Values: []float64{0.84, 0.85, 0.88}, Seeds: 3}, Within, nil},
		{"an entry's interval counts", "D42", Found{Values: []float64{0.831, 0.8437, 0.95}, Seeds: 3,
			CI95: []*[2]float64{{0.82, 0.84}, {0.83, 0.85}, {0.85, 1.05}}}, Differs, []string{"ci-contains-null"}},
		{"worst entry decides", "D42", Found{Values: []float64{0.831, 0.8437, 1.2}, Seeds: 3}, Differs, []string{"other-side"}},
		{"list of another length", "D42", one(0.831), Differs, []string{"other-count"}},
		{"not run", "D13", Found{Values: []float64{82.1}, Missing: []result.Reason{result.Because("untrained")}}, NotRun, []string{"untrained"}},
		{"nothing measured", "D13", Found{}, NotRun, []string{"no-value-measured"}},
		{"not finite", "D13", one(math.NaN()), NotRun, []string{"not-finite"}},
		{"words as stated", "P05", Found{Words: &stated}, Equal, nil},
		{"words capped", "P05", Found{Words: &stated, Differs: data}, SameSign, []string{"capped"}},
		{"other words", "P05", Found{Words: &other}, Differs, []string{"other-words"}},
		{"qualitative, holds", "D40", Found{Holds: &yes, Seeds: 3}, SameSign, []string{"holds"}},
		{"qualitative, fails, one seed", "D40", Found{Holds: &no, Seeds: 1, Words: &other}, Differs, []string{"does-not-hold", "one-seed"}},
		{"notes come last", "D13", Found{Values: []float64{82.1}, Seeds: 3, Notes: data}, Equal, []string{"data"}},
	} {
		got := Verdict(test.id, test.f)
		var codes []string
		for _, r := range got.Reasons {
			codes = append(codes, r.Code)
		}
		if got.Verdict != test.want || !slices.Equal(codes, test.codes) {
			t.Errorf("%s: %s because %v, want %s because %v", test.name, got.Verdict, codes, test.want, test.codes)
		}
	}
}

// A claim for which the document leaves the value blank cannot fail.
func TestNotStated(t *testing.T) {
	if v, why := (Claim{ID: "T", Value: "-"}).decide(Found{Values: []float64{3}}); v != NotStated || why[0].Code != "no-value-stated" {
		t.Errorf("a blank value is judged %q because %v", v, why)
	}
}

func TestUnknownIDsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an id that no row has did not panic")
		}
	}()
	Verdict("Z99", Found{})
}

// What was found goes into the claim: numbers that can be stored, intervals and samples
// where there are any, and where in the document it stands.
func TestWhatAClaimHolds(t *testing.T) {
	c := Verdict("D42", Found{Values: []float64{1, 2, 3}, CI95: []*[2]float64{nil, {1, 3}, nil}, Samples: [][]float64{{1, 1}, {2, 2}, {3, 3}},
		Seeds: 2, Table: "4", Network: "lenet5"})
	if v, ok := c.Measured.([]float64); !ok || len(v) != 3 || len(c.CI95) != 3 || len(c.Samples) != 3 || c.Table != "4" || c.Network != "lenet5" {
		t.Errorf("%+v", c)
	}
	c = Verdict("D13", Found{Values: []float64{math.Inf(1)}, CI95: []*[2]float64{nil}, Samples: [][]float64{{1}}})
	if c.Measured != nil || c.CI95 != nil || c.Samples != nil {
		t.Errorf("what is no number stands in %+v", c)
	}
	if c = Verdict("D13", Number(3, nil, []float64{3}, 1)); c.Measured != 3.0 || c.CI95 != nil || c.Samples != nil {
		t.Errorf("one seed has an interval or samples of its own: %+v", c)
	}
}

// A remark says that the seeds do not decide, that the number was put in, or that it only
// follows from the document, in this order.
func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		id   string
		f    Found
		want string
	}{
		{"D01", Found{Values: []float64{30}, CI95: ci(-5, 65), Seeds: 3, Given: true}, UndecidedRemark},
		{"D01", Found{Values: []float64{-30}, CI95: ci(-65, 5), Seeds: 3}, ""},
		{"D01", Found{Values: []float64{17}, CI95: ci(-1, 35), Seeds: 3}, ""},
		{"D41", Found{Values: []float64{6}, Given: true}, GivenRemark},
		{"D41", Found{Values: []float64{6}}, ""},
		{"C12", Found{Values: []float64{3}}, GivenRemark},
		{"D42", Found{Missing: data}, DerivedRemark},
		{"C27", Found{Missing: data}, DerivedRemark},
		{"D37", Found{Missing: data}, ""},
	} {
		if c := Verdict(test.id, test.f); c.Remark != test.want {
			t.Errorf("%s of %v: remark %q, want %q", test.id, test.f.Values, c.Remark, test.want)
		}
	}
}
