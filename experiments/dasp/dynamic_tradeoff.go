package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/dasp/rivals"
)

// dynH4 was written after the first run of the others and before the first of
// this one. It holds at a pair of thresholds if DASP's time per push is below that
// of the fastest SSP whose 99th percentile of staleness is no higher, seed by seed,
// its 95 % interval too; with one seed, by more than 2 %.
const dynH4 = "H4: at equal staleness DASP takes less time than SSP"

// dynSetting is a method with its bounds.
type dynSetting struct {
	method string
	name   string
	set    func(*rivals.Options)
}

// dynSettings are SSP's bounds, in clocks, and DASP's pairs of thresholds, in
// versions, of a profile.
func dynSettings(profile string) (out []dynSetting) {
	bounds, pairs := []int64{0, 1, 2, 3, 4, 6, 8}, [][2]int64{{1, 2}, {smin, smax}, {6, 12}, {12, 24}, {18, 36}}
	if profile == "ci" {
		bounds, pairs = []int64{0, 1, sspBound}, [][2]int64{{smin, smax}, {6, 12}}
	}
	for _, s := range bounds {
		out = append(out, dynSetting{"ssp", fmt.Sprintf("s = %d", s), func(o *rivals.Options) { o.Staleness = s }})
	}
	for _, p := range pairs {
		out = append(out, dynSetting{"dasp", fmt.Sprintf("Smin = %d, Smax = %d", p[0], p[1]), func(o *rivals.Options) { o.Smin, o.Smax = p[0], p[1] }})
	}
	return out
}

// dynTraded are the scenarios of the trade: unchanging, and the two that change.
var dynTraded = []string{"static", "steps", "bursts"}

// dynTrade is one setting in one scenario: one cell per seed.
type dynTrade struct {
	dynSetting
	cells []dynCell
}

// dynTrades times LeNet-5 at every setting in every scenario of the trade.
func (r *runs) dynTrades() (map[string][]dynTrade, error) {
	out := map[string][]dynTrade{}
	c := dynCase{Model: "lenet5"}
	for _, key := range dynTraded {
		s := dynScenarioOf(key)
		cfg := dynConfig(c, s.Base, r.env.Profile)
		pace, err := r.dynPaceOf(cfg.Platform, cfg)
		if err != nil {
			return nil, err
		}
		for _, x := range dynSettings(r.env.Profile) {
			t := dynTrade{dynSetting: x}
			for _, seed := range r.env.Seeds {
				o := options()
				x.set(&o)
				cfg.Sync, cfg.Seed, cfg.Options = x.method, seed, &o
				cell, err := r.dynRun(c.title()+", "+s.Title+", "+x.name, s, pace, cfg)
				if err != nil {
					return nil, err
				}
				t.cells = append(t.cells, cell)
			}
			out[key] = append(out[key], t)
		}
	}
	return out, nil
}

func dynTail(c cell) float64 { return float64(c.Staleness.P99) }

func dynMeanStaleness(c cell) float64 { return c.Staleness.Mean }

// dynNoStaler returns, seed by seed, the least time per push among the SSPs whose
// staleness is at most that of ours, and which were taken; ok is false if a seed
// has none.
func dynNoStaler(ours dynTrade, all []dynTrade, staleness func(cell) float64) (least []float64, taken []string, ok bool) {
	for i, c := range ours.cells {
		best, name := math.Inf(1), ""
		for _, t := range all {
			if x := t.cells[i]; t.method == "ssp" && staleness(x.cell) <= staleness(c.cell) && x.Iteration.PerPush < best {
				best, name = x.Iteration.PerPush, t.name
			}
		}
		if name == "" {
			return nil, nil, false
		}
		if least = append(least, best); !slices.Contains(taken, name) {
			taken = append(taken, name)
		}
	}
	return least, taken, true
}

// dynTradeTable prints every setting, and DASP beside the fastest SSP that is no
// staler.
func dynTradeTable(trades map[string][]dynTrade) (result.Table, string) {
	t := result.Table{ID: "tradeoff", Title: "Time against staleness, LeNet-5", Kind: result.TimingOnly,
		Caption: dynH4 + ". Written after the first run of the other hypotheses, which compare methods at their default bounds, and before the first run of this table. " +
			"The thresholds of DASP count versions, the bound of SSP counts clocks: the same number is not the same strictness. So DASP at each pair stands beside the fastest SSP of the table whose 99th percentile of staleness is no higher, seed by seed; " +
			"s = 0 answers at BSP's instants. Ratio paired by seed, with the 95 % interval; H4 holds if the interval lies below 1. SSP's bounds are whole clocks and far apart in staleness, which favours DASP where none lies close below it. A pair at which nobody ever waits makes DASP ASP: no case, an exclusion that was made after the first run. " +
			"The last columns take the mean of staleness in place of its 99th percentile; they were added after the first run and are not part of H4. " + dynWhere,
		Columns: []result.Column{{Key: "scenario", Title: "speeds"}, {Key: "method", Title: "method"}, {Key: "setting", Title: "bounds"},
			{Key: "per_push", Title: "per push", Unit: "ms", Digits: 2}, {Key: "p99", Title: "99th percentile of staleness", Unit: "versions", Digits: 1}, {Key: "mean", Title: "mean", Unit: "versions", Digits: 2},
			{Key: "rival", Title: "fastest SSP no staler"}, {Key: "ratio", Title: "DASP/SSP", Digits: 3}, {Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3}, {Key: "answer", Title: "H4"},
			{Key: "mean_ratio", Title: "DASP/SSP by mean staleness", Digits: 3}, {Key: "mean_lo", Title: "from", Digits: 3}, {Key: "mean_hi", Title: "to", Digits: 3}}}
	var found []string
	for _, key := range dynTraded {
		held, judged, byMean := 0, 0, 0
		for _, x := range trades[key] {
			push, _ := exp.MeanAndHalf(values(dynCells(x.cells), dynPerPush))
			stale, _ := exp.MeanAndHalf(values(dynCells(x.cells), dynMeanStaleness))
			row := []any{key, title[x.method], x.name, 1e3 * push, dynP99(x.cells), stale, nil, nil, nil, nil, nil, nil, nil, nil}
			if x.method == "dasp" {
				row[10] = dynNoCase
				if least, taken, ok := dynNoStaler(x, trades[key], dynTail); ok && !dynNobodyWaits(x.cells) {
					r, ci := ratio(values(dynCells(x.cells), dynPerPush), least)
					row[6] = strings.Join(taken, "; ")
					copy(row[7:10], dynEntries(r, ci))
					holds := dynSide(r, ci) == dynShorter
					row[10] = dynAnswer(holds)
					if judged++; holds {
						held++
					}
				}
				if least, _, ok := dynNoStaler(x, trades[key], dynMeanStaleness); ok && !dynNobodyWaits(x.cells) {
					r, ci := ratio(values(dynCells(x.cells), dynPerPush), least)
					copy(row[11:14], dynEntries(r, ci))
					if dynSide(r, ci) == dynShorter {
						byMean++
					}
				}
			}
			t.Rows = append(t.Rows, row)
		}
		found = append(found, fmt.Sprintf("%s: held at %d of %d pairs of thresholds (by the mean of staleness in place of its 99th percentile: at %d)", key, held, judged, byMean))
	}
	return t, dynH4 + " (than its fastest setting that is no staler: where no setting of SSP is as stale as DASP, the two are not equally stale). " + strings.Join(found, "; ") + "."
}

// dynTradeFigures draw time per push over the 99th percentile of staleness.
func dynTradeFigures(trades map[string][]dynTrade) (out []result.Figure) {
	for _, key := range dynTraded {
		f := result.Figure{ID: "tradeoff-" + key, Title: "Time against staleness, " + dynScenarioOf(key).Title, Kind: result.TimingOnly, Form: "line",
			X: result.Axis{Title: "99th percentile of staleness", Unit: "versions"}, Y: result.Axis{Title: "time per push", Unit: "ms"},
			Caption: "LeNet-5; each marker is a bound of SSP or a pair of thresholds of DASP, mean over seeds; lower and further left is better. The table gives the settings."}
		for _, method := range []string{"ssp", "dasp"} {
			s := result.Series{Name: title[method], Group: method}
			f.Alt += " " + title[method] + ":"
			for _, x := range trades[key] {
				if x.method == method {
					push, _ := exp.MeanAndHalf(values(dynCells(x.cells), dynPerPush))
					s.X, s.Y = append(s.X, dynP99(x.cells)), append(s.Y, 1e3*push)
					f.Alt += fmt.Sprintf(" %.3g ms at %.1f versions (%s);", 1e3*push, dynP99(x.cells), x.name)
				}
			}
			f.Series = append(f.Series, s)
		}
		f.Alt = strings.TrimSpace(strings.TrimSuffix(f.Alt, ";")) + "."
		out = append(out, f)
	}
	return out
}
