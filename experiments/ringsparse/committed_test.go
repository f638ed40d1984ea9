package ringsparse

import (
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	_ "gradsync/shared/tensor/engine/portable"
)

// Every sentence of the patent has exactly one verdict in each profile's results: none is
// passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	paper := kittest.Paper{List: Experiments, Letters: "P", Rows: 14, Results: "../results"}
	paper.Judged(t, paper.Made(t))
}

// Every experiment runs in every profile, says where it comes from, and estimates its time, more for more.
func TestExperimentsAreWhole(t *testing.T) {
	want := []string{"decisions", "traffic", "time", "where", "fill-in", "conversion-error", "scaling", "accuracy", "overlap"}
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
