package exchange

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// slowPlan holds what P11 and P12 are checked on.
type slowPlan struct {
	Nodes    int     `json:"nodes"`
	Factor   float64 `json:"factor"`   // one link is Factor times slower
	Elements int     `json:"elements"` // of the layer with uneven blocks
}

func planSlow() slowPlan { return slowPlan{Nodes: 8, Factor: 4, Elements: 800_000} }

// uneven is an exchange of blocks of unequal sizes, one per seed.
type uneven struct {
	What      string
	Seconds   kit.Sample
	Steps     kit.Sample // sum over steps of the largest transfer
	Mean      kit.Sample // sum over steps of the mean transfer
	Distances kit.Sample // |Seconds/Steps − 1|
}

// slowCheck holds what was found.
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
func slowest(ctx context.Context, plan slowPlan, mlp *setup.Network, seeds []uint64) (slowCheck, error) {
	out := slowCheck{Plan: plan}
	one, all := instant(plan.Nodes), instant(plan.Nodes)
	one.Workers[plan.Nodes/2].Bandwidth /= plan.Factor
	for i := range all.Workers {
		all.Workers[i].Bandwidth /= plan.Factor
	}
	for i, p := range []*cluster.Platform{instant(plan.Nodes), one, all} {
		seconds, err := denseRing(ctx, p, divisible)
		if err != nil {
			return out, err
		}
		*[]*float64{&out.Equal, &out.One, &out.At}[i] = seconds
	}
	for n := 2; n <= mostRanks; n++ {
		seconds, err := denseRing(ctx, instant(n), divisible)
		if err != nil {
			return out, err
		}
		out.Growth = append(out.Growth, growth{n, seconds * 1e9 / (4 * divisible)})
	}
	drawn, images := uneven{What: "slope"}, uneven{What: "images"}
	for _, seed := range seeds {
		if err := drawn.run(ctx, plan.Nodes, slopeTasks(plan, seed), setup.OneLayer(plan.Elements)); err != nil {
			return out, err
		}
		tasks := mlp.Images().Tasks(seed, plan.Nodes, mlp.Images().Start(seed))
		err := images.run(ctx, plan.Nodes, tasks.Task, idle(mlp.Layers))
		if err = cmp.Or(err, tasks.Close()); err != nil {
			return out, err
		}
	}
	out.Uneven = []uneven{drawn, images}
	return out, nil
}

// idle returns layers that take no time to compute.
func idle(layers []cluster.Layer) (out []cluster.Layer) {
	for _, l := range layers {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length})
	}
	return out
}

// steepest is the density at the end of a layer whose density rises from 0.
const steepest = 0.8

// slopeTasks makes one layer whose density rises along it, so that blocks differ.
func slopeTasks(plan slowPlan, seed uint64) func(rank int) cluster.Task {
	return setup.DrawnTasks(seed, setup.OneLayer(plan.Elements), func(_ int, g []float32, r *rand.Rand) {
		for i := range g {
			if r.Float64() < steepest*float64(i)/float64(len(g)) {
				g[i] = setup.Small(r)
			}
		}
	})
}

// run exchanges gradients as bitmaps, whose sizes follow their densities, on equal
// links with nothing else that takes time.
func (u *uneven) run(ctx context.Context, n int, task func(int) cluster.Task, layers []cluster.Layer) error {
	job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap", LogChoices: true}}
	l, err := setup.Iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, task)
	if err != nil {
		return fmt.Errorf("ringsparse: uneven blocks: %w", err)
	}
	most, mean := stepSums(l.Choices, n)
	u.Seconds, u.Steps, u.Mean = append(u.Seconds, l.Seconds), append(u.Steps, most/1e9), append(u.Mean, mean/1e9)
	u.Distances = append(u.Distances, math.Abs(l.Seconds*1e9/most-1))
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

// judgeSlowest judges P11 by the seed that is farthest from it: it is said of every exchange.
func judgeSlowest(s slowCheck) result.Claim {
	limit := claims.Tolerance("P11")
	link, worst := math.Abs(s.One/s.At-1), 0.0
	parts := []result.Part{kit.Part(100*link, link <= limit, "slowest", "one-slow")}
	for _, u := range s.Uneven {
		most := slices.Max(u.Distances)
		part := kit.Part(100*most, most <= limit, "slowest", u.What)
		part.Samples = u.Distances.Map(func(x float64) float64 { return 100 * x })
		worst, parts = math.Max(worst, most), append(parts, part)
	}
	words := result.Because("P11-found", "link", 100*link, "worst", 100*worst)
	found := claims.Holding(link <= limit && worst <= limit, len(s.Uneven[0].Seconds), &words)
	found.Parts = parts
	return claims.Verdict("P11", found, result.Because("P11", "n", s.Plan.Nodes, "factor", s.Plan.Factor, "one", s.One/s.Equal, "all", s.At/s.Equal),
		result.Because("P11-uneven", "worst", 100*worst, "limit", 100*limit))
}

// judgeGrowth judges P12.
func judgeGrowth(g []growth) result.Claim {
	first, ten, last := g[0], g[0], g[len(g)-1]
	for _, x := range g {
		if x.Nodes == 10 {
			ten = x
		}
	}
	words := result.Because("P12-found", "times", last.Ratio/first.Ratio, "first", first.Nodes, "last", last.Nodes)
	found := claims.Holding(last.Ratio <= (1+claims.Tolerance("P12"))*first.Ratio, 0, &words)
	return claims.Verdict("P12", found, result.Because("P12", "first", first.Nodes, "at_first", first.Ratio, "last", last.Nodes, "at_last", last.Ratio,
		"ten", ten.Nodes, "more", 100*(last.Ratio/ten.Ratio-1)))
}

func (s slowCheck) facts() []result.Fact {
	u := s.Uneven[0]
	return kit.Facts("slow.n", s.Plan.Nodes, "slow.factor", s.Plan.Factor, "slow.one/.2", s.One/s.Equal, "slow.all/.2", s.At/s.Equal,
		"slow.steepest/%.0", 100*steepest, "slow.uneven/.2", u.Seconds.Mean().Value/u.Mean.Mean().Value, "divisible", divisible)
}

// frame sets the slowest link and the largest block beside what they are to decide.
func (s slowCheck) frame() result.Frame {
	equal := func(what string, seconds float64) uneven { return uneven{What: what, Seconds: kit.Sample{seconds}} }
	rows := append([]uneven{equal("equal", s.Equal), equal("one-slow", s.One), equal("all-slow", s.At)}, s.Uneven...)
	return kit.Rows("slowest", "what:slowest time/ms.3 most/ms.3 mean/ms.3 ratio/.4", rows, func(u uneven) []any {
		time, most, mean := u.Seconds.Mean(), u.Steps.Mean(), u.Mean.Mean()
		return []any{u.What, time.Times(1e3), most.Times(1e3), mean.Times(1e3), time.Value / most.Value}
	})
}

// growth sets the time of an all-reduce beside 2(N−1)/N and its limit, in units of D/B.
func (s slowCheck) growth() result.Frame {
	return kit.Rows("growth", "n ratio/.4 formula/.4 limit/.0", s.Growth, func(g growth) []any {
		return []any{g.Nodes, g.Ratio, formula.T(g.Nodes, 1, 1), 2}
	})
}
