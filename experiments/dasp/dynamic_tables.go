package dasp

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// dynConclude makes the tables, figures and notes of the timing-only part.
func dynConclude(res *result.Result, profile string, g dynGrid, trades map[string][]dynTrade, lines []result.Figure) {
	cases := dynCases(profile)
	verdicts := dynJudge(cases, g)
	traded, tradeNote := dynTradeTable(trades)
	res.Tables = append(res.Tables, dynVerdictTable(verdicts), traded, dynChanges(cases, g), dynRivals(cases, g), dynTimes(cases, g), dynReleaseTable(cases, g), dynStates(cases, g))
	for _, s := range dynPairs() {
		res.Figures = append(res.Figures, dynWaitFigure(s, cases[0], g), dynStateFigure(s, cases[0], g))
	}
	res.Figures = append(append(res.Figures, dynTradeFigures(trades)...), lines...)
	res.Notes = append(append(dynSummary(cases, g), tradeNote), dynVerdictNote(verdicts), dynFirstNote(cases[0], g))
}

// dynHow says how the speeds were drawn, for captions.
var dynHow = fmt.Sprintf("Lengths are iterations of the median worker under ASP, undisturbed and without jitter, timed per model. "+
	"Steps: every %d to %d iterations the six computation times of the heterogeneous cluster are dealt anew among its workers, so that the set of speeds is always the same. "+
	"Bursts: each worker of the homogeneous cluster is left alone for %d to %d iterations, then computes %g times as long for %d to %d, so that in the mean one of six is slowed. "+
	"Instants are drawn from the seed; all methods meet the same. Computation alone changes; links keep their speeds.", dynDealFrom, dynDealTo, dynCalmFrom, dynCalmTo, dynBurstFactor, dynBurstFrom, dynBurstTo)

// dynWhere says where the reader finds how the speeds were drawn.
const dynWhere = "How speeds were drawn is said under “What changing speeds change”."

// dynTimes is the mean iteration time in every scenario: what the ratios of the
// other tables are made of.
func dynTimes(cases []dynCase, g dynGrid) result.Table {
	t := result.Table{ID: "times", Title: "Mean iteration time per push", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("N·time/gradients, batch %d, the first %d iterations of each worker left out, mean over seeds. ", fullBatch, warmup) + dynWhere,
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "method", Title: "method"}}}
	for _, s := range dynScenarios {
		t.Columns = append(t.Columns, result.Column{Key: s.Key, Title: s.Title, Unit: "ms", Digits: 2})
	}
	for _, c := range cases {
		for _, method := range methods {
			row := []any{c.title(), title[method]}
			for _, s := range dynScenarios {
				push, _ := exp.MeanAndHalf(values(dynCells(g[c.title()][s.Key][method]), dynPerPush))
				row = append(row, 1e3*push)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// dynEntries are a ratio and its interval as three entries.
func dynEntries(x float64, ci *[2]float64) []any {
	if ci == nil {
		return []any{x, nil, nil}
	}
	return []any{x, ci[0], ci[1]}
}

func dynMean(cells []dynCell, of func(dynCell) float64) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += of(c)
	}
	return sum / float64(max(len(cells), 1))
}

// dynChanges is what changing speeds cost each method.
func dynChanges(cases []dynCase, g dynGrid) result.Table {
	t := result.Table{ID: "changes", Title: "What changing speeds change", Kind: result.TimingOnly,
		Caption: "Factor by which the iteration time changes, paired by seed, with the 95 % interval: steps over the unchanging heterogeneous cluster, bursts over a homogeneous cluster with one worker always slowed, " +
			"and bursts over the homogeneous cluster undisturbed. Per push, so that ASP is the control: the same speeds give it the same time (1 but for chance). " +
			"Per worker, the reading of the paper's tables, falls even for ASP, because no worker stays slow for ever; it stands in the last columns. " + dynHow,
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "method", Title: "method"}}}
	kinds := []struct{ key, now, before, head string }{{"steps", "steps", "static", "steps/unchanging"},
		{"bursts", "bursts", "straggler", "bursts/always slowed"}, {"cost", "bursts", "undisturbed", "bursts/undisturbed"}}
	for _, k := range kinds {
		t.Columns = append(t.Columns, result.Column{Key: k.key, Title: k.head, Digits: 3}, result.Column{Key: k.key + "_lo", Title: "from", Digits: 3}, result.Column{Key: k.key + "_hi", Title: "to", Digits: 3})
	}
	for _, k := range kinds[:2] {
		t.Columns = append(t.Columns, result.Column{Key: k.key + "_worker", Title: k.head + ", per worker", Digits: 3})
	}
	for _, c := range cases {
		cells := g[c.title()]
		for _, method := range methods {
			row := []any{c.title(), title[method]}
			for _, k := range kinds {
				row = append(row, dynEntries(dynFactor(cells, method, k.now, k.before, dynPerPush))...)
			}
			for _, k := range kinds[:2] {
				x, _ := dynFactor(cells, method, k.now, k.before, perIteration)
				row = append(row, x)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func dynFactor(cells map[string]map[string][]dynCell, method, now, before string, of func(cell) float64) (float64, *[2]float64) {
	return ratio(values(dynCells(cells[now][method]), of), values(dynCells(cells[before][method]), of))
}

// dynReleaseTable is how long a slow past is held against a worker.
func dynReleaseTable(cases []dynCase, g dynGrid) result.Table {
	t := result.Table{ID: "forgiveness", Title: "How long a slow past is held against a worker", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("From the instant at which the slowest worker (steps) or a slowed one (bursts) becomes faster, if it then is the oldest, alone or with others, until it no longer is; by clock, for DASP by version. "+
			"Mean over all such instants and seeds of its own gradients, of global updates, of time in iterations, and of the iterations that the others waited in that time. "+
			"A search ends at the next deal (steps) or after %d iterations (bursts); what it had seen by then counts, and “not seen” says how often.", dynForget),
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "change", Title: "speeds"}, {Key: "method", Title: "method"}, {Key: "n", Title: "instants"},
			{Key: "pushes", Title: "own gradients", Digits: 2}, {Key: "versions", Title: "versions", Digits: 1}, {Key: "units", Title: "time", Unit: "iterations", Digits: 2},
			{Key: "waited", Title: "waited by others", Unit: "iterations", Digits: 2}, {Key: "unseen", Title: "not seen"}}}
	for _, c := range cases {
		for _, s := range dynPairs() {
			for _, method := range []string{"ssp", "dasp"} { // those of H3
				var all []dynRelease
				for _, x := range g[c.title()][s.Key][method] {
					all = append(all, x.Releases...)
				}
				row := []any{c.title(), s.Key, title[method], len(all), nil, nil, nil, nil, nil}
				if f := dynMeanRelease(all); f.N > 0 {
					row = append(row[:4], f.Pushes, f.Versions, f.Units, f.Waited, f.Unseen)
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// dynStates are DASP's states where speeds change.
func dynStates(cases []dynCase, g dynGrid) result.Table {
	t := newStateTable(result.TimingOnly)
	for _, c := range cases {
		for _, s := range dynPairs() {
			t.Rows = append(t.Rows, stateRow(c.title()+", "+s.Key, dynCells(g[c.title()][s.Key]["dasp"])))
		}
	}
	return t
}

// dynRivals sets DASP, where speeds change, beside the methods that are told to
// adapt worse.
func dynRivals(cases []dynCase, g dynGrid) result.Table {
	t := result.Table{ID: "rivals", Title: "DASP beside ASP, SSP and DSSP", Kind: result.TimingOnly,
		Caption: "DASP's time per push over each rival's, paired by seed, with the 95 % interval; above 1 DASP is the slower. Beside it what the time buys: the mean over seeds of the 99th percentile of staleness. " +
			"This table was added after the first run.",
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "scenario", Title: "speeds"}}}
	rivals := []string{"asp", "ssp", "dssp"}
	for _, m := range rivals {
		t.Columns = append(t.Columns, result.Column{Key: m, Title: "DASP/" + title[m], Digits: 3}, result.Column{Key: m + "_lo", Title: "from", Digits: 3}, result.Column{Key: m + "_hi", Title: "to", Digits: 3})
	}
	for _, m := range append(rivals, "dasp") {
		t.Columns = append(t.Columns, result.Column{Key: m + "_p99", Title: title[m] + ", staleness", Unit: "versions", Digits: 1})
	}
	for _, c := range cases {
		for _, s := range dynPairs() {
			cells := g[c.title()][s.Key]
			row := []any{c.title(), s.Key}
			for _, m := range rivals {
				row = append(row, dynEntries(dynOver(cells, "dasp", m))...)
			}
			for _, m := range append(rivals, "dasp") {
				row = append(row, dynP99(cells[m]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// dynOver is one method's time per push over another's.
func dynOver(cells map[string][]dynCell, ours, theirs string) (float64, *[2]float64) {
	return ratio(values(dynCells(cells[ours]), dynPerPush), values(dynCells(cells[theirs]), dynPerPush))
}

func dynP99(cells []dynCell) float64 {
	return dynMean(cells, func(c dynCell) float64 { return float64(c.Staleness.P99) })
}
