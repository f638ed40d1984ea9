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

// heterogeneous trains all methods on the testbeds of unequal workers.
func heterogeneous() exp.Experiment {
	return kit.Study[point, pointResult]{ID: "compare/heterogeneous", Source: source, Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(string) []point { return points(unequalSet) }, Own: ownSeeds, Once: once, Cost: cost, Measure: do,
		Config: func(profile string) map[string]any {
			return map[string]any{"size": trainingSizeOf(profile), "grounds": testbedsConfig(unequalSet), "methods": methods(), "options": options(workers),
				"pilot_seed": pilotSeed}
		},
		Show: func(v *kit.View[point, pointResult]) {
			s := newComparison(v.Result, v.At, unequalSet)
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

// methods returns the frame of all methods on both links, the methods of the bars first.
func (s *comparison) methods() result.Frame {
	rows := linkMethods(func(method) bool { return true })
	slices.SortStableFunc(rows, func(a, b linkMethod) int { return indexIn(barred, a.Method) - indexIn(barred, b.Method) })
	return kit.Rows("methods",
		"link/Gb/s method:method document:document training:training of:method shared time±/s.3 ratio~/.2 "+
			"gradients/.0 own/.0 to_updates/.0 round/ms.2 sent/MB.2 delivered/MB.2 updates accuracy±/%.1 "+
			"stale/versions.2 stalest/versions compute/%.0 missed async:bool barred:bool",
		rows, func(x linkMethod) []any {
			mean := func(of func(methodRun) float64) kit.Estimate { return s.sample(x, of).Mean() }
			of, shared := s.shared(x)
			time := s.reached(x, seconds)
			return []any{x.Gbps, x.Method, methodOf(x.Method).Document, s.trained(x), of, shared, time.Mean(),
				time.Over(s.reached(linkMethod{x.Gbps, "bsp"}, seconds)), s.reached(x, gradients).Mean(),
				mean(func(c methodRun) float64 { return s.toTarget(c.Own, gradients) }),
				s.reached(x, func(c train.ToTarget) float64 { return c.Updates }).Mean(),
				mean(perRound).Times(1e3), mean(func(c methodRun) float64 { return c.Sent }).Times(1e-6),
				mean(func(c methodRun) float64 { return c.Delivered }).Times(1e-6),
				s.Runs[x][0].Updates, mean(percent), mean(func(c methodRun) float64 { return c.Stale }),
				kit.Largest(s.Runs[x], func(c methodRun) int64 { return c.Stalest }),
				mean(func(c methodRun) float64 { return c.Compute }).Times(100), s.missed(x),
				methodOf(x.Method).Async && x.Method != "asgd", slices.Contains(barred, x.Method)}
		})
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
	f := kit.NewSheet("curves", "link/Gb/s method:method seconds/s accuracy/%")
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
				f.Add(g, k, sec.Mean().Value, acc.Mean().Value)
			}
		}
	}
	return f.Frame
}

func (s *comparison) home() result.Frame {
	return kit.As(result.TimingOnly, kit.Rows("home",
		"link/Gb/s network:home method:method trained:bool round/ms.2 sent/MB.3 over/.2", s.Home, func(h homeRow) []any {
			return []any{h.Gbps, h.Network, h.Method, h.How == result.Trained, 1e3 * h.Round, h.Sent / 1e6, overLayers(h)}
		}))
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
	return kit.As(result.TimingOnly, kit.Rows("paper-model",
		"link/Gb/s method:method round/ms.2 sent/MB.2 delivered/MB.2 over_unicast/.2 over_multicast/.2",
		s.Paper, func(p paperRow) []any {
			over := func(other string) float64 {
				for _, o := range s.Paper {
					if o.Gbps == p.Gbps && o.Method == other && p.Method == "cssgd" {
						return p.Round / o.Round
					}
				}
				return math.NaN()
			}
			return []any{p.Gbps, p.Method, 1e3 * p.Round, p.Sent / 1e6, p.Delivered / 1e6,
				over("ssgd-unicast"), over("ssgd-multicast")}
		}))
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
	return kit.Rows("leads",
		"link/Gb/s first:method time/s ratio~/.2 decided:decided near:method "+
			"shortest:method round/ms second:method longer/%.0", links, func(g float64) []any {
			x, near := s.first(g)
			rounds, time, ratio, decided := s.rounds(g), s.reached(x, seconds), kit.Estimate{}, "clear"
			if x.Method != "bsp" {
				ratio = time.Over(s.reached(linkMethod{g, "bsp"}, seconds))
			}
			switch {
			case x.Method == "":
				decided = "none"
			case len(s.Seeds) < 2:
				decided = "alone"
			case len(near) > 0:
				decided = "near"
			}
			return []any{g, x.Method, time.Mean(), ratio, decided, kit.Keys(near),
				kit.Keys(rounds.first()), 1e3 * rounds[0].Time, rounds.second(), rounds.longer()}
		})
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
	rows := linkMethods(func(m method) bool { return m.Async && distinct(m) })
	return kit.Rows("samples", "link/Gb/s method:method ratio~/.2 against:against", rows, func(x linkMethod) []any {
		return []any{x.Gbps, x.Method, s.more(x), s.more(x).Against(1)}
	})
}

// ratios compares rounds of methods: a over b.
func (s *comparison) ratios() result.Frame {
	pairs := [][3]string{{"multicast_unicast", "ssgd-multicast", "ssgd-unicast"},
		{"cssgd_multicast", "cssgd", "ssgd-multicast"}, {"cssgd_ring", "cssgd", "ring"},
		{"sums_cssgd", "compressed", "cssgd"}, {"sums_multicast", "compressed", "ssgd-multicast"},
		{"aware_unicast", "ssgd-aware", "ssgd-unicast"}}
	columns := "link/Gb/s"
	for _, p := range pairs {
		columns += " " + p[0] + "/.2"
	}
	return kit.As(result.TimingOnly, kit.Rows("ratios", columns, links, func(g float64) []any {
		row := []any{g}
		for _, p := range pairs {
			row = append(row, s.over(g, p[1], p[2]))
		}
		return row
	}))
}

func (s *comparison) over(g float64, a, b string) float64 {
	return s.mean(linkMethod{g, a}, perRound) / s.mean(linkMethod{g, b}, perRound)
}

// extremes names the shortest and the longest of the bars: what a figure says in words is
// of what it draws.
func (s *comparison) extremes() result.Frame {
	return kit.As(result.TimingOnly, kit.Rows("extremes",
		"link/Gb/s first:method first_ms/ms last:method last_ms/ms", links, func(g float64) []any {
			bars := kit.Map(barred, func(k string) timedMethod {
				return timedMethod{methodOf(k), s.mean(linkMethod{g, k}, perRound)}
			})
			first, last := slices.MinFunc(bars, compareTimes), slices.MaxFunc(bars, compareTimes)
			return []any{g, first.Method.Key, 1e3 * first.Time, last.Method.Key, 1e3 * last.Time}
		}))
}

// facts returns the numbers of sentences that stand in no frame.
func (s *comparison) facts() []result.Fact {
	g, z := testbedOf(s.Set, links[0]), s.Size
	flops := func(i int) float64 { return g.Platform.Workers[i].FLOPS / 1e9 }
	o := options(workers)
	out := kit.Facts("coding/GB/s", train.CodingRate/1e9, "set:platform", s.Set, "target/%.0", 100*s.Target,
		"batch", z.Batch, "round", workers*z.Batch, "workers", workers, "gradients", z.Gradients, "rate", z.Rate,
		"timed", z.Timed, "home_rounds", z.Timed-z.Warmup, "density/%", 100*homeDensity, "blocks", paperBlocks,
		"slowest/GFLOP/s", min(flops(0), flops(workers-1)), "fastest/GFLOP/s", max(flops(0), flops(workers-1)),
		"unequal", flops(0) != flops(workers-1), "jitter/%", 100*g.Platform.Workers[0].Jitter,
		"link_fast/Gb/s", links[0], "link_slow/Gb/s", links[1], "ssp/clocks", o.Staleness, "dssp_low/clocks", o.Lower,
		"dssp_high/clocks", o.Upper, "smin/versions", o.Smin, "smax/versions", o.Smax, "alpha", o.Alpha)
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
	out = append(out, kit.Facts("staleness:staleness", cost, "intervals", decided, "intervals_above", above)...)
	all := linkMethods(func(method) bool { return true })
	accuracy := func(x linkMethod) float64 { return s.mean(x, percent) }
	least := slices.MinFunc(all, func(a, b linkMethod) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	most := slices.MaxFunc(all, func(a, b linkMethod) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	bsp := s.sample(linkMethod{links[0], "bsp"}, percent).Mean()
	out = append(out, kit.Facts("accuracy_least/%.1", accuracy(least), "least:method", least.Method,
		"accuracy_most/%.1", accuracy(most), "most:method", most.Method, "accuracy_half/points.1", bsp.Half(),
		"accuracy_wider", accuracy(most)-accuracy(least) > bsp.Half())...)
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
	return append(out, kit.Facts("own_least/.0", lo, "own_most/.0", hi,
		"multicast_saves", sent("ssgd-unicast")/sent("ssgd-multicast"))...)
}
