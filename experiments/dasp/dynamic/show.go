package dynamic

import (
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
	d.rivals()
	d.changes()
	d.states()
	d.learning()
}

// visible is the relative change of a time below which a single seed shows none.
const visible = 0.02

// sideOf returns the side of 1 on which a ratio of times lies by its interval, as
// kit.Estimate.Against does. A single seed has no interval: then the ratio itself decides, beyond
// visible.
func sideOf(e kit.Estimate) string {
	side := e.Against(1)
	switch {
	case side != "alone":
		return side
	case e.Value*(1+visible) < 1:
		return "below"
	case e.Value*(1-visible) > 1:
		return "above"
	}
	return "undecided"
}

// view reads measured runs and fills the result.
type view struct {
	*kit.View[point, measured]
}

// each returns what of gives of each of p's runs, seed by seed.
func (d view) each(p point, of func(measured) float64) kit.Sample { return kit.Each(d.At(p), of) }

// perPush returns p's seconds per push, seed by seed.
func (d view) perPush(p point) kit.Sample {
	return d.each(p, func(c measured) float64 { return c.Iteration.PerPush })
}

// over returns the time per push of one method over another's, at the speeds of p.
func (d view) over(p point, ours, theirs string) kit.Estimate {
	return d.perPush(p.with(ours)).Over(d.perPush(p.with(theirs)))
}

// factor returns by what changing speeds multiply p's time.
func (d view) factor(p point, against string, of func(measured) float64) kit.Estimate {
	return d.each(p, of).Over(d.each(p.in(against), of))
}

// p99Staleness returns the 99th percentile of staleness, in versions.
func p99Staleness(c measured) float64 { return float64(c.Staleness.P99) }

func meanStaleness(c measured) float64 { return c.Staleness.Mean }

func timePerWorker(c measured) float64 { return setup.PerIteration(c.Summary) }

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

// facts adds the numbers of the texts that no frame has.
func (d view) facts() {
	z := setup.SizeOf(d.Profile, "lenet5")
	d.Facts = append(d.Facts, kit.Facts("trained.data:data", d.Data[0].Name, "workers", setup.Workers, "warmup", setup.Warmup, "batch", setup.FullBatch,
		"smin/versions", setup.Smin, "smax/versions", setup.Smax, "alpha", setup.Alpha, "deal.from", dealFrom, "deal.to", dealTo,
		"calm.from", calmFrom, "calm.to", calmTo, "burst.from", burstFrom, "burst.to", burstTo,
		"burst.factor", burstFactor, "visible/%", 100*visible, "tail", 99, "target/%", 100*z.Target,
		"trained.batch", z.Batch, "trained.rate", z.Rate, "trained.every", z.EvalEvery, "trained.pushes", z.Pushes)...)
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
		d.Facts = append(d.Facts, kit.Facts("faster."+m, faster[m])...)
	}
	k := float64(sides["above"]) // 0: the means are NaN
	for _, m := range []string{"dasp", "ssp"} {
		d.Facts = append(d.Facts, kit.Facts("above.waiting."+m+"/.2", sum["waiting."+m]/k, "above.p99."+m+"/versions.1", sum["p99."+m]/k)...)
	}
}

// all returns every case under every method.
func (d view) all() (out []point) {
	for _, c := range linkedModels(d.Profile) {
		for _, m := range setup.Methods {
			out = append(out, point{Case: c, Method: m})
		}
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
