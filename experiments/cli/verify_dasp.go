package cli

import (
	"context"
	"math"
	"math/big"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
)

func daspChecks() []check {
	return []check{
		{"dasp.alg1", "Decide = Algorithm 1, lines 3–15, walked line by line", algorithmOne},
		{"dasp.eq1", "T_wait of each reading, clamped to [0, f_j], in exact arithmetic", equationOne},
		{"dasp.formula", "papers/dasp/formula = the server's T_wait wherever no clamp acts", waitFormula},
		{"dasp.eq2", "weights 1/N and 1/K sum to 1/N and 1", equationTwo},
	}
}

// algorithmOne visits every view of three nodes with versions 0…4 and all
// thresholds 0 ≤ Smin < Smax ≤ 4.
func algorithmOne(context.Context) (t tally, err error) {
	f := []time.Duration{3 * time.Second, 5 * time.Second, 4 * time.Second}
	for code := range 125 {
		v := []int64{int64(code % 5), int64(code / 5 % 5), int64(code / 25)}
		view := dasp.NewView(3)
		copy(view.V, v)
		copy(view.F, f)
		view.Newest = max(v[0], v[1], v[2])
		for smin := int64(0); smin < 4; smin++ {
			for smax := smin + 1; smax <= 4; smax++ {
				c := dasp.Config{Workers: 3, Smin: smin, Smax: smax, Alpha: 0.5}
				for n := range v {
					got := c.Decide(view, n)
					state, wait, oldest := literal(v, f, n, smin, smax)
					t.add(got.State == state && got.Wait == wait && got.Until == oldest,
						"v=%v n=%d Smin=%d Smax=%d: %v, the algorithm's lines give %v %v %d", v, n, smin, smax, got, state, wait, oldest)
				}
			}
		}
	}
	return t, nil
}

// literal is Algorithm 1 with α = 1/2, written as the paper prints it and with
// nothing of papers/dasp in it but the states' names.
func literal(v []int64, f []time.Duration, n int, smin, smax int64) (dasp.State, time.Duration, int) {
	vn := v[n]                    // line 3
	vmin := min(v[0], v[1], v[2]) // line 4
	oldest := 0
	for v[oldest] != vmin { // line 9
		oldest++
	}
	if vn-vmin <= smin { // line 5
		return dasp.QIS, 0, oldest
	}
	if smin < vn-vmin && vn-vmin <= smax { // line 7
		return dasp.WSS, max((f[oldest]-f[n])/2, 0), oldest // lines 10–12
	}
	return dasp.FSS, 0, oldest
}

// equationOne compares every reading with exact rationals of milliseconds.
func equationOne(context.Context) (t tally, err error) {
	for _, form := range dasp.WaitForms() {
		for a := int64(0); a <= 8; a++ {
			for fi := int64(1); fi <= 12; fi++ {
				for fj := int64(1); fj <= 12; fj++ {
					alpha, i, j := big.NewRat(a, 8), big.NewRat(fi, 1), big.NewRat(fj, 1)
					want := exactWait(form, alpha, i, j)
					ms, _ := want.Float64()
					got := form.Wait(float64(a)/8, time.Duration(fi)*time.Millisecond, time.Duration(fj)*time.Millisecond)
					t.add(math.Abs(float64(got)-1e6*ms) <= 0.5, "%v, α=%d/8, f_i=%d ms, f_j=%d ms: %v, exactly %s ms", form, a, fi, fj, got, want.RatString())
				}
			}
		}
	}
	return t, nil
}

// waitFormula compares the formulas that pages and playground compute with what
// the server waits, up to the clock's nanosecond and the clamp to [0, f_j].
func waitFormula(context.Context) (t tally, err error) {
	t.within = true
	for a := 0; a <= 8; a++ {
		for i := 1; i <= 12; i++ {
			for j := 1; j <= 12; j++ {
				alpha, fi, fj := float64(a)/8, 1e-3*float64(i), 1e-3*float64(j)
				for form, got := range map[dasp.WaitForm]float64{dasp.WaitDifference: formula.WaitDifference(alpha, fi, fj),
					dasp.WaitAbsolute: formula.WaitAbsolute(alpha, fi, fj), dasp.WaitConvex: formula.WaitConvex(alpha, fi, fj), dasp.WaitOldest: formula.WaitOldest(alpha, fj)} {
					want := form.Wait(alpha, time.Duration(i)*time.Millisecond, time.Duration(j)*time.Millisecond)
					t.add(math.Abs(min(got, fj)-want.Seconds()) <= 1e-9, "%v, α=%g, f_i=%g s, f_j=%g s: %g s, the server waits %v", form, alpha, fi, fj, got, want)
				}
			}
		}
	}
	return t, nil
}

func exactWait(form dasp.WaitForm, alpha, fi, fj *big.Rat) *big.Rat {
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	var w *big.Rat
	switch form {
	case dasp.WaitDifference:
		w = mul(alpha, sub(fj, fi))
	case dasp.WaitAbsolute:
		w = mul(alpha, new(big.Rat).Abs(sub(fi, fj)))
	case dasp.WaitConvex:
		w = new(big.Rat).Add(mul(alpha, fi), mul(sub(big.NewRat(1, 1), alpha), fj))
	case dasp.WaitOldest:
		w = mul(alpha, fj)
	}
	if w.Sign() < 0 {
		return new(big.Rat)
	}
	if w.Cmp(fj) > 0 {
		return fj
	}
	return w
}

func equationTwo(context.Context) (t tally, err error) {
	for n := 1; n <= 64; n++ {
		c := dasp.Config{Workers: n}
		t.add(c.Weight(dasp.QIS, 1) == 1/float64(n), "QIS, N=%d: weight %g", n, c.Weight(dasp.QIS, 1))
		for k := 1; k <= n; k++ {
			for _, s := range []dasp.State{dasp.WSS, dasp.FSS} {
				t.add(c.Weight(s, k) == 1/float64(k), "%v, N=%d, K=%d: weight %g", s, n, k, c.Weight(s, k))
			}
		}
	}
	return t, nil
}
