package scaling

import (
	"fmt"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/portable"
)

// One case that saves less than a hundredth is enough to differ; single layers and the dense ring do not count.
func TestOverlapVerdicts(t *testing.T) {
	pairs := []overlapped{{Work: "a", Layers: 2, Way: "ringsparse", Gbps: 1, With: 99, Plain: 100}, {Work: "b", Layers: 1, Way: "ringsparse", With: 1, Plain: 1},
		{Work: "c", Layers: 9, Way: "dense", With: 1, Plain: 1}}
	v := judgeOverlap(pairs)
	kittest.WantVerdict(t, v, claims.Holds, "P14")
	if len(v.Parts) != 1 || v.Parts[0].Of["work"] != "a" {
		t.Errorf("%v", v.Parts)
	}
	pairs = append(pairs, overlapped{Work: "d", Layers: 3, Way: "ringsparse", Gbps: 10, With: 99.5, Plain: 100, Single: 2, First: 0.98})
	v = judgeOverlap(pairs)
	kittest.WantVerdict(t, v, claims.Differs, "P14-others")
	last := v.Reasons[len(v.Reasons)-1]
	if got := fmt.Sprintf("%s %v %v %.1f %.0f %.0f", last.Code, last.Args["work"], last.Args["link"], last.Args["saved"], last.Args["first"],
		last.Args["computing"]); got != "P14-failing d 10 0.5 98 2" {
		t.Error(got)
	}
	if len(v.Parts) != 2 || *v.Parts[1].Holds || !*v.Parts[0].Holds {
		t.Errorf("%v", v.Parts)
	}
}

// Overlap saves nothing of one layer and something of several, and never makes an iteration longer.
func TestOverlapSavesFromTwoLayersOn(t *testing.T) {
	for _, depth := range []int{1, 2, 12} {
		w := setup.Stack(depth, 1)
		p := oktest.Must(compare(t.Context(), w, 4, 25, "ringsparse"))(t)
		if p.Single <= 0 || p.With <= p.Single || (depth == 1) != (p.With == p.Plain) || p.With > p.Plain {
			t.Errorf("%d layers: %+v", depth, p)
		}
	}
}

func TestOverlapRuns(t *testing.T) {
	oktest.Slow(t)
	r := kittest.RunCI(t, Overlap())
	if len(r.Claims) != 1 || len(r.Figures) != 3 || len(r.Frame("saved").Rows) != 7*3*2 || len(r.Frame("bands").Rows) != 2*2*(1+12+1+12) {
		t.Errorf("%d claims, %d figures, %d rows, %d bands", len(r.Claims), len(r.Figures), len(r.Frame("saved").Rows), len(r.Frame("bands").Rows))
	}
	for i, m := range r.Frame("moments").Rows { // with overlap an exchange begins before the backward pass ends
		if begins, computed := m[2].(float64), m[3].(float64); (begins < computed) != (m[1] == true) {
			t.Errorf("row %d: %v", i, m)
		}
	}
}
