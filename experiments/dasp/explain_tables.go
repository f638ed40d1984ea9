package dasp

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// typical is a loss as a deviation in per cent; nil where there is none.
func typical(x float64) any {
	if x >= noLoss {
		return nil
	}
	return 100 * (math.Exp(x) - 1)
}

// bestTable is one row per space and meaning.
func (q *inquiry) bestTable() result.Table {
	t := result.Table{ID: "best", Title: "The closest laboratories", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Loss: root mean square of ln(ratio/stated) over D01–D18, written as a deviation; 0 is a perfect fit, and the paper's rounding alone "+
			"is below 0.3 %%. Search space, loss and seeds were fixed before the first run against the paper's numbers; the way of searching was not: after a first, poor result the algorithm, its length and its starts were changed, and later finalists at full length and the polish were added. Search: %d points of a Latin hypercube per space, then differential "+
			"evolution per row on runs of %d gradients (%d points, %d generations, and %d more for the %d rows of a space that then fitted best); “at full length” is the best of its first %d points, run with %d gradients, in all profiles but ci as many as in tables 4 and 5. “Polished” is the row's "+
			"point after coordinate descent at full length, only for the best row of each space. Up to here seed %d: a search also finds what that seed's draws favour, the more so the larger the jitter, and “all seeds” is what is left. “Worst” is the row's before polishing. The homogeneous cluster's six are equal; the heterogeneous one's times are free; links, host, server and "+
			"jitter are the same for both clusters and all three models.",
			q.size.Scan, q.size.Pushes, q.size.Population, q.size.Generations, q.size.More, goOn, finalists, q.size.Full, searchSeed),
		Columns: []result.Column{{Key: "space", Title: "free"}, {Key: "mean", Title: "mean iteration time"},
			{Key: "search", Title: "search", Unit: "%", Digits: 1}, {Key: "full", Title: "at full length", Unit: "%", Digits: 1},
			{Key: "polished", Title: "polished", Unit: "%", Digits: 1}, {Key: "seeds", Title: "all seeds", Unit: "%", Digits: 1}, {Key: "claim", Title: "worst ratio"}, {Key: "worst", Title: "it is off by", Unit: "%", Digits: 1}}}
	for s := range spaces {
		for k := range meanings {
			f := q.fits[s][k]
			row := []any{spaces[s].Title, meanings[k], typical(f.Loss), typical(f.FullLoss), nil, nil}
			if k == q.won[s] {
				row[4], row[5] = typical(q.last[s].fit.Loss), typical(q.last[s].loss)
			}
			i, factor := worst(f.Full[k], q.want)
			if f.FullLoss < noLoss {
				row = append(row, q.want[i].id, 100*(factor-1))
			} else {
				row = append(row, "some ratio is no number", nil)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// residualTable sets the 18 ratios beside the best fit of a space.
func (q *inquiry) residualTable(s int) result.Table {
	w, k := q.last[s], q.won[s]
	t := result.Table{ID: "residuals-" + spaces[s].Key, Title: "The 18 ratios and the best fit: " + spaces[s].Title, Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Mean iteration time of DASP over that of the baseline, %s. Best fit: %d gradients, geometric mean and 95 %% interval over %d seeds, paired. "+
			"Residual: fit over stated. Within: |fit − stated| is at most the claim's tolerance. Smallest and largest: over all %d laboratories of the whole search, by the same mean, each "+
			"ratio by itself, nearly all from the search's shorter runs. Reachable: the stated ratio lies in that range, or nearer to it than the tolerance. No verdict hangs on this table: a fitted platform judges nothing.",
			meanings[k], q.size.Full, len(q.r.env.Seeds), q.candidates),
		Columns: []result.Column{{Key: "claim", Title: "claim"}, {Key: "cluster", Title: "cluster"}, {Key: "model", Title: "model"}, {Key: "against", Title: "DASP over"},
			{Key: "stated", Title: "stated", Digits: 3}, {Key: "fit", Title: "best fit", Digits: 3}, {Key: "interval", Title: "95 % interval"},
			{Key: "residual", Title: "residual", Unit: "%", Digits: 1}, {Key: "within", Title: "within"},
			{Key: "min", Title: "smallest", Digits: 3}, {Key: "max", Title: "largest", Digits: 3}, {Key: "reachable", Title: "reachable"}}}
	for i, d := range q.want {
		row := []any{d.id, clusterOf(d), title[d.model], title[d.against], d.Ratio}
		if w.ratios[i] > 0 {
			interval := any(nil)
			if ci := w.ci[i]; ci != nil {
				interval = fmt.Sprintf("%.3f–%.3f", ci[0], ci[1])
			}
			row = append(row, w.ratios[i], interval, 100*(w.ratios[i]/d.Ratio-1), yes(w.met(i, d)))
		} else {
			row = append(row, nil, nil, nil, "no")
		}
		sp := q.seen[k][i]
		t.Rows = append(t.Rows, append(row, exp.OrNone(positive(sp.Lo)), exp.OrNone(positive(sp.Hi)), yes(sp.reached(d))))
	}
	return t
}

func clusterOf(d demand) string {
	if d.Platform == homogeneous {
		return clusters[0]
	}
	return clusters[1]
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// met reports whether the fit's ratio is within the claim's tolerance.
func (w *winner) met(i int, d demand) bool {
	return w.ratios[i] > 0 && math.Abs(w.ratios[i]-d.Ratio) <= d.Tolerance
}

// laboratoryTable is the best fits' parameters.
func (q *inquiry) laboratoryTable() result.Table {
	t := result.Table{ID: "laboratory", Title: "Parameters of the best fits", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Range searched, the best fit of each space, and how far that parameter alone can be moved from the fit before the loss of the search's shorter runs grows by a tenth (in steps of 1/32 of its range and more; empty where "+
			"it was not asked). A homogeneous worker computes at %g TFLOP/s effective in every candidate, because the paper states ratios: a laboratory with everything slower in proportion has the same. "+
			"The six times are relative to that worker.", deviceFLOPS/1e12),
		Columns: []result.Column{{Key: "parameter", Title: "parameter"}, {Key: "unit", Title: "unit"}, {Key: "from", Title: "from"}, {Key: "to", Title: "to"}}}
	for _, s := range spaces {
		t.Columns = append(t.Columns, result.Column{Key: s.Key, Title: s.Title}, result.Column{Key: s.Key + "_slack", Title: "may be"})
	}
	for a, ax := range axes {
		row := []any{ax.Title, ax.Unit, ax.Lo, ax.Hi}
		for s := range spaces {
			w := q.last[s]
			if a >= len(w.fit.X) {
				row = append(row, widenedValue(a), "fixed")
				continue
			}
			slack := any(nil)
			if len(w.slack) > a {
				slack = w.slack[a].String()
			}
			row = append(row, ax.value(w.fit.X[a]), slack)
		}
		t.Rows = append(t.Rows, row)
	}
	row := []any{"six compute times", "", nil, nil}
	for s := range spaces {
		row = append(row, joined(q.last[s].lab.Times), nil)
	}
	t.Rows = append(t.Rows, row)
	return t
}

func widenedValue(a int) float64 { return axes[a].value(widened(make([]float64, firstOption))[a]) }

func joined(times [6]float64) string {
	s := ""
	for i, t := range times {
		if i > 0 {
			s += " : "
		}
		s += fmt.Sprintf("%.3g", t)
	}
	return s
}

// aloneTable is how far a search gets that has to meet a part of the demands.
func (q *inquiry) aloneTable() result.Table {
	t := result.Table{ID: "alone", Title: "What contradicts what", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Typical deviation where only a part of the 18 has to be met, laboratory and thresholds free, mean %s: by a search of its own (%d points, %d generations, from "+
			"the best of the scan) or the fit of all 18 where that is nearer, then coordinate descent; and by the fit of all 18. Both at full length, seed %d. A part that is easy alone and hard together contradicts the others.",
			meanings[q.won[len(spaces)-1]], q.size.Population, q.size.Alone, searchSeed),
		Columns: []result.Column{{Key: "part", Title: "demands"}, {Key: "count", Title: "ratios"}, {Key: "own", Title: "alone", Unit: "%", Digits: 1},
			{Key: "within", Title: "in the fit of all 18", Unit: "%", Digits: 1}}}
	for _, l := range q.alone {
		n := 0
		for _, in := range l.Of {
			if in {
				n++
			}
		}
		t.Rows = append(t.Rows, []any{l.Title, n, typical(l.own), typical(l.within)})
	}
	return t
}
