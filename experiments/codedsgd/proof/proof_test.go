package proof

import (
	"math/big"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

func side(what string, left, right int64, printed ...int64) codedsgd.Side {
	s := codedsgd.Side{What: what, Left: big.NewRat(left, 1), Right: big.NewRat(right, 1)}
	for _, p := range printed {
		s.Printed = big.NewRat(p, 1)
	}
	return s
}

// A step's verdict follows from its cases.
func TestStepVerdicts(t *testing.T) {
	right := checked{Step: codedsgd.Step{Number: "(20)"}}
	right.count(2, 1, []codedsgd.Side{side("a", 1, 1)})
	wrong := checked{Step: codedsgd.Step{Number: "(24)", Corrected: "0"}}
	wrong.count(2, 1, []codedsgd.Side{side("a", 1, 1, 1), side("b", 0, 0)})
	never := wrong
	wrong.count(2, 2, []codedsgd.Side{side("c", 4, 4, 5)})
	wrong.count(3, 1, []codedsgd.Side{side("d", 4, 4, 6)})
	failing := wrong
	failing.count(3, 2, []codedsgd.Side{side("e", 4, 3, 4)})
	for _, c := range []struct {
		s       checked
		verdict string
	}{{right, "holds"}, {wrong, "printed-wrong"}, {never, "holds-corrected"}, {failing, "fails"}, {checked{}, "fails"}} {
		if got := c.s.verdict(); got != c.verdict {
			t.Errorf("%+v: %q, want %q", c.s, got, c.verdict)
		}
	}
	if wrong.Cases != 4 || wrong.Said != 3 || wrong.Wrong != 2 ||
		*wrong.Smallest != (counterexample{2, 2, "4", "4", "5"}) || *failing.First != (counterexample{3, 2, "4", "3", ""}) {
		t.Errorf("%+v, %+v", wrong, failing)
	}
}

// The claims hold, and each fails with its own equation alone.
func TestProofClaims(t *testing.T) {
	plan := planProof("ci")
	steps, sizes, err := countProof(t.Context(), plan, &exp.Bar{})
	oktest.Nil(t, err)
	if len(sizes) != 20 { // 2 + 3 + 4 + 5 + 6
		t.Errorf("%d sizes", len(sizes))
	}
	for _, c := range judgeProof(plan, steps) {
		if kittest.FoundAs(t, c, claims.Equal); c.Reasons[0].Code != "equations" || c.Reasons[0].Args["most"] != 6 {
			t.Errorf("%s: %+v", c.ID, c.Reasons)
		}
	}
	for number, id := range map[string]string{"(19)": "C14", "(28)": "C15", "(29)": "C16", "(30)": "C17", "(20)": "C22", "(21)": "C23", "(27)": "C23"} {
		s := stepOf(steps, number)
		kept := *s
		s.count(7, 3, []codedsgd.Side{side("x", 1, 2)})
		for _, c := range judgeProof(plan, steps) {
			want := claims.Equal
			if c.ID == id {
				want = claims.Differs
			}
			kittest.FoundAs(t, c, want)
			if c.ID == id {
				kittest.FoundAs(t, c, want, result.Because("equation-fails", "step", number, "n", 7, "r", 3, "counted", "1", "computed", "2"))
			}
		}
		var r result.Result
		r.Facts = proofFacts(plan, steps)
		kittest.WantFact(t, &r, "proved", false)
		kittest.WantFact(t, &r, "failing", 1)
		*s = kept
	}
}

func TestProofRuns(t *testing.T) {
	r := kittest.Ran(t, proof(), "ci")
	if steps := r.Frame("steps"); len(steps.Rows) != len(codedsgd.Proof()) || len(r.Claims) != 6 {
		t.Errorf("%d steps, %d claims", len(steps.Rows), len(r.Claims))
	}
	kittest.WantFact(t, r, "proved", true)
	if f := uncounted(planProof("quick")); !slices.Equal(f.Rows[0], []any{9, "5,6"}) || !slices.Equal(f.Rows[1], []any{10, "5,6,7,8"}) {
		t.Errorf("not counted are %v", f.Rows)
	}
	// n = 4, r = 2 by hand: 6 blocks, 3 of a node, 4 groups of 3 packets to 2 nodes of 2 terms.
	for _, row := range r.Frame("counts").Rows {
		if row[0] == 4 && row[1] == 2 && !slices.Equal(row, []any{4, 2, 6, 3, 3, 4, 12, 24, 24, 6.}) {
			t.Errorf("n = 4, r = 2: %v", row)
		}
	}
}
