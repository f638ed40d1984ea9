package ringsparse

import (
	"context"
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// timePlan is what a profile times.
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

// iterationTime times an iteration of every way, and the cost rule against it.
func iterationTime() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/time", Title: "Time of an iteration", Source: "the patent, S13, S42 and S6", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p := planTime(profile)
		return 0.3 + gridSeconds(profile) + float64(seeds)*(0.3+float64(p.Slowest.Elements)*8*60e-9)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planTime(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, nil)
		works, err := workloads(env)
		if err != nil {
			return res, err
		}
		res.Config = map[string]any{"plan": plan, "platform": referencePlatform(), "links": links, "workloads": works, "ways": ways, "measured_rates": measuredRates, "seeds": env.Seeds}
		res.Data, res.Engine = works[0].images.data(), works[0].images.engineName
		b := exp.Bar{Env: env, Total: float64(len(works)*len(links)*len(plan.Nodes) + 4)}
		laps, err := grid(ctx, works, plan.Nodes, &b)
		if err != nil {
			return res, err
		}
		measured, err := measuredGrid(ctx, works, rateNodes(plan.Nodes), laps)
		if err != nil {
			return res, err
		}
		b.Step("measured rates")
		direct, coded, err := exactCosts(ctx, plan.Rule, env.Seeds[0])
		if err != nil {
			return res, err
		}
		b.Step("Ta and Tb")
		rule := newRuleCheck(plan.Rule)
		b.Step("the printed rule")
		slow, err := slowest(ctx, plan.Slowest, &works[0], env.Seeds)
		if err != nil {
			return res, err
		}
		b.Step("the slowest link")
		last := plan.Nodes[len(plan.Nodes)-1]
		res.Tables = []result.Table{workTable(works), iterationTable(works, laps, last), againstTable(works, laps, plan.Nodes), rateTable(works, laps, measured, rateNodes(plan.Nodes)), breakEvenTable(),
			ruleTable(plan.Rule), costTable(direct, coded), slowTable(slow), growthTable(slow.Growth)}
		res.Figures = []result.Figure{timeFigure(works, laps, 1, links[0], plan.Nodes), timeFigure(works, laps, 1, links[1], plan.Nodes), growthFigure(slow.Growth)}
		res.Claims = append(judgeCosts(plan.Rule, direct, coded), judgeRule(rule), judgeSlowest(slow), judgeGrowth(slow.Growth))
		res.Notes = timeNotes(works, laps, measured, plan.Nodes, rule, slow)
		res.Status = complete
		return res, nil
	}
	return e
}

// fastest returns the way, of those that were run, that takes least; the dense ring if it is as fast.
func fastest(laps map[cell]lap, work int, gbps float64, n int) int {
	best := wayIndex("dense")
	for k := range ways {
		if l, ok := laps[cell{work, k, gbps, n}]; ok && l.Seconds < laps[cell{work, best, gbps, n}].Seconds {
			best = k
		}
	}
	return best
}

// gain is the dense ring's time over a way's.
func gain(laps map[cell]lap, work int, way string, gbps float64, n int) float64 {
	return laps[cell{work, wayIndex("dense"), gbps, n}].Seconds / laps[cell{work, wayIndex(way), gbps, n}].Seconds
}

// gainSpan is the least and the largest gain over sizes.
func gainSpan(laps map[cell]lap, work int, way string, gbps float64, nodes []int) (least, most float64) {
	for i, n := range nodes {
		g := gain(laps, work, way, gbps, n)
		if i == 0 || g < least {
			least = g
		}
		most = max(most, g)
	}
	return least, most
}

// denseWins says in how many of the cells of a link the dense ring is fastest.
func denseWins(works []workload, laps map[cell]lap, gbps float64, nodes []int) (wins, of int, others []string) {
	seen := map[string]bool{}
	for w := range works {
		for _, n := range nodes {
			of++
			best := fastest(laps, w, gbps, n)
			if ways[best].Key == "dense" {
				wins++
				continue
			}
			name := fmt.Sprintf("%s with %s", works[w].Title, ways[best].Title)
			if !seen[name] {
				seen[name], others = true, append(others, name)
			}
		}
	}
	return wins, of, others
}

func timeNotes(works []workload, laps, measured map[cell]lap, nodes []int, rule ruleCheck, slow slowCheck) []string {
	notes := []string{promiseNote(works, laps, measured, nodes), breakEvenNote(), ratesNote(works, laps, measured, nodes)}
	last := nodes[len(nodes)-1]
	lo, hi := gainSpan(laps, 1, "ringsparse", links[0], nodes)
	loG, hiG := gainSpan(laps, 1, "gradients", links[0], nodes)
	notes = append(notes, fmt.Sprintf("At 1 Gb/s and the assumed rates RingSparse is %.2f to %.2f times as fast as the dense ring on the embedding model, the MLP %.2f and ResNet-18 %.2f times at N = %d. Gradients alone, without counting and turning weights, are %.2f to %.2f times as fast on the embedding model.",
		lo, hi, gain(laps, 0, "ringsparse", links[0], last), gain(laps, 2, "ringsparse", links[0], last), last, loG, hiG))
	for _, g := range links {
		wins, of, others := denseWins(works, laps, g, nodes)
		s := fmt.Sprintf("At %s, packing at %s, the dense ring is the fastest in %d of %d cases (three networks, N = %d to %d)", linkName(g), assumed(), wins, of, nodes[0], last)
		if len(others) > 0 {
			s += "; elsewhere it is " + strings.Join(others, ", ")
		}
		wins, of, _ = denseWins(works, measured, g, rateNodes(nodes))
		notes = append(notes, fmt.Sprintf("%s. At the measured rates it is the fastest of itself, RingSparse and gradients alone in %d of %d (N = %s).", s, wins, of, spellSizes(rateNodes(nodes))))
	}
	sign := func(x float64) string { return strings.Replace(fmt.Sprintf("%+.0f", x), "-", "−", 1) }
	notes = append(notes, fmt.Sprintf("Deciding costs: at %s and N = %d an iteration with RingSparse takes %s, %s and %s %% against the dense ring on the three networks at the assumed rates, with counting zeros and turning sums into the other kind at every hop; at the measured rates %s, %s and %s %%.",
		linkName(links[1]), last, sign(longer(laps, 0, last)), sign(longer(laps, 1, last)), sign(longer(laps, 2, last)), sign(longer(measured, 0, last)), sign(longer(measured, 1, last)), sign(longer(measured, 2, last))),
		fmt.Sprintf("The printed rule, direct if Ta ≥ Tb, takes the dearer form in %d of the %d cases in which the two differ. Smallest: %s.", rule.Wrong, rule.Cases-rule.Ties, rule.Smallest),
		packOnceNote(works, laps, nodes),
		fmt.Sprintf("What the two misprints cost at N = %d: with the printed rule an iteration takes %+.0f %% on the embedding model at 1 Gb/s and %+.0f %% on ResNet-18 at %s; with the layer's size as D, %+.0f %% and %+.0f %%, all against RingSparse as corrected.",
			last, slower(laps, 1, "printed", links[0], last), slower(laps, 2, "printed", links[2], last), linkName(links[2]), slower(laps, 1, "layer", links[0], last), slower(laps, 2, "layer", links[2], last)))
	return append(notes, slowNotes(slow)...)
}

// longer is how much longer RingSparse takes than the dense ring on the second link, in
// percent.
func longer(laps map[cell]lap, work, n int) float64 {
	return 100 * (1/gain(laps, work, "ringsparse", links[1], n) - 1)
}

// slower is how much longer a reading takes than RingSparse as corrected, in percent.
func slower(laps map[cell]lap, work int, way string, gbps float64, n int) float64 {
	return 100 * (gain(laps, work, "ringsparse", gbps, n)/gain(laps, work, way, gbps, n) - 1)
}

// spellSizes lists numbers of workers.
func spellSizes(nodes []int) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, " and ")
}
