package ringsparse

import (
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
)

// ran runs e and returns its result, which must be complete and hold no sentence.
func ran(t *testing.T, e exp.Experiment, env exp.Env) *result.Result {
	t.Helper()
	r, err := e.Run(t.Context(), env)
	if err != nil || r.Status != result.Complete {
		t.Fatalf("%s: %v", e.ID, err)
	}
	if err := result.Check(r); err != nil {
		t.Error(err)
	}
	return r
}

// ranCI runs profile ci for seed 0.
func ranCI(t *testing.T, e exp.Experiment) *result.Result {
	return ran(t, e, exp.Env{Profile: "ci", Seeds: []uint64{0}})
}

func encoded(t *testing.T, r *result.Result) []byte {
	t.Helper()
	raw, err := result.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// cellOf returns the cell of a row of a frame.
func cellOf(t *testing.T, r *result.Result, frame string, row int, column string) any {
	t.Helper()
	f := r.Frame(frame)
	if f == nil || f.At(column) < 0 || row >= len(f.Rows) {
		t.Fatalf("%s: no %s in row %d of %s", r.ID, column, row, frame)
	}
	return f.Rows[row][f.At(column)]
}

// wantVerdict demands a verdict, and a reason of a code if there is one.
func wantVerdict(t *testing.T, c result.Claim, verdict, code string) {
	t.Helper()
	found := code == "" || slices.ContainsFunc(c.Reasons, func(r result.Reason) bool { return r.Code == code })
	if c.Verdict != verdict || !found {
		t.Errorf("%s is %q because %v, want %q because of %q", c.ID, c.Verdict, c.Reasons, verdict, code)
	}
}

// Every sentence of the patent has exactly one verdict in a run of profile ci, here and
// now, and among the committed results: none is passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	var made []*result.Result
	for _, e := range Experiments() {
		made = append(made, ranCI(t, e))
	}
	kittest.Paper{List: Experiments, Letters: "P", Rows: 14, Results: "../results"}.Judged(t, made)
}

// Every experiment runs in every profile, says where it comes from, and estimates its
// time, more for more.
func TestExperimentsAreWhole(t *testing.T) {
	want := []string{"decisions", "traffic", "time", "fill-in", "conversion-error", "scaling", "accuracy", "overlap"}
	var got []string
	for _, e := range Experiments() {
		got = append(got, strings.TrimPrefix(e.ID, "ringsparse/"))
		if !slices.Equal(e.Profiles, exp.Profiles) || !strings.HasPrefix(e.Source, "the patent, ") {
			t.Errorf("%s: profiles %v, source %q", e.ID, e.Profiles, e.Source)
		}
		ci, quick, standard := e.Seconds("ci", 1), e.Seconds("quick", 3), e.Seconds("standard", 3)
		if !(ci > 0 && ci < quick && quick <= standard) {
			t.Errorf("%s: estimates %g, %g, %g s", e.ID, ci, quick, standard)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
