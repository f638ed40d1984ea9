// Package ring regenerates what the blog on ring all-reduce states: its schedule,
// its costs, its estimate for 300 million parameters and its scaling to 40 GPUs.
//
// Every experiment runs the exchanges of shared/cluster/collective, in virtual time
// or on sockets, and sets what was counted or timed beside the closed form. Results hold
// data alone; the words of their pages are reports/text/ring.
package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// The blog's network, as it states it.
const (
	blogParams = 300_000_000
	blogBytes  = 4 * blogParams
	blogLink   = 1e9 // bytes per second of its first example
)

// Experiments lists them in the order of the blog: how the ring works, what it costs, what
// it computes, and what it gains.
func Experiments() []exp.Experiment {
	return []exp.Experiment{steps(), cost(), equalsSGD(), scaling(), overlap(), placement(), slowLink()}
}

// exchange is one rank's part of an all-reduce.
type exchange func(p cluster.Proc) error

// ringOf returns the timing-only ring all-reduce of n elements, halvingOf and naiveOf the other
// two.
func ringOf(n int) exchange {
	return func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 0, n) }
}

func halvingOf(n int) exchange {
	return func(p cluster.Proc) error { return collective.HalvingDoublingTiming(p, 0, n) }
}

func naiveOf(n int) exchange {
	return func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 0, 0, n) }
}

// oneTo lists the numbers of ranks up to n.
func oneTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

// exchangeRun is a run of one exchange on a fresh virtual cluster: when the last rank had its
// result, and what each sent.
type exchangeRun struct {
	Seconds float64
	cluster.Trace
}

// busiest returns the bytes of the rank that sent most.
func (t exchangeRun) busiest() (most int64) {
	for _, s := range t.Sent {
		most = max(most, s.Bytes)
	}
	return most
}

// onVirtual runs x on the first n workers of p.
func onVirtual(ctx context.Context, p *cluster.Platform, n int, x exchange) (exchangeRun, error) {
	return onCluster(ctx, p, virtual.Config{Workers: n}, x)
}

func onCluster(ctx context.Context, p *cluster.Platform, cfg virtual.Config, x exchange) (exchangeRun, error) {
	ends, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(p cluster.Proc) (time.Duration, error) {
		err := x(p)
		return p.Now(), err
	})
	if err != nil {
		return exchangeRun{}, fmt.Errorf("ring: %d ranks of %s: %w", cfg.Workers, p.Name, err)
	}
	return exchangeRun{slices.Max(ends).Seconds(), *trace}, nil
}

// stopwatch returns a function that times an exchange in seconds on the first n workers of
// p, until one fails: then err says why.
func stopwatch(ctx context.Context, err *error) func(p *cluster.Platform, n int, x exchange) float64 {
	return func(p *cluster.Platform, n int, x exchange) (seconds float64) {
		if *err != nil {
			return math.NaN()
		}
		var t exchangeRun
		t, *err = onVirtual(ctx, p, n, x)
		return t.Seconds
	}
}

// ideal returns a platform of n equal hosts whose links have a bandwidth in bytes per second and
// nothing else: no latency, no cost per message.
func ideal(n int, bandwidth float64) *cluster.Platform {
	p := cluster.Uniform(n, cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: bandwidth}, nil)
	p.Name = fmt.Sprintf("ideal%d", n)
	return p
}

// input tells a number that goes into the runs from one that comes out of them; it keeps a
// verdict from being better than the same sign.
var input = result.Because("input")

// taken judges a number that a platform takes over from the blog: the run shows that a
// transfer gets it.
func taken(id string, measured float64, notes ...result.Reason) result.Claim {
	return claims.Verdict(id, claims.Found{Values: []float64{measured}, Differs: []result.Reason{input}, Notes: notes, Input: true})
}
