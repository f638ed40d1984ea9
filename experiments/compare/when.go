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
	return kit.Rows("sizes", "model:model megabytes/MB size:size", g.plan.Models, func(m string) []any {
		return []any{m, megabytes(m), sizeWord(m)}
	})
}

// adviceColumns heads the cells of an advice, which follow a row's own.
const adviceColumns = " alone_best:bool how:how methods:method"

func (a advice) cells(own ...any) []any { return append(own, a.Alone, a.How, kit.Keys(a.Methods)) }

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
	return kit.Rows("short", "set:set size:size from/Gb/s to/Gb/s"+adviceColumns, rows, func(r region) []any {
		return r.advice.cells(r.set, r.size, r.from, r.to)
	})
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
	const key = "situation:situation kind:allowed set:set link/Gb/s "
	tallies = kit.Rows("tallies",
		key+"of alone pays least/%.0 median/%.0 most/%.0"+adviceColumns, rows, func(t tallied) []any {
			c := t.count
			return c.advice().cells(t.situation, t.kind, t.set, t.gbps,
				c.Of, c.Alone, c.pays(), c.margin(0), c.margin(0.5), c.margin(1))
		})
	wins := kit.NewSheet("firsts", key+"first:method times")
	for _, t := range rows {
		for _, w := range t.count.Wins {
			wins.Add(t.situation, t.kind, t.set, t.gbps, kit.Keys(w.First), w.Times)
		}
	}
	return tallies, wins.Frame
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
	return kit.Rows("duels",
		"duel:duel set:set model:model link/Gb/s wins of least/.2 most/.2 mostly:bool", rows, func(r row) []any {
			d := r.duel
			return []any{r.key, r.set, r.model, r.gbps, d.Wins, d.Of, d.Lo, d.Hi, 2*d.Wins > d.Of}
		})
}

// paying counts the cases in which distributing pays, by network.
func (g *guide) paying() result.Frame {
	return kit.Rows("paying", "model:model pays of", g.plan.Models, func(m string) []any {
		at := g.points(func(p sweepPoint) bool { return p.Model == m })
		return []any{m, g.paysIn(at), len(at)}
	})
}

func (g *guide) paysIn(points []sweepPoint) int {
	return kit.CountIf(points, func(p sweepPoint) bool { return g.pays(p, noMulticast) })
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
	return kit.Rows("networks", "set:set model:model link/Gb/s n"+adviceColumns, rows, func(r row) []any {
		return r.advice.cells(r.set, r.model, r.gbps, kit.Keys(r.nodes))
	})
}

// cases returns the frame of the first and the second of every case without multicast, by time per
// round alone.
func (g *guide) cases() result.Frame {
	return kit.Rows("cases",
		"set:set model:model link/Gb/s n first:method time/ms second:method longer/%.0 alone/ms",
		g.plan.points(), func(p sweepPoint) []any {
			o, t := g.order(p, noMulticast, false), g.time(p, alone)
			return []any{p.Set, p.Model, p.Gbps, p.Nodes, kit.Keys(o.first()), 1e3 * o[0].Time,
				o.second(), o.longer(), kit.OnlyIf(t <= o[0].Time, 1e3*t)}
		})
}

// factors returns the frame of how many more samples asynchronous methods need; rows without a
// link are of both.
func (g *guide) factors() result.Frame {
	f := kit.NewSheet("samples",
		"set:platform link/Gb/s method:method ratio~/.2 stale/versions.2 both:bool against:against")
	f.Kind = result.Trained
	add := func(set string, x linkMethod, ratio kit.Estimate, stale float64) {
		f.Add(set, x.Gbps, x.Method, ratio, stale, math.IsNaN(x.Gbps), ratio.Against(1))
	}
	for _, st := range g.studies {
		for _, x := range linkMethods(func(m method) bool { return m.Async && distinct(m) }) {
			add(st.Set, x, st.more(x), st.mean(x, func(c methodRun) float64 { return c.Stale }))
		}
		for _, k := range asyncs() {
			add(st.Set, linkMethod{math.NaN(), k}, g.factor[st.Set][k], math.NaN())
		}
	}
	return f.Frame
}

// sparse returns RingSparse's round at a density over the ring's.
func (g *guide) sparse(p sweepPoint, density float64) float64 {
	return g.times[sweepKey{p, "ringsparse", density}] / g.time(p, "ring")
}

// density returns the frame of RingSparse against the ring at stated densities, on the most nodes.
func (g *guide) density() result.Frame {
	f := kit.NewSheet("density", "model:model link/Gb/s density/% ratio/.2")
	for _, p := range g.points(func(p sweepPoint) bool { return p.Set == equalWorkers && p.Nodes == g.mostNodes() }) {
		for _, d := range g.plan.Densities {
			f.Add(p.Model, p.Gbps, 100*d, g.sparse(p, d))
		}
	}
	return f.Frame
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
	return kit.Rows("sparse", "link/Gb/s density/% wins of best/.2 paid link_pays:bool", rows, func(r row) []any {
		return []any{r.gbps, 100 * r.density, r.wins, r.of, r.best, r.paid, pays[r.gbps]}
	})
}

// timesOf returns the frame of every method's round on the most nodes.
func (g *guide) timesOf() result.Frame {
	columns, all := "model:model set:set link/Gb/s", append(sweepMethods(), method{Key: alone})
	for _, m := range all {
		columns += " " + m.Key + "/ms.1"
	}
	rows := g.points(func(p sweepPoint) bool { return p.Nodes == g.mostNodes() })
	return kit.Rows("times", columns, rows, func(p sweepPoint) []any {
		row := []any{p.Model, p.Set, p.Gbps}
		for _, m := range all {
			row = append(row, 1e3*g.time(p, m.Key))
		}
		return row
	})
}

// extremes names the first and the last of the lines that figures draw, by link.
func (g *guide) extremes() result.Frame {
	f := kit.NewSheet("extremes", "set:set link/Gb/s first:method first_ms/ms last:method last_ms/ms")
	for _, p := range g.points(func(p sweepPoint) bool {
		return p.Nodes == g.mostNodes() && p.Set != spread && p.Model == g.plan.Models[len(g.plan.Models)-1]
	}) {
		list := kit.Map(append(slices.Clone(drawn), alone), func(k string) timedMethod {
			return timedMethod{method{Key: k}, g.time(p, k)}
		})
		first, last := slices.MinFunc(list, compareTimes), slices.MaxFunc(list, compareTimes)
		f.Add(p.Set, p.Gbps, first.Method.Key, 1e3*first.Time, last.Method.Key, 1e3*last.Time)
	}
	return f.Frame
}

// trained returns what the trained comparisons say of rounds, by workers and link.
func (g *guide) trained() result.Frame {
	f := kit.NewSheet("trained",
		"set:platform link/Gb/s first:method aware_unicast/.2 asp_unicast/.2 sparse_layers/.2 sparse_ring/.2")
	for _, st := range g.studies {
		for _, l := range links {
			f.Add(st.Set, l, st.rounds(l)[0].Method.Key,
				st.over(l, "ssgd-aware", "ssgd-unicast"), st.over(l, "asp", "ssgd-unicast"),
				st.over(l, "ringsparse", "ring-layers"), st.over(l, "ringsparse", "ring"))
		}
	}
	return f.Frame
}

// zeros returns what zeros of real gradients gave RingSparse over the ring layer by layer.
func (g *guide) zeros() result.Frame {
	rows := slices.DeleteFunc(slices.Clone(g.studies[0].Home), func(h homeRow) bool {
		return h.Method != "ringsparse" || h.How != result.Trained
	})
	return kit.Rows("zeros", "network:home link/Gb/s over/.2", rows, func(h homeRow) []any {
		return []any{h.Network, h.Gbps, overLayers(h)}
	})
}

// nodes returns the frame of with how many nodes sums of redundant blocks are coded.
func (g *guide) nodes() result.Frame {
	return kit.Rows("nodes", "n coded:bool", g.plan.Nodes, func(n int) []any {
		return []any{n, sweepMethod("compressed").codes(n)}
	})
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
	out := kit.Facts("coding/GB/s", train.CodingRate/1e9, "cases", len(at), "pays", g.paysIn(at),
		"models", len(g.plan.Models), "batch", g.plan.Batch, "slow/Gb/s", g.slow(), "most_nodes", g.mostNodes(),
		"straggler", 1.0*stragglerSlow, "spread", 1.0*spreadSlow, "tie/%", 100*tie, "workers", workers,
		"sparsest/%", 100*g.plan.Densities[len(g.plan.Densities)-1])
	for _, s := range []struct {
		key    string
		points []sweepPoint
		a, b   string
	}{{"sparse", at, "ringsparse", "ring"}, {"multicast_equal", equal, "ssgd-multicast", "ssgd-unicast"},
		{"multicast_unequal", unequal, "ssgd-multicast", "ssgd-unicast"},
		{"cssgd", at, "cssgd", "ssgd-multicast"}, {"sums", at, "compressed", "cssgd"}, {"coding", at, "cssgd", uncoded("cssgd")}} {
		lo, hi := g.extent(s.points, s.a, s.b)
		out = append(out, kit.Facts(s.key+"_least/.2", lo, s.key+"_most/.2", hi)...)
	}
	p := sweepPoint{g.plan.Models[len(g.plan.Models)-1], equalWorkers, g.plan.Links[len(g.plan.Links)-1], g.mostNodes()}
	free, charged, of := g.codedFirst()
	ms := func(method string) float64 { return 1e3 * g.time(p, method) }
	out = append(out, kit.Facts("example:model", p.Model, "example_link/Gb/s", p.Gbps,
		"example_coded/ms", ms("cssgd"), "example_free/ms", ms(uncoded("cssgd")), "example_ring/ms", ms("ring"),
		"free", free, "free_of", of, "charged", charged)...)
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
	return append(append(out, g.changeFacts()...), kit.Facts("costs_counted", counted,
		"costs_unknown", 2*len(asyncs())-known, "seed_count", seeds)...)
}
