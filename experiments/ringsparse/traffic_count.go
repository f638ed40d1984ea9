package ringsparse

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// instant is a cluster of n workers whose links carry one byte per nanosecond and
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

// wrong says in which way a count is not 2(N−1)/N·D, "" if it is. Rationals are exact.
//
//	mean over ranks of the bytes sent = T·B = 2(N−1)/N·D;  T = 2(N−1)/N·D/B
func (c ringCount) wrong() string {
	factor := big.NewRat(int64(2*(c.Nodes-1)), int64(c.Nodes))
	var total int64
	for _, s := range c.Sent {
		total += s
	}
	mean := big.NewRat(total, int64(c.Nodes))
	if want := new(big.Rat).Mul(factor, big.NewRat(4*int64(c.Elements), 1)); mean.Cmp(want) != 0 {
		return fmt.Sprintf("N = %d: a rank sends %s bytes on average, formula %s", c.Nodes, mean.RatString(), want.RatString())
	}
	if want := new(big.Rat).Mul(factor, big.NewRat(4*divisible, 1)); want.Cmp(big.NewRat(c.Nanoseconds, 1)) != 0 {
		return fmt.Sprintf("N = %d: %d ns, formula %s", c.Nodes, c.Nanoseconds, want.RatString())
	}
	if want := formula.T(c.Nodes, 4*divisible, 1e9); math.Abs(want-float64(c.Nanoseconds)/1e9) > 1e-12*want {
		return fmt.Sprintf("N = %d: formula.T says %g s", c.Nodes, want)
	}
	return ""
}

// countRings counts dense rings of 1 to 16 workers.
func countRings(ctx context.Context, elements int, seed uint64, b *exp.Bar) ([]ringCount, error) {
	layers := []cluster.Layer{{Name: "layer", Length: elements}}
	start := drawStart(seed, layers)
	var out []ringCount
	for n := 1; n <= mostRanks; n++ {
		c := ringCount{Nodes: n, Elements: elements}
		job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}}
		real, err := iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, func(rank int) cluster.Task {
			return newDrawn(rank, seed, layers, start, func(_ int, g []float32, r *rand.Rand) { scatter(g, 0.5, r) })
		})
		if err != nil {
			return nil, fmt.Errorf("ringsparse: dense ring of %d: %w", n, err)
		}
		for _, s := range real.Trace.Sent {
			c.Sent = append(c.Sent, s.Bytes)
		}
		job.Layers = []cluster.Layer{{Name: "layer", Length: divisible}}
		timed, err := iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, nil)
		if err != nil {
			return nil, fmt.Errorf("ringsparse: dense ring of %d: %w", n, err)
		}
		c.Nanoseconds = int64(math.Round(timed.Seconds * 1e9))
		out = append(out, c)
		b.Step(fmt.Sprintf("dense ring of %d", n))
	}
	return out, nil
}

func wrongRings(rings []ringCount) (out []string) {
	for _, c := range rings {
		if w := c.wrong(); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// judgeRing judges P01.
func judgeRing(plan trafficPlan, rings []ringCount) result.Claim {
	bad := wrongRings(rings)
	found := ""
	if len(bad) > 0 {
		found = bad[0]
	}
	return identity("P01", len(bad) == 0, found, fmt.Sprintf("in exact rationals, every N from 1 to %d: the mean of the bytes that ranks send of a real layer of %d elements, and the virtual time of a timing-only layer of %d elements on links without latency", mostRanks, plan.Elements, divisible))
}

func ringNote(rings []ringCount) string {
	if bad := wrongRings(rings); len(bad) > 0 {
		return "The dense ring is not what T says: " + bad[0] + "."
	}
	return fmt.Sprintf("The dense ring moves exactly T·B = 2(N−1)/N·D per rank and takes exactly T, at every N from 1 to %d.", len(rings))
}

// counted is one way of one workload with real vectors.
type counted struct {
	Work, Way string
	Real      bool      // gradients of images; else random ones
	Density   float64   // of one worker's gradients
	Counted   []float64 // bytes of all ranks, by seed
	Modelled  int64     // of the timing-only run
}

// countReal runs real vectors of the workloads' densities, and the MLP's own
// gradients, beside timing-only runs.
func countReal(ctx context.Context, plan trafficPlan, works []workload, seeds []uint64, b *exp.Bar) ([]counted, error) {
	var out []counted
	for i := range works {
		w := &works[i]
		if !slices.Contains(plan.Counted, w.Key) {
			continue
		}
		for _, key := range plan.CountedWays {
			l := leg{way: ways[wayIndex(key)], gbps: plan.CountedLink, nodes: plan.CountedNodes}
			timed, err := w.run(ctx, l)
			if err != nil {
				return nil, err
			}
			random := counted{Work: w.Title, Way: l.way.Title, Density: w.density(), Modelled: timed.Totals.Sent.Bytes}
			real := random
			real.Real = true
			for _, seed := range seeds {
				if len(random.Counted) > 0 && w.density() == 1 {
					break // without zeros there is nothing to draw
				}
				l.task = w.draws(seed)
				if err := random.count(ctx, w, l); err != nil {
					return nil, err
				}
				if w.images == nil {
					continue
				}
				start := w.images.start(seed)
				l.task = func(rank int) cluster.Task { return w.images.task(seed, rank, plan.CountedNodes, start) }
				if err := real.count(ctx, w, l); err != nil {
					return nil, err
				}
			}
			out = append(out, random)
			if w.images != nil {
				out = append(out, real)
			}
			b.Step(fmt.Sprintf("%s, real vectors, %s", w.Title, l.way.Title))
		}
	}
	return out, nil
}

func (c *counted) count(ctx context.Context, w *workload, l leg) error {
	x, err := w.run(ctx, l)
	if err == nil {
		c.Counted = append(c.Counted, float64(x.Totals.Sent.Bytes))
	}
	return err
}

// off is how far the model is from what was counted, relative to that.
func (c *counted) off() float64 {
	mean, _ := exp.MeanAndHalf(c.Counted)
	return float64(c.Modelled)/mean - 1
}

func countNote(plan trafficPlan, counts []counted) string {
	worst, worstReal := 0.0, 0.0
	for i := range counts {
		if c := &counts[i]; c.Real {
			worstReal = math.Max(worstReal, c.off())
		} else {
			worst = math.Max(worst, math.Abs(c.off()))
		}
	}
	agree := fmt.Sprintf("are within %.1f %% of those", 100*worst)
	if worst > plan.Within {
		agree = fmt.Sprintf("are up to %.1f %% (allowed %.0f %%) away from those", 100*worst, 100*plan.Within)
	}
	return fmt.Sprintf("Bytes of timing-only runs %s of real random vectors of the same densities (N = %d, %s). Of the MLP's own gradients, whose zeros coincide between workers, they are too many by %.1f %% at most.", agree, plan.CountedNodes, linkName(plan.CountedLink), 100*worstReal)
}
