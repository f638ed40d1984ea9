package ring

import (
	"context"
	"fmt"
	"math"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
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
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"ranks": slowRanks, "slow_rank": slowRank, "link": blogLink, "latency": slowLatency.Seconds(), "bytes": blogBytes, "factors": slowFactors})
		b := exp.Bar{Env: env, Total: float64(len(slowFactors))}
		var cases []slowCase
		for _, f := range slowFactors {
			c, err := runSlow(ctx, f)
			if err != nil {
				return res, err
			}
			cases = append(cases, c)
			b.Step(fmt.Sprintf("%g times slower", f))
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
	return holds("B20", worst <= claims.Tolerance("B20"), 0, fmt.Sprintf("within %.2f %%", 100*worst),
		fmt.Sprintf("one host of %d slowed by %g to %g costs the ring what slowing all of them costs, to %.2f %% (at ×%g); at ×%g it takes %.1f s instead of %.2f", slowRanks, cases[0].Factor, last.Factor, 100*worst, at, last.Factor, last.Ring, cases[0].Ring))
}
