package ringsparse

import (
	"context"
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
)

// Real vectors through the package follow the closed forms of their supports: within
// what chance allows a sum of 40,000 entries.
func TestFillInFollowsItsClosedForms(t *testing.T) {
	plan := planFill("ci")
	for _, support := range []string{supportEach, supportCommon} {
		for _, d := range plan.Densities {
			f := filled{Support: support, Density: d, Nodes: 4}
			if err := f.run(t.Context(), plan, 1, drawnTasks(plan, support, d, 1)); err != nil {
				t.Fatal(err)
			}
			for k := range f.Nodes {
				got, want := f.mean(k), f.expected(k)
				if chance := 5 * math.Sqrt(want/float64(plan.Elements)); !(math.Abs(got-want) <= chance) {
					t.Errorf("%s, d = %g, k = %d: %g, want %g ± %g", support, d, k, got, want, chance)
				}
			}
			if !(f.mean(0) < f.mean(3)) {
				t.Errorf("%s, d = %g: no fill-in", support, d)
			}
		}
	}
}

// Closed forms by hand: two blocks of 30 % have 51 % together, and 45 % if both lie
// in the same 60 %.
func TestExpectedFillIn(t *testing.T) {
	for support, want := range map[string]float64{supportEach: 0.51, supportCommon: 0.45, supportImages: 0.51} {
		f := filled{Support: support, Density: 0.3, Nodes: 2}
		if got := f.expected(1); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", support, got, want)
		}
	}
}

// A hop's codec is that of most of its blocks, and equal hops are one stretch.
func TestFormsByHop(t *testing.T) {
	f := filled{Nodes: 4, Codecs: [][]int{{0, 1, 7}, {1, 5, 2}, {0, 8}, {8}}}
	if got := f.forms(); got != "coo 0, bitmap 1–2, dense 3" {
		t.Error(got)
	}
}

// The MLP's first layer on raw pixels fills in less than independent zeros do, and
// the experiment's notes say so.
func TestFillInRuns(t *testing.T) {
	r := runProfile(t, fillIn(), "ci", 0)
	if len(r.Tables[0].Rows) != 7 || len(r.Tables[1].Rows) != 7 || len(r.Figures[0].Series) != 6 || len(r.Figures[1].Series) != 4 || len(r.Claims) != 0 {
		t.Errorf("%d and %d rows, %d and %d lines", len(r.Tables[0].Rows), len(r.Tables[1].Rows), len(r.Figures[0].Series), len(r.Figures[1].Series))
	}
	images := r.Tables[0].Rows[6]
	if ratio := images[len(images)-1].(float64); ratio >= 1 {
		t.Errorf("images: measured over independent %g", ratio)
	}
	if r.Data == nil || r.Engine == "" {
		t.Errorf("trained on %v by %q", r.Data, r.Engine)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := fillIn().Old(ctx, exp.Env{Profile: "ci", Seeds: []uint64{0}}); err == nil || r.Status != unfinished {
		t.Errorf("stopped: %s, %v", r.Status, err)
	}
}

var _ cluster.Task = (*drawn)(nil)
