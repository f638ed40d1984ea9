package dasp

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// newSwitchTables are what a switch does to the events and to learning.
func newSwitchTables(s size, seeds int) (timed, learned result.Table) {
	timed = result.Table{ID: "switches", Title: "One switch at a time, heterogeneous cluster: the events", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("LeNet-5, timing-only, batch %d, %d gradients, %d seeds. The ratio to the default is paired by seed, with its 95 %% interval. "+
			"The default has Smin = %d, Smax = %d, α = %g.", fullBatch, workers*perWorker, seeds, smin, smax, alpha),
		Columns: []result.Column{{Key: "switch", Title: "switch"}, {Key: "paper", Title: "what speaks for it"},
			{Key: "iteration", Title: "iteration per worker", Unit: "ms", Digits: 2},
			{Key: "ratio", Title: "default = 1", Digits: 3}, {Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3},
			{Key: "QIS", Title: "QIS", Unit: "%", Digits: 2}, {Key: "WSS", Title: "WSS", Unit: "%", Digits: 2}, {Key: "FSS", Title: "FSS", Unit: "%", Digits: 2},
			{Key: "gap", Title: "largest gap", Unit: "versions"}, {Key: "spread", Title: "largest spread", Unit: "versions"}}}
	learned = result.Table{ID: "learning", Title: "One switch at a time, heterogeneous cluster: learning", Kind: result.Trained,
		Caption: fmt.Sprintf("The same switches, trained: %s; %d gradients, %d seeds. Time to %s and final accuracy; the ratio of times and the difference of "+
			"accuracies are paired by seed with the default, with 95 %% intervals. Rates were not tuned anew: a switch that changes the weight of a gradient changes the effective rate.",
			s.how(), s.Pushes, seeds, s.percent()),
		Columns: []result.Column{{Key: "switch", Title: "switch"}, {Key: "seconds", Title: "time to target", Unit: "s", Digits: 3},
			{Key: "ratio", Title: "default = 1", Digits: 3}, {Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3},
			{Key: "pushes", Title: "gradients to target", Digits: 0}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2},
			{Key: "difference", Title: "minus default", Unit: "points", Digits: 2}, {Key: "difference_half", Title: "±", Unit: "points", Digits: 2}}}
	return timed, learned
}

// timing is a switch's row of events.
func (x switched) timing(row switchRow, base switched) []any {
	it, _ := exp.MeanAndHalf(values(x.timed, perIteration))
	line := append([]any{row.name, row.paper, 1e3 * it}, paired(values(x.timed, perIteration), values(base.timed, perIteration))...)
	line = append(line, stateRow("", x.timed)[1:4]...)
	return append(line, gaps(x.timed).Max(), widestSpread(x.timed))
}

// learning is a switch's row of trainings; what a run that misses the target
// cannot give is empty.
func (x switched) learning(row switchRow, base switched, s size) []any {
	line := []any{row.name, nil, nil, nil, nil, nil}
	sec, push, ok := reachedBy(x.trained, s.Target)
	if ok {
		line[1], _ = exp.MeanAndHalf(sec)
		line[5], _ = exp.MeanAndHalf(push)
	}
	if was, _, baseOK := reachedBy(base.trained, s.Target); ok && baseOK {
		copy(line[2:], paired(sec, was))
	}
	d := make([]float64, len(x.trained))
	for i := range d {
		d[i] = 100 * (x.trained[i].Accuracy - base.trained[i].Accuracy)
	}
	accuracy, _ := exp.MeanAndHalf(values(x.trained, func(c cell) float64 { return 100 * c.Accuracy }))
	mean, half := exp.MeanAndHalf(d)
	return append(line, accuracy, mean, exp.OrNone(half))
}

// paired is a ratio and its interval as three entries, the interval empty for
// one seed.
func paired(ours, base []float64) []any {
	r, ci := ratio(ours, base)
	if ci == nil {
		return []any{r, nil, nil}
	}
	return []any{r, ci[0], ci[1]}
}

// switchNotes names the choices that learning can tell from the default, and
// says so when none can.
func switchNotes(learned result.Table) []string {
	told := ""
	if learned.Rows[0][1] == nil {
		told = "; the default itself misses the target in a seed, so that no ratio of times is printed"
	}
	for _, row := range learned.Rows[1:] {
		diff, half := row[7].(float64), row[8]
		if lo, ok := row[3].(float64); ok && (lo > 1 || row[4].(float64) < 1) {
			told += fmt.Sprintf("; %s: %.3f of the default's time to target", row[0], row[2])
		}
		if h, ok := half.(float64); ok && max(diff, -diff) > h {
			told += fmt.Sprintf("; %s: %+.2f points of final accuracy", row[0], diff)
		}
		if row[1] == nil {
			told += fmt.Sprintf("; %s: misses the target in a seed", row[0])
		}
	}
	if told == "" {
		return []string{"No switch's time to target or final accuracy can be told from the default's with these seeds: no interval excludes equality."}
	}
	return []string{fmt.Sprintf("What learning can tell from the default, each interval by itself (of %d such intervals one in twenty misleads)%s.", 2*(len(learned.Rows)-1), told)}
}
