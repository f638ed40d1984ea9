package ringsparse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// slowPlan is what P11 and P12 are checked on.
type slowPlan struct {
	Nodes    int     `json:"nodes"`
	Factor   float64 `json:"factor"`   // one link is so many times slower
	Elements int     `json:"elements"` // of the layer with uneven blocks
}

func planSlow() slowPlan { return slowPlan{Nodes: 8, Factor: 4, Elements: 800_000} }

// uneven is an exchange of blocks of unequal sizes, one per seed.
type uneven struct {
	Title    string
	Seconds  []float64
	Steps    []float64 // sum over steps of the largest transfer
	Mean     []float64 // sum over steps of the mean transfer
	Distance float64   // worst of |Seconds/Steps − 1| over seeds
}

// slowCheck is what was found.
type slowCheck struct {
	Plan           slowPlan
	Equal, One, At float64 // seconds: all links fast, one slow, all slow
	Uneven         []uneven
	Growth         []growth
}

// growth is the time of one dense all-reduce over D/B.
type growth struct {
	Nodes int
	Ratio float64
}

// slowest runs one dense layer with links that differ, then blocks that differ.
func slowest(ctx context.Context, plan slowPlan, mlp *workload, seeds []uint64) (slowCheck, error) {
	out := slowCheck{Plan: plan}
	job := ringsparse.Job{Layers: []cluster.Layer{{Name: "layer", Length: divisible}}, Rate: 0.05, Steps: 1,
		Options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}}
	one, all := instant(plan.Nodes), instant(plan.Nodes)
	one.Workers[plan.Nodes/2].Bandwidth /= plan.Factor
	for i := range all.Workers {
		all.Workers[i].Bandwidth /= plan.Factor
	}
	for _, x := range []struct {
		p    *cluster.Platform
		into *float64
	}{{instant(plan.Nodes), &out.Equal}, {one, &out.One}, {all, &out.At}} {
		l, err := iterate(ctx, x.p, virtual.Config{Headerless: true}, job, nil)
		if err != nil {
			return out, err
		}
		*x.into = l.Seconds
	}
	for n := 2; n <= mostRanks; n++ {
		l, err := iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, nil)
		if err != nil {
			return out, err
		}
		out.Growth = append(out.Growth, growth{n, l.Seconds * 1e9 / (4 * divisible)})
	}
	drawn, images := uneven{Title: "density rising from 0 to 80 % along the layer"}, uneven{Title: "gradients of the MLP on raw pixels"}
	for _, seed := range seeds {
		if err := drawn.run(ctx, plan.Nodes, slopeTasks(plan, seed), []cluster.Layer{{Name: "layer", Length: plan.Elements}}); err != nil {
			return out, err
		}
		start := mlp.images.start(seed)
		layers := idle(mlp.Layers)
		err := images.run(ctx, plan.Nodes, func(rank int) cluster.Task { return mlp.images.task(seed, rank, plan.Nodes, start) }, layers)
		if err != nil {
			return out, err
		}
	}
	out.Uneven = []uneven{drawn, images}
	return out, nil
}

// idle are layers that take no time to compute.
func idle(layers []cluster.Layer) (out []cluster.Layer) {
	for _, l := range layers {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length})
	}
	return out
}

// slopeTasks make one layer whose density rises along it, so that blocks differ.
func slopeTasks(plan slowPlan, seed uint64) func(rank int) cluster.Task {
	layers := []cluster.Layer{{Name: "layer", Length: plan.Elements}}
	start := drawStart(seed, layers)
	return func(rank int) cluster.Task {
		return newDrawn(rank, seed, layers, start, func(_ int, g []float32, r *rand.Rand) {
			for i := range g {
				if r.Float64() < 0.8*float64(i)/float64(len(g)) {
					g[i] = small(r)
				}
			}
		})
	}
}

// run exchanges gradients as bitmaps, whose sizes follow their densities, on equal
// links with nothing else that takes time.
func (u *uneven) run(ctx context.Context, n int, task func(int) cluster.Task, layers []cluster.Layer) error {
	job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap", LogChoices: true}}
	l, err := iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, task)
	if err != nil {
		return fmt.Errorf("ringsparse: uneven blocks: %w", err)
	}
	most, mean := stepSums(l.Choices, n)
	u.Seconds, u.Steps, u.Mean = append(u.Seconds, l.Seconds), append(u.Steps, most/1e9), append(u.Mean, mean/1e9)
	u.Distance = math.Max(u.Distance, math.Abs(l.Seconds*1e9/most-1))
	return nil
}

// stepSums returns, in bytes, the sum over layers and steps of the largest and of the
// mean message. In a step of the reduce-scatter every rank sends the block that it
// chose about at that hop; in each of the N−1 of the all-gather all finished blocks are
// under way.
func stepSums(choices []ringsparse.Choice, n int) (most, mean float64) {
	type step struct{ layer, hop int }
	largest, sum := map[step]int{}, 0
	for _, c := range choices {
		times := 1
		if c.Gather {
			times = n - 1
		}
		sum += times * c.Bytes
		k := step{c.Layer, c.Hop}
		largest[k] = max(largest[k], times*c.Bytes)
	}
	for _, b := range largest { // integers: order does not matter
		most += float64(b)
	}
	return most, float64(sum) / float64(n)
}

// judgeSlowest judges P11.
func judgeSlowest(s slowCheck) result.Claim {
	limit := claims.Tolerance("P11")
	link := math.Abs(s.One/s.At - 1)
	ok, worst := link <= limit, 0.0
	for _, u := range s.Uneven {
		worst = math.Max(worst, u.Distance)
	}
	ok = ok && worst <= limit
	return holds("P11", ok, len(s.Uneven[0].Seconds), fmt.Sprintf("one slow link %.1f %% from all slow; %.1f %% from the sum of maxima", 100*link, 100*worst),
		fmt.Sprintf("dense, N = %d: one link %g times slower makes the exchange %.2f times as long, all links slower %.2f times; with blocks of unequal size the time is within %.1f %% of the sum over steps of the largest transfer, allowed %.0f %%", s.Plan.Nodes, s.Plan.Factor, s.One/s.Equal, s.At/s.Equal, 100*worst, 100*limit))
}

// judgeGrowth judges P12.
func judgeGrowth(g []growth) result.Claim {
	first, ten, last := g[0], g[0], g[len(g)-1]
	for _, x := range g {
		if x.Nodes == 10 {
			ten = x
		}
	}
	ok := last.Ratio <= (1+claims.Tolerance("P12"))*first.Ratio
	return holds("P12", ok, 0, fmt.Sprintf("×%.3f from N = %d to %d", last.Ratio/first.Ratio, first.Nodes, last.Nodes),
		fmt.Sprintf("one dense all-reduce on equal links without latency takes %.3f·D/B at N = %d and %.3f·D/B at N = %d; it tends to 2·D/B. The time is bounded, and the larger the ring the less it grows: from N = %d to %d by %.1f %%", first.Ratio, first.Nodes, last.Ratio, last.Nodes, ten.Nodes, last.Nodes, 100*(last.Ratio/ten.Ratio-1)))
}

func slowNotes(s slowCheck) []string {
	first, last := s.Growth[0], s.Growth[len(s.Growth)-1]
	u := s.Uneven[0]
	t, _ := exp.MeanAndHalf(u.Seconds)
	mean, _ := exp.MeanAndHalf(u.Mean)
	return []string{
		fmt.Sprintf("“Does not grow with the number of nodes” is true of many nodes: one exchange takes %.3f·D/B at N = %d and %.3f·D/B at N = %d, of at most 2·D/B.", first.Ratio, first.Nodes, last.Ratio, last.Nodes),
		fmt.Sprintf("The slowest link sets the pace: one link %g times slower makes a ring of %d %.2f times slower. Blocks of unequal density do the same: with a %s, an exchange takes %.2f times what blocks of their mean size would.", s.Plan.Factor, s.Plan.Nodes, s.One/s.Equal, u.Title, t/mean),
	}
}
