package ring

import (
	"context"
	"fmt"
	"math"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
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

// slowed returns the cluster with the links of the hosts that pick names f times slower.
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

// off returns how far slowing one host is from slowing all.
func (c slowCase) off() float64 { return math.Abs(c.Ring/c.AllSlow - 1) }

// slowLink asks what one slow link does to all.
func slowLink() exp.Experiment {
	return kit.Inquiry{ID: "ring/slow-link", Source: "the blog, Allreduce Communication Cost", Kind: result.TimingOnly,
		Profiles: exp.Profiles, Seedless: true, Run: runSlowLink,
		Seconds: func(string, int) float64 { return 0.1 },
		Config: func(string) map[string]any {
			return map[string]any{"ranks": slowRanks, "slow_rank": slowRank, "link": blogLink, "latency": slowLatency.Seconds(),
				"bytes": blogBytes, "factors": slowFactors}
		}}.Experiment()
}

func runSlowLink(ctx context.Context, env exp.Env, r *result.Result) error {
	b := exp.Bar{Env: env, Total: float64(len(slowFactors))}
	var cases []slowCase
	for _, f := range slowFactors {
		c, err := runSlow(ctx, f)
		if err != nil {
			return err
		}
		cases = append(cases, c)
		b.Step(fmt.Sprintf("%g times slower", f))
	}
	seconds := func(key string, of func(slowCase) float64) kit.Col[slowCase] { return kit.Num(key, "s", 2, of) }
	r.Frames = []result.Frame{kit.Frame("slow-link", cases, kit.Num("factor", "", 1, func(c slowCase) float64 { return c.Factor }),
		seconds("ring", func(c slowCase) float64 { return c.Ring }), seconds("all", func(c slowCase) float64 { return c.AllSlow }),
		kit.Num("ratio", "", 4, func(c slowCase) float64 { return c.Ring / c.AllSlow }),
		seconds("short", func(c slowCase) float64 { return c.Short }), seconds("halving", func(c slowCase) float64 { return c.Halving }),
		seconds("naive", func(c slowCase) float64 { return c.Naive }), seconds("top", func(c slowCase) float64 { return c.NaiveTop }))}
	r.Figures = []result.Figure{{ID: "slow-link-time", Form: "line", Frame: "slow-link", X: "factor", Y: []string{"ring", "halving", "naive", "top"}, Log: "xy"}}
	r.Claims = []result.Claim{judgeSlowest(cases)}
	r.Facts = slowFacts(cases)
	return nil
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

// furthest returns the case in which slowing one host is furthest from slowing all.
func furthest(cases []slowCase) (worst slowCase) {
	worst = cases[0]
	for _, c := range cases {
		if c.off() >= worst.off() {
			worst = c
		}
	}
	return worst
}

// judgeSlowest judges B20.
func judgeSlowest(cases []slowCase) result.Claim {
	worst, first, last := furthest(cases), cases[0], cases[len(cases)-1]
	words := result.Because("B20-found", "percent", 100*worst.off())
	f := claims.Holding(worst.off() <= claims.Tolerance("B20"), 0, &words)
	f.Notes = []result.Reason{result.Because("B20", "hosts", slowRanks, "least", first.Factor, "most", last.Factor, "percent", 100*worst.off(),
		"at", worst.Factor), result.Because("B20-most", "most", last.Factor, "slow", last.Ring, "equal", first.Ring)}
	return claims.Verdict("B20", f)
}

func slowFacts(cases []slowCase) []result.Fact {
	first, last := cases[0], cases[len(cases)-1]
	patience, overtaken := math.NaN(), math.NaN()
	for _, c := range cases {
		if c.Naive <= 1.1*first.Naive { // less than a tenth more
			patience = c.Factor
		}
		if c.Naive < c.Ring && math.IsNaN(overtaken) {
			overtaken = c.Factor
		}
	}
	halving := func(c slowCase) float64 { return c.Halving / c.Ring }
	return []result.Fact{kit.Counted("hosts", "", slowRanks), kit.Number("gigabytes", "GB", kit.AsIs, blogBytes/1e9),
		kit.Number("link", "GB/s", kit.AsIs, blogLink/1e9), kit.Counted("latency", "µs", 2*slowLatency.Microseconds()), kit.Counted("slow_rank", "", slowRank), kit.Counted("others", "", slowRanks-1),
		kit.Number("most", "", kit.AsIs, last.Factor), kit.Number("least", "", kit.AsIs, first.Factor), kit.Number("worst", "%", 2, 100*furthest(cases).off()),
		kit.Number("short", "s", 2, last.Short), kit.Number("patience", "", kit.AsIs, patience), kit.Number("overtaken", "", kit.AsIs, overtaken),
		kit.Whether("ever_overtaken", !math.IsNaN(overtaken)), kit.Number("halving_equal", "", 2, halving(first)),
		kit.Number("halving_slow", "", 2, halving(last)), kit.Whether("halving_suffers", halving(last) > 1.1*halving(first))}
}
