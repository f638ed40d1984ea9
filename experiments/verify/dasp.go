package verify

import (
	"context"
	"math"
	"math/big"
	"time"

	"gradsync/experiments/eval"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
)

// daspChecks compares the waits of Equation 1 in exact arithmetic with those that the server makes and that pages
// compute. What Algorithms 1 and 2 do is tested in papers/dasp.
func daspChecks() []check {
	return []check{
		{"dasp.eq1", "T_wait of each reading, clamped to [0, f_j], in exact arithmetic", equationOne},
		{"dasp.formula", "papers/dasp/formula = the server's T_wait wherever no clamp acts", waitFormula},
	}
}

// eachWait visits α = 0, 1/8 … 1 and iteration times f_i and f_j of 1 to 12 ms.
func eachWait(visit func(eighths, fi, fj int64)) {
	for a := int64(0); a <= 8; a++ {
		for fi := int64(1); fi <= 12; fi++ {
			for fj := int64(1); fj <= 12; fj++ {
				visit(a, fi, fj)
			}
		}
	}
}

// served returns the server's wait.
func served(form dasp.WaitForm, a, fi, fj int64) time.Duration {
	return form.Wait(float64(a)/8, time.Duration(fi)*time.Millisecond, time.Duration(fj)*time.Millisecond)
}

// equationOne compares the waits of every reading with eval's exact rationals, in milliseconds.
func equationOne(context.Context) (t tally) {
	eachWait(func(a, fi, fj int64) {
		for reading, form := range dasp.WaitForms() {
			v := eval.Args{"form": whole(int64(reading)), "alpha": big.NewRat(a, 8), "fi": whole(fi), "fj": whole(fj)}
			want := ok(eval.Exact("dasp.twait", v))
			ms, _ := want.Float64()
			got := served(form, a, fi, fj)
			t.add(math.Abs(float64(got)-1e6*ms) <= 0.5, "%v, α=%d/8, f_i=%d ms, f_j=%d ms: %v, exactly %s ms",
				form, a, fi, fj, got, want.RatString())
		}
	})
	return t
}

// waitFormula compares the formulas that pages and playground compute with the server's wait, to the clock's
// nanosecond and with the clamp to [0, f_j].
func waitFormula(context.Context) (t tally) {
	t.within = true
	eachWait(func(a, i, j int64) {
		alpha, fi, fj := float64(a)/8, 1e-3*float64(i), 1e-3*float64(j)
		for form, got := range map[dasp.WaitForm]float64{
			dasp.WaitDifference: formula.WaitDifference(alpha, fi, fj), dasp.WaitAbsolute: formula.WaitAbsolute(alpha, fi, fj),
			dasp.WaitConvex: formula.WaitConvex(alpha, fi, fj), dasp.WaitOldest: formula.WaitOldest(alpha, fj),
		} {
			want := served(form, a, i, j)
			t.add(math.Abs(min(got, fj)-want.Seconds()) <= 1e-9, "%v, α=%g, f_i=%g s, f_j=%g s: %g s, the server waits %v",
				form, alpha, fi, fj, got, want)
		}
	})
	return t
}
