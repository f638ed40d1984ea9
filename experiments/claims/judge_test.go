package claims

import (
	"math"
	"strings"
	"testing"
)

func ci(lo, hi float64) *[2]float64 { return &[2]float64{lo, hi} }

// TestJudge walks every verdict rule. The paper's numbers are rows of
// claims.csv: D13 states 82.1 % (tolerance 5, null 0), D15 1.5 % (0.75, 0),
// D41 6 workers, D42 the ratios 0.831; 0.8437; 0.8720 (0.05, 1).
func TestJudge(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name, id string
		e        Evidence
		want     string
		why      string // part of Why
	}{
		{"equal", "D13", Evidence{Value: 82.1}, Equal, ""},
		{"equal to 1e-9", "D13", Evidence{Value: 82.1 * (1 + 0.9e-9)}, Equal, ""},
		{"no longer equal", "D13", Evidence{Value: 82.1 * (1 + 2e-9)}, Within, ""},
		{"within at the edge", "D41", Evidence{Value: 6}, Equal, ""},
		{"within", "D13", Evidence{Value: 77.2, Seeds: 3, CI95: ci(70, 80)}, Within, ""},
		{"within needs no significance", "D13", Evidence{Value: 80.0, Seeds: 3, CI95: ci(-5, 90)}, Within, ""},
		{"beyond the tolerance", "D13", Evidence{Value: 77.0}, SameSign, "tolerance 5"},
		{"same sign", "D13", Evidence{Value: 12.0, Seeds: 3, CI95: ci(3, 20)}, SameSign, ""},
		{"interval holds the null", "D13", Evidence{Value: 12.0, Seeds: 3, CI95: ci(-1, 20)}, Differs, "contains the null"},
		{"interval ends at the null", "D13", Evidence{Value: 12.0, Seeds: 3, CI95: ci(0, 20)}, Differs, "contains the null"},
		{"no difference", "D13", Evidence{Value: -12.0}, Differs, "other side"},
		{"on the null", "D13", Evidence{Value: 0.0}, Differs, "no difference"},
		{"no difference is not within", "D15", Evidence{Value: 0.0}, Differs, ""},
		{"one seed says so", "D13", Evidence{Value: 12.0, Seeds: 1}, SameSign, "one seed: no interval"},
		{"deterministic says so", "D13", Evidence{Value: 82.1}, Equal, "deterministic"},
		{"cap of equal", "D13", Evidence{Value: 82.1, Differs: []string{"data"}}, SameSign, "never better"},
		{"cap of within", "D13", Evidence{Value: 80.0, Differs: []string{"data"}}, SameSign, "never better"},
		{"cap of fitted", "D13", Evidence{Value: 82.1, Fitted: true}, SameSign, "never better"},
		{"capped and not significant", "D13", Evidence{Value: 80.0, Fitted: true, CI95: ci(-1, 99)}, Differs, "contains"},
		{"cap of a count", "D41", Evidence{Value: 6, Fitted: true}, SameSign, "never better"},
		{"wrong count", "D41", Evidence{Value: 7}, Differs, ""},
		{"list within", "D42", Evidence{Value: []float64{0.84, 0.85, 0.88}}, Within, ""},
		{"an entry's interval counts", "D42", Evidence{Value: []float64{0.831, 0.8437, 0.95}, Seeds: 3,
			CI95s: []*[2]float64{{0.82, 0.84}, {0.83, 0.85}, {0.85, 1.05}}}, Differs, "contains the null"},
		{"intervals are printed", "D42", Evidence{Value: []float64{0.831, 0.8437, 0.872}, Seeds: 3,
			CI95s: []*[2]float64{{0.82, 0.84}, {0.83, 0.85}, {0.87, 0.88}}}, Equal, "[0.87, 0.88]"},
		{"worst entry decides", "D42", Evidence{Value: []float64{0.831, 0.8437, 1.2}}, Differs, "other side"},
		{"list of another length", "D42", Evidence{Value: []float64{0.831}}, Differs, "1 numbers"},
		{"number where the paper has a list", "D42", Evidence{Value: 0.831}, Differs, ""},
		{"not run", "D13", Evidence{Value: 82.1, NotRun: "needs a GPU"}, NotRun, "needs a GPU"},
		{"nothing measured", "D13", Evidence{}, NotRun, ""},
		{"not finite", "D13", Evidence{Value: math.NaN()}, NotRun, "not finite"},
		{"words equal", "P05", Evidence{Value: "tie -> weights"}, Equal, ""},
		{"words capped", "P05", Evidence{Value: "tie -> weights", Fitted: true}, SameSign, ""},
		{"words differ", "P05", Evidence{Value: "tie -> gradients"}, Differs, "stated"},
		{"qualitative, holds", "D40", Evidence{Holds: &yes}, SameSign, "holds"},
		{"qualitative, fails", "D40", Evidence{Holds: &no, Value: "ASP is stable"}, Differs, "not hold"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Judge(test.id, test.e)
			if got.Verdict != test.want || !strings.Contains(got.Why, test.why) {
				t.Errorf("Judge(%s, %+v) = %q because %q, want %q because …%q…",
					test.id, test.e, got.Verdict, got.Why, test.want, test.why)
			}
		})
	}
}

// A claim for which the paper leaves the value blank cannot fail.
func TestJudgeNotStated(t *testing.T) {
	v, _ := verdict(Claim{ID: "T", Value: "-"}, Evidence{Value: 3.0}, false)
	if v != NotStated {
		t.Errorf("a blank value is judged %q, want %q", v, NotStated)
	}
}

func TestJudgeCarriesTheRow(t *testing.T) {
	got := Judge("D13", Evidence{Value: 80, Fitted: true})
	if got.Paper != 82.1 || got.Measured != 80.0 || got.Unit != "%" || *got.Tolerance != 5 ||
		got.Source != "DASP, 3.2 (Table 5)" || !strings.Contains(got.Statement, "ResNet-18") {
		t.Errorf("row D13 came out as %+v", got)
	}
	if len(got.Differs) != 1 || !strings.Contains(got.Differs[0], "fitted") {
		t.Errorf("Differs = %q, want the fit named", got.Differs)
	}
}

func TestJudgePanicsOnUnknownID(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an id that no row has did not panic")
		}
	}()
	Judge("Z99", Evidence{Value: 1.0})
}

// A verdict that is worse than its cap says why it is worse, not that it is
// capped.
func TestTheCapIsNoReasonToDiffer(t *testing.T) {
	for name, e := range map[string]Evidence{
		"no difference": {Value: 0.0, Seeds: 3},
		"other side":    {Value: -0.1, Seeds: 3},
		"wide interval": {Value: 1.5, CI95: &[2]float64{-1, 4}, Seeds: 3},
	} {
		e.Differs = []string{"other data"}
		c := Judge("D21", e) // 5.9 %, tolerance 2.95
		if c.Verdict != Differs || strings.Contains(c.Why, capWhy) {
			t.Errorf("%s: %s, %q", name, c.Verdict, c.Why)
		}
	}
	near := Judge("D21", Evidence{Value: 5.0, CI95: &[2]float64{-1, 11}, Seeds: 3, Differs: []string{"other data"}})
	if near.Verdict != Differs || strings.Contains(near.Why, capWhy) || !strings.Contains(near.Why, "contains the null") {
		t.Errorf("within the tolerance, wide interval: %s, %q", near.Verdict, near.Why)
	}
	if c := Judge("D21", Evidence{Value: 5.0, CI95: &[2]float64{4, 6}, Seeds: 3, Differs: []string{"other data"}}); c.Verdict != SameSign || !strings.Contains(c.Why, capWhy) {
		t.Errorf("capped: %s, %q", c.Verdict, c.Why)
	}
}
