package dasp

import (
	"math"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// dynShow makes the frames, figures and facts.
func dynShow(v *kit.View[dynPoint, dynCell]) {
	d := dynRuns{v}
	trained := v.At(dynPoint{Case: dynLeNet, Scenario: "static", Method: "bsp", Learn: true})[0]
	kit.MadeOf(v.Result, trained.Engine, trained.Data)
	d.facts()
	d.hypotheses()
	d.tradeoff()
	d.rivals()
	d.changes()
	d.times()
	d.forgiveness()
	d.states()
	d.waiting()
	d.visited()
	d.lines()
	d.learning()
}

// add adds a frame of the part that is timed only.
func (d dynRuns) add(f result.Frame) {
	f.Kind = result.TimingOnly
	d.Frames = append(d.Frames, f)
}

// pairs returns every case in every change of speeds.
func (d dynRuns) pairs() (out []dynPoint) {
	for _, c := range dynCases(d.Profile) {
		for _, s := range dynScenarios {
			if s.Against != "" {
				out = append(out, dynPoint{Case: c, Scenario: s.Key})
			}
		}
	}
	return out
}

// dynBy returns each row once per method.
func dynBy(rows []dynPoint, methods ...string) (out []dynPoint) {
	for _, p := range rows {
		for _, m := range methods {
			out = append(out, p.with(m))
		}
	}
	return out
}

// dynWhere returns the columns that say which run a row is of.
func dynWhere[R interface{ point() dynPoint }](keys ...string) (out []kit.Col[R]) {
	for _, key := range keys {
		out = append(out, kit.Word(key, key, func(r R) string {
			p := r.point()
			return map[string]string{"case": p.Case.key(), "scenario": p.Scenario, "method": p.Method}[key]
		}))
	}
	return out
}

// facts adds the numbers of the texts that stand in no frame of their own.
func (d dynRuns) facts() {
	z := sizeOf(d.Profile, "lenet5")
	d.Facts = append(d.Facts, kit.Finding("trained.data", "data", d.Data[0].Name))
	for _, n := range []struct {
		key, unit string
		x         float64
	}{{"workers", "", workers}, {"warmup", "", warmup}, {"batch", "", fullBatch}, {"smin", "versions", smin}, {"smax", "versions", smax},
		{"alpha", "", alpha},
		{"deal.from", "", dynDealFrom}, {"deal.to", "", dynDealTo}, {"calm.from", "", dynCalmFrom}, {"calm.to", "", dynCalmTo},
		{"burst.from", "", dynBurstFrom}, {"burst.to", "", dynBurstTo},
		{"burst.factor", "", dynBurstFactor}, {"forget", "", dynForget}, {"visible", "%", 100 * dynVisible}, {"tail", "", 99},
		{"target", "%", 100 * z.Target},
		{"trained.batch", "", float64(z.Batch)}, {"trained.rate", "", z.Rate}, {"trained.every", "", float64(z.EvalEvery)},
		{"trained.pushes", "", float64(z.Pushes)}} {
		d.Facts = append(d.Facts, kit.Number(n.key, n.unit, kit.AsIs, n.x))
	}
}

// hypotheses answers H1, H2 and H3 in every case and change, and counts the answers.
func (d dynRuns) hypotheses() {
	type answers struct {
		id   string
		rows []dynVerdict
	}
	var all []answers
	frame := func(id string, judge func(dynPoint) dynVerdict, cols ...kit.Col[dynVerdict]) {
		var rows []dynVerdict
		for _, p := range d.pairs() {
			rows = append(rows, judge(p))
		}
		all = append(all, answers{id, rows})
		head := append(dynWhere[dynVerdict]("case", "scenario"),
			kit.Word("answer", "answer", func(v dynVerdict) string { return v.Answer }))
		d.add(kit.Frame(id, rows, append(head, cols...)...))
	}
	nth := func(i int) func(dynVerdict) kit.Estimate { return func(v dynVerdict) kit.Estimate { return v.Of[i] } }
	mean := func(key string, digits, i int) kit.Col[dynVerdict] { return kit.Mean(key, "", digits, nth(i)) }
	frame("h1", d.h1, mean("before", 3, 0), mean("after", 3, 1), kit.Interval("change", "", 3, nth(2)))
	frame("h2", d.h2, mean("dasp", 3, 0), mean("ssp", 3, 1), mean("dssp", 3, 2))
	frame("h3", d.h3, mean("versions", 1, 0), mean("dasp", 2, 1), mean("ssp", 2, 2), kit.Interval("ratio", "", 3, nth(3)))
	count := func(key string, of ...string) kit.Col[answers] {
		return kit.Count(key, "", func(a answers) (n int) {
			for _, v := range a.rows {
				if slices.Contains(of, v.Answer) {
					n++
				}
			}
			return n
		})
	}
	d.add(kit.Frame("answers", all, kit.Word("hypothesis", "", func(a answers) string { return a.id }),
		count("held", dynHeld), count("judged", dynHeld, dynNotHeld), count("none", dynNoCase)))
}

// tradeoff sets every setting of LeNet-5 beside the others, DASP's beside the fastest SSP that is
// no staler, and counts H4's answers.
func (d dynRuns) tradeoff() {
	var rows []dynTrade
	for _, key := range dynTraded {
		for _, x := range dynSettings(d.Profile) {
			rows = append(rows, d.h4(dynPoint{Case: dynLeNet, Scenario: key, Method: x.Method, Setting: x.Name}))
		}
		d.Figures = append(d.Figures, result.Figure{ID: "tradeoff-" + key, Form: "line", Frame: "tradeoff", Where: map[string]any{"scenario": key},
			X: "p99", Y: []string{"per_push"}, By: []string{"method"}})
	}
	mean := func(of func(dynCell) float64) func(dynTrade) kit.Estimate {
		return func(t dynTrade) kit.Estimate { return d.each(t.dynPoint, of).Mean() }
	}
	cols := append(dynWhere[dynTrade]("scenario", "method"),
		kit.Word("setting", "", func(t dynTrade) string { return t.Setting }),
		kit.Mean("per_push", "ms", 2, func(t dynTrade) kit.Estimate { return d.perPush(t.dynPoint).Mean().Times(1e3) }),
		kit.Mean("p99", "versions", 1, mean(dynTail)), kit.Mean("staleness", "versions", 2, mean(dynMeanStaleness)),
		kit.Word("rival", "", func(t dynTrade) string { return t.Taken }),
		kit.Interval("ratio", "", 3, func(t dynTrade) kit.Estimate { return t.Tail }),
		kit.Word("answer", "answer", func(t dynTrade) string { return t.Answer }),
		kit.Interval("mean_ratio", "", 3, func(t dynTrade) kit.Estimate { return t.Mean }))
	d.add(kit.Frame("tradeoff", rows, cols...))
	count := func(key string, is func(dynTrade) bool) kit.Col[string] {
		return kit.Count(key, "", func(scenario string) (n int) {
			for _, t := range rows {
				if t.Scenario == scenario && is(t) {
					n++
				}
			}
			return n
		})
	}
	d.add(kit.Frame("h4", dynTraded, kit.Word("scenario", "scenario", func(s string) string { return s }),
		count("held", func(t dynTrade) bool { return t.Answer == dynHeld }),
		count("judged", func(t dynTrade) bool { return t.Answer == dynHeld || t.Answer == dynNotHeld }),
		count("held_mean", func(t dynTrade) bool { return dynSide(t.Mean) == "below" })))
}

// rivals sets DASP, where speeds change, beside the methods that are told to adapt worse, and
// says in facts how many cases fall on which side of SSP.
func (d dynRuns) rivals() {
	cols := dynWhere[dynPoint]("case", "scenario")
	for _, m := range []string{"asp", "ssp", "dssp"} {
		cols = append(cols, kit.Interval(m, "", 3, func(p dynPoint) kit.Estimate { return d.over(p, "dasp", m) }),
			kit.Word(m+"_told", "side", func(p dynPoint) string { return d.over(p, "dasp", m).Against(1) }))
	}
	beside := func(p dynPoint) string { return dynSide(d.over(p, "dasp", "ssp")) }
	cols = append(cols, kit.Word("beside_ssp", "side", beside))
	for _, m := range methods[1:] {
		cols = append(cols, kit.Mean(m+"_p99", "versions", 1, func(p dynPoint) kit.Estimate { return d.each(p.with(m), dynTail).Mean() }))
	}
	d.add(kit.Frame("rivals", d.pairs(), cols...))
	n, faster, sides, sum := len(d.pairs()), map[string]int{}, map[string]int{}, map[string]float64{}
	for _, p := range d.pairs() {
		for _, m := range methods {
			if d.factor(p.with(m), p.before().Scenario, func(c dynCell) float64 { return c.Iteration.PerPush }).Value < 1-dynVisible {
				faster[m]++
			}
		}
		sides[beside(p)]++
		if beside(p) == "above" {
			for _, m := range []string{"dasp", "ssp"} {
				sum["waiting."+m] += d.each(p.with(m), func(c dynCell) float64 { return c.Waiting }).Mean().Value
				sum["p99."+m] += d.each(p.with(m), dynTail).Mean().Value
			}
		}
	}
	d.Facts = append(d.Facts, kit.Counted("cases", "", n), kit.Counted("below", "", sides["below"]), kit.Counted("above", "", sides["above"]),
		kit.Whether("clocks_gain_more", 2*faster["ssp"] > n && faster["ssp"] > faster["dasp"]))
	for _, m := range methods {
		d.Facts = append(d.Facts, kit.Counted("faster."+m, "", faster[m]))
	}
	k := float64(sides["above"]) // 0: the means are none
	for _, m := range []string{"dasp", "ssp"} {
		d.Facts = append(d.Facts, kit.Number("above.waiting."+m, "", 2, sum["waiting."+m]/k),
			kit.Number("above.p99."+m, "versions", 1, sum["p99."+m]/k))
	}
}

// all returns every case under every method.
func (d dynRuns) all() (out []dynPoint) {
	for _, c := range dynCases(d.Profile) {
		out = append(out, dynBy([]dynPoint{{Case: c}}, methods...)...)
	}
	return out
}

// changes adds what changing speeds cost each method, per push, and per worker, the reading of the
// paper's tables, which falls even for ASP.
func (d dynRuns) changes() {
	perPush := func(c dynCell) float64 { return c.Iteration.PerPush }
	cols := dynWhere[dynPoint]("case", "method")
	for _, k := range [][3]string{{"steps", "steps", "static"}, {"bursts", "bursts", "straggler"}, {"cost", "bursts", "undisturbed"}} {
		cols = append(cols, kit.Interval(k[0], "", 3, func(p dynPoint) kit.Estimate { return d.factor(p.in(k[1]), k[2], perPush) }))
	}
	for _, k := range [][2]string{{"steps", "static"}, {"bursts", "straggler"}} {
		cols = append(cols, kit.Mean(k[0]+"_worker", "", 3, func(p dynPoint) kit.Estimate { return d.factor(p.in(k[0]), k[1], dynPerWorkerTime) }))
	}
	d.add(kit.Frame("changes", d.all(), cols...))
}

// times adds the mean time per push in every scenario.
func (d dynRuns) times() {
	cols := dynWhere[dynPoint]("case", "method")
	for _, s := range dynScenarios {
		cols = append(cols, kit.Mean(s.Key, "ms", 2, func(p dynPoint) kit.Estimate { return d.perPush(p.in(s.Key)).Mean().Times(1e3) }))
	}
	d.add(kit.Frame("times", d.all(), cols...))
}

// forgiveness adds how long a slow past is held against a worker, under the methods of H3.
func (d dynRuns) forgiveness() {
	of := func(p dynPoint) dynForgotten {
		var all []dynRelease
		for _, c := range d.At(p) {
			all = append(all, c.Releases...)
		}
		return dynMeanRelease(all)
	}
	num := func(key, unit string, digits int, x func(dynForgotten) float64) kit.Col[dynPoint] {
		return kit.Num(key, unit, digits, func(p dynPoint) float64 {
			if f := of(p); f.N > 0 {
				return x(f)
			}
			return math.NaN()
		})
	}
	d.add(kit.Frame("forgiveness", dynBy(d.pairs(), "ssp", "dasp"), append(dynWhere[dynPoint]("case", "scenario", "method"),
		kit.Count("instants", "", func(p dynPoint) int { return of(p).N }),
		num("pushes", "", 2, func(f dynForgotten) float64 { return f.Pushes }),
		num("versions", "", 1, func(f dynForgotten) float64 { return f.Versions }),
		num("units", "iterations", 2, func(f dynForgotten) float64 { return f.Units }),
		num("waited", "iterations", 2, func(f dynForgotten) float64 { return f.Waited }),
		num("unseen", "", 0, func(f dynForgotten) float64 { return float64(f.Unseen) }))...))
}

// states adds DASP's states where speeds change.
func (d dynRuns) states() {
	d.add(kit.Frame("states", d.pairs(), append(dynWhere[dynPoint]("case", "scenario"),
		stateCols(func(p dynPoint) []cell { return d.cells(p.with("dasp")) })...)...))
}

// cells returns what every experiment of this package needs of p's runs.
func (d dynRuns) cells(p dynPoint) (out []cell) {
	for _, c := range d.At(p) {
		out = append(out, c.cell)
	}
	return out
}

// dynWindow is a number in a window of one iteration around the instants at which speeds change.
type dynWindow struct {
	dynPoint
	State string
	At, Y float64
}

var dynSince = kit.Num("since", "iterations", kit.AsIs, func(w dynWindow) float64 { return w.At })

// aroundChanges adds a figure per change of speeds of what frame has around their instants, and
// returns LeNet-5 in each.
func (d dynRuns) aroundChanges(figure, frame, y, by string) (out []dynPoint) {
	for _, scenario := range []string{"steps", "bursts"} {
		d.Figures = append(d.Figures, result.Figure{ID: figure + "-" + scenario, Form: "line", Frame: frame,
			Where: map[string]any{"scenario": scenario}, X: "since", Y: []string{y}, By: []string{by}})
		out = append(out, dynPoint{Case: dynLeNet, Scenario: scenario})
	}
	return out
}

// waiting draws the workers that wait.
func (d dynRuns) waiting() {
	type peak struct {
		dynPoint
		Events           int
		Before, Most, At float64
	}
	var waiting []dynWindow
	var peaks []peak
	for _, scenario := range d.aroundChanges("waiting", "waiting", "workers", "method") {
		events := 0
		for _, p := range dynBy([]dynPoint{scenario}, methods...) {
			top, sum := peak{dynPoint: p}, make([]float64, dynBefore+dynAfter)
			for _, c := range d.At(p) { // a seed counts by its events
				for b := range c.Around {
					sum[b] += float64(c.Around[b] * float64(c.Onsets))
				}
				top.Events += c.Onsets
			}
			for b := range sum {
				w := dynWindow{p, "", float64(b-dynBefore) + 0.5, sum[b] / float64(max(top.Events, 1))}
				waiting = append(waiting, w)
				if b < dynBefore {
					top.Before += w.Y / dynBefore
				} else if w.Y > top.Most {
					top.Most, top.At = w.Y, w.At
				}
			}
			peaks, events = append(peaks, top), max(events, top.Events)
		}
		d.Facts = append(d.Facts, kit.Counted("events."+scenario.Scenario, "", events))
	}
	d.add(kit.Frame("waiting", waiting, append(dynWhere[dynWindow]("scenario", "method"), dynSince,
		kit.Num("workers", "", 2, func(w dynWindow) float64 { return w.Y }))...))
	d.add(kit.Frame("peaks", peaks, append(dynWhere[peak]("scenario", "method"), kit.Count("events", "", func(p peak) int { return p.Events }),
		kit.Num("before", "", 2, func(p peak) float64 { return p.Before }), kit.Num("most", "", 2, func(p peak) float64 { return p.Most }),
		kit.Num("at", "", 1, func(p peak) float64 { return p.At }))...))
}

// visited draws DASP's states.
func (d dynRuns) visited() {
	type side struct {
		dynPoint
		State         string
		Before, After float64
	}
	var visited []dynWindow
	var sides []side
	for _, p := range d.aroundChanges("states", "visited", "share", "state") {
		var counts [3][dynBefore + dynAfter]int64
		var total [dynBefore + dynAfter]int64
		for _, c := range d.At(p.with("dasp")) {
			for i := range states {
				for b, k := range c.States[i] {
					counts[i][b] += k
					total[b] += k
				}
			}
		}
		for i, name := range states {
			var n, all [2]int64 // before the change, and as long after it
			for b, k := range counts[i] {
				if total[b] > 0 {
					visited = append(visited, dynWindow{p, name, float64(b-dynBefore) + 0.5, 100 * float64(k) / float64(total[b])})
				}
				if s := b / dynBefore; s < 2 {
					n[s], all[s] = n[s]+k, all[s]+total[b]
				}
			}
			share := func(s int) float64 { return 100 * float64(n[s]) / float64(max(all[s], 1)) }
			sides = append(sides, side{p, name, share(0), share(1)})
		}
	}
	d.add(kit.Frame("visited", visited, append(dynWhere[dynWindow]("scenario"), kit.Word("state", "state", func(w dynWindow) string { return w.State }),
		dynSince, kit.Num("share", "%", 1, func(w dynWindow) float64 { return w.Y }))...))
	d.add(kit.Frame("turns", sides, append(dynWhere[side]("scenario"), kit.Word("state", "state", func(s side) string { return s.State }),
		kit.Num("before", "%", 1, func(s side) float64 { return s.Before }), kit.Num("after", "%", 1, func(s side) float64 { return s.After }))...))
}

// lines draws the first seed's first burst under DASP and SSP.
func (d dynRuns) lines() {
	var lines []dynLine
	var bands, slowed []dynBand
	for _, m := range []string{"dasp", "ssp"} {
		l := d.At(dynPoint{Case: dynLeNet, Scenario: "bursts", Method: m})[0].Line
		lines, bands, slowed = append(lines, l), append(bands, l.Bands...), append(slowed, l.Slowed...)
		d.Figures = append(d.Figures, result.Figure{ID: "burst-" + m, Form: "gantt", Frame: "bands", Where: map[string]any{"method": m},
			X: "from", Y: []string{"to"}, Lane: "worker", State: "state"})
	}
	head := []kit.Col[dynBand]{kit.Word("method", "method", func(b dynBand) string { return b.Method }),
		kit.Count("worker", "", func(b dynBand) int { return b.Worker }),
		kit.Num("from", "ms", 0, func(b dynBand) float64 { return b.From }), kit.Num("to", "ms", 0, func(b dynBand) float64 { return b.To })}
	d.add(kit.Frame("slowed", slowed, head...))
	d.add(kit.Frame("bands", bands, append(head, kit.Word("state", "state", func(b dynBand) string { return b.State }),
		kit.Count("iteration", "", func(b dynBand) int64 { return b.Step }), kit.Count("pulled", "", func(b dynBand) int64 { return b.Pulled }),
		kit.Count("applied", "", func(b dynBand) int64 { return b.Applied }), kit.Count("clock", "", func(b dynBand) int64 { return b.Clock }))...))
	d.add(kit.Frame("lines", lines, kit.Word("method", "method", func(l dynLine) string { return l.Method }),
		kit.Num("from", "ms", 0, func(l dynLine) float64 { return l.From }), kit.Num("to", "ms", 0, func(l dynLine) float64 { return l.To }),
		kit.Count("arrived", "", func(l dynLine) int { return l.Arrived }), kit.Num("waited", "ms", 0, func(l dynLine) float64 { return l.Waited })))
}

// learning adds LeNet-5's time to the target in every scenario, and DASP's beside its rivals' where
// speeds change.
func (d dynRuns) learning() {
	reached := func(p dynPoint, of func(cell, train.Crossing) float64) kit.Sample {
		return crossing(d.cells(p), sizeOf(d.Profile, "lenet5").Target, of)
	}
	seconds := func(p dynPoint) kit.Sample {
		return reached(p, func(_ cell, x train.Crossing) float64 { return x.Seconds })
	}
	against := map[string]string{}
	var rows, changing []dynPoint
	for _, l := range dynLessons(d.Profile) {
		p := []dynPoint{{Case: dynLeNet, Scenario: l.key, Learn: true}}
		against[l.key] = l.against
		rows = append(rows, dynBy(p, methods...)...)
		if l.against != "" {
			changing = append(changing, dynBy(p, methods[:4]...)...)
		}
	}
	f := kit.Frame("learning", rows, append(dynWhere[dynPoint]("scenario", "method"),
		kit.Half("seconds", "s", 3, func(p dynPoint) kit.Estimate { return seconds(p).Mean() }),
		kit.Interval("over_bsp", "", 3, func(p dynPoint) kit.Estimate { return seconds(p).Over(seconds(p.with("bsp"))) }),
		kit.Interval("unchanged", "", 3, func(p dynPoint) kit.Estimate { return seconds(p).Over(seconds(p.in(against[p.Scenario]))) }),
		kit.Mean("pushes", "", 0, func(p dynPoint) kit.Estimate {
			return reached(p, func(_ cell, x train.Crossing) float64 { return x.Pushes }).Mean()
		}),
		kit.Mean("accuracy", "%", 2, func(p dynPoint) kit.Estimate {
			return d.each(p, func(c dynCell) float64 { return c.Accuracy }).Mean().Times(100)
		}),
		kit.Mean("staleness", "versions", 2, func(p dynPoint) kit.Estimate { return d.each(p, dynMeanStaleness).Mean() }))...)
	ours := func(p dynPoint) kit.Estimate { return seconds(p.with("dasp")).Over(seconds(p)) }
	g := kit.Frame("learned", changing, append(dynWhere[dynPoint]("scenario", "method"), kit.Interval("dasp", "", 3, ours),
		kit.Word("told", "side", func(p dynPoint) string { return ours(p).Against(1) }))...)
	d.Frames = append(d.Frames, f, g)
}
