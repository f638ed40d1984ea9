package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// arrangement is an order of the 40 GPUs in the ring. Contiguous: the GPUs of every
// node are neighbours.
type arrangement struct {
	Key        string
	Contiguous bool
	Order      []int
}

// randomOrders is how many orders each seed draws.
const randomOrders = 5

// arrangements are the orders that are run.
func arrangements(seeds []uint64) []arrangement {
	nodes := blogGPUs / blogPerNode
	adjacent, interleaved := make([]int, 0, blogGPUs), make([]int, 0, blogGPUs)
	for i := range blogGPUs {
		adjacent = append(adjacent, i)
		interleaved = append(interleaved, i%nodes*blogPerNode+i/nodes)
	}
	pairs := make([]int, 0, blogGPUs) // two GPUs of a node, then two of the next
	for i := 0; i < blogGPUs; i += 2 {
		k := i / 2
		first := k%nodes*blogPerNode + k/nodes*2
		pairs = append(pairs, first, first+1)
	}
	out := []arrangement{{"adjacent: nodes one after another", true, adjacent}, {"pairs: two GPUs of each node in turn", false, pairs}, {"interleaved: one GPU of each node in turn", false, interleaved}}
	for _, seed := range seeds {
		r := cluster.Stream(seed, -1, "ring", "orders")
		var mixed []int
		for _, k := range r.Perm(nodes) {
			for _, g := range r.Perm(blogPerNode) {
				mixed = append(mixed, k*blogPerNode+g)
			}
		}
		out = append(out, arrangement{fmt.Sprintf("adjacent, nodes and GPUs shuffled, seed %d", seed), true, mixed})
		for i := range randomOrders {
			out = append(out, arrangement{fmt.Sprintf("random %d, seed %d", i+1, seed), false, r.Perm(blogGPUs)})
		}
	}
	return out
}

// crossings are the links of the ring that leave a node: all, and those of the node
// with the most.
func (a arrangement) crossings() (all, most int) {
	by := map[int]int{}
	for i, g := range a.Order {
		if node := g / blogPerNode; node != a.Order[(i+1)%len(a.Order)]/blogPerNode {
			all++
			by[node]++
			most = max(most, by[node])
		}
	}
	return all, most
}

// placed is one order's time.
type placed struct {
	arrangement
	Seconds float64
}

// rival is an all-reduce of n elements.
type rival struct {
	key, title string
	run        func(p cluster.Proc, n int) error
}

// rivals are the exchanges that are compared; the first is the ring.
func rivals() []rival {
	return []rival{
		{"ring", "ring", func(p cluster.Proc, n int) error { return collective.RingAllReduceTiming(p, 0, n) }},
		{"halving-doubling", "halving-doubling", func(p cluster.Proc, n int) error { return collective.HalvingDoublingTiming(p, 0, n) }},
		{"hierarchical", "hierarchical ring", func(p cluster.Proc, n int) error {
			return collective.HierarchicalTiming(p, 0, nodeOf(p.Size()), n)
		}},
		{"naive", "single reducer", func(p cluster.Proc, n int) error { return collective.NaiveExchangeTiming(p, 0, 0, n) }},
	}
}

// nodeOf is how many ranks a node of the hierarchical ring holds: the blog's eight,
// or else the largest proper divisor of n that is no more.
func nodeOf(n int) int {
	for g := min(blogPerNode, n-1); g > 1; g-- {
		if n%g == 0 {
			return g
		}
	}
	return 1
}

// placement asks which order of the ring is best, and what beats the ring.
func placement() exp.Experiment {
	e := exp.Experiment{ID: "ring/placement", Title: "Neighbours, and rivals of the ring", Source: "the blog, Allreduce Communication Cost", Profiles: exp.Profiles}
	e.Seconds = func(_ string, seeds int) float64 { return 0.5 + 0.05*float64(seeds) }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		p, list := blogCluster(), arrangements(env.Seeds)
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"platform": p, "bytes": blogBytes, "random_orders": randomOrders, "sizes": rivalSizes, "ranks": rivalRanks, "slowest": blogSlowest, "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(len(list) + len(rivalSizes) + len(rivalRanks) + 1)}
		var orders []placed
		for _, a := range list {
			t, err := onVirtual(ctx, p, blogGPUs, func(p cluster.Proc) error {
				return collective.Ring{Order: a.Order}.AllReduceTiming(p, 0, blogParams)
			})
			if err != nil {
				return res, err
			}
			orders = append(orders, placed{a, t.Seconds})
			b.Step(a.Key)
		}
		sizes, err := rivalsBySize(ctx, p, &b)
		if err != nil {
			return res, err
		}
		equal, err := rivalsOnEqualLinks(ctx, &b)
		if err != nil {
			return res, err
		}
		within, between, err := hops(ctx, p)
		if err != nil {
			return res, err
		}
		b.Step("two transfers")
		res.Tables = []result.Table{orderTable(orders), sizeTable(sizes), optimalTable(equal)}
		res.Figures = []result.Figure{orderFigure(orders), sizeFigure(sizes)}
		res.Claims = append(judgeHops(within, between), judgeOptimal(equal, sizes), judgePlacement(orders))
		res.Notes = placementNotes(orders, sizes, equal)
		res.Status = complete
		return res, nil
	}
	return e
}

// hops is the bandwidth that one transfer of 1.2 GB gets within a node and between
// two, in bytes per second.
func hops(ctx context.Context, p *cluster.Platform) (within, between float64, err error) {
	for _, hop := range []struct {
		to   int
		into *float64
	}{{1, &within}, {blogPerNode, &between}} {
		t, err := onVirtual(ctx, p, blogGPUs, func(p cluster.Proc) error {
			switch p.Rank() {
			case 0:
				return cluster.Wait(p, p.Isend(hop.to, 0, &cluster.Msg{Declared: blogBytes}))
			case hop.to:
				return cluster.Wait(p, p.Irecv(0, 0, &cluster.Msg{}))
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
		*hop.into = blogBytes / t.Seconds
	}
	return within, between, nil
}
