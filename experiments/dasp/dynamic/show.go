package dynamic

import (
	"slices"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// show makes the frames, figures and facts.
func show(v *kit.View[point, measured]) {
	d := view{v}
	trained := v.At(point{Case: leNet, Scenario: "static", Method: "bsp", Learn: true})[0]
	kit.MadeOf(v.Result, trained.Engine, trained.Data)
	d.facts()
	d.hypotheses()
	d.tradeoff()
	d.rivals()
	d.changes()
	d.forgiveness()
	d.states()
	d.waiting()
	d.visited()
	d.lines()
	d.learning()
}

// add adds a frame of timing-only runs.
func (d view) add(s *kit.Sheet) { d.Frames = append(d.Frames, kit.As(result.TimingOnly, s.Frame)) }

// pairs returns every case in every change of speeds.
func (d view) pairs() (out []point) {
	for _, c := range linkedModels(d.Profile) {
		for _, s := range scenarios {
			if s.Against != "" {
				out = append(out, point{Case: c, Scenario: s.Key})
			}
		}
	}
	return out
}

// byMethod returns each row once per method.
func byMethod(rows []point, methods ...string) (out []point) {
	for _, p := range rows {
		for _, m := range methods {
			out = append(out, p.with(m))
		}
	}
	return out
}

// facts adds the numbers of the texts that no frame has.
func (d view) facts() {
	z := setup.SizeOf(d.Profile, "lenet5")
	d.Facts = append(d.Facts, kit.Facts("trained.data:data", d.Data[0].Name, "workers", setup.Workers, "warmup", setup.Warmup, "batch", setup.FullBatch,
		"smin/versions", setup.Smin, "smax/versions", setup.Smax, "alpha", setup.Alpha, "deal.from", dealFrom, "deal.to", dealTo,
		"calm.from", calmFrom, "calm.to", calmTo, "burst.from", burstFrom, "burst.to", burstTo,
		"burst.factor", burstFactor, "forget", forget, "visible/%", 100*visible, "tail", 99, "target/%", 100*z.Target,
		"trained.batch", z.Batch, "trained.rate", z.Rate, "trained.every", z.EvalEvery, "trained.pushes", z.Pushes)...)
}

// hypotheses answers H1, H2 and H3 in every case and change, and counts the answers.
func (d view) hypotheses() {
	all := kit.NewSheet("answers", "hypothesis held judged none")
	judged := func(id string, judge func(point) judgement, columns string) {
		s, n := kit.NewSheet(id, "case:case scenario:scenario answer:answer "+columns), map[string]int{}
		for _, p := range d.pairs() {
			v := judge(p)
			row := []any{p.Case.key(), p.Scenario, v.Answer}
			for _, x := range v.Of {
				row = append(row, x)
			}
			s.Add(row...)
			n[v.Answer]++
		}
		d.add(s)
		all.Add(id, n[answerHeld], n[answerHeld]+n[answerNotHeld], n[answerNoCase])
	}
	judged("h1", d.h1, "before/.3 after/.3 change~/.3")
	judged("h2", d.h2, "dasp/.3 ssp/.3 dssp/.3")
	judged("h3", d.h3, "versions/.1 dasp/.2 ssp/.2 ratio~/.3")
	d.add(all)
}

// tradeoff lists every setting of LeNet-5, compares DASP's with the fastest SSP that is no staler,
// and counts H4's answers.
func (d view) tradeoff() {
	s := kit.NewSheet("tradeoff", "scenario:scenario method:method setting per_push/ms.2 p99/versions.1 staleness/versions.2 "+
		"rival ratio~/.3 answer:answer mean_ratio~/.3")
	all := kit.NewSheet("h4", "scenario:scenario held judged held_mean")
	for _, key := range tradedScenarios {
		n, byMean := map[string]int{}, 0
		for _, x := range boundedMethods(d.Profile) {
			p := point{Case: leNet, Scenario: key, Method: x.Method, Setting: x.Name}
			t := d.h4(p)
			s.Add(key, x.Method, x.Name, d.perPush(p).Mean().Times(1e3), kit.Each(d.At(p), p99Staleness).Mean(), kit.Each(d.At(p), meanStaleness).Mean(),
				t.Taken, t.Tail, t.Answer, t.Mean)
			if n[t.Answer]++; sideOf(t.Mean) == "below" {
				byMean++
			}
		}
		all.Add(key, n[answerHeld], n[answerHeld]+n[answerNotHeld], byMean)
		d.Figures = append(d.Figures, result.Figure{ID: "tradeoff-" + key, Form: "line", Frame: "tradeoff", Where: map[string]any{"scenario": key},
			X: "p99", Y: []string{"per_push"}, By: []string{"method"}})
	}
	d.add(s)
	d.add(all)
}

// rivals compares DASP, where speeds change, with the methods that are said to adapt worse, and
// counts the cases on either side of SSP.
func (d view) rivals() {
	s := kit.NewSheet("rivals", "case:case scenario:scenario asp~/.3 asp_told:side ssp~/.3 ssp_told:side dssp~/.3 dssp_told:side "+
		"beside_ssp:side asp_p99/versions.1 ssp_p99/versions.1 dssp_p99/versions.1 dasp_p99/versions.1")
	faster, sides, sum := map[string]int{}, map[string]int{}, map[string]float64{}
	for _, p := range d.pairs() {
		row := []any{p.Case.key(), p.Scenario}
		for _, m := range []string{"asp", "ssp", "dssp"} {
			x := d.over(p, "dasp", m)
			row = append(row, x, x.Against(1))
		}
		beside := sideOf(d.over(p, "dasp", "ssp"))
		row = append(row, beside)
		for _, m := range setup.Methods[1:] {
			row = append(row, kit.Each(d.At(p.with(m)), p99Staleness).Mean())
		}
		s.Add(row...)
		for _, m := range setup.Methods {
			if d.factor(p.with(m), p.before().Scenario, func(c measured) float64 { return c.Iteration.PerPush }).Value < 1-visible {
				faster[m]++
			}
		}
		sides[beside]++
		for _, m := range []string{"dasp", "ssp"} {
			if beside == "above" {
				sum["waiting."+m] += kit.Each(d.At(p.with(m)), func(c measured) float64 { return c.Waiting }).Mean().Value
				sum["p99."+m] += kit.Each(d.At(p.with(m)), p99Staleness).Mean().Value
			}
		}
	}
	d.add(s)
	n := len(s.Rows)
	d.Facts = append(d.Facts, kit.Facts("cases", n, "below", sides["below"], "above", sides["above"],
		"clocks_gain_more", 2*faster["ssp"] > n && faster["ssp"] > faster["dasp"])...)
	for _, m := range setup.Methods {
		d.Facts = append(d.Facts, kit.Counted("faster."+m, "", faster[m]))
	}
	k := float64(sides["above"]) // 0: the means are NaN
	for _, m := range []string{"dasp", "ssp"} {
		d.Facts = append(d.Facts, kit.Facts("above.waiting."+m+"/.2", sum["waiting."+m]/k, "above.p99."+m+"/versions.1", sum["p99."+m]/k)...)
	}
}

// all returns every case under every method.
func (d view) all() (out []point) {
	for _, c := range linkedModels(d.Profile) {
		out = append(out, byMethod([]point{{Case: c}}, setup.Methods...)...)
	}
	return out
}

// changes lists what changing speeds cost each method, per push, and per worker as the paper's
// tables read it, where the cost falls even for ASP; and the mean time per push in every scenario.
func (d view) changes() {
	perPush := func(c measured) float64 { return c.Iteration.PerPush }
	s := kit.NewSheet("changes", "case:case method:method steps~/.3 bursts~/.3 cost~/.3 steps_worker/.3 bursts_worker/.3")
	times := kit.NewSheet("times", "case:case method:method static/ms.2 steps/ms.2 undisturbed/ms.2 straggler/ms.2 bursts/ms.2")
	for _, p := range d.all() {
		s.Add(p.Case.key(), p.Method, d.factor(p.in("steps"), "static", perPush), d.factor(p.in("bursts"), "straggler", perPush),
			d.factor(p.in("bursts"), "undisturbed", perPush), d.factor(p.in("steps"), "static", timePerWorker),
			d.factor(p.in("bursts"), "straggler", timePerWorker))
		row := []any{p.Case.key(), p.Method}
		for _, x := range scenarios {
			row = append(row, d.perPush(p.in(x.Key)).Mean().Times(1e3))
		}
		times.Add(row...)
	}
	d.add(s)
	d.add(times)
}

// forgiveness lists how long a slow past is held against a worker, under the methods of H3.
func (d view) forgiveness() {
	s := kit.NewSheet("forgiveness", "case:case scenario:scenario method:method instants pushes/.2 versions/.1 units/iterations.2 "+
		"waited/iterations.2 unseen/.0")
	for _, p := range byMethod(d.pairs(), "ssp", "dasp") {
		f := forgivenOf(slices.Concat(kit.Map(d.At(p), func(c measured) []release { return c.Releases })...))
		of := func(x float64) float64 { return kit.OnlyIf(f.N > 0, x) }
		s.Add(p.Case.key(), p.Scenario, p.Method, f.N, of(f.Pushes), of(f.Versions), of(f.Units), of(f.Waited), of(float64(f.Unseen)))
	}
	d.add(s)
}

// states lists DASP's states where speeds change.
func (d view) states() {
	s := kit.NewSheet("states", "case:case scenario:scenario"+setup.StateColumns)
	for _, p := range d.pairs() {
		s.Add(setup.StateCells(d.summaries(p.with("dasp")), p.Case.key(), p.Scenario)...)
	}
	d.add(s)
}

// summaries returns the summaries of p's runs.
func (d view) summaries(p point) []setup.Summary {
	return kit.Map(d.At(p), func(c measured) setup.Summary { return c.Summary })
}

// aroundChanges adds a figure for each change of speeds, of column y of frame in windows of one
// iteration around its instants. It returns LeNet-5 in each.
func (d view) aroundChanges(figure, frame, y, by string) (out []point) {
	for _, scenario := range []string{"steps", "bursts"} {
		d.Figures = append(d.Figures, result.Figure{ID: figure + "-" + scenario, Form: "line", Frame: frame,
			Where: map[string]any{"scenario": scenario}, X: "since", Y: []string{y}, By: []string{by}})
		out = append(out, point{Case: leNet, Scenario: scenario})
	}
	return out
}

// sinceChange returns the middle of a window, in iterations from the change.
func sinceChange(window int) float64 { return float64(window-windowsBefore) + 0.5 }

// waiting draws how many workers wait around the changes.
func (d view) waiting() {
	waiting := kit.NewSheet("waiting", "scenario:scenario method:method since/iterations workers/.2")
	peaks := kit.NewSheet("peaks", "scenario:scenario method:method events before/.2 most/.2 at/.1")
	for _, scenario := range d.aroundChanges("waiting", "waiting", "workers", "method") {
		most := 0
		for _, p := range byMethod([]point{scenario}, setup.Methods...) {
			events, sum := 0, make([]float64, windowsBefore+windowsAfter)
			for _, c := range d.At(p) { // a seed is weighted by its events
				for b := range c.Around {
					sum[b] += float64(c.Around[b] * float64(c.Onsets))
				}
				events += c.Onsets
			}
			var before, peak, at float64
			for b := range sum {
				y := sum[b] / float64(max(events, 1))
				waiting.Add(p.Scenario, p.Method, sinceChange(b), y)
				if b < windowsBefore {
					before += y / windowsBefore
				} else if y > peak {
					peak, at = y, sinceChange(b)
				}
			}
			peaks.Add(p.Scenario, p.Method, events, before, peak, at)
			most = max(most, events)
		}
		d.Facts = append(d.Facts, kit.Counted("events."+scenario.Scenario, "", most))
	}
	d.add(waiting)
	d.add(peaks)
}

// visited draws DASP's states around the changes.
func (d view) visited() {
	visited := kit.NewSheet("visited", "scenario:scenario state:state since/iterations share/%.1")
	turns := kit.NewSheet("turns", "scenario:scenario state:state before/%.1 after/%.1")
	for _, p := range d.aroundChanges("states", "visited", "share", "state") {
		var counts [3][windowsBefore + windowsAfter]int64
		var total [windowsBefore + windowsAfter]int64
		for _, c := range d.At(p.with("dasp")) {
			for i := range setup.States {
				for b, k := range c.States[i] {
					counts[i][b] += k
					total[b] += k
				}
			}
		}
		for i, name := range setup.States {
			var n, all [2]int64 // before the change, and as long after it
			for b, k := range counts[i] {
				if total[b] > 0 {
					visited.Add(p.Scenario, name, sinceChange(b), 100*float64(k)/float64(total[b]))
				}
				if s := b / windowsBefore; s < 2 {
					n[s], all[s] = n[s]+k, all[s]+total[b]
				}
			}
			share := func(s int) float64 { return 100 * float64(n[s]) / float64(max(all[s], 1)) }
			turns.Add(p.Scenario, name, share(0), share(1))
		}
	}
	d.add(visited)
	d.add(turns)
}

// lines draws the first seed's first burst under DASP and SSP.
func (d view) lines() {
	const head = "method:method worker from/ms.0 to/ms.0"
	slowed, bands := kit.NewSheet("slowed", head), kit.NewSheet("bands", head+" state:state iteration pulled applied clock")
	lines := kit.NewSheet("lines", "method:method from/ms.0 to/ms.0 arrived waited/ms.0")
	for _, m := range []string{"dasp", "ssp"} {
		l := d.At(point{Case: leNet, Scenario: "bursts", Method: m})[0].Line
		for _, b := range l.Slowed {
			slowed.Add(b.Method, b.Worker, b.From, b.To)
		}
		for _, b := range l.Bands {
			bands.Add(b.Method, b.Worker, b.From, b.To, b.State, b.Step, b.Pulled, b.Applied, b.Clock)
		}
		lines.Add(l.Method, l.From, l.To, l.Arrived, l.Waited)
		d.Figures = append(d.Figures, result.Figure{ID: "burst-" + m, Form: "gantt", Frame: "bands", Where: map[string]any{"method": m},
			X: "from", Y: []string{"to"}, Lane: "worker", State: "state"})
	}
	d.add(slowed)
	d.add(bands)
	d.add(lines)
}

// learning lists LeNet-5's time to the target in every scenario and, where speeds change, DASP's
// over its rivals'.
func (d view) learning() {
	target := setup.SizeOf(d.Profile, "lenet5").Target
	seconds := func(p point) kit.Sample { return setup.SecondsAt(d.summaries(p), target) }
	all := kit.NewSheet("learning", "scenario:scenario method:method seconds±/s.3 over_bsp~/.3 unchanged~/.3 pushes/.0 accuracy/%.2 "+
		"staleness/versions.2")
	beside := kit.NewSheet("learned", "scenario:scenario method:method dasp~/.3 told:side")
	for _, l := range trainedScenarios(d.Profile) {
		for _, m := range setup.Methods {
			p := point{Case: leNet, Scenario: l.key, Method: m, Learn: true}
			all.Add(l.key, m, seconds(p).Mean(), seconds(p).Over(seconds(p.with("bsp"))), seconds(p).Over(seconds(p.in(l.against))),
				setup.PushesAt(d.summaries(p), target).Mean(), kit.Each(d.At(p), func(c measured) float64 { return c.Accuracy }).Mean().Times(100),
				kit.Each(d.At(p), meanStaleness).Mean())
			if l.against != "" && m != "dasp" {
				ours := seconds(p.with("dasp")).Over(seconds(p))
				beside.Add(l.key, m, ours, ours.Against(1))
			}
		}
	}
	d.Frames = append(d.Frames, all.Frame, beside.Frame)
}
