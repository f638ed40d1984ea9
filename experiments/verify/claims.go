package verify

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/claims"
)

// claimChecks recompute what claims.csv derives from other rows of it.
func claimChecks() []check {
	return []check{
		{"claims.iteration-ratios", "M/BSP = (1 − r_BSP)/(1 − r_M) from D01–D18 gives D42–D47", iterationRatios},
		{"claims.convergence-ratios", "M/BSP = (1 − r_BSP)/(1 − r_M) from D19–D34 gives D48, D50, D52, D54", convergenceRatios},
		{"claims.iterations", "convergence ratio / iteration-time ratio gives D49, D51, D53, D55", iterationCounts},
		{"claims.inconsistent", "§4's 16.9–82.1 % are min and max of the vs-BSP iteration reductions, not of D19–D34 (D35–D37)", inconsistencies},
	}
}

// stated returns the number of row D<n>. It panics where the row states none: then
// claims.csv is broken.
func stated(n int) float64 {
	c, _ := claims.Get(fmt.Sprintf("D%02d", n))
	v, ok := c.Number()
	if !ok {
		panic("verify: " + c.ID + " states no number")
	}
	return v
}

// left returns the share that the reduction r of row D<n> leaves: 1 − r/100.
func left(n int) float64 { return 1 - stated(n)/100 }

// sameDigits compares a list with row D<n>, each entry to half a unit of its last printed
// digit (3 or 4 decimals) and a little for rounding.
func sameDigits(t *tally, n int, got ...float64) {
	c, _ := claims.Get(fmt.Sprintf("D%02d", n))
	want := c.Numbers()
	t.add(len(want) == len(got), "%s lists %d numbers, derived %d", c.ID, len(want), len(got))
	for i := 0; i < min(len(want), len(got)); i++ {
		half := 0.5e-3
		if math.Abs(want[i]*1e3-math.Round(want[i]*1e3)) > 1e-6 {
			half = 0.5e-4
		}
		t.add(math.Abs(got[i]-want[i]) <= half*1.0001, "%s, entry %d: stated %g, derived %.5f", c.ID, i+1, want[i], got[i])
	}
	t.within = true
}

func iterationRatios(context.Context) (t tally) {
	for row := range 6 { // D01… come in threes: against BSP, SSP, DSSP
		bsp, ssp, dssp := left(1+3*row), left(2+3*row), left(3+3*row)
		sameDigits(&t, 42+row, bsp, bsp/ssp, bsp/dssp)
	}
	return t
}

// convergence lists where four reductions (against BSP, ASP, SSP, DSSP) begin, the rows
// derived from them, and the first iteration reduction of the same cluster and model.
var convergence = []struct{ first, ratios, iterations, iteration int }{
	{19, 48, 49, 4}, {23, 50, 51, 7}, {27, 52, 53, 13}, {31, 54, 55, 16},
}

func convergenceRatios(context.Context) (t tally) {
	for _, c := range convergence {
		bsp := left(c.first)
		sameDigits(&t, c.ratios, bsp, bsp/left(c.first+1), bsp/left(c.first+2), bsp/left(c.first+3))
	}
	return t
}

func iterationCounts(context.Context) (t tally) {
	for _, c := range convergence {
		sameDigits(&t, c.iterations, left(c.first)/left(c.iteration),
			left(c.first+2)/left(c.iteration+1), left(c.first+3)/left(c.iteration+2))
	}
	return t
}

func inconsistencies(context.Context) (t tally) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for row := range 6 {
		v := stated(1 + 3*row)
		lo, hi = min(lo, v), max(hi, v)
	}
	t.add(lo == stated(35), "smallest iteration reduction against BSP is %g, D35 states %g", lo, stated(35))
	t.add(hi == stated(36), "largest iteration reduction against BSP is %g, D36 states %g", hi, stated(36))
	lo, hi = math.Inf(1), math.Inf(-1)
	for n := 19; n <= 34; n++ {
		lo, hi = min(lo, stated(n)), max(hi, stated(n))
	}
	c, _ := claims.Get("D37")
	t.add(fmt.Sprintf("%g-%g", lo, hi) == c.Value, "convergence reductions run from %g to %g, D37 states %s", lo, hi, c.Value)
	t.add(hi < stated(36), "a convergence reduction reaches %g: §4 would be consistent", hi)
	return t
}
