package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// linkMethod is a method on a link.
type linkMethod struct {
	Gbps   float64
	Method string
}

// comparison holds the trainings of a profile on the testbeds of one set of workers.
type comparison struct {
	Set    string
	Size   trainingSize
	Target float64
	Seeds  []uint64
	Runs   map[linkMethod][]methodRun // one per seed
	Home   []homeRow
	Paper  []paperRow
	Former *comparison // on the former machines, without Home and Paper
}

// newComparison puts together what the points of a set gave, and of the set before it.
func newComparison(r *result.Result, at func(point) []pointResult, set string) *comparison {
	s := comparisonOn(r, at, set)
	s.Former = comparisonOn(r, at, formerSet(set))
	for _, g := range links {
		s.Home = append(s.Home, at(point{"home", set, g})[0].Home...)
		s.Paper = append(s.Paper, at(point{"paper", set, g})[0].Paper...)
	}
	return s
}

// comparisonOn puts together the trainings of all methods on a set.
func comparisonOn(r *result.Result, at func(point) []pointResult, set string) *comparison {
	pilot := at(point{Part: "pilot"})[0].Runs["bsp"]
	s := &comparison{Set: set, Size: trainingSizeOf(r.Profile), Target: targetOf(pilot.Curve), Seeds: r.Seeds, Runs: map[linkMethod][]methodRun{}}
	kit.MadeOf(r, pilot.Engine, pilot.Data)
	for _, g := range links {
		for i, d := range at(point{"methods", set, g}) {
			for _, m := range methods() {
				s.Runs[linkMethod{g, m.Key}] = append(s.Runs[linkMethod{g, m.Key}], methodRunOf(m, d.Times[m.Key], at(point{Part: "synchronous"})[i].Runs))
			}
		}
	}
	return s
}

// comparisonOf trains all methods on the testbeds of one set of workers.
func comparisonOf(id, set string) exp.Experiment {
	return kit.Study[point, pointResult]{ID: id, Source: source, Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(string) []point { return points(set) }, Own: ownSeeds, Once: once, Cost: cost, Measure: do,
		Config: func(profile string) map[string]any {
			return map[string]any{"size": trainingSizeOf(profile), "grounds": testbedsConfig(set), "methods": methods(), "options": options(workers),
				"pilot_seed": pilotSeed}
		},
		Show: func(v *kit.View[point, pointResult]) {
			s := newComparison(v.Result, v.At, set)
			v.Frames = []result.Frame{s.methods(), s.curves(), s.home(), s.paper(), s.leads(), s.samples(), s.ratios(), s.extremes(), s.changes(), s.turns(), s.turned()}
			for _, g := range links {
				v.Figures = append(v.Figures, result.Figure{ID: fmt.Sprintf("curves-%g", g), Form: "line", Frame: "curves", Where: map[string]any{"link": g},
					X: "seconds", Y: []string{"accuracy"}, By: []string{"method"}})
			}
			v.Figures = append(v.Figures, result.Figure{ID: "rounds", Form: "bar", Frame: "methods", Where: map[string]any{"barred": true},
				X: "link", Y: []string{"round"}, By: []string{"method"}})
			v.Facts = append(s.facts(), s.changeFacts()...)
		}}.Experiment()
}

// sample returns one number per seed.
func (s *comparison) sample(x linkMethod, of func(methodRun) float64) kit.Sample {
	return kit.Each(s.Runs[x], of)
}

func (s *comparison) mean(x linkMethod, of func(methodRun) float64) float64 {
	return s.sample(x, of).Mean().Value
}

// reached returns of(what it took to the target) by seed, nothing if a seed never reaches the target.
func (s *comparison) reached(x linkMethod, of func(train.ToTarget) float64) kit.Sample {
	return s.sample(x, func(c methodRun) float64 { return s.toTarget(c.Curve, of) })
}

func (s *comparison) toTarget(curve []train.Point, of func(train.ToTarget) float64) float64 {
	return of(train.ReachOr(curve, s.Target))
}

func seconds(c train.ToTarget) float64   { return c.Seconds }
func gradients(c train.ToTarget) float64 { return c.Pushes }
func perRound(c methodRun) float64       { return c.Round }

// missed counts the seeds that never reach the target.
func (s *comparison) missed(x linkMethod) (n int) {
	for _, c := range s.Runs[x] {
		if _, ok := train.Reach(c.Curve, s.Target); !ok {
			n++
		}
	}
	return n
}

// shared returns whose training a method has, and in how many seeds.
func (s *comparison) shared(x linkMethod) (of string, n int) {
	for _, c := range s.Runs[x] {
		if c.Shared != "" {
			of, n = c.Shared, n+1
		}
	}
	return of, n
}

// trained reports whose parameters a method has: own, shared, or partly, in some seeds.
func (s *comparison) trained(x linkMethod) string {
	switch _, n := s.shared(x); n {
	case 0:
		return "own"
	case len(s.Seeds):
		return "shared"
	}
	return "partly"
}

// linkMethods returns all methods that keep takes, on all links.
func linkMethods(keep func(method) bool) (out []linkMethod) {
	for _, g := range links {
		for _, m := range methods() {
			if keep(m) {
				out = append(out, linkMethod{g, m.Key})
			}
		}
	}
	return out
}

// distinct leaves out ASGD, which is ASP.
func distinct(m method) bool { return m.Key != "asgd" }

// drawn are the methods that every figure begins with, in this order: looks are dealt out
// by what stands before, so that a method keeps its own from figure to figure. They are as
// many as there are colours; the tables have the others.
var drawn = []string{"bsp", "asp", "dasp", "ring", "ringsparse", "ssgd-multicast", "cssgd"}

// barred are the methods whose rounds are drawn as bars.
var barred = append(slices.Clone(drawn), "naive", "ssgd-unicast")

func where() []kit.Col[linkMethod] {
	return []kit.Col[linkMethod]{link(func(x linkMethod) float64 { return x.Gbps }), kit.Word("method", "method", func(x linkMethod) string { return x.Method })}
}

func link[R any](of func(R) float64) kit.Col[R] { return kit.Num("link", "Gb/s", kit.AsIs, of) }

// methods returns the frame of all methods on both links, the methods of the bars first.
func (s *comparison) methods() result.Frame {
	mean := func(key, unit string, digits int, times float64, of func(methodRun) float64) kit.Col[linkMethod] {
		return kit.Mean(key, unit, digits, func(x linkMethod) kit.Estimate { return s.sample(x, of).Mean().Times(times) })
	}
	rows := linkMethods(func(method) bool { return true })
	slices.SortStableFunc(rows, func(a, b linkMethod) int { return indexIn(barred, a.Method) - indexIn(barred, b.Method) })
	return kit.Frame("methods", rows, append(where(),
		kit.Word("document", "document", func(x linkMethod) string { return methodOf(x.Method).Document }),
		kit.Word("training", "training", s.trained), kit.Word("of", "method", func(x linkMethod) string { of, _ := s.shared(x); return of }),
		kit.Count("shared", "", func(x linkMethod) int { _, n := s.shared(x); return n }),
		kit.Half("time", "s", 3, func(x linkMethod) kit.Estimate { return s.reached(x, seconds).Mean() }),
		kit.Interval("ratio", "", 2, func(x linkMethod) kit.Estimate {
			return s.reached(x, seconds).Over(s.reached(linkMethod{x.Gbps, "bsp"}, seconds))
		}),
		kit.Mean("gradients", "", 0, func(x linkMethod) kit.Estimate { return s.reached(x, gradients).Mean() }),
		mean("own", "", 0, 1, func(c methodRun) float64 { return s.toTarget(c.Own, gradients) }),
		kit.Mean("to_updates", "", 0, func(x linkMethod) kit.Estimate {
			return s.reached(x, func(c train.ToTarget) float64 { return c.Updates }).Mean()
		}),
		mean("round", "ms", 2, 1e3, perRound), mean("sent", "MB", 2, 1e-6, func(c methodRun) float64 { return c.Sent }),
		mean("delivered", "MB", 2, 1e-6, func(c methodRun) float64 { return c.Delivered }),
		kit.Count("updates", "", func(x linkMethod) int64 { return s.Runs[x][0].Updates }),
		kit.Half("accuracy", "%", 1, func(x linkMethod) kit.Estimate { return s.sample(x, percent).Mean() }),
		mean("stale", "versions", 2, 1, func(c methodRun) float64 { return c.Stale }),
		kit.Count("stalest", "versions", func(x linkMethod) int64 {
			return slices.MaxFunc(s.Runs[x], func(a, b methodRun) int { return int(a.Stalest - b.Stalest) }).Stalest
		}),
		mean("compute", "%", 0, 100, func(c methodRun) float64 { return c.Compute }), kit.Count("missed", "", s.missed),
		kit.Flag("async", func(x linkMethod) bool { return methodOf(x.Method).Async && x.Method != "asgd" }),
		kit.Flag("barred", func(x linkMethod) bool { return slices.Contains(barred, x.Method) }))...)
}

func percent(c methodRun) float64 { return 100 * c.Accuracy }

// indexIn returns where a key stands in a list, behind all if nowhere.
func indexIn(list []string, key string) int {
	if i := slices.Index(list, key); i >= 0 {
		return i
	}
	return len(list)
}

// curves returns the frame of accuracy over virtual time, means over seeds.
func (s *comparison) curves() result.Frame {
	type at struct {
		linkMethod
		Seconds, Accuracy float64
	}
	var rows []at
	for _, g := range links {
		for _, k := range drawn {
			x := linkMethod{g, k}
			for i := range s.Runs[x][0].Curve {
				var sec, acc kit.Sample
				for _, c := range s.Runs[x] {
					if i < len(c.Curve) {
						sec, acc = append(sec, c.Curve[i].Seconds), append(acc, 100*c.Curve[i].Accuracy)
					}
				}
				rows = append(rows, at{x, sec.Mean().Value, acc.Mean().Value})
			}
		}
	}
	return kit.Frame("curves", rows, link(func(x at) float64 { return x.Gbps }), kit.Word("method", "method", func(x at) string { return x.Method }),
		kit.Num("seconds", "s", kit.AsIs, func(x at) float64 { return x.Seconds }), kit.Num("accuracy", "%", kit.AsIs, func(x at) float64 { return x.Accuracy }))
}

func (s *comparison) home() result.Frame {
	return kit.As(result.TimingOnly, kit.Frame("home", s.Home, link(func(h homeRow) float64 { return h.Gbps }),
		kit.Word("network", "home", func(h homeRow) string { return h.Network }), kit.Word("method", "method", func(h homeRow) string { return h.Method }),
		kit.Flag("trained", func(h homeRow) bool { return h.How == result.Trained }),
		kit.Num("round", "ms", 2, func(h homeRow) float64 { return 1e3 * h.Round }), kit.Num("sent", "MB", 3, func(h homeRow) float64 { return h.Sent / 1e6 }),
		kit.Num("over", "", 2, overLayers)))
}

// overLayers returns the quotient of RingSparse's round by the ring's, which also goes layer by
// layer.
func overLayers(h homeRow) float64 {
	if h.OverLayers == 0 {
		return math.NaN()
	}
	return h.OverLayers
}

// paper sets CSSGD beside both kinds of SSGD in the paper's own message model.
func (s *comparison) paper() result.Frame {
	over := func(key, other string) kit.Col[paperRow] {
		return kit.Num(key, "", 2, func(p paperRow) float64 {
			for _, o := range s.Paper {
				if o.Gbps == p.Gbps && o.Method == other && p.Method == "cssgd" {
					return p.Round / o.Round
				}
			}
			return math.NaN()
		})
	}
	return kit.As(result.TimingOnly, kit.Frame("paper-model", s.Paper, link(func(p paperRow) float64 { return p.Gbps }),
		kit.Word("method", "method", func(p paperRow) string { return p.Method }), kit.Num("round", "ms", 2, func(p paperRow) float64 { return 1e3 * p.Round }),
		kit.Num("sent", "MB", 2, func(p paperRow) float64 { return p.Sent / 1e6 }),
		kit.Num("delivered", "MB", 2, func(p paperRow) float64 { return p.Delivered / 1e6 }),
		over("over_unicast", "ssgd-unicast"), over("over_multicast", "ssgd-multicast")))
}

// first returns who is first to the target on a link, no method if none reaches it with every seed,
// and who cannot be told from it: the interval of the ratio holds 1, or the ratio is a tie.
func (s *comparison) first(g float64) (x linkMethod, near []string) {
	var order []timedMethod
	for _, m := range methods() {
		if t := s.reached(linkMethod{g, m.Key}, seconds).Mean(); distinct(m) && t.N > 0 {
			order = append(order, timedMethod{m, t.Value})
		}
	}
	if len(order) == 0 {
		return linkMethod{}, nil
	}
	sortByTime(order)
	x = linkMethod{g, order[0].Method.Key}
	for _, o := range order[1:] {
		if e := s.reached(linkMethod{g, o.Method.Key}, seconds).Over(s.reached(x, seconds)); e.CI != nil && e.CI[0] <= 1 || e.Value <= 1+tie {
			near = append(near, o.Method.Key)
		}
	}
	return x, near
}

// leads reports who is first to the target, who cannot be told apart, and whose round is shortest.
func (s *comparison) leads() result.Frame {
	first := s.first
	return kit.Frame("leads", links, link(func(g float64) float64 { return g }),
		kit.Word("first", "method", func(g float64) string { x, _ := first(g); return x.Method }),
		kit.Mean("time", "s", kit.AsIs, func(g float64) kit.Estimate { x, _ := first(g); return s.reached(x, seconds).Mean() }),
		kit.Interval("ratio", "", 2, func(g float64) kit.Estimate {
			if x, _ := first(g); x.Method != "bsp" {
				return s.reached(x, seconds).Over(s.reached(linkMethod{g, "bsp"}, seconds))
			}
			return kit.Estimate{}
		}),
		kit.Word("decided", "decided", func(g float64) string {
			switch x, near := first(g); {
			case x.Method == "":
				return "none"
			case len(s.Seeds) < 2:
				return "alone"
			case len(near) > 0:
				return "near"
			}
			return "clear"
		}),
		kit.Words("near", "method", func(g float64) []string { _, near := first(g); return near }),
		kit.Words("shortest", "method", func(g float64) []string { return s.rounds(g).first() }),
		kit.Num("round", "ms", kit.AsIs, func(g float64) float64 { return 1e3 * s.rounds(g)[0].Time }),
		kit.Word("second", "method", func(g float64) string { return s.rounds(g).second() }),
		kit.Num("longer", "%", 0, func(g float64) float64 { return s.rounds(g).longer() }))
}

// rounds sorts the methods by the time of a round.
func (s *comparison) rounds(g float64) (out ranking) {
	for _, m := range methods() {
		if distinct(m) {
			out = append(out, timedMethod{m, s.mean(linkMethod{g, m.Key}, perRound)})
		}
	}
	sortByTime(out)
	return out
}

// more returns how many times as many gradients to the target as BSP's a method needs.
func (s *comparison) more(x linkMethod) kit.Estimate {
	return s.reached(x, gradients).Over(s.reached(linkMethod{x.Gbps, "bsp"}, gradients))
}

// samples returns the frame of what staleness costs in samples.
func (s *comparison) samples() result.Frame {
	return kit.Frame("samples", linkMethods(func(m method) bool { return m.Async && distinct(m) }), append(where(),
		kit.Interval("ratio", "", 2, s.more), kit.Word("against", "against", func(x linkMethod) string { return s.more(x).Against(1) }))...)
}

// ratios compares rounds of methods: a over b.
func (s *comparison) ratios() result.Frame {
	cols := []kit.Col[float64]{link(func(g float64) float64 { return g })}
	for _, p := range [][3]string{{"multicast_unicast", "ssgd-multicast", "ssgd-unicast"}, {"cssgd_multicast", "cssgd", "ssgd-multicast"},
		{"cssgd_ring", "cssgd", "ring"}, {"sums_cssgd", "compressed", "cssgd"}, {"sums_multicast", "compressed", "ssgd-multicast"},
		{"aware_unicast", "ssgd-aware", "ssgd-unicast"}} {
		cols = append(cols, kit.Num(p[0], "", 2, func(g float64) float64 { return s.over(g, p[1], p[2]) }))
	}
	return kit.As(result.TimingOnly, kit.Frame("ratios", links, cols...))
}

func (s *comparison) over(g float64, a, b string) float64 {
	return s.mean(linkMethod{g, a}, perRound) / s.mean(linkMethod{g, b}, perRound)
}

// extremes names the shortest and the longest of the bars: what a figure says in words is
// of what it draws.
func (s *comparison) extremes() result.Frame {
	type end struct {
		Gbps        float64
		First, Last timedMethod
	}
	var rows []end
	for _, g := range links {
		var bars []timedMethod
		for _, k := range barred {
			bars = append(bars, timedMethod{methodOf(k), s.mean(linkMethod{g, k}, perRound)})
		}
		rows = append(rows, end{g, slices.MinFunc(bars, compareTimes), slices.MaxFunc(bars, compareTimes)})
	}
	return kit.As(result.TimingOnly, kit.Frame("extremes", rows, link(func(e end) float64 { return e.Gbps }),
		kit.Word("first", "method", func(e end) string { return e.First.Method.Key }),
		kit.Num("first_ms", "ms", kit.AsIs, func(e end) float64 { return 1e3 * e.First.Time }),
		kit.Word("last", "method", func(e end) string { return e.Last.Method.Key }),
		kit.Num("last_ms", "ms", kit.AsIs, func(e end) float64 { return 1e3 * e.Last.Time })))
}

// facts returns the numbers of sentences that stand in no frame.
func (s *comparison) facts() []result.Fact {
	g, z := testbedOf(s.Set, links[0]), s.Size
	flops := func(i int) float64 { return g.Platform.Workers[i].FLOPS / 1e9 }
	o := options(workers)
	out := []result.Fact{kit.Number("coding", "GB/s", kit.AsIs, train.CodingRate/1e9), kit.Finding("set", "platform", s.Set),
		kit.Number("target", "%", 0, 100*s.Target), kit.Counted("batch", "", z.Batch), kit.Counted("round", "", workers*z.Batch),
		kit.Counted("workers", "", workers), kit.Counted("gradients", "", z.Gradients), kit.Number("rate", "", kit.AsIs, z.Rate), kit.Counted("timed", "", z.Timed),
		kit.Counted("home_rounds", "", z.Timed-z.Warmup), kit.Number("density", "%", kit.AsIs, 100*homeDensity), kit.Counted("blocks", "", paperBlocks),
		kit.Number("slowest", "GFLOP/s", kit.AsIs, min(flops(0), flops(workers-1))), kit.Number("fastest", "GFLOP/s", kit.AsIs, max(flops(0), flops(workers-1))),
		kit.Whether("unequal", flops(0) != flops(workers-1)), kit.Number("jitter", "%", kit.AsIs, 100*g.Platform.Workers[0].Jitter),
		kit.Number("link_fast", "Gb/s", kit.AsIs, links[0]), kit.Number("link_slow", "Gb/s", kit.AsIs, links[1]),
		kit.Counted("ssp", "clocks", o.Staleness), kit.Counted("dssp_low", "clocks", o.Lower), kit.Counted("dssp_high", "clocks", o.Upper),
		kit.Counted("smin", "versions", o.Smin), kit.Counted("smax", "versions", o.Smax), kit.Number("alpha", "", kit.AsIs, o.Alpha)}
	decided, above, known := 0, 0, false
	for _, x := range linkMethods(func(m method) bool { return m.Async && distinct(m) }) {
		switch s.more(x).Against(1) {
		case "none":
			continue
		case "above":
			decided, above = decided+1, above+1
		case "below", "undecided":
			decided++
		}
		known = true
	}
	cost := "some"
	switch {
	case !known:
		cost = "unknown"
	case decided == 0:
		cost = "alone"
	case above == 0:
		cost = "none"
	}
	out = append(out, kit.Finding("staleness", "staleness", cost), kit.Counted("intervals", "", decided), kit.Counted("intervals_above", "", above))
	all := linkMethods(func(method) bool { return true })
	accuracy := func(x linkMethod) float64 { return s.mean(x, percent) }
	least := slices.MinFunc(all, func(a, b linkMethod) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	most := slices.MaxFunc(all, func(a, b linkMethod) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	bsp := s.sample(linkMethod{links[0], "bsp"}, percent).Mean()
	out = append(out, kit.Number("accuracy_least", "%", 1, accuracy(least)), kit.Finding("least", "method", least.Method),
		kit.Number("accuracy_most", "%", 1, accuracy(most)), kit.Finding("most", "method", most.Method), kit.Number("accuracy_half", "points", 1, bsp.Half()),
		kit.Whether("accuracy_wider", accuracy(most)-accuracy(least) > bsp.Half()))
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range trajectories() {
		own := s.sample(linkMethod{links[0], m.Key}, func(c methodRun) float64 { return s.toTarget(c.Own, gradients) }).Mean()
		if own.N == 0 {
			lo, hi = math.NaN(), math.NaN()
			break
		}
		lo, hi = min(lo, own.Value), max(hi, own.Value)
	}
	sent := func(k string) float64 {
		return s.mean(linkMethod{links[0], k}, func(c methodRun) float64 { return c.Sent })
	}
	return append(out, kit.Number("own_least", "", 0, lo), kit.Number("own_most", "", 0, hi),
		kit.Number("multicast_saves", "", kit.AsIs, sent("ssgd-unicast")/sent("ssgd-multicast")))
}
