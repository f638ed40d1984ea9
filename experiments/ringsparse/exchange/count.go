package exchange

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// instant returns a cluster of n workers whose links carry one byte per nanosecond and
// have no latency, and whose devices compute in no time: durations are bytes.
func instant(n int) *cluster.Platform {
	p := cluster.Uniform(n, cluster.Host{Name: "worker", FLOPS: 1e18, Bandwidth: 1e9}, nil)
	p.Name = fmt.Sprintf("instant%d", n)
	return p
}

// mostRanks is where P01 ends.
const mostRanks = 16

// divisible is the least number that every N up to 16 divides.
const divisible = 720720

// ringCount is one dense ring: bytes of real vectors, and the time of a layer that N
// divides.
type ringCount struct {
	Nodes, Elements int
	Sent            []int64 // by rank
	Nanoseconds     int64   // of a layer of `divisible` elements
}

func (c ringCount) total() (n int64) {
	for _, s := range c.Sent {
		n += s
	}
	return n
}

// wrong reports in which way a count is not 2(N−1)/N·D, nil if it is. Rationals are exact.
//
//	mean over ranks of the bytes sent = T·B = 2(N−1)/N·D;  T = 2(N−1)/N·D/B
func (c ringCount) wrong() *result.Reason {
	bad := func(what string, got, want any) *result.Reason {
		r := result.Because("P01-wrong", "n", c.Nodes, "what", what, "got", got, "want", want)
		return &r
	}
	factor := big.NewRat(int64(2*(c.Nodes-1)), int64(c.Nodes))
	mean := big.NewRat(c.total(), int64(c.Nodes))
	if want := new(big.Rat).Mul(factor, big.NewRat(4*int64(c.Elements), 1)); mean.Cmp(want) != 0 {
		return bad("bytes", mean.RatString(), want.RatString())
	}
	if want := new(big.Rat).Mul(factor, big.NewRat(4*divisible, 1)); want.Cmp(big.NewRat(c.Nanoseconds, 1)) != 0 {
		return bad("nanoseconds", c.Nanoseconds, want.RatString())
	}
	if want := formula.T(c.Nodes, 4*divisible, 1e9); math.Abs(want-float64(c.Nanoseconds)/1e9) > 1e-12*want {
		return bad("formula", c.Nanoseconds, 1e9*want)
	}
	return nil
}

// countRings counts dense rings of 1 to 16 workers.
func countRings(ctx context.Context, elements int, seed uint64, b *exp.Bar) ([]ringCount, error) {
	layers := setup.OneLayer(elements)
	tasks := setup.DrawnTasks(seed, layers, func(_ int, g []float32, r *rand.Rand) { setup.Scatter(g, 1, 0.5, r) })
	return kit.Sweep(b, upTo(1, mostRanks), func(n int) (ringCount, error) {
		c := ringCount{Nodes: n, Elements: elements}
		job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: setup.WayOf("dense").Options}
		real, err := setup.Iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, tasks)
		if err != nil {
			return c, fmt.Errorf("ringsparse: dense ring of %d: %w", n, err)
		}
		for _, s := range real.Trace.Sent {
			c.Sent = append(c.Sent, s.Bytes)
		}
		timed, err := denseRing(ctx, instant(n), divisible)
		c.Nanoseconds = int64(math.Round(timed * 1e9))
		return c, err
	})
}

// denseRing returns the seconds of one dense all-reduce, timing-only.
func denseRing(ctx context.Context, p *cluster.Platform, elements int) (float64, error) {
	job := ringsparse.Job{Layers: setup.OneLayer(elements), Rate: 0.05, Steps: 1, Options: setup.WayOf("dense").Options}
	l, err := setup.Iterate(ctx, p, virtual.Config{Headerless: true}, job, nil)
	if err != nil {
		return 0, fmt.Errorf("ringsparse: dense ring of %d: %w", len(p.Workers), err)
	}
	return l.Seconds, nil
}

func wrongRings(rings []ringCount) (out []result.Reason) {
	for _, c := range rings {
		if w := c.wrong(); w != nil {
			out = append(out, *w)
		}
	}
	return out
}

// judgeRing judges P01.
func judgeRing(plan trafficPlan, rings []ringCount) result.Claim {
	found := claims.Identity(true, result.Reason{})
	if bad := wrongRings(rings); len(bad) > 0 {
		found = claims.Identity(false, bad[0])
	}
	return claims.Verdict("P01", found, result.Because("P01", "most", mostRanks, "elements", plan.Elements, "divisible", divisible))
}

// ringFrame sets T beside bytes and virtual time.
func ringFrame(rings []ringCount) result.Frame {
	head := "n least/bytes most/bytes total/bytes formula/bytes time/ns t/ns"
	return kit.Rows("dense-ring", head, rings, func(c ringCount) []any {
		steps := 2 * int64(c.Nodes-1)
		return []any{c.Nodes, slices.Min(c.Sent), slices.Max(c.Sent), c.total(), steps * 4 * int64(c.Elements),
			c.Nanoseconds, steps * 4 * divisible / int64(c.Nodes)}
	})
}

// counted is one way of one network with real vectors.
type counted struct {
	Work, Way string
	Own       bool // gradients of images; else random ones
	Counted   kit.Sample
	Modelled  int64 // of the timing-only run
}

// countReal runs real vectors of the networks' densities, and the MLP's own gradients, beside
// timing-only runs.
func countReal(ctx context.Context, plan trafficPlan, works []setup.Network, seeds []uint64, b *exp.Bar) ([]counted, error) {
	var out []counted
	for _, w := range works {
		if !slices.Contains(plan.Counted, w.Key) {
			continue
		}
		for _, key := range plan.CountedWays {
			l := setup.Case{Way: setup.WayOf(key), Gbps: plan.CountedLink, Nodes: plan.CountedNodes}
			timed, err := w.Run(ctx, l)
			if err != nil {
				return nil, err
			}
			random := counted{Work: w.Key, Way: key, Modelled: timed.Totals.Sent.Bytes}
			own := random
			own.Own = true
			for _, seed := range seeds {
				if len(random.Counted) > 0 && w.MeanDensity() == 1 {
					break // without zeros there is nothing to draw
				}
				l.Task = w.Draw(seed)
				if err := random.count(ctx, w, l); err != nil {
					return nil, err
				}
				if w.Images() == nil {
					continue
				}
				tasks := w.Images().Tasks(seed, plan.CountedNodes, w.Images().Start(seed))
				l.Task = tasks.Task
				err := own.count(ctx, w, l)
				if err = cmp.Or(err, tasks.Close()); err != nil {
					return nil, err
				}
			}
			out = append(out, random)
			if w.Images() != nil {
				out = append(out, own)
			}
			b.Step(fmt.Sprintf("%s, real vectors, %s", w.Key, key))
		}
	}
	return out, nil
}

func (c *counted) count(ctx context.Context, w setup.Network, l setup.Case) error {
	x, err := w.Run(ctx, l)
	if err == nil {
		c.Counted = append(c.Counted, float64(x.Totals.Sent.Bytes))
	}
	return err
}

// off returns how far the model is from what was counted, relative to that, in per cent.
func (c counted) off() float64 { return 100 * (float64(c.Modelled)/c.Counted.Mean().Value - 1) }

// off returns the largest distance of random vectors and of the MLP's own gradients.
func (s sent) off() (random, own float64) {
	for _, c := range s.counts {
		if c.Own {
			own = max(own, c.off())
		} else {
			random = max(random, math.Abs(c.off()))
		}
	}
	return random, own
}

func countFrame(counts []counted) result.Frame {
	vectors := map[bool]string{true: "own", false: "random"}
	head := "work:work vectors:vectors way:way counted±/MB.3 modelled/MB.3 off/%.2"
	return kit.As(result.Counted, kit.Rows("counted", head, counts, func(c counted) []any {
		return []any{c.Work, vectors[c.Own], c.Way, c.Counted.Mean().Times(1e-6), float64(c.Modelled) / 1e6, c.off()}
	}))
}
