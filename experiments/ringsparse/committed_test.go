package ringsparse

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	_ "gradsync/shared/tensor/engine/portable"
)

const committed = "../results"

// Every sentence of the patent has exactly one verdict in a run of profile ci, here and
// now: none is passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	judgedOnce(t, func(e exp.Experiment) *result.Result { return kittest.RunCI(t, e) })
}

// The same of the committed results.
func TestEveryClaimIsJudgedOnceAmongCommittedResults(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard"} {
		t.Run(profile, func(t *testing.T) {
			judgedOnce(t, func(e exp.Experiment) *result.Result {
				r, err := result.Read(result.Path(committed, e.ID, profile))
				if errors.Is(err, result.ErrSchema) {
					t.Skip("of version 1")
				}
				if err != nil {
					t.Fatalf("%s has no committed result: %v (make publish)", e.ID, err)
				}
				if r.Status != result.Complete || r.ID != e.ID {
					t.Errorf("%s: committed as %q, status %s", e.ID, r.ID, r.Status)
				}
				return r
			})
		})
	}
}

func judgedOnce(t *testing.T, open func(exp.Experiment) *result.Result) {
	t.Helper()
	where := map[string][]string{}
	for _, e := range Experiments() {
		for _, c := range open(e).Claims {
			where[c.ID] = append(where[c.ID], e.ID)
			if c.Verdict == claims.NotRun || c.Verdict == claims.NotStated {
				t.Errorf("%s: %s is %s: %v", e.ID, c.ID, c.Verdict, c.Reasons)
			}
		}
	}
	rows := 0
	for _, c := range claims.All() {
		if !strings.HasPrefix(c.ID, "P") {
			continue
		}
		rows++
		if n := len(where[c.ID]); n != 1 {
			t.Errorf("%s is judged %d times: %v", c.ID, n, where[c.ID])
		}
		delete(where, c.ID)
	}
	for id, in := range where {
		t.Errorf("%s, in %v, is no claim of this paper", id, in)
	}
	if rows != 14 {
		t.Errorf("%d rows, want P01–P14", rows)
	}
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
