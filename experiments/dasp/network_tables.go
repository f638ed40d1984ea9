package dasp

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
)

// linksTitle names the sets of workers in a table's cells.
var linksTitle = map[string]string{platforms.EqualLinks: "equal", platforms.UnequalLinkSet: "unequal", platforms.RemoteWorker: "one remote"}

// placeColumns head the columns that say where a row was run.
func placeColumns(more ...result.Column) []result.Column {
	return append([]result.Column{{Key: "links", Title: "links"}, {Key: "server", Title: "server"}, {Key: "model", Title: "model"}}, more...)
}

// placeOf fills them.
func placeOf(v platforms.Variant, model string, more ...any) []any {
	return append([]any{linksTitle[v.Workers], v.Link, title[model]}, more...)
}

// linkTimes is the mean iteration time of every form, BSP = 1.
func linkTimes(vs []platforms.Variant, g linkGrid) result.Table {
	t := result.Table{ID: "network-iteration", Title: "Mean iteration time on unequal links, BSP = 1", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Six devices of %s; links of 25, 10, 10, 5, 2.5 and 1 Gb/s (“unequal”), 10 Gb/s (“equal”), or 10 Gb/s with the last worker 20 ms away, one way (“one remote”); server: its own link. "+
			"Per worker, waits included, relative to BSP of the same model and cluster; ± is half the 95 %% interval over seeds, paired. "+
			"f is what T_wait = α·(f_j − f_i) compares: the computation alone (our default reading) or the iteration with both transfers; with α = 0 every T_wait is 0. "+
			"Smin = %d, Smax = %d versions, α = %g, full-size models, batch %d, %d gradients a run, without the first %d of each worker.", homogeneous, smin, smax, alpha, fullBatch, workers*perWorker, warmup),
		Columns: placeColumns(result.Column{Key: "bsp", Title: "BSP", Unit: "ms", Digits: 1})}
	forms := networkForms()[1:]
	for _, f := range forms {
		t.Columns = append(t.Columns, result.Column{Key: f.key, Title: f.title, Digits: 3}, result.Column{Key: f.key + "_half", Title: "±", Digits: 3})
	}
	for _, v := range vs {
		for _, m := range models {
			cells := g[v.Name][m]
			bsp, _ := exp.MeanAndHalf(values(cellsOf(cells["bsp"]), perIteration))
			row := placeOf(v, m, 1e3*bsp)
			for _, f := range forms {
				x, ci := overBSP(cells, f.key)
				row = append(row, x, halfWidth(ci))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// overBSP is a form's iteration time per worker, BSP = 1.
func overBSP(cells map[string][]linkCell, key string) (float64, *[2]float64) {
	return ratio(values(cellsOf(cells[key]), perIteration), values(cellsOf(cells["bsp"]), perIteration))
}

func halfWidth(ci *[2]float64) any {
	if ci == nil {
		return nil
	}
	return (ci[1] - ci[0]) / 2
}

// waitTable is what DASP's waits are made of, by form.
func waitTable(vs []platforms.Variant, g linkGrid) result.Table {
	t := newWaitTable("network-waits", "What DASP's waits are made of", "A WSS answer after T_wait can be held further by the bound Smax, which is why seconds are waited in WSS where T_wait is 0. "+
		"With α = 0 the iteration times stand in the table above. Runs in which every push is in QIS have no row; the caption ends with their names.")
	var idle []string
	for _, v := range vs {
		for _, m := range models {
			var names []string
			for _, f := range []networkForm{computeForm, iterationForm} {
				cells := g[v.Name][m][f.key]
				if onlyQIS(cells) {
					names = append(names, shortForm(f))
					continue
				}
				t.Rows = append(t.Rows, append(placeOf(v, m, shortForm(f)), waitRow(cells)...))
			}
			if len(names) > 0 {
				idle = append(idle, fmt.Sprintf("%s, %s (%s)", v.Name, title[m], strings.Join(names, ", ")))
			}
		}
	}
	if len(idle) > 0 {
		t.Caption += " Every push in QIS: " + strings.Join(idle, ". ") + "."
	}
	return t
}

// printedTable is waitTable without the re-check.
func printedTable(vs []platforms.Variant, g linkGrid) result.Table {
	t := newWaitTable("network-printed", "The same without the re-check: Algorithm 1 as printed", "A WSS answer leaves after T_wait whatever the gap then is, an FSS answer after one completion of the oldest worker. "+
		"Added after the first run, which showed the re-check to decide nearly alone.")
	for _, v := range vs {
		if v.Workers != platforms.UnequalLinkSet {
			continue
		}
		for _, m := range models {
			for _, f := range printedForms {
				x, _ := overBSP(g[v.Name][m], f.key)
				row := append(placeOf(v, m, shortForm(f)), waitRow(g[v.Name][m][f.key])...)
				t.Rows = append(t.Rows, append(row, x))
			}
		}
	}
	t.Columns = append(t.Columns, result.Column{Key: "bsp", Title: "iteration, BSP = 1", Digits: 3})
	return t
}

func newWaitTable(id, heading, more string) result.Table {
	return result.Table{ID: id, Title: heading, Kind: result.TimingOnly,
		Caption: fmt.Sprintf("All seeds together. T_wait is taken from Algorithm 1's decisions, repeated on the server's log: its share that is 0, its share below %g %% of the oldest "+
			"worker's last iteration (transfers included), and its mean. "+
			"K: gradients per update of weight 1/K; alone: those of K = 1, whose step is N = %d times that of a gradient in QIS. ", 100*shortWait, workers) + more,
		Columns: placeColumns([]result.Column{{Key: "form", Title: "form"},
			{Key: "QIS", Title: "QIS", Unit: "%", Digits: 1}, {Key: "WSS", Title: "WSS", Unit: "%", Digits: 1}, {Key: "FSS", Title: "FSS", Unit: "%", Digits: 1},
			{Key: "zero", Title: "T_wait = 0", Unit: "% of WSS", Digits: 1}, {Key: "short", Title: "T_wait next to nothing", Unit: "% of WSS", Digits: 1},
			{Key: "twait", Title: "mean T_wait", Unit: "ms", Digits: 2}, {Key: "oldest", Title: "oldest's iteration", Unit: "ms", Digits: 1},
			{Key: "wss", Title: "waited in WSS", Unit: "s", Digits: 1}, {Key: "fss", Title: "waited in FSS", Unit: "s", Digits: 1},
			{Key: "k", Title: "mean K", Digits: 2}, {Key: "solo", Title: "alone", Unit: "% of groups", Digits: 1},
			{Key: "stale", Title: "mean staleness", Unit: "versions", Digits: 2}, {Key: "spread", Title: "largest spread", Unit: "versions"}}...)}
}

// shortForm is a form's title without the method.
func shortForm(f networkForm) string {
	return strings.TrimSuffix(strings.TrimPrefix(f.title, "DASP, "), ", as printed")
}

func onlyQIS(cells []linkCell) bool {
	return !slices.ContainsFunc(cells, func(c linkCell) bool { return c.Cell.Share["QIS"] < 1 })
}

func waitRow(cells []linkCell) (row []any) {
	plain := cellsOf(cells)
	for _, s := range states {
		x, _ := exp.MeanAndHalf(values(plain, func(c cell) float64 { return c.Share[s] }))
		row = append(row, 100*x)
	}
	w := allWaits(cells)
	row = append(row, percentOf(w.Zero, w.WSS), percentOf(w.Short, w.WSS), perOf(1e3*w.Wait, w.WSS), perOf(1e3*w.Oldest, w.WSS))
	for _, s := range states[1:] {
		x, _ := exp.MeanAndHalf(values(plain, func(c cell) float64 { return c.Seconds[s] }))
		row = append(row, x)
	}
	stale, _ := exp.MeanAndHalf(values(plain, func(c cell) float64 { return c.Staleness.Mean }))
	return append(row, perOf(float64(w.Members), w.Groups), percentOf(w.Solo, w.Groups), stale, widestSpread(plain))
}

// perOf is x/n, nil where there is nothing.
func perOf(x float64, n int) any {
	if n == 0 {
		return nil
	}
	return x / float64(n)
}
