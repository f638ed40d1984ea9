package ring

import (
	"math"
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
	c := judgeSlowest(good)
	if wantVerdict(t, c, claims.Holds, "B20"); math.Abs(arg(c, "B20")["percent"].(float64)-3.75) > 1e-9 {
		t.Error(c.Reasons)
	}
	wantVerdict(t, judgeSlowest([]slowCase{good[0], {Factor: 4, Ring: 4, AllSlow: 8, Naive: 31}}), claims.Differs, "does-not-hold")
	facts := slowFacts(good)
	if factOf(t, facts, "patience") != 4. || factOf(t, facts, "ever_overtaken") != false || factOf(t, facts, "halving_suffers") != true {
		t.Error(facts)
	}
	if f := slowFacts([]slowCase{good[0], {Factor: 100, Ring: 200, AllSlow: 200, Naive: 150}}); factOf(t, f, "overtaken") != 100. {
		t.Error(f)
	}
}
