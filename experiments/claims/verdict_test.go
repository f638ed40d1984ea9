package claims

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
)

// phrases are how Judge words what Verdict says by a code.
var phrases = map[string]string{
	"holds": "a qualitative claim that holds", "does-not-hold": "a qualitative claim that does not hold", "one-seed": oneSeed,
	"deterministic": "deterministic: no interval", "capped": capWhy, "gap": "|measured − paper| = ", "no-difference": "no difference was found",
	"other-side": "the other side of the null", "ci-contains-null": "the 95 % interval [", "no-value-measured": "no value was measured",
	"no-value-stated": "the paper gives no value", "not-finite": "the measured value is not finite",
	"other-count": " numbers measured, the paper states ",
	"other-words": "measured \"",
}

// agree demands of the two judges the same verdict, remark and reasons of the same evidence.
func agree(t *testing.T, id string, e Evidence, f Found) {
	t.Helper()
	old, c := Judge(id, e), Verdict(id, f)
	what := fmt.Sprintf("%s of %v %v, %d seeds, differs %v", id, e.Value, intervals(append(e.CI95s, e.CI95)), e.Seeds, e.Differs)
	if c.Verdict != old.Verdict || c.ID != id {
		t.Errorf("%s: Verdict says %s %v, Judge %s because %q", what, c.Verdict, c.Reasons, old.Verdict, old.Why)
	}
	var clauses []string
	row, _ := Get(id)
	for _, s := range strings.Split(strings.ReplaceAll(old.Why, fmt.Sprintf("%q", row.Value), ""), "; ") {
		if s != "" && !strings.HasPrefix(s, "intervals") && !strings.HasPrefix(s, "[") && s != "none" {
			clauses = append(clauses, s)
		}
	}
	for i, r := range c.Reasons {
		if phrases[r.Code] == "" || i >= len(clauses) || !strings.Contains(clauses[i], phrases[r.Code]) {
			t.Errorf("%s: reasons %v, Judge says %q", what, c.Reasons, clauses)
			break
		}
	}
	if len(c.Reasons) != len(clauses) {
		t.Errorf("%s: %d reasons %v, Judge says %q", what, len(c.Reasons), c.Reasons, clauses)
	}
	undecided, derived := Undecided(old), Derived(old)
	want := map[bool]string{true: DerivedRemark}[derived]
	if Given(old) {
		want = GivenRemark
	}
	if undecided {
		want = UndecidedRemark
	}
	if c.Remark != want {
		t.Errorf("%s: remark %q, want %q", what, c.Remark, want)
	}
}

// around are numbers on all sides of a stated one and of the null.
func around(c Claim, stated float64) []float64 {
	xs := []float64{stated, stated * (1 + 0.9e-9), stated * (1 + 2e-9), -stated, 0, 2 * stated, stated / 3, math.NaN(), math.Inf(1)}
	if c.Tolerance != nil {
		xs = append(xs, stated+*c.Tolerance*0.99, stated-*c.Tolerance, stated+*c.Tolerance*1.01)
	}
	if c.Null != nil {
		xs = append(xs, *c.Null, *c.Null+(stated-*c.Null)/10, *c.Null-(stated-*c.Null)/10)
	}
	return xs
}

// Both judges say the same of every claim that states numbers, whatever was measured.
func TestVerdictIsJudges(t *testing.T) {
	judged := 0
	for _, c := range All() {
		stated := c.Numbers()
		if len(stated) == 0 {
			continue
		}
		for _, x := range around(c, stated[0]) {
			for _, half := range []float64{math.NaN(), 0, 0.01, 1, 1e6} {
				for _, differs := range []bool{false, true} {
					for seeds := range 4 {
						judged++
						agree(t, c.ID, oldEvidence(stated, x, half, seeds, differs), newEvidence(stated, x, half, seeds, differs))
					}
				}
			}
		}
		agree(t, c.ID, Evidence{}, Found{})
		agree(t, c.ID, Evidence{Value: []float64{1, 2, 3, 4, 5, 6, 7}}, Found{Values: []float64{1, 2, 3, 4, 5, 6, 7}})
	}
	if judged < 20000 {
		t.Errorf("%d pieces of evidence were judged, want 20000 and more", judged)
	}
}

// values puts x first of as many numbers as are stated.
func values(stated []float64, x float64) []float64 {
	return append([]float64{x}, stated[1:]...)
}

func oldEvidence(stated []float64, x, half float64, seeds int, differs bool) Evidence {
	e := Evidence{Seeds: seeds}
	if e.Value = x; len(stated) > 1 {
		e.Value = values(stated, x)
	}
	switch {
	case math.IsNaN(half):
	case len(stated) > 1:
		for _, v := range values(stated, x) {
			e.CI95s = append(e.CI95s, ci(v-half, v+half))
		}
	default:
		e.CI95 = ci(x-half, x+half)
	}
	if differs {
		e.Differs = []string{"other data"}
	}
	return e
}

func newEvidence(stated []float64, x, half float64, seeds int, differs bool) Found {
	f := Found{Values: values(stated, x), Seeds: seeds}
	if !math.IsNaN(half) {
		for _, v := range f.Values {
			f.CI95 = append(f.CI95, ci(v-half, v+half))
		}
	}
	if differs {
		f.Differs = []result.Reason{result.Because("data")}
	}
	return f
}

// Both judges say the same of what is no number.
func TestVerdictOfWords(t *testing.T) {
	yes, no := true, false
	capped := []result.Reason{result.Because("data")}
	other := result.Because("P05")
	for _, c := range []struct {
		id string
		e  Evidence
		f  Found
	}{
		{"D40", Evidence{Holds: &yes, Seeds: 3}, Holding(true, 3, nil)},
		{"D40", Evidence{Holds: &yes, Seeds: 1}, Holding(true, 1, nil)},
		{"D40", Evidence{Holds: &no, Seeds: 1}, Holding(false, 1, &other)},
		{"D40", Evidence{Holds: &no}, Found{Holds: &no, Differs: capped}},
		{"P05", Evidence{Value: "tie -> weights"}, Identity(true, other)},
		{"P05", Evidence{Value: "tie -> gradients"}, Identity(false, other)},
		{"P05", Evidence{Value: "tie -> weights", Differs: []string{"other data"}}, Found{Words: &result.Reason{Code: AsStated}, Differs: capped}},
		{"D42", Evidence{Value: []float64{0.84, 0.85, 0.88}, CI95s: []*[2]float64{nil, ci(0.8, 0.9), nil}, Seeds: 3},
			Found{Values: []float64{0.84, 0.85, 0.88}, CI95: []*[2]float64{nil, ci(0.8, 0.9), nil}, Seeds: 3}},
		{"B01", Evidence{Value: 1.0, Seeds: 1}, Found{Values: []float64{1}, Seeds: 1}},
	} {
		agree(t, c.id, c.e, c.f)
	}
	got := Verdict("D13", Found{Values: []float64{82.1}, Missing: []result.Reason{result.Because("no-gpu")}})
	if got.Verdict != NotRun || len(got.Reasons) != 1 || got.Reasons[0].Code != "no-gpu" ||
		got.Verdict != Judge("D13", Evidence{Value: 82.1, NotRun: "no GPU"}).Verdict {
		t.Errorf("what was not run: %+v", got)
	}
	if v, why := (Claim{ID: "T", Value: "-"}).decide(Found{Values: []float64{3}}); v != NotStated || why[0].Code != "no-value-stated" {
		t.Errorf("a blank value is judged %q because %v", v, why)
	}
}

// A claim carries what it was judged by: numbers if they are finite, intervals and samples
// if there are any, notes behind the reasons of the verdict.
func TestVerdictCarries(t *testing.T) {
	note, differs := result.Because("assumed"), result.Because("data")
	c := Verdict("D13", Found{Values: []float64{12}, CI95: []*[2]float64{ci(-1, 20)}, Samples: [][]float64{{10, 14}}, Seeds: 2,
		Notes: []result.Reason{note}, Differs: []result.Reason{differs}, Table: "5", Network: "resnet18", Rival: "bsp", Cluster: "homogeneous6",
		Parts: []result.Part{{Value: 1.5}}})
	if c.Measured != 12.0 || *c.CI95[0] != *ci(-1, 20) || len(c.Samples[0]) != 2 || c.Seeds != 2 || c.Remark != UndecidedRemark || len(c.Parts) != 1 ||
		c.Table+c.Network+c.Rival+c.Cluster != "5resnet18bsphomogeneous6" {
		t.Errorf("%+v", c)
	}
	if want := []result.Reason{result.Because("ci-contains-null", "lo", -1.0, "hi", 20.0, "null", 0.0), note}; !reflect.DeepEqual(c.Reasons, want) {
		t.Errorf("reasons %v, want %v", c.Reasons, want)
	}
	if !slices.EqualFunc(c.Differs, []result.Reason{differs}, func(a, b result.Reason) bool { return a.Code == b.Code }) {
		t.Errorf("differs %v", c.Differs)
	}
	one := Verdict("D13", Number(12, nil, []float64{12}, 1))
	if one.CI95 != nil || one.Samples != nil || one.Measured != 12.0 {
		t.Errorf("one seed has %+v", one)
	}
	none := Verdict("D13", Number(math.NaN(), nil, nil, 3))
	if none.Measured != nil || none.Verdict != NotRun {
		t.Errorf("no number is %+v", none)
	}
	list := Verdict("D42", Found{Values: []float64{0.84, 0.85, 0.88}, CI95: []*[2]float64{nil, ci(0.8, 0.9), nil}})
	if got, ok := list.Measured.([]float64); !ok || len(got) != 3 || list.CI95[1] == nil || list.Remark != DerivedRemark {
		t.Errorf("a list is %+v", list)
	}
	if given := Verdict("D41", Found{Values: []float64{6}, Given: true}); given.Remark != GivenRemark || given.Verdict != Equal {
		t.Errorf("what was given is %+v", given)
	}
	for document, id := range map[string]string{"blog": "B01", "patent": "P05", "paper": "D13"} {
		if c, _ := Get(id); c.document() != document {
			t.Errorf("%s is of a %s, want %s", id, c.document(), document)
		}
	}
	capped := Verdict("D13", Found{Values: []float64{82.1}, Differs: []result.Reason{differs}})
	if capped.Verdict != SameSign || capped.Reasons[0].Args["document"] != "paper" {
		t.Errorf("capped is %+v", capped)
	}
}

func TestVerdictPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"an unknown id":         func() { Verdict("Z99", Found{}) },
		"an interval too many":  func() { Verdict("D13", Found{Values: []float64{1}, CI95: []*[2]float64{nil, nil}}) },
		"an interval too short": func() { Verdict("D42", Found{Values: []float64{1, 2, 3}, CI95: []*[2]float64{nil}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}
