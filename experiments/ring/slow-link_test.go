package ring

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// By the formula: 2·15/16·1.2 GB over 1 GB/s, and f times that with one slow host.
func TestSlowestLinkByFormula(t *testing.T) {
	for _, f := range []float64{1, 4} {
		c, err := runSlow(t.Context(), f)
		if err != nil || math.Abs(c.Ring/(2.25*f)-1) > 2e-3 || math.Abs(c.Short/2.24-1) > 2e-3 || math.Abs(c.NaiveTop/(36*f)-1) > 2e-3 {
			t.Errorf("factor %g: %+v, %v", f, c, err)
		}
	}
}

func TestSlowLinkIsJudged(t *testing.T) {
	good := []slowCase{{Factor: 1, Ring: 2, AllSlow: 2, Naive: 30, Halving: 2}, {Factor: 4, Ring: 7.7, AllSlow: 8, Naive: 31, Halving: 12}}
	wantVerdict(t, judgeSlowest(good), claims.SameSign, "3.75 %")
	better := []slowCase{good[0], {Factor: 4, Ring: 4, AllSlow: 8, Naive: 31}}
	wantVerdict(t, judgeSlowest(better), claims.Differs, "50.00 %")
	n := strings.Join(slowNotes(good), " ")
	for _, want := range []string{"to 3.75 %", "slowed by up to 4", "never faster here", "1.56 times the ring's time"} {
		if !strings.Contains(n, want) {
			t.Errorf("no %q in %s", want, n)
		}
	}
	if n := strings.Join(slowNotes([]slowCase{good[0], {Factor: 100, Ring: 200, AllSlow: 200, Naive: 150}}), " "); !strings.Contains(n, "From a factor of 100 on") {
		t.Error(n)
	}
}
