package sums

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/portable"
)

// Real vectors through the package follow the closed forms of their supports: within
// what chance allows a sum of 40,000 entries.
func TestFillInFollowsItsClosedForms(t *testing.T) {
	plan := planFill("ci")
	for _, which := range []string{supportEach, supportCommon} {
		for _, d := range plan.Densities {
			s := support{4, which, d}
			once := oktest.Must(fill(t.Context(), plan, s, 1, s.tasks(plan, 1)))(t)
			f := newFilled(s, []filledOnce{once})
			for k := range f.Nodes {
				got, want := once.Hops[k], f.expected(k)
				if chance := 5 * math.Sqrt(want/float64(plan.Elements)); !(math.Abs(got-want) <= chance) {
					t.Errorf("%s, d = %g, k = %d: %g, want %g ± %g", which, d, k, got, want, chance)
				}
			}
			if !(once.Hops[0] < once.Hops[3]) {
				t.Errorf("%s, d = %g: no fill-in", which, d)
			}
		}
	}
}

// Closed forms by hand: two blocks of 30 % have 51 % together, and 45 % if both lie in the same 60 %.
func TestExpectedFillIn(t *testing.T) {
	for which, want := range map[string]float64{supportEach: 0.51, supportCommon: 0.45, supportImages: 0.51} {
		f := filled{support: support{2, which, 0.3}}
		if got := f.expected(1); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", which, got, want)
		}
	}
}

// A hop's codec is that of most of its blocks, and equal hops are one row.
func TestFormsByHop(t *testing.T) {
	f := filled{support: support{Nodes: 4}, seeds: []filledOnce{{Codecs: [][codecIDs]int{{0, 1, 4}, {1, 5, 2}, {0, 4}, {4}}},
		{Codecs: [][codecIDs]int{{0, 0, 3}, {0}, {0, 4}, {4}}}}}
	got := ""
	for _, s := range f.stretches() {
		got += fmt.Sprint(s.codec, " ", s.from, "–", s.to, "; ")
	}
	if got != "2 0–0; 1 1–2; 0 3–3; " {
		t.Error(got)
	}
}

// The MLP's first layer on raw pixels fills in less than independent zeros do, and the experiment finds so.
func TestFillInRuns(t *testing.T) {
	oktest.Slow(t)
	r := kittest.RunCI(t, FillIn())
	if len(r.Frame("density").Rows) != 7 || len(r.Frame("sent").Rows) != 7 || len(r.Frame("hops").Rows) != 7*8 || len(r.Figures) != 2 || len(r.Claims) != 0 {
		t.Errorf("%d, %d and %d rows", len(r.Frame("density").Rows), len(r.Frame("sent").Rows), len(r.Frame("hops").Rows))
	}
	if ratio := kittest.Cell(t, r, "density", 6, "ratio").(float64); ratio >= 1 || kittest.Cell(t, r, "density", 6, "less") != true {
		t.Errorf("images: measured over independent %g", ratio)
	}
	if len(r.Data) != 1 || r.Engine == "" {
		t.Errorf("trained on %v by %q", r.Data, r.Engine)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := FillIn().Run(ctx, exp.Env{Profile: "ci", Seeds: []uint64{0}}); err == nil || r.Status != result.Incomplete {
		t.Errorf("stopped: %s, %v", r.Status, err)
	}
}
