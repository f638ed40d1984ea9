package verify

import (
	"context"
	"math"
	"math/big"
	"time"

	"gradsync/experiments/eval"
	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// daspChecks compares the decision rule and the equations with the paper's text.
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

// literal walks Algorithm 1 with α = 1/2 as the paper prints it. Of papers/dasp it uses
// the names of the states alone.
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

// equationOne compares the waits of every reading with eval's exact rationals, in
// milliseconds.
func equationOne(context.Context) (t tally, err error) {
	for reading, form := range dasp.WaitForms() {
		for a := int64(0); a <= 8; a++ {
			for fi := int64(1); fi <= 12; fi++ {
				for fj := int64(1); fj <= 12; fj++ {
					want, err := eval.Exact("dasp.twait", eval.Args{"form": whole(int64(reading)), "alpha": big.NewRat(a, 8), "fi": whole(fi), "fj": whole(fj)})
					if err != nil {
						return t, err
					}
					ms, _ := want.Float64()
					got := form.Wait(float64(a)/8, time.Duration(fi)*time.Millisecond, time.Duration(fj)*time.Millisecond)
					t.add(math.Abs(float64(got)-1e6*ms) <= 0.5, "%v, α=%d/8, f_i=%d ms, f_j=%d ms: %v, exactly %s ms", form, a, fi, fj, got, want.RatString())
				}
			}
		}
	}
	return t, nil
}

// waitFormula compares the formulas that pages and playground compute with the server's
// wait, to the clock's nanosecond and with the clamp to [0, f_j].
func waitFormula(context.Context) (t tally, err error) {
	t.within = true
	for a := 0; a <= 8; a++ {
		for i := 1; i <= 12; i++ {
			for j := 1; j <= 12; j++ {
				alpha, fi, fj := float64(a)/8, 1e-3*float64(i), 1e-3*float64(j)
				for form, got := range map[dasp.WaitForm]float64{dasp.WaitDifference: formula.WaitDifference(alpha, fi, fj),
					dasp.WaitAbsolute: formula.WaitAbsolute(alpha, fi, fj), dasp.WaitConvex: formula.WaitConvex(alpha, fi, fj),
					dasp.WaitOldest: formula.WaitOldest(alpha, fj)} {
					want := form.Wait(alpha, time.Duration(i)*time.Millisecond, time.Duration(j)*time.Millisecond)
					t.add(math.Abs(min(got, fj)-want.Seconds()) <= 1e-9, "%v, α=%g, f_i=%g s, f_j=%g s: %g s, the server waits %v", form, alpha, fi, fj, got, want)
				}
			}
		}
	}
	return t, nil
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

// runChecks compares methods with each other on the virtual runtime.
func runChecks() []check {
	return []check{
		{"dasp.ssp0", "SSP(0) answers every worker at BSP's instants, to 1 µs", sspZero},
		{"dasp.ssp-inf", "SSP(∞) = ASP, push by push", sspInfinite},
		{"dasp.qis", "a QIS answer is never delayed: it leaves as soon as the server is free", quickIsQuick},
	}
}

// timed runs a method without arithmetic. Where free is set, the server's own work takes
// no time.
func timed(ctx context.Context, sync string, seed uint64, free bool, change func(*rivals.Options)) (*dasp.Log, error) {
	p, err := platforms.Load("heterogeneous6")
	if err != nil {
		return nil, err
	}
	if free {
		p = p.WithHosts(func(h *cluster.Host, server bool) {
			if server {
				h.FLOPS, h.Memory = 1e20, 0
			}
		})
		p.Decision = 0
	}
	o := rivals.Defaults(len(p.Workers))
	change(&o)
	out, err := train.Run(ctx, train.Config{Sync: sync, Model: "lenet5", Platform: p, Seed: seed, MaxPushes: 300, TimingOnly: true,
		Server: train.Server{Options: &o}})
	if err != nil {
		return nil, err
	}
	return out.Log, nil
}

// answers lists, worker by worker, the instants at which it was answered.
func answers(l *dasp.Log) [][]time.Duration {
	out := make([][]time.Duration, l.Workers)
	for _, p := range l.Pushes {
		if !p.Abandoned {
			out[p.Worker] = append(out[p.Worker], p.Replied)
		}
	}
	return out
}

func sspZero(ctx context.Context) (t tally, err error) {
	t.within = true
	for seed := range uint64(3) {
		bsp, err := timed(ctx, "bsp", seed, true, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		ssp, err := timed(ctx, "ssp", seed, true, func(o *rivals.Options) { o.Staleness = 0 })
		if err != nil {
			return t, err
		}
		compareAnswers(&t, answers(bsp), answers(ssp), time.Microsecond)
	}
	return t, nil
}

func sspInfinite(ctx context.Context) (t tally, err error) {
	for seed := range uint64(3) {
		asp, err := timed(ctx, "asp", seed, false, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		ssp, err := timed(ctx, "ssp", seed, false, func(o *rivals.Options) { o.Staleness = rivals.Unbounded })
		if err != nil {
			return t, err
		}
		compareAnswers(&t, answers(asp), answers(ssp), 0)
	}
	return t, nil
}

// compareAnswers adds to t whether two runs answer each worker at the same instants.
func compareAnswers(t *tally, a, b [][]time.Duration, tolerance time.Duration) {
	for w := range a {
		t.add(len(a[w]) == len(b[w]), "worker %d was answered %d and %d times", w, len(a[w]), len(b[w]))
		for i := 0; i < min(len(a[w]), len(b[w])); i++ {
			t.add((a[w][i]-b[w][i]).Abs() <= tolerance, "worker %d, answer %d: %v and %v", w, i, a[w][i], b[w][i])
		}
	}
}

// quickIsQuick checks on a server whose work takes no time that a QIS answer leaves at the
// instant at which its gradient arrives, and that some pushes were held.
func quickIsQuick(ctx context.Context) (t tally, err error) {
	for seed := range uint64(3) {
		log, err := timed(ctx, "dasp", seed, true, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		held := 0
		for i, p := range log.Pushes {
			switch {
			case p.Abandoned:
			case p.State == dasp.QIS:
				t.add(p.Replied-p.Received <= time.Microsecond, "seed %d, push %d: QIS answered after %v", seed, i, p.Replied-p.Received)
			default:
				held++
			}
		}
		t.add(held > 0, "seed %d: no push was in WSS or FSS, so the check says nothing", seed)
	}
	return t, nil
}
