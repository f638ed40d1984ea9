package ring

import (
	"context"
	"fmt"
	"math"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// The cluster of the experiment: equal hosts on the blog's 1 GB/s, with a latency.
const (
	slowRanks   = 16
	slowLatency = 25 * time.Microsecond // each end
	slowRank    = 5                     // whose link is slowed; neither the reducer nor an end of the ring
)

// slowFactors are how many times slower it becomes.
var slowFactors = []float64{1, 1.5, 2, 4, 8, 16, 100}

// slowed is the cluster with the links of the hosts that pick names f times slower.
func slowed(f float64, pick func(rank int) bool) *cluster.Platform {
	p := cluster.Uniform(slowRanks, cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: blogLink, Latency: slowLatency}, nil)
	for i := range p.Workers {
		if pick(i) {
			p.Workers[i].Bandwidth /= f
		}
	}
	return p
}

// slowCase is one factor: seconds of an all-reduce of 1.2 GB.
type slowCase struct {
	Factor                   float64
	Ring, AllSlow            float64 // one host slowed; all of them
	Halving, Naive, NaiveTop float64 // one host; one host that is not the reducer; the reducer
	Short                    float64 // a ring that leaves the slow host out
}

// slowLink asks what one slow link does to all.
func slowLink() exp.Experiment {
	e := exp.Experiment{ID: "ring/slow-link", Title: "One slow link", Source: "the blog, Allreduce Communication Cost", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.1 }
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := newResult(e, env, result.TimingOnly, map[string]any{"ranks": slowRanks, "slow_rank": slowRank, "link": blogLink, "latency": slowLatency.Seconds(), "bytes": blogBytes, "factors": slowFactors})
		b := bar{env: env, total: float64(len(slowFactors))}
		var cases []slowCase
		for _, f := range slowFactors {
			c, err := runSlow(ctx, f)
			if err != nil {
				return res, err
			}
			cases = append(cases, c)
			b.step(fmt.Sprintf("%g times slower", f))
		}
		res.Tables = []result.Table{slowTable(cases)}
		res.Figures = []result.Figure{slowFigure(cases)}
		res.Claims = []result.Claim{judgeSlowest(cases)}
		res.Notes = slowNotes(cases)
		res.Status = complete
		return res, nil
	}
	return e
}

func runSlow(ctx context.Context, f float64) (slowCase, error) {
	one := func(rank int) bool { return rank == slowRank }
	ring := func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 0, blogParams) }
	naive := func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 0, 0, blogParams) }
	c := slowCase{Factor: f}
	for _, x := range []struct {
		into *float64
		pick func(int) bool
		run  exchange
	}{
		{&c.Ring, one, ring},
		{&c.AllSlow, func(int) bool { return true }, ring},
		{&c.Halving, one, func(p cluster.Proc) error { return collective.HalvingDoublingTiming(p, 0, blogParams) }},
		{&c.Naive, one, naive},
		{&c.NaiveTop, func(rank int) bool { return rank == 0 }, naive},
		{&c.Short, one, func(p cluster.Proc) error {
			if one(p.Rank()) {
				return nil
			}
			return collective.Ring{Order: without(slowRank)}.AllReduceTiming(p, 0, blogParams)
		}},
	} {
		t, err := onVirtual(ctx, slowed(f, x.pick), slowRanks, x.run)
		if err != nil {
			return c, err
		}
		*x.into = t.Seconds
	}
	return c, nil
}

// without lists all ranks but one.
func without(rank int) (out []int) {
	for r := range slowRanks {
		if r != rank {
			out = append(out, r)
		}
	}
	return out
}

// judgeSlowest judges B20.
func judgeSlowest(cases []slowCase) result.Claim {
	worst, at := 0.0, 0.0
	for _, c := range cases {
		if off := math.Abs(c.Ring/c.AllSlow - 1); off >= worst {
			worst, at = off, c.Factor
		}
	}
	last := cases[len(cases)-1]
	return holds("B20", worst <= tolerance("B20"), 0, fmt.Sprintf("within %.2f %%", 100*worst),
		fmt.Sprintf("one host of %d slowed by %g to %g costs the ring what slowing all of them costs, to %.2f %% (at ×%g); at ×%g it takes %.1f s instead of %.2f", slowRanks, cases[0].Factor, last.Factor, 100*worst, at, last.Factor, last.Ring, cases[0].Ring))
}

func slowTable(cases []slowCase) result.Table {
	t := result.Table{ID: "slow-link", Title: "One host's link slowed", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("One all-reduce of 1.2 GB on %d hosts with links of 1 GB/s and 50 µs, timing-only. The link of rank %d is slower by the factor, both ways; “all slowed”: every link; “the reducer slowed”: rank 0 instead. “without it”: the other %d in a ring of their own.", slowRanks, slowRank, slowRanks-1),
		Columns: []result.Column{{Key: "factor", Title: "slower by", Digits: 1}, {Key: "ring", Title: "ring", Unit: "s", Digits: 2}, {Key: "all", Title: "ring, all slowed", Unit: "s", Digits: 2}, {Key: "ratio", Title: "one / all", Digits: 4},
			{Key: "short", Title: "ring without it", Unit: "s", Digits: 2}, {Key: "halving", Title: "halving-doubling", Unit: "s", Digits: 2}, {Key: "naive", Title: "single reducer", Unit: "s", Digits: 2}, {Key: "top", Title: "single reducer, the reducer slowed", Unit: "s", Digits: 2}}}
	for _, c := range cases {
		t.Rows = append(t.Rows, []any{c.Factor, c.Ring, c.AllSlow, c.Ring / c.AllSlow, c.Short, c.Halving, c.Naive, c.NaiveTop})
	}
	return t
}

func slowFigure(cases []slowCase) result.Figure {
	f := result.Figure{ID: "slow-link-time", Title: "What one slow link costs", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "slower by", Log: true}, Y: result.Axis{Title: "time of one all-reduce", Unit: "s", Log: true},
		Caption: fmt.Sprintf("%d hosts, 1.2 GB, links of 1 GB/s; the link of one host is slowed.", slowRanks),
		Series:  []result.Series{{Name: "ring", Group: "ring"}, {Name: "halving-doubling", Group: "halving-doubling"}, {Name: "single reducer", Group: "naive"}, {Name: "single reducer, the reducer slowed", Group: "naive-top"}}}
	for _, c := range cases {
		for i, y := range []float64{c.Ring, c.Halving, c.Naive, c.NaiveTop} {
			f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, c.Factor), append(f.Series[i].Y, y)
		}
	}
	a, z := cases[0], cases[len(cases)-1]
	f.Alt = fmt.Sprintf("From factor %g to %g the ring rises from %.1f to %.0f s, halving-doubling from %.1f to %.0f s, the single reducer from %.1f to %.0f s, and with the reducer slowed from %.1f to %.0f s.",
		a.Factor, z.Factor, a.Ring, z.Ring, a.Halving, z.Halving, a.Naive, z.Naive, a.NaiveTop, z.NaiveTop)
	return f
}

// patience is the largest factor that costs an exchange less than a tenth.
func patience(cases []slowCase, of func(slowCase) float64) (most float64) {
	for _, c := range cases {
		if of(c) <= 1.1*of(cases[0]) {
			most = math.Max(most, c.Factor)
		}
	}
	return most
}

// overtaken is the first factor at which the single reducer beats the ring; no
// number if none does.
func overtaken(cases []slowCase) float64 {
	for _, c := range cases {
		if c.Naive < c.Ring {
			return c.Factor
		}
	}
	return math.NaN()
}

func slowNotes(cases []slowCase) []string {
	first, last := cases[0], cases[len(cases)-1]
	worst := 0.0
	for _, c := range cases {
		worst = math.Max(worst, math.Abs(c.Ring/c.AllSlow-1))
	}
	notes := []string{
		fmt.Sprintf("One slow link sets the pace of the whole ring: slowing one host of %d costs what slowing all of them costs, to %.1f %%. Every chunk passes every link.", slowRanks, 100*worst),
		fmt.Sprintf("Leaving the slow host out costs a sixteenth of the data and gives %.2f s again, at every factor.", last.Short),
		fmt.Sprintf("A single reducer bears a worker's link slowed by up to %g at less than a tenth more time, because the reducer's own link is the bottleneck; a slow reducer, ×%g, takes %.0f s.", patience(cases, func(c slowCase) float64 { return c.Naive }), last.Factor, last.NaiveTop),
	}
	if a, z := first.Halving/first.Ring, last.Halving/last.Ring; z > 1.1*a {
		notes = append(notes, fmt.Sprintf("Halving-doubling, as fast as the ring among equals (×%.2f), suffers more from the slow host: at ×%g it takes %.2f times the ring's time.", a, last.Factor, z))
	}
	if f := overtaken(cases); !math.IsNaN(f) {
		notes = append(notes, fmt.Sprintf("From a factor of %g on the single reducer beats the ring, %.1f s at 1 against %.1f.", f, first.Naive, first.Ring))
	} else {
		notes = append(notes, fmt.Sprintf("Even so the single reducer is never faster here: %.1f s against %.1f at ×%g.", last.Naive, last.Ring, last.Factor))
	}
	return append(notes, "A slowed host is slow both ways; a link that is slow in one direction only is not modelled.")
}
