package ring

import (
	"context"
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

// slowLink returns the experiment that asks what one slow link does to all.
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
	cases, err := kit.Sweep(&b, slowFactors, func(f float64) (slowCase, error) { return runSlow(ctx, f) })
	if err != nil {
		return err
	}
	head := "factor/.1 ring/s.2 all/s.2 ratio/.4 short/s.2 halving/s.2 naive/s.2 top/s.2"
	r.Frames = []result.Frame{kit.Rows("slow-link", head, cases, func(c slowCase) []any {
		return []any{c.Factor, c.Ring, c.AllSlow, c.Ring / c.AllSlow, c.Short, c.Halving, c.Naive, c.NaiveTop}
	})}
	r.Figures = []result.Figure{{ID: "slow-link-time", Form: "line", Frame: "slow-link", X: "factor", Log: "xy",
		Y: []string{"ring", "halving", "naive", "top"}}}
	r.Claims = []result.Claim{judgeSlowest(cases)}
	r.Facts = slowFacts(cases)
	return nil
}

func runSlow(ctx context.Context, f float64) (c slowCase, err error) {
	seconds := stopwatch(ctx, &err)
	one := slowed(f, func(rank int) bool { return rank == slowRank })
	all := slowed(f, func(int) bool { return true })
	top := slowed(f, func(rank int) bool { return rank == 0 })
	ring, naive := ringOf(blogParams), naiveOf(blogParams)
	var others []int
	for rank := range slowRanks {
		if rank != slowRank {
			others = append(others, rank)
		}
	}
	short := func(p cluster.Proc) error {
		if p.Rank() == slowRank {
			return nil
		}
		return collective.Ring{Order: others}.AllReduceTiming(p, 0, blogParams)
	}
	c = slowCase{Factor: f, Ring: seconds(one, slowRanks, ring), AllSlow: seconds(all, slowRanks, ring),
		Halving: seconds(one, slowRanks, halvingOf(blogParams)), Naive: seconds(one, slowRanks, naive),
		NaiveTop: seconds(top, slowRanks, naive), Short: seconds(one, slowRanks, short)}
	return c, err
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
	return claims.Verdict("B20", f, result.Because("B20", "hosts", slowRanks, "least", first.Factor, "most", last.Factor, "percent", 100*worst.off(),
		"at", worst.Factor), result.Because("B20-most", "most", last.Factor, "slow", last.Ring, "equal", first.Ring))
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
	return kit.Facts("hosts", slowRanks, "gigabytes/GB", blogBytes/1e9, "link/GB/s", blogLink/1e9, "latency/µs", 2*slowLatency.Microseconds(),
		"slow_rank", slowRank, "others", slowRanks-1, "most", last.Factor, "least", first.Factor, "worst/%.2", 100*furthest(cases).off(),
		"short/s.2", last.Short, "patience", patience, "overtaken", overtaken, "ever_overtaken", !math.IsNaN(overtaken),
		"halving_equal/.2", halving(first), "halving_slow/.2", halving(last), "halving_suffers", halving(last) > 1.1*halving(first))
}
