package dasp

import (
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	result "gradsync/experiments/result1"
	"gradsync/papers/dasp"
)

// states are DASP's, in the order of the paper.
var states = []string{"QIS", "WSS", "FSS"}

// What DASP's pushes visit of its states.
const (
	qisAlone  = "only-qis" // nobody ever waits: DASP is ASP
	neverFSS  = "never-fss"
	neverWSS  = "never-wss"
	allStates = "all"
)

// visits tells which states DASP's pushes are in.
func visits(cells []cell) string {
	wss := slices.ContainsFunc(cells, func(c cell) bool { return c.Share["WSS"] > 0 })
	fss := slices.ContainsFunc(cells, func(c cell) bool { return c.Share["FSS"] > 0 })
	switch {
	case wss && fss:
		return allStates
	case wss:
		return neverFSS
	case fss:
		return neverWSS
	}
	return qisAlone
}

// stateCols are columns of DASP's states: shares of pushes and seconds waited, the gaps of
// all seeds, the largest spread of any, and which states the pushes visit.
func stateCols[R any](cells func(R) []cell) (cols []kit.Col[R]) {
	mean := func(of func(cell) float64) func(R) kit.Estimate {
		return func(r R) kit.Estimate { return kit.Each(cells(r), of).Mean() }
	}
	for _, s := range states {
		share := mean(func(c cell) float64 { return c.Share[s] })
		cols = append(cols, kit.Mean(s, "%", 2, func(r R) kit.Estimate { return share(r).Times(100) }))
	}
	for _, s := range states {
		cols = append(cols, kit.Mean(s+"_wait", "s", 2, mean(func(c cell) float64 { return c.Seconds[s] })))
	}
	return append(cols, kit.Count("gap", "versions", func(r R) int64 { return gaps(cells(r)).Quantile(0.5) }),
		kit.Count("p99", "versions", func(r R) int64 { return gaps(cells(r)).Quantile(0.99) }),
		kit.Count("spread", "versions", func(r R) (widest int64) {
			for _, c := range cells(r) {
				widest = max(widest, c.Spread)
			}
			return widest
		}),
		kit.Word("visits", "visits", func(r R) string { return visits(cells(r)) }))
}

func newStateTable(kind string) result.Table {
	t := result.Table{ID: "states", Title: "DASP's states", Kind: kind,
		Caption: fmt.Sprintf("Share of pushes answered in each state and seconds waited in it, mean over seeds; "+
			"Smin = %d, Smax = %d versions, α = %g. In QIS nobody waits for another worker: its seconds are the server's own, decision, update and the queue at its device. Spread: the largest v_new − min(v) after any update, over all seeds.", smin, smax, alpha),
		Columns: []result.Column{{Key: "run", Title: "run"}}}
	for _, s := range states {
		t.Columns = append(t.Columns, result.Column{Key: s, Title: s, Unit: "%", Digits: 2})
	}
	for _, s := range states {
		t.Columns = append(t.Columns, result.Column{Key: s + "_wait", Title: s + " waited", Unit: "s", Digits: 2})
	}
	t.Columns = append(t.Columns, result.Column{Key: "gap", Title: "median gap", Unit: "versions"},
		result.Column{Key: "p99", Title: "99th percentile", Unit: "versions"},
		result.Column{Key: "spread", Title: "largest spread", Unit: "versions"})
	return t
}

func stateRow(name string, cells []cell) []any {
	row := []any{name}
	for _, s := range states {
		x, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Share[s] }))
		row = append(row, 100*x)
	}
	for _, s := range states {
		x, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Seconds[s] }))
		row = append(row, x)
	}
	var widest int64
	for _, c := range cells {
		widest = max(widest, c.Spread)
	}
	gap := gaps(cells)
	return append(row, gap.Quantile(0.5), gap.Quantile(0.99), widest)
}

// gaps merges the gaps of all seeds.
func gaps(cells []cell) dasp.Histogram {
	var all dasp.Histogram
	for _, c := range cells {
		for x, n := range c.Gap.Counts {
			for len(all) <= x {
				all = append(all, 0)
			}
			all[x] += n
		}
	}
	return all
}

// stateNote is empty if DASP visited all its states.
func stateNote(cells []cell) string {
	share := map[string]float64{}
	for _, c := range cells {
		for _, s := range states {
			share[s] += c.Share[s]
		}
	}
	switch {
	case share["WSS"] == 0 && share["FSS"] == 0:
		return "every push was answered in QIS, at once. DASP is ASP here: the two do the same, push by push."
	case share["FSS"] == 0:
		return fmt.Sprintf("no push reached FSS, and %.2g %% were in WSS. DASP is ASP with a delay on those; its bound Smax never acts.", 100*share["WSS"]/float64(len(cells)))
	case share["WSS"] == 0:
		return "no push was in WSS; DASP goes straight from QIS to FSS here."
	}
	return ""
}
