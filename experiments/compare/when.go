package compare

import (
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	network "gradsync/shared/tensor/model"
)

// when sweeps links, workers, networks and numbers of nodes by time alone, and weighs
// the times with what the two trained comparisons say of samples.
func when() exp.Experiment {
	return kit.Study[point, pointResult]{ID: "compare/when", Source: source, Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) []point {
			return append([]point{{Part: "sweep"}, {Part: "former-sweep"}}, points(equalSet, unequalSet)...)
		}, Own: ownSeeds, Once: once, Cost: cost, Measure: do,
		Config: func(profile string) map[string]any {
			return map[string]any{"sweep": planSweep(profile), "former_sweep": planSweep(profile).former(), "methods": sweepMethods(), "size": trainingSizeOf(profile),
				"grounds": testbedsConfig(equalSet, unequalSet), "pilot_seed": pilotSeed}
		},
		Show: func(v *kit.View[point, pointResult]) {
			g := newGuide(planSweep(v.Profile), v.At(point{Part: "sweep"})[0].Sweep)
			g.former = newGuide(g.plan.former(), v.At(point{Part: "former-sweep"})[0].Sweep)
			for _, set := range []string{equalSet, unequalSet} {
				st := newComparison(v.Result, v.At, set)
				g.samples(set, st)
				g.former.samples(set, st.Former)
			}
			tallies, firsts := g.tallies()
			v.Frames = []result.Frame{g.short(), tallies, firsts, g.duels(), g.paying(), g.networks(), g.cases(), g.factors(), g.density(), g.sparsePays(),
				g.timesOf(), g.extremes(), g.trained(), g.zeros(), g.nodes(), g.sizes(), g.changes()}
			for _, set := range []string{equalWorkers, straggler} {
				v.Figures = append(v.Figures, result.Figure{ID: "links-" + set, Form: "line", Frame: "times",
					Where: map[string]any{"model": g.plan.Models[len(g.plan.Models)-1], "set": set}, X: "link", Y: append(slices.Clone(drawn), alone), Log: "xy"})
			}
			v.Facts = g.facts(len(v.Seeds))
		}}.Experiment()
}

// guide holds what advice is computed from.
type guide struct {
	plan    sweepPlan
	times   map[sweepKey]float64 // seconds of a round, mean over seeds
	rounds  map[sweepKey]kit.Sample
	studies []*comparison
	former  *guide // on the machines before the reference
	// factor is how many times as many samples as BSP an asynchronous method needs, by
	// set of the trained comparison.
	factor map[string]map[string]kit.Estimate
}

// sweepKey is a method at a point, with the density of its gradients.
type sweepKey struct {
	sweepPoint
	Method  string
	Density float64
}

func newGuide(plan sweepPlan, runs []sweepRun) *guide {
	g := &guide{plan: plan, times: map[sweepKey]float64{}, rounds: map[sweepKey]kit.Sample{}, factor: map[string]map[string]kit.Estimate{}}
	for _, l := range runs {
		k := sweepKey{l.Point, l.Method, l.Density}
		g.rounds[k], g.times[k] = l.Rounds, l.Rounds.Mean().Value
	}
	return g
}

// time returns a round of a method with dense gradients.
func (g *guide) time(p sweepPoint, method string) float64 {
	t, ok := g.times[sweepKey{p, method, 1}]
	if !ok {
		panic(fmt.Sprintf("compare: %s was not run at %+v", method, p))
	}
	return t
}

// samples takes in what a trained comparison on a set of workers says of asynchronous methods.
func (g *guide) samples(set string, st *comparison) {
	g.studies = append(g.studies, st)
	g.factor[set] = map[string]kit.Estimate{}
	for _, k := range asyncs() {
		ours, base := st.overLinks(k)
		g.factor[set][k] = ours.Over(base)
	}
}

// overLinks returns, by seed, the gradients to the target of a method and of BSP: geometric
// means over the links, which share their seeds and so count once.
func (s *comparison) overLinks(k string) (ours, base kit.Sample) {
	ours, base = make(kit.Sample, len(s.Seeds)), make(kit.Sample, len(s.Seeds))
	for _, g := range links {
		o, b := s.reached(linkMethod{g, k}, gradients), s.reached(linkMethod{g, "bsp"}, gradients)
		if len(o) == 0 || len(b) == 0 {
			return nil, nil
		}
		for i := range o {
			ours[i] += math.Log(o[i]) / float64(len(links))
			base[i] += math.Log(b[i]) / float64(len(links))
		}
	}
	return ours.Map(math.Exp), base.Map(math.Exp)
}

// points lists the points of the plan that keep takes.
func (g *guide) points(keep func(sweepPoint) bool) []sweepPoint {
	return slices.DeleteFunc(g.plan.points(), func(p sweepPoint) bool { return !keep(p) })
}

func (g *guide) of(set string) []sweepPoint {
	return g.points(func(p sweepPoint) bool { return p.Set == set })
}

// slow returns the slowest link.
func (g *guide) slow() float64 { return g.plan.Links[0] }

// mostNodes returns the largest cluster.
func (g *guide) mostNodes() int { return g.plan.Nodes[len(g.plan.Nodes)-1] }

// largeNet is the size of weights in megabytes from which a network is called large.
const largeNet = 10

// megabytes returns how large a network's weights are, and so each of its gradients.
func megabytes(name string) float64 {
	m, err := network.New(name)
	if err != nil {
		panic(err) // plans name networks that there are
	}
	return 4 * float64(m.NumParams()) / 1e6
}

func sizeWord(model string) string {
	if megabytes(model) < largeNet {
		return "small"
	}
	return "large"
}

func (g *guide) sizes() result.Frame {
	return kit.Frame("sizes", g.plan.Models, kit.Word("model", "model", func(m string) string { return m }),
		kit.Num("megabytes", "MB", kit.AsIs, megabytes), kit.Word("size", "size", sizeWord))
}

// adviceCols returns the columns of an advice.
func adviceCols[R any](of func(R) advice) []kit.Col[R] {
	return []kit.Col[R]{kit.Flag("alone_best", func(r R) bool { return of(r).Alone }), kit.Word("how", "how", func(r R) string { return of(r).How }),
		kit.Words("methods", "method", func(r R) []string { return of(r).Methods })}
}

// short returns the frame of the answer before all others, by workers and size of the network:
// links next to each other that have the same answer are joined.
func (g *guide) short() result.Frame {
	type region struct {
		set, size string
		from, to  float64
		advice    advice
	}
	var rows []region
	for _, set := range g.plan.Sets {
		for _, size := range []string{"small", "large"} {
			begun := len(rows)
			for _, l := range g.plan.Links {
				at := g.points(func(p sweepPoint) bool { return p.Set == set && p.Gbps == l && sizeWord(p.Model) == size })
				a := g.countWins(at, noMulticast).advice()
				if n := len(rows); len(at) == 0 {
					continue
				} else if n > begun && rows[n-1].advice.same(a) {
					rows[n-1].to = l
				} else {
					rows = append(rows, region{set, size, l, l, a})
				}
			}
		}
	}
	return kit.Frame("short", rows, append([]kit.Col[region]{kit.Word("set", "set", func(r region) string { return r.set }),
		kit.Word("size", "size", func(r region) string { return r.size }), kit.Num("from", "Gb/s", kit.AsIs, func(r region) float64 { return r.from }),
		kit.Num("to", "Gb/s", kit.AsIs, func(r region) float64 { return r.to })}, adviceCols(func(r region) advice { return r.advice })...)...)
}

// tallied is a count of a situation, or of a region: a set of workers and a link.
type tallied struct {
	situation, set, kind string
	gbps                 float64
	count                winCount
}

// tallies counts who is first, by situation and by region, with the methods that win.
func (g *guide) tallies() (tallies, firsts result.Frame) {
	var rows []tallied
	add := func(situation, kind string, points []sweepPoint, allowed func(method) bool) {
		rows = append(rows, tallied{situation: situation, kind: kind, gbps: math.NaN(), count: g.countWins(points, allowed)})
		if kind == "plain" {
			rows = append(rows, tallied{situation: situation, kind: "must", gbps: math.NaN(), count: g.must(points, allowed)})
		}
	}
	slow := func(p sweepPoint) bool { return p.Set == equalWorkers && p.Gbps == g.slow() }
	add("equal-fast", "plain", g.points(func(p sweepPoint) bool { return p.Set == equalWorkers && !slow(p) }), noMulticast)
	add("equal-slow", "plain", g.points(slow), noMulticast)
	add("straggler", "plain", g.of(straggler), noMulticast)
	add("spread", "plain", g.of(spread), noMulticast)
	add("server-equal", "server", g.of(equalWorkers), ofServer)
	add("server-straggler", "server", g.of(straggler), ofServer)
	add("server-spread", "server", g.of(spread), ofServer)
	add("redundant", "redundant", g.plan.points(), redundant)
	for _, set := range g.plan.Sets {
		for _, l := range g.plan.Links {
			at := g.points(func(p sweepPoint) bool { return p.Set == set && p.Gbps == l })
			for _, k := range []struct {
				kind    string
				allowed func(method) bool
			}{{"plain", noMulticast}, {"any", anyMethod}, {"server", ofServer}} {
				rows = append(rows, tallied{"region", set, k.kind, l, g.countWins(at, k.allowed)})
			}
		}
	}
	key := func() []kit.Col[tallied] {
		return []kit.Col[tallied]{kit.Word("situation", "situation", func(t tallied) string { return t.situation }),
			kit.Word("kind", "allowed", func(t tallied) string { return t.kind }),
			kit.Word("set", "set", func(t tallied) string { return t.set }), link(func(t tallied) float64 { return t.gbps })}
	}
	margin := func(key string, q float64) kit.Col[tallied] {
		return kit.Num(key, "%", 0, func(t tallied) float64 { return t.count.margin(q) })
	}
	cols := append(key(), kit.Count("of", "", func(t tallied) int { return t.count.Of }), kit.Count("alone", "", func(t tallied) int { return t.count.Alone }),
		kit.Count("pays", "", func(t tallied) int { return t.count.pays() }), margin("least", 0), margin("median", 0.5), margin("most", 1))
	tallies = kit.Frame("tallies", rows, append(cols, adviceCols(func(t tallied) advice { return t.count.advice() })...)...)
	type winner struct {
		tallied
		win
	}
	var wins []winner
	for _, t := range rows {
		for _, w := range t.count.Wins {
			wins = append(wins, winner{t, w})
		}
	}
	return tallies, kit.Frame("firsts", wins, kit.Word("situation", "situation", func(w winner) string { return w.situation }),
		kit.Word("kind", "allowed", func(w winner) string { return w.kind }), kit.Word("set", "set", func(w winner) string { return w.set }),
		link(func(w winner) float64 { return w.gbps }), kit.Words("first", "method", func(w winner) []string { return w.First }),
		kit.Count("times", "", func(w winner) int { return w.Times }))
}

// duels compares the best of two kinds of methods, over all cases, by network and by link.
func (g *guide) duels() result.Frame {
	type row struct {
		key, set, model string
		gbps            float64
		duel            duel
	}
	var rows []row
	at := g.plan.points()
	unequal := g.points(func(p sweepPoint) bool { return p.Set != equalWorkers })
	one := func(key string, points []sweepPoint, a, b func(method) bool) {
		rows = append(rows, row{key: key, gbps: math.NaN(), duel: g.against(points, a, b)})
	}
	one("async-waiting", unequal, async, waiting)
	one("speed-async", unequal, aware, async)
	one("speed-equal", unequal, aware, func(m method) bool { return m.Key == "ssgd-unicast" })
	one("redundant-ssgd", at, redundant, func(m method) bool { return m.Multicast && !redundant(m) })
	for _, set := range g.plan.Sets {
		rows = append(rows, row{"server", set, "", math.NaN(), g.against(g.of(set), ofServer, serverless)})
	}
	sparsest := g.plan.Densities[len(g.plan.Densities)-1]
	for _, k := range []struct {
		key  string
		from []sweepPoint
		of   func(points []sweepPoint) duel
	}{
		{"multicast", at, func(points []sweepPoint) duel { return g.against(points, multicast, noMulticast) }},
		{"redundant", at, func(points []sweepPoint) duel { return g.against(points, redundant, noMulticast) }},
		{"ringsparse", g.of(equalWorkers), func(points []sweepPoint) (d duel) {
			for _, p := range points {
				d.add(g.sparse(p, sparsest), g.sparse(p, sparsest) < 1)
			}
			return d
		}},
	} {
		rows = append(rows, row{k.key, "", "", math.NaN(), k.of(k.from)})
		only := func(keep func(sweepPoint) bool) []sweepPoint {
			return slices.DeleteFunc(slices.Clone(k.from), func(p sweepPoint) bool { return !keep(p) })
		}
		for _, m := range g.plan.Models {
			rows = append(rows, row{k.key, "", m, math.NaN(), k.of(only(func(p sweepPoint) bool { return p.Model == m }))})
		}
		for _, l := range g.plan.Links {
			rows = append(rows, row{k.key, "", "", l, k.of(only(func(p sweepPoint) bool { return p.Gbps == l }))})
		}
	}
	return kit.Frame("duels", rows, kit.Word("duel", "duel", func(r row) string { return r.key }), kit.Word("set", "set", func(r row) string { return r.set }),
		kit.Word("model", "model", func(r row) string { return r.model }), link(func(r row) float64 { return r.gbps }),
		kit.Count("wins", "", func(r row) int { return r.duel.Wins }), kit.Count("of", "", func(r row) int { return r.duel.Of }),
		kit.Num("least", "", 2, func(r row) float64 { return r.duel.Lo }), kit.Num("most", "", 2, func(r row) float64 { return r.duel.Hi }),
		kit.Flag("mostly", func(r row) bool { return 2*r.duel.Wins > r.duel.Of }))
}

// paying counts the cases in which distributing pays, by network.
func (g *guide) paying() result.Frame {
	at := func(m string) []sweepPoint { return g.points(func(p sweepPoint) bool { return p.Model == m }) }
	return kit.Frame("paying", g.plan.Models, kit.Word("model", "model", func(m string) string { return m }),
		kit.Count("pays", "", func(m string) int { return g.paysIn(at(m)) }), kit.Count("of", "", func(m string) int { return len(at(m)) }))
}

func (g *guide) paysIn(points []sweepPoint) (n int) {
	for _, p := range points {
		if g.pays(p, noMulticast) {
			n++
		}
	}
	return n
}

// networks returns the frame of who is best without multicast, by workers, network and link;
// numbers of nodes that have the same answer stand together.
func (g *guide) networks() result.Frame {
	type row struct {
		set, model string
		gbps       float64
		nodes      []int
		advice     advice
	}
	var rows []row
	for _, set := range g.plan.Sets {
		for _, m := range g.plan.Models {
			for _, l := range g.plan.Links {
				begun := len(rows)
				for _, n := range g.plan.Nodes {
					a := g.countWins([]sweepPoint{{m, set, l, n}}, noMulticast).advice()
					if i := slices.IndexFunc(rows[begun:], func(r row) bool { return r.advice.same(a) }); i >= 0 {
						rows[begun+i].nodes = append(rows[begun+i].nodes, n)
					} else {
						rows = append(rows, row{set, m, l, []int{n}, a})
					}
				}
			}
		}
	}
	return kit.Frame("networks", rows, append([]kit.Col[row]{kit.Word("set", "set", func(r row) string { return r.set }),
		kit.Word("model", "model", func(r row) string { return r.model }),
		link(func(r row) float64 { return r.gbps }), kit.Any("n", "", func(r row) any { return numbers(r.nodes) })},
		adviceCols(func(r row) advice { return r.advice })...)...)
}

func numbers(list []int) (out []any) {
	for _, n := range list {
		out = append(out, n)
	}
	return out
}

// cases returns the frame of the first and the second of every case without multicast, by time per
// round alone.
func (g *guide) cases() result.Frame {
	o := func(p sweepPoint) ranking { return g.order(p, noMulticast, false) }
	return kit.Frame("cases", g.plan.points(), kit.Word("set", "set", func(p sweepPoint) string { return p.Set }),
		kit.Word("model", "model", func(p sweepPoint) string { return p.Model }),
		link(func(p sweepPoint) float64 { return p.Gbps }), kit.Count("n", "", func(p sweepPoint) int { return p.Nodes }),
		kit.Words("first", "method", func(p sweepPoint) []string { return o(p).first() }),
		kit.Num("time", "ms", kit.AsIs, func(p sweepPoint) float64 { return 1e3 * o(p)[0].Time }),
		kit.Word("second", "method", func(p sweepPoint) string { return o(p).second() }),
		kit.Num("longer", "%", 0, func(p sweepPoint) float64 { return o(p).longer() }),
		kit.Num("alone", "ms", kit.AsIs, func(p sweepPoint) float64 {
			if t := g.time(p, alone); t <= o(p)[0].Time {
				return 1e3 * t
			}
			return math.NaN()
		}))
}

// factors returns the frame of how many more samples asynchronous methods need; rows without a
// link are of both.
func (g *guide) factors() result.Frame {
	type row struct {
		set string
		linkMethod
		ratio kit.Estimate
		stale float64
	}
	var rows []row
	for _, st := range g.studies {
		for _, x := range linkMethods(func(m method) bool { return m.Async && distinct(m) }) {
			rows = append(rows, row{st.Set, x, st.more(x), st.mean(x, func(c methodRun) float64 { return c.Stale })})
		}
		for _, k := range asyncs() {
			rows = append(rows, row{st.Set, linkMethod{math.NaN(), k}, g.factor[st.Set][k], math.NaN()})
		}
	}
	return kit.As(result.Trained, kit.Frame("samples", rows, kit.Word("set", "platform", func(r row) string { return r.set }),
		link(func(r row) float64 { return r.Gbps }),
		kit.Word("method", "method", func(r row) string { return r.Method }), kit.Interval("ratio", "", 2, func(r row) kit.Estimate { return r.ratio }),
		kit.Num("stale", "versions", 2, func(r row) float64 { return r.stale }), kit.Flag("both", func(r row) bool { return math.IsNaN(r.Gbps) }),
		kit.Word("against", "against", func(r row) string { return r.ratio.Against(1) })))
}

// sparse returns RingSparse's round at a density over the ring's.
func (g *guide) sparse(p sweepPoint, density float64) float64 {
	return g.times[sweepKey{p, "ringsparse", density}] / g.time(p, "ring")
}

// density returns the frame of RingSparse against the ring at stated densities, on the most nodes.
func (g *guide) density() result.Frame {
	type row struct {
		sweepPoint
		density float64
	}
	var rows []row
	for _, p := range g.points(func(p sweepPoint) bool { return p.Set == equalWorkers && p.Nodes == g.mostNodes() }) {
		for _, d := range g.plan.Densities {
			rows = append(rows, row{p, d})
		}
	}
	return kit.Frame("density", rows, kit.Word("model", "model", func(r row) string { return r.Model }), link(func(r row) float64 { return r.Gbps }),
		kit.Num("density", "%", kit.AsIs, func(r row) float64 { return 100 * r.density }),
		kit.Num("ratio", "", 2, func(r row) float64 { return g.sparse(r.sweepPoint, r.density) }))
}

// sparsePays counts, by link and density, the cases in which RingSparse is faster than the
// ring, and in which it also beats one worker alone.
func (g *guide) sparsePays() result.Frame {
	type row struct {
		gbps, density float64
		wins, of      int
		best          float64
		paid          int
	}
	var rows []row
	pays := map[float64]bool{}
	for _, l := range g.plan.Links {
		for _, d := range g.plan.Densities {
			r := row{gbps: l, density: d, best: math.Inf(1)}
			for _, p := range g.points(func(p sweepPoint) bool { return p.Set == equalWorkers && p.Gbps == l }) {
				if r.of, r.best = r.of+1, min(r.best, g.sparse(p, d)); g.sparse(p, d) < 1 {
					r.wins++
					if g.times[sweepKey{p, "ringsparse", d}] < g.time(p, alone) {
						r.paid++
					}
				}
			}
			pays[l] = pays[l] || r.wins > 0
			rows = append(rows, r)
		}
	}
	return kit.Frame("sparse", rows, link(func(r row) float64 { return r.gbps }),
		kit.Num("density", "%", kit.AsIs, func(r row) float64 { return 100 * r.density }),
		kit.Count("wins", "", func(r row) int { return r.wins }), kit.Count("of", "", func(r row) int { return r.of }),
		kit.Num("best", "", 2, func(r row) float64 { return r.best }), kit.Count("paid", "", func(r row) int { return r.paid }),
		kit.Flag("link_pays", func(r row) bool { return pays[r.gbps] }))
}

// timesOf returns the frame of every method's round on the most nodes.
func (g *guide) timesOf() result.Frame {
	cols := []kit.Col[sweepPoint]{kit.Word("model", "model", func(p sweepPoint) string { return p.Model }),
		kit.Word("set", "set", func(p sweepPoint) string { return p.Set }),
		link(func(p sweepPoint) float64 { return p.Gbps })}
	for _, m := range append(sweepMethods(), method{Key: alone}) {
		cols = append(cols, kit.Num(m.Key, "ms", 1, func(p sweepPoint) float64 { return 1e3 * g.time(p, m.Key) }))
	}
	return kit.Frame("times", g.points(func(p sweepPoint) bool { return p.Nodes == g.mostNodes() }), cols...)
}

// extremes names the first and the last of the lines that figures draw, by link.
func (g *guide) extremes() result.Frame {
	type end struct {
		sweepPoint
		First, Last timedMethod
	}
	var rows []end
	for _, p := range g.points(func(p sweepPoint) bool {
		return p.Nodes == g.mostNodes() && p.Set != spread && p.Model == g.plan.Models[len(g.plan.Models)-1]
	}) {
		list := []timedMethod{}
		for _, k := range append(slices.Clone(drawn), alone) {
			list = append(list, timedMethod{method{Key: k}, g.time(p, k)})
		}
		rows = append(rows, end{p, slices.MinFunc(list, compareTimes), slices.MaxFunc(list, compareTimes)})
	}
	return kit.Frame("extremes", rows, kit.Word("set", "set", func(e end) string { return e.Set }), link(func(e end) float64 { return e.Gbps }),
		kit.Word("first", "method", func(e end) string { return e.First.Method.Key }),
		kit.Num("first_ms", "ms", kit.AsIs, func(e end) float64 { return 1e3 * e.First.Time }),
		kit.Word("last", "method", func(e end) string { return e.Last.Method.Key }),
		kit.Num("last_ms", "ms", kit.AsIs, func(e end) float64 { return 1e3 * e.Last.Time }))
}

// trained returns what the trained comparisons say of rounds, by workers and link.
func (g *guide) trained() result.Frame {
	type row struct {
		*comparison
		gbps float64
	}
	var rows []row
	for _, st := range g.studies {
		for _, l := range links {
			rows = append(rows, row{st, l})
		}
	}
	over := func(key, a, b string) kit.Col[row] {
		return kit.Num(key, "", 2, func(r row) float64 { return r.over(r.gbps, a, b) })
	}
	return kit.Frame("trained", rows, kit.Word("set", "platform", func(r row) string { return r.Set }), link(func(r row) float64 { return r.gbps }),
		kit.Word("first", "method", func(r row) string { return r.rounds(r.gbps)[0].Method.Key }), over("aware_unicast", "ssgd-aware", "ssgd-unicast"),
		over("asp_unicast", "asp", "ssgd-unicast"), over("sparse_layers", "ringsparse", "ring-layers"), over("sparse_ring", "ringsparse", "ring"))
}

// zeros returns what zeros of real gradients gave RingSparse over the ring layer by layer.
func (g *guide) zeros() result.Frame {
	rows := slices.DeleteFunc(slices.Clone(g.studies[0].Home), func(h homeRow) bool { return h.Method != "ringsparse" || h.How != result.Trained })
	return kit.Frame("zeros", rows, kit.Word("network", "home", func(h homeRow) string { return h.Network }), link(func(h homeRow) float64 { return h.Gbps }),
		kit.Num("over", "", 2, overLayers))
}

// nodes returns the frame of with how many nodes sums of redundant blocks are coded.
func (g *guide) nodes() result.Frame {
	return kit.Frame("nodes", g.plan.Nodes, kit.Count("n", "", func(n int) int { return n }),
		kit.Flag("coded", func(n int) bool { return sweepMethod("compressed").codes(n) }))
}

// codedFirst counts the cases in which CSSGD beats every method without multicast and one worker alone by more
// than a tie: as if coding were free, and as it is charged.
func (g *guide) codedFirst() (free, charged, of int) {
	for _, q := range g.plan.points() {
		best, ok := g.bestOf(q, noMulticast)
		if !ok {
			continue
		}
		of++
		least := min(best, g.time(q, alone)) / (1 + tie)
		if min(g.time(q, uncoded("cssgd")), g.time(q, uncoded("cssgd-most"))) < least {
			free++
		}
		if min(g.time(q, "cssgd"), g.time(q, "cssgd-most")) < least {
			charged++
		}
	}
	return free, charged, of
}

// facts returns the numbers of sentences that stand in no frame.
func (g *guide) facts(seeds int) []result.Fact {
	at, equal := g.plan.points(), g.of(equalWorkers)
	unequal := g.points(func(p sweepPoint) bool { return p.Set != equalWorkers })
	out := []result.Fact{kit.Number("coding", "GB/s", kit.AsIs, train.CodingRate/1e9), kit.Counted("cases", "", len(at)),
		kit.Counted("pays", "", g.paysIn(at)), kit.Counted("models", "", len(g.plan.Models)),
		kit.Counted("batch", "", g.plan.Batch), kit.Number("slow", "Gb/s", kit.AsIs, g.slow()), kit.Counted("most_nodes", "", g.mostNodes()),
		kit.Number("straggler", "", kit.AsIs, stragglerSlow), kit.Number("spread", "", kit.AsIs, spreadSlow), kit.Number("tie", "%", kit.AsIs, 100*tie),
		kit.Counted("workers", "", workers), kit.Number("sparsest", "%", kit.AsIs, 100*g.plan.Densities[len(g.plan.Densities)-1])}
	for _, s := range []struct {
		key    string
		points []sweepPoint
		a, b   string
	}{{"sparse", at, "ringsparse", "ring"}, {"multicast_equal", equal, "ssgd-multicast", "ssgd-unicast"},
		{"multicast_unequal", unequal, "ssgd-multicast", "ssgd-unicast"},
		{"cssgd", at, "cssgd", "ssgd-multicast"}, {"sums", at, "compressed", "cssgd"}, {"coding", at, "cssgd", uncoded("cssgd")}} {
		lo, hi := g.extent(s.points, s.a, s.b)
		out = append(out, kit.Number(s.key+"_least", "", 2, lo), kit.Number(s.key+"_most", "", 2, hi))
	}
	p := sweepPoint{g.plan.Models[len(g.plan.Models)-1], equalWorkers, g.plan.Links[len(g.plan.Links)-1], g.mostNodes()}
	free, charged, of := g.codedFirst()
	ms := func(key, method string) result.Fact { return kit.Number(key, "ms", kit.AsIs, 1e3*g.time(p, method)) }
	out = append(out, kit.Finding("example", "model", p.Model), kit.Number("example_link", "Gb/s", kit.AsIs, p.Gbps), ms("example_coded", "cssgd"),
		ms("example_free", uncoded("cssgd")), ms("example_ring", "ring"), kit.Counted("free", "", free), kit.Counted("free_of", "", of),
		kit.Counted("charged", "", charged))
	counted, known := 0, 0
	for _, st := range g.studies {
		for _, k := range asyncs() {
			if f := g.factor[st.Set][k]; f.N > 0 {
				if known++; f.Against(1) == "above" {
					counted++
				}
			}
		}
	}
	out = append(out, g.changeFacts()...)
	return append(out, kit.Counted("costs_counted", "", counted), kit.Counted("costs_unknown", "", 2*len(asyncs())-known), kit.Counted("seed_count", "", seeds))
}
