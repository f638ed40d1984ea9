package ring

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
)

// arrangement is an order of the 40 GPUs in the ring. Together: the GPUs of every node are
// neighbours.
type arrangement struct {
	Key      string // adjacent, pairs, interleaved, shuffled (nodes and their GPUs), random
	Seed     *uint64
	Draw     int // of a seed's random orders, from 1
	Together bool
	Order    []int
}

func (a arrangement) String() string { return "order " + a.Key }

// randomOrders is how many orders each seed draws.
const randomOrders = 5

// arrangements returns the orders that are run.
func arrangements(seeds []uint64) []arrangement {
	nodes := blogGPUs / blogPerNode
	var adjacent, interleaved, pairs []int // pairs: two GPUs of a node, then two of the next
	for i := range blogGPUs {
		adjacent = append(adjacent, i)
		interleaved = append(interleaved, i%nodes*blogPerNode+i/nodes)
		pairs = append(pairs, i/2%nodes*blogPerNode+i/2/nodes*2+i%2)
	}
	out := []arrangement{{"adjacent", nil, 0, true, adjacent}, {"pairs", nil, 0, false, pairs}, {"interleaved", nil, 0, false, interleaved}}
	for _, seed := range seeds {
		r := cluster.Stream(seed, -1, "ring", "orders")
		var mixed []int
		for _, k := range r.Perm(nodes) {
			for _, g := range r.Perm(blogPerNode) {
				mixed = append(mixed, k*blogPerNode+g)
			}
		}
		out = append(out, arrangement{"shuffled", &seed, 0, true, mixed})
		for i := range randomOrders {
			out = append(out, arrangement{"random", &seed, i + 1, false, r.Perm(blogGPUs)})
		}
	}
	return out
}

// crossings counts the links of the ring that leave a node: of all nodes, and of the node with the
// most.
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

// placed is an order with its time.
type placed struct {
	arrangement
	Seconds float64
}

// predicted returns the time of the blog's formula with the busiest node's card shared by
// all links of the ring that leave it.
func (p placed) predicted() float64 {
	_, most := p.crossings()
	return formula.RingTime(blogGPUs, blogBytes, 0, blogSlowest/float64(max(most, 1)))
}

// placement returns the experiment that asks which order of the ring is best, and what beats the
// ring.
func placement() exp.Experiment {
	return kit.Inquiry{ID: "ring/placement", Source: "the blog, Allreduce Communication Cost", Kind: result.TimingOnly,
		Profiles: exp.Profiles, Run: runPlacement,
		Seconds: func(_ string, seeds int) float64 { return 0.5 + 0.05*float64(seeds) },
		Config: func(string) map[string]any {
			return map[string]any{"platform": kit.Platform(blogCluster()), "bytes": blogBytes, "random_orders": randomOrders,
				"sizes": rivalSizes, "ranks": rivalRanks, "slowest": blogSlowest}
		}}.Experiment()
}

func runPlacement(ctx context.Context, env exp.Env, r *result.Result) error {
	p, list := blogCluster(), arrangements(env.Seeds)
	b := exp.Bar{Env: env, Total: float64(len(list) + len(rivalSizes) + len(rivalRanks) + 1)}
	orders, err := kit.Sweep(&b, list, func(a arrangement) (placed, error) {
		t, err := onVirtual(ctx, p, blogGPUs, func(p cluster.Proc) error {
			return collective.Ring{Order: a.Order}.AllReduceTiming(p, 0, blogParams)
		})
		return placed{a, t.Seconds}, err
	})
	if err != nil {
		return err
	}
	sizes, err := kit.Sweep(&b, rivalSizes, func(k int) (rivalRuns, error) { return runRivals(ctx, p, blogGPUs, k) })
	if err != nil {
		return err
	}
	equal, err := kit.Sweep(&b, rivalRanks, func(n int) (rivalRuns, error) { // equal links without latency
		return runRivals(ctx, ideal(n, blogSlowest), n, blogParams)
	})
	if err != nil {
		return err
	}
	within, between, err := hops(ctx, p)
	if err != nil {
		return err
	}
	b.Step("two transfers")
	r.Frames = []result.Frame{orderFrame(orders), kindFrame(orders), sizeFrame(sizes), optimalFrame(equal)}
	r.Figures = []result.Figure{{ID: "orders-time", Form: "bar", Frame: "kinds", X: "order", Y: []string{"least", "time", "most"}},
		{ID: "sizes-time", Form: "line", Frame: "sizes", X: "bytes", Y: []string{"ring", "halving", "hierarchical", "naive"}, Log: "xy"}}
	r.Claims = append(judgeHops(within, between), judgeOptimal(equal, sizes), judgePlacement(orders))
	r.Facts = append(orderFacts(orders), rivalFacts(sizes, equal)...)
	return nil
}

// hops returns the bandwidth that one transfer of 1.2 GB gets within a node and between
// two, in bytes per second.
func hops(ctx context.Context, p *cluster.Platform) (within, between float64, err error) {
	seconds := stopwatch(ctx, &err)
	bandwidth := func(to int) float64 {
		return blogBytes / seconds(p, blogGPUs, func(p cluster.Proc) error {
			switch p.Rank() {
			case 0:
				return cluster.Wait(p, p.Isend(to, 0, &cluster.Msg{Declared: blogBytes}))
			case to:
				return cluster.Wait(p, p.Irecv(0, 0, &cluster.Msg{}))
			}
			return nil
		})
	}
	within, between = bandwidth(1), bandwidth(blogPerNode)
	return within, between, err
}

// judgeHops judges B11 and B12.
func judgeHops(within, between float64) []result.Claim {
	return []result.Claim{
		taken("B11", within/1e9, result.Because("taken-over", "gigabytes", blogBytes/1e9, "hop", "within", "from", 0, "to", 1)),
		taken("B12", between/1e9, result.Because("taken-over", "gigabytes", blogBytes/1e9, "hop", "between", "from", 0, "to", blogPerNode))}
}

func orderFrame(orders []placed) result.Frame {
	head := "order:order seed draw together:bool crossings most modelled/ms.1 time/ms.1 factor/.2"
	return kit.Rows("orders", head, orders, func(p placed) []any {
		var seed, draw any
		if p.Seed != nil {
			seed = *p.Seed
		}
		if p.Draw > 0 {
			draw = p.Draw
		}
		all, most := p.crossings()
		return []any{p.Key, seed, draw, p.Together, all, most, 1e3 * p.predicted(), 1e3 * p.Seconds, p.Seconds / orders[0].Seconds}
	})
}

// orderTimes summarises the times of some orders, in seconds.
type orderTimes struct {
	n                 int
	least, mean, most float64
}

// orderTimesOf sums up the orders that pick takes.
func orderTimesOf(orders []placed, pick func(placed) bool) orderTimes {
	l := orderTimes{least: math.Inf(1)}
	for _, o := range orders {
		if pick(o) {
			l.least, l.most, l.mean, l.n = math.Min(l.least, o.Seconds), math.Max(l.most, o.Seconds), l.mean+o.Seconds, l.n+1
		}
	}
	l.mean /= float64(l.n)
	return l
}

func isKind(key string) func(placed) bool { return func(p placed) bool { return p.Key == key } }
func isTogether(p placed) bool            { return p.Together }
func isApart(p placed) bool               { return !p.Together }

// kindFrame sums up the orders of each kind.
func kindFrame(orders []placed) result.Frame {
	kinds := []string{"adjacent", "pairs", "interleaved", "random"}
	return kit.Rows("kinds", "order:order orders least/ms.0 time/ms.0 most/ms.0", kinds, func(key string) []any {
		l := orderTimesOf(orders, isKind(key))
		return []any{key, l.n, 1e3 * l.least, 1e3 * l.mean, 1e3 * l.most}
	})
}

// contiguousWins reports whether every order that keeps nodes together is faster than every
// one that does not, and whether interleaving costs at least the tolerance.
func contiguousWins(orders []placed) (ok bool, factor float64) {
	factor = orderTimesOf(orders, isKind("interleaved")).mean / orders[0].Seconds
	return orderTimesOf(orders, isTogether).most < orderTimesOf(orders, isApart).least && factor >= 1+claims.Tolerance("B21"), factor
}

func judgePlacement(orders []placed) result.Claim {
	ok, factor := contiguousWins(orders)
	apart := orderTimesOf(orders, isApart)
	words := result.Because("B21-found", "factor", factor)
	f := claims.Holding(ok, 0, &words)
	for _, key := range []string{"pairs", "interleaved", "random"} {
		l := orderTimesOf(orders, isKind(key))
		f.Parts = append(f.Parts, kit.Part(l.mean/orders[0].Seconds, l.least > orderTimesOf(orders, isTogether).most, "order", key))
	}
	return claims.Verdict("B21", f, result.Because("B21", "gigabytes", blogBytes/1e9, "together", 1e3*orders[0].Seconds,
		"least", 1e3*apart.least, "most", 1e3*apart.most, "orders", apart.n), result.Because("B21-card", "card", blogSlowest/1e9))
}

func orderFacts(orders []placed) []result.Fact {
	ok, factor := contiguousWins(orders)
	random, together, off := orderTimesOf(orders, isKind("random")), orderTimesOf(orders, isTogether), 0.0
	for _, o := range orders {
		off = math.Max(off, math.Abs(o.Seconds/o.predicted()-1))
	}
	adjacent, spread := orders[0].Seconds, 100*(together.most/together.least-1)
	return kit.Facts("together_wins", ok, "gigabytes/GB", blogBytes/1e9, "adjacent/ms.0", 1e3*adjacent, "interleaved/.1", factor,
		"random_least/.1", random.least/adjacent, "random_most/.1", random.most/adjacent, "random_mean/.1", random.mean/adjacent,
		"random", random.n, "spread/%.2", spread, "spread_none", spread < 0.005, "off/%.0", 100*off,
		"gpus", blogGPUs, "nodes", blogGPUs/blogPerNode, "per_node", blogPerNode, "card/GB/s.0", blogSlowest/1e9)
}

// rivalSizes are elements: from 1.2 kB to the blog's 1.2 GB.
var rivalSizes = []int{300, 3_000, 30_000, 300_000, 3_000_000, 30_000_000, blogParams}

// rivalRanks are the sizes at which the ring's optimality is tested: powers of two
// and others, one (7) that cuts ragged chunks.
var rivalRanks = []int{2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32, 40}

// rivals are all-reduces of n elements that are compared; the first is the ring.
var rivals = []struct {
	key string
	of  func(n int) exchange
}{{"ring", ringOf}, {"halving", halvingOf}, {"hierarchical", twoLevels}, {"naive", naiveOf}}

func twoLevels(n int) exchange {
	return func(p cluster.Proc) error { return collective.HierarchicalTiming(p, 0, nodeOf(p.Size()), n) }
}

// nodeOf returns how many ranks a node of the hierarchical ring holds: the blog's eight, or
// else the largest proper divisor of n that is no more.
func nodeOf(n int) int {
	for g := min(blogPerNode, n-1); g > 1; g-- {
		if n%g == 0 {
			return g
		}
	}
	return 1
}

// rivalRuns holds the runs of every rival on one size and number of ranks.
type rivalRuns struct {
	Ranks, Elements int
	Runs            []exchangeRun // as rivals
}

func runRivals(ctx context.Context, p *cluster.Platform, n, elements int) (rivalRuns, error) {
	t := rivalRuns{Ranks: n, Elements: elements}
	for _, r := range rivals {
		x, err := onVirtual(ctx, p, n, r.of(elements))
		if err != nil {
			return t, err
		}
		t.Runs = append(t.Runs, x)
	}
	return t, nil
}

func (t rivalRuns) bytes() float64 { return 4 * float64(t.Elements) }

// bound returns the least that the busiest rank can send.
func (t rivalRuns) bound() float64 { return formula.RingBytes(t.Ranks, t.bytes()) }

// fastest returns the index of the quickest rival.
func (t rivalRuns) fastest() (at int) {
	for i := range t.Runs {
		if t.Runs[i].Seconds < t.Runs[at].Seconds {
			at = i
		}
	}
	return at
}

// ties reports whether rival i is as fast as the ring, within the tolerance of B19, and its
// busiest rank sends as much.
func (t rivalRuns) ties(i int) bool {
	ring, x := t.Runs[0], t.Runs[i]
	bytes := x.busiest() - ring.busiest()
	return max(bytes, -bytes) < ragged && math.Abs(x.Seconds/ring.Seconds-1) <= claims.Tolerance("B19")
}

// faults lists what speaks against the ring's optimality on equal links.
func (t rivalRuns) faults() (out []result.Reason) {
	ring := t.Runs[0]
	if float64(ring.busiest()) >= t.bound()+ragged {
		out = append(out, result.Because("B19-bytes", "n", t.Ranks, "sent", float64(ring.busiest()), "bound", t.bound()))
	}
	for i, r := range rivals[1:] {
		x := t.Runs[i+1]
		if x.busiest() <= ring.busiest()-ragged {
			out = append(out, result.Because("B19-less", "n", t.Ranks, "rival", r.key, "sent", float64(x.busiest()), "ring", float64(ring.busiest())))
		}
		if x.Seconds < ring.Seconds/(1+claims.Tolerance("B19")) {
			out = append(out, result.Because("B19-faster", "n", t.Ranks, "rival", r.key, "seconds", x.Seconds, "ring", ring.Seconds))
		}
	}
	return out
}

func faultsOf(equal []rivalRuns) (out []result.Reason) {
	for _, t := range equal {
		out = append(out, t.faults()...)
	}
	return out
}

// judgeOptimal judges B19; its parts are the rivals, each where it comes nearest to the ring.
func judgeOptimal(equal, sizes []rivalRuns) result.Claim {
	against := faultsOf(equal)
	words := result.Because("B19-found", "sizes", len(equal))
	if len(against) > 0 {
		words = against[0]
	}
	f := claims.Holding(len(against) == 0, 0, &words)
	for i, r := range rivals[1:] {
		nearest := math.Inf(1)
		for _, t := range equal {
			nearest = math.Min(nearest, t.Runs[i+1].Seconds/t.Runs[0].Seconds)
		}
		f.Parts = append(f.Parts, kit.Part(nearest, nearest >= 1/(1+claims.Tolerance("B19")), "exchange", r.key))
	}
	note := result.Because("B19", "loses", false)
	for _, t := range sizes {
		if i := t.fastest(); i != 0 {
			note = result.Because("B19", "loses", true, "kilobytes", t.bytes()/1e3, "gpus", blogGPUs, "fastest", rivals[i].key,
				"ms", 1e3*t.Runs[i].Seconds, "ring", 1e3*t.Runs[0].Seconds)
		}
	}
	return claims.Verdict("B19", f, result.Because("B19-scope"), note)
}

// sizeFrame shows where the ring loses.
func sizeFrame(sizes []rivalRuns) result.Frame {
	head := "bytes/bytes.0 kilobytes/kB"
	for _, r := range rivals {
		head += " " + r.key + "/ms.3"
	}
	return kit.Rows("sizes", head+" fastest:exchange", sizes, func(t rivalRuns) []any {
		row := []any{t.bytes(), t.bytes() / 1e3}
		for _, x := range t.Runs {
			row = append(row, 1e3*x.Seconds)
		}
		return append(row, rivals[t.fastest()].key)
	})
}

// optimalFrame sets bytes and times on equal links beside the lower bounds, and says who
// ties with the ring.
func optimalFrame(equal []rivalRuns) result.Frame {
	head := "n inner ring_bytes/.3 ring_time/.3"
	for _, r := range rivals[1:] {
		head += fmt.Sprintf(" %s_bytes/.3 %[1]s_time/.3 %[1]s_ties:bool", r.key)
	}
	return kit.Rows("optimal", head, equal, func(t rivalRuns) []any {
		row := []any{t.Ranks, nodeOf(t.Ranks)}
		for i, x := range t.Runs {
			row = append(row, float64(x.busiest())/t.bound(), x.Seconds/(t.bound()/blogSlowest))
			if i > 0 {
				row = append(row, t.ties(i))
			}
		}
		return row
	})
}

// crossover returns the first size from which on the ring is fastest; no number if never.
func crossover(sizes []rivalRuns) float64 {
	from := math.NaN()
	for i := len(sizes) - 1; i >= 0 && sizes[i].fastest() == 0; i-- {
		from = sizes[i].bytes()
	}
	return from
}

func rivalFacts(sizes, equal []rivalRuns) []result.Fact {
	small, large := sizes[0], sizes[len(sizes)-1]
	k, nodes := large.bytes(), blogGPUs/blogPerNode
	facts := kit.Facts("optimal", len(faultsOf(equal)) == 0, "equal_sizes", len(equal), "fewest", rivalRanks[0], "small/kB", small.bytes()/1e3,
		"small_lost", small.fastest() != 0, "small_fastest:exchange", rivals[small.fastest()].key,
		"small_time/ms.3", 1e3*small.Runs[small.fastest()].Seconds, "small_ring/ms.3", 1e3*small.Runs[0].Seconds, "steps", 2*(blogGPUs-1),
		"crossover/MB", crossover(sizes)/1e6, "large_fastest:exchange", rivals[large.fastest()].key,
		"large_time/ms.0", 1e3*large.Runs[large.fastest()].Seconds, "two_levels_win", large.Runs[2].Seconds < large.Runs[0].Seconds,
		"two_levels/ms.0", 1e3*large.Runs[2].Seconds, "one_ring/ms.0", 1e3*large.Runs[0].Seconds,
		"inner/ms.0", 1e3*formula.RingTime(blogPerNode, k, 0, blogWithin), "outer/ms.0", 1e3*formula.RingTime(nodes, k, 0, blogSlowest))
	for i, r := range rivals[1:] {
		n := kit.CountIf(equal, func(t rivalRuns) bool { return t.ties(i + 1) })
		facts = append(facts, kit.Facts(r.key+"_ties", n, r.key+"_always", n == len(equal))...)
	}
	return facts
}
