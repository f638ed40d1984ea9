package dasp

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// whatAhead explains the two tests in every caption that needs them.
var whatAhead = fmt.Sprintf("Ahead by Smin: v_n − min(v) > Smin = %d as the gradient arrives, Algorithm 1's own test. Ahead by Smax: the version it would be handed is more than "+
	"Smax = %d ahead of somebody who stays behind, the test that DASP holds an answer by; the oldest itself is ahead of nobody. In vain: made to wait though not ahead.", smin, smax)

// censusTable is the 2×2 table of every cluster, model and method, twice.
func censusTable(g censusGrid) result.Table {
	t := result.Table{ID: "versions-census", Title: "Who waits by clocks, and who is ahead in versions", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Pushes of all seeds at %s, warm-up included, without those that the run's end left unanswered. SSP: s = %d; DSSP: [%d, %d] clocks. %s "+
			"The other way round: answered at once though ahead, where DASP would have made the worker wait. ± is half the 95 %% interval over the seeds that have a wait.",
			referenceLink, sspBound, dsspLower, dsspUpper, whatAhead),
		Columns: []result.Column{{Key: "cluster", Title: "cluster"}, {Key: "model", Title: "model"}, {Key: "method", Title: "method"}, {Key: "pushes", Title: "pushes"},
			{Key: "waits", Title: "made to wait"},
			{Key: "vain_smin", Title: "in vain by Smin"}, {Key: "vain_smin_share", Title: "of waits", Unit: "%", Digits: 1}, {Key: "vain_smin_half", Title: "±", Unit: "%", Digits: 1},
			{Key: "vain_smax", Title: "in vain by Smax"}, {Key: "vain_smax_share", Title: "of waits", Unit: "%", Digits: 1}, {Key: "vain_smax_half", Title: "±", Unit: "%", Digits: 1},
			{Key: "once", Title: "answered at once"}, {Key: "ahead_smin", Title: "of them ahead by Smin"}, {Key: "ahead_smax", Title: "of them ahead by Smax"}}}
	eachCensus(g, func(cluster, m, method string, list []census) {
		all := pool(list)
		waits, pushes := all.waited()
		row := []any{clusterTitle[cluster], title[m], title[method], pushes, waits}
		for test := range tests {
			mean, half, n := vainOverSeeds(list, test)
			row = append(row, all.Count[test][1][0])
			if n == 0 {
				row = append(row, nil, nil)
			} else {
				row = append(row, 100*mean, exp.OrNone(100*half))
			}
		}
		t.Rows = append(t.Rows, append(row, pushes-waits, all.Count[bySmin][0][1], all.Count[bySmax][0][1]))
	})
	return t
}

// eachCensus visits the cells at the reference link in the tables' order.
func eachCensus(g censusGrid, visit func(cluster, model, method string, list []census)) {
	for _, cluster := range versionClusters {
		for _, m := range models {
			for _, method := range clockMethods {
				visit(cluster, m, method, g[cluster][referenceLink][m][method])
			}
		}
	}
}

// vainSeconds is the time lost.
func vainSeconds(g censusGrid) result.Table {
	t := result.Table{ID: "versions-seconds", Title: "Seconds waited in vain", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Virtual seconds of all %d workers together, mean over seeds, at %s: from the instant at which the answer could have left (the gradient's own update is done) to the answer. "+
			"Share: of the workers' whole time, the run's length × %d. %s", workers, referenceLink, workers, whatAhead),
		Columns: []result.Column{{Key: "cluster", Title: "cluster"}, {Key: "model", Title: "model"}, {Key: "method", Title: "method"},
			{Key: "waited", Title: "waited", Unit: "s", Digits: 2}, {Key: "vain_smin", Title: "in vain by Smin", Unit: "s", Digits: 2}, {Key: "vain_smax", Title: "in vain by Smax", Unit: "s", Digits: 2},
			{Key: "share", Title: "waited", Unit: "% of time", Digits: 1}, {Key: "vain_share", Title: "in vain by Smin", Unit: "% of time", Digits: 1}}}
	eachCensus(g, func(cluster, m, method string, list []census) {
		all, n := pool(list), float64(len(list))
		waited := all.Seconds[bySmin][0] + all.Seconds[bySmin][1]
		t.Rows = append(t.Rows, []any{clusterTitle[cluster], title[m], title[method], waited / n, all.Seconds[bySmin][0] / n, all.Seconds[bySmax][0] / n,
			100 * waited / all.Length, 100 * all.Seconds[bySmin][0] / all.Length})
	})
	return t
}

// vainLinks is the share in vain over the sweep's links.
func vainLinks(g censusGrid, links []string) result.Table {
	t := result.Table{ID: "versions-links", Title: "Waits in vain by link", Kind: result.TimingOnly,
		Caption: "For each link at every node: share of pushes made to wait, and of these waits the share in vain by Smin (all seeds together; empty: nobody waited). " + whatAhead,
		Columns: []result.Column{{Key: "cluster", Title: "cluster"}, {Key: "model", Title: "model"}, {Key: "method", Title: "method"}}}
	for _, l := range links {
		t.Columns = append(t.Columns, result.Column{Key: "waits " + l, Title: l + ", waits", Unit: "%", Digits: 1}, result.Column{Key: "vain " + l, Title: "in vain", Unit: "% of waits", Digits: 1})
	}
	eachCensus(g, func(cluster, m, method string, _ []census) {
		row := []any{clusterTitle[cluster], title[m], title[method]}
		for _, l := range links {
			all := pool(g[cluster][l][m][method])
			waits, pushes := all.waited()
			row = append(row, percentOf(waits, pushes), percentOf(all.Count[bySmin][1][0], waits))
		}
		t.Rows = append(t.Rows, row)
	})
	return t
}
