package exchange

import (
	"context"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
)

// timePlan holds what a profile times.
type timePlan struct {
	Nodes   []int    `json:"nodes"`
	Rule    rulePlan `json:"rule"`
	Slowest slowPlan `json:"slowest"`
}

func planTime(profile string) timePlan {
	p := timePlan{Nodes: gridPlan(profile), Rule: planRule(), Slowest: planSlow()}
	if profile == "ci" {
		p.Slowest.Elements = 100_000
	}
	return p
}

// rateNodes returns the sizes at which both sets of rates are compared.
func rateNodes(nodes []int) (out []int) {
	for _, n := range []int{8, 16} {
		if slices.Contains(nodes, n) {
			out = append(out, n)
		}
	}
	return out
}

// timed holds what was timed of a profile.
type timed struct {
	plan              timePlan
	works             []setup.Network
	assumed, measured grid // measured: at rateNodes, by rateWays
	direct, coded     []exactCost
	rule              ruleCheck
	slow              slowCheck
}

// Time times an iteration of every way, and the cost rule against it.
func Time() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/time", Source: "the patent, S13, S42 and S6", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			return 0.3 + gridSeconds(profile) + float64(seeds)*(0.3+float64(planTime(profile).Slowest.Elements)*8*60e-9)
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planTime(profile), "platform": kit.Platform(setup.Platform()), "links": setup.Links, "ways": setup.Ways,
				"measured_rates": setup.MeasuredRates}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) (err error) {
			t := timed{plan: planTime(env.Profile)}
			if t.works, err = setup.OpenNetworks(env, r); err != nil {
				return err
			}
			sizes := rateNodes(t.plan.Nodes)
			b := exp.Bar{Env: env, Total: float64(len(t.works)*len(setup.Links)*(len(t.plan.Nodes)*len(setup.Ways)+len(sizes)*len(rateWays)) + 3)}
			if t.assumed, err = runGrid(ctx, t.works, setup.Ways, t.plan.Nodes, nil, &b); err != nil {
				return err
			}
			if t.measured, err = runGrid(ctx, t.works, rateWays, sizes, setup.MeasuredRates, &b); err != nil {
				return err
			}
			if t.direct, t.coded, err = exactCosts(ctx, t.plan.Rule, env.Seeds[0]); err != nil {
				return err
			}
			b.Step("Ta and Tb")
			t.rule = newRuleCheck(t.plan.Rule)
			b.Step("the printed rule")
			if t.slow, err = slowest(ctx, t.plan.Slowest, &t.works[0], env.Seeds); err != nil {
				return err
			}
			b.Step("the slowest link")
			r.Facts = slices.Concat(setup.NetworkFacts(t.works), t.facts(), t.rule.facts(), t.slow.facts())
			r.Frames = []result.Frame{setup.NetworkFrame(t.works), setup.RateFrame(), t.iterations(), t.rates(), t.fastest(), t.elsewhere(), t.longer(), t.misprints(),
				breakEvenFrame(), ruleFrame(t.plan.Rule), costFrame(t.direct, t.coded), t.slow.frame(), t.slow.growth()}
			r.Figures = timeFigures()
			r.Claims = append(judgeCosts(t.plan.Rule, t.direct, t.coded), judgeRule(t.rule), judgeSlowest(t.slow), judgeGrowth(t.slow.Growth))
			return nil
		}}.Experiment()
}

// last returns the most workers.
func (t timed) last() int { return t.plan.Nodes[len(t.plan.Nodes)-1] }

// iterations returns the frame of every point; drawn are the ways that figures show.
func (t timed) iterations() result.Frame {
	return kit.Rows("iterations", pointHead+"drawn:bool ms/ms.2 gain/.2", gridPoints(t.works, setup.Ways, setup.Links, t.plan.Nodes), func(c gridPoint) []any {
		return c.row(c.Way != "weights" && c.Way != "layer", 1e3*t.assumed[c].Seconds, t.assumed.gain(c))
	})
}

// rates sets the gains at assumed rates beside those at measured ones, and the densities
// up to which a bitmap pays.
func (t timed) rates() result.Frame {
	head := "work:work link/Gb/s n ringsparse/.2 ringsparse_measured/.2 gradients/.2 gradients_measured/.2 d/.2 d_measured/.2"
	return kit.Rows("rates", head, gridPoints(t.works, denseWay, setup.Links, rateNodes(t.plan.Nodes)), func(c gridPoint) []any {
		row := []any{c.Work, c.Gbps, c.Nodes}
		for _, way := range rateWays[1:] {
			row = append(row, t.assumed.gain(c.by(way.Key)), t.measured.gain(c.by(way.Key)))
		}
		return append(row, breakEven(setup.Platform().Codecs, c.Gbps), breakEven(setup.MeasuredRates, c.Gbps))
	})
}

// fastestOf returns the way, of those that were run, that takes least; the dense ring if
// it is as fast.
func (g grid) fastestOf(c gridPoint) string {
	best := "dense"
	for _, way := range setup.Ways {
		if l, ok := g[c.by(way.Key)]; ok && l.Seconds < g[c.by(best)].Seconds {
			best = way.Key
		}
	}
	return best
}

var denseWay = []setup.Way{setup.WayOf("dense")}

// fastest counts, by link, where the dense ring is the fastest of all ways, and at the
// measured rates of those that were run at them.
func (t timed) fastest() result.Frame {
	wins := func(g grid, gbps float64, nodes []int) (n, of int) {
		these := gridPoints(t.works, denseWay, []float64{gbps}, nodes)
		return kit.CountIf(these, func(c gridPoint) bool { return g.fastestOf(c) == "dense" }), len(these)
	}
	return kit.Rows("fastest", "link/Gb/s dense of dense_measured of_measured", setup.Links, func(g float64) []any {
		n, of := wins(t.assumed, g, t.plan.Nodes)
		m, ofMeasured := wins(t.measured, g, rateNodes(t.plan.Nodes))
		return []any{g, n, of, m, ofMeasured}
	})
}

// elsewhere lists, by link, the networks and the ways that are faster than the dense ring
// and all others at some size.
func (t timed) elsewhere() result.Frame {
	var rows []gridPoint
	for _, gbps := range setup.Links {
		for _, c := range gridPoints(t.works, denseWay, []float64{gbps}, t.plan.Nodes) {
			c.Way, c.Nodes = t.assumed.fastestOf(c), 0
			if c.Way != "dense" && !slices.Contains(rows, c) {
				rows = append(rows, c)
			}
		}
	}
	return kit.Rows("elsewhere", "work:work way:way link/Gb/s", rows, func(c gridPoint) []any { return []any{c.Work, c.Way, c.Gbps} })
}

// longer returns the frame of what deciding costs where nothing is gained: RingSparse against the
// dense ring on the second link.
func (t timed) longer() result.Frame {
	more := func(g grid, c gridPoint) float64 { return 100 * (1/g.gain(c) - 1) }
	return kit.Rows("longer", pointHead+"assumed/%.0 measured/%.0", gridPoints(t.works, []setup.Way{setup.WayOf("ringsparse")}, setup.Links[1:2], []int{t.last()}),
		func(c gridPoint) []any { return c.row(more(t.assumed, c), more(t.measured, c)) })
}

// misprints returns the frame of what the two misprints cost against RingSparse as corrected.
func (t timed) misprints() result.Frame {
	var rows []gridPoint
	for _, way := range []string{"printed", "layer"} {
		rows = append(rows, gridPoint{"embedding", way, setup.Links[0], t.last()}, gridPoint{"resnet18", way, setup.Links[2], t.last()})
	}
	return kit.Rows("misprints", pointHead+"longer/%.0", rows, func(c gridPoint) []any { return c.row(t.assumed.slower(c, "ringsparse")) })
}

// slower returns how much longer a way takes than another, in per cent.
func (g grid) slower(c gridPoint, other string) float64 {
	return 100 * (g.gain(c.by(other))/g.gain(c) - 1)
}

// beats counts the points at which a way is faster than another.
func (g grid) beats(these []gridPoint, other string) int {
	return kit.CountIf(these, func(c gridPoint) bool { return g[c].Seconds < g[c.by(other)].Seconds })
}

// facts returns findings, and the numbers of sentences that stand in no frame.
func (t timed) facts() []result.Fact {
	sizes := rateNodes(t.plan.Nodes)
	these := func(key string, gbps []float64, nodes []int) []gridPoint {
		return gridPoints(t.works, []setup.Way{setup.WayOf(key)}, gbps, nodes)
	}
	best := kit.CountIf(these("dense", setup.Links, t.plan.Nodes), func(c gridPoint) bool { return t.assumed.fastestOf(c) == "ringsparse" })
	all, again := these("gradients", setup.Links, t.plan.Nodes), these("gradients", setup.Links, sizes)
	out := kit.Facts("n.least", t.plan.Nodes[0], "n.most", t.last(), "n.rates", slices.Max(sizes), "ways", len(setup.Ways), "works", len(t.works),
		"cases", len(all), "cases.measured", len(again), "fastest.ringsparse", best,
		"alone.faster", t.assumed.beats(all, "ringsparse"), "alone.faster.measured", t.measured.beats(again, "ringsparse"))
	for _, way := range rateWays[1:] {
		fast := these(way.Key, setup.Links[1:], sizes)
		var gains []float64
		for _, n := range t.plan.Nodes {
			gains = append(gains, t.assumed.gain(gridPoint{"embedding", way.Key, setup.Links[0], n}))
		}
		out = append(out, kit.Facts(way.Key+".beats", t.assumed.beats(fast, "dense"), way.Key+".beats.measured", t.measured.beats(fast, "dense"),
			way.Key+".beats.of", len(fast), way.Key+".gain.least/.2", slices.Min(gains), way.Key+".gain.most/.2", slices.Max(gains))...)
	}
	return append(out, t.packOnce()...)
}

// packOnce counts the whole exchanges in which the corrected rule is dearer than the
// printed one, and finds the worst.
func (t timed) packOnce() []result.Fact {
	all := gridPoints(t.works, []setup.Way{setup.WayOf("printed")}, setup.Links, t.plan.Nodes)
	worst, at := 0.0, gridPoint{}
	for _, c := range all {
		if more := t.assumed[c.by("ringsparse")].Seconds/t.assumed[c].Seconds - 1; more > worst {
			worst, at = more, c
		}
	}
	out := kit.Facts("dearer", t.assumed.beats(all, "ringsparse"), "dearer.any", worst > 0)
	if worst == 0 {
		return out
	}
	return append(out, kit.Facts("dearer.most/%.1", 100*worst, "dearer.work:work", at.Work, "dearer.link/Gb/s", at.Gbps, "dearer.n", at.Nodes,
		"dearer.ms/ms.2", 1e3*t.assumed[at.by("ringsparse")].Seconds, "dearer.printed/ms.2", 1e3*t.assumed[at].Seconds)...)
}

// breakEvenFrame returns the frame of up to which density a bitmap pays, and which rate pays at 10
// %.
func breakEvenFrame() result.Frame {
	own := setup.Platform().Codecs
	head := "link/Gb/s assumed/.3 assumed_pays:bool measured/.3 measured_pays:bool rate/GB/s.2"
	return kit.As(result.Modelled, kit.Rows("break-even", head, setup.Links, func(g float64) []any {
		a, m := breakEven(own, g), breakEven(setup.MeasuredRates, g)
		return []any{g, a, a > 0, m, m > 0, 2 * (g * setup.Gigabit) / (1 - 0.1 - 1./32) / 1e9}
	}))
}

func timeFigures() []result.Figure {
	line := func(id string, gbps float64) result.Figure {
		return result.Figure{ID: id, Form: "line", Frame: "iterations", Log: "y", X: "n", Y: []string{"ms"}, By: []string{"way"},
			Where: map[string]any{"work": "embedding", "link": gbps, "drawn": true}}
	}
	return []result.Figure{line("time-embedding-1", setup.Links[0]), line("time-embedding-10", setup.Links[1]),
		{ID: "growth-by-size", Form: "line", Frame: "growth", X: "n", Y: []string{"ratio", "limit"}}}
}
