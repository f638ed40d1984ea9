package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// name is a value of the knob with its unit.
func (k knob) name(x float64) string {
	if k.unit == "" {
		return fmt.Sprintf("%s = %g", k.title, x)
	}
	return fmt.Sprintf("%s = %g %s", k.title, x, k.unit)
}

// rivalsOf are whom DASP's time is set beside, fastest kind first.
var rivalsOf = []string{"asp", "dssp", "ssp", "bsp"}

// table is DASP's iteration time over each rival's at each value, with the
// states behind it.
func (s swept) table() result.Table {
	t := result.Table{ID: s.key, Title: "Iteration time by " + s.title + ", heterogeneous cluster", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Timing-only at batch %d, whole networks. DASP's mean iteration time per worker over each rival's, paired by seed; DASP's states, "+
			"mean staleness and largest spread. All else is the reference, where %s.", fullBatch, s.name(s.reference)),
		Columns: []result.Column{{Key: "value", Title: s.title, Unit: s.unit}, {Key: "model", Title: "model"}}}
	if s.key == "heterogeneity" {
		t.Caption += " A worker's time factor is raised to the power h: 0 makes all six equal, 1 is the reference, 2 squares the differences."
	}
	for _, b := range rivalsOf {
		t.Columns = append(t.Columns, result.Column{Key: b, Title: "DASP / " + title[b], Digits: 3})
	}
	t.Columns = append(t.Columns, result.Column{Key: "half", Title: "± (BSP, half the 95 % interval)", Digits: 3},
		result.Column{Key: "QIS", Title: "QIS", Unit: "%", Digits: 1}, result.Column{Key: "WSS", Title: "WSS", Unit: "%", Digits: 1},
		result.Column{Key: "FSS", Title: "FSS", Unit: "%", Digits: 1}, result.Column{Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2},
		result.Column{Key: "spread", Title: "largest spread", Unit: "versions"})
	for i, x := range s.at {
		for _, m := range models {
			g := s.grids[i][m]
			row := []any{x, title[m]}
			for _, b := range rivalsOf {
				row = append(row, s.over(i, m, b))
			}
			_, ci := ratio(values(g["dasp"], perIteration), values(g["bsp"], perIteration))
			if ci == nil {
				row = append(row, nil)
			} else {
				row = append(row, (ci[1]-ci[0])/2)
			}
			row = append(row, stateRow("", g["dasp"])[1:4]...)
			stale, _ := exp.MeanAndHalf(values(g["dasp"], func(c cell) float64 { return c.Staleness.Mean }))
			t.Rows = append(t.Rows, append(row, stale, widestSpread(g["dasp"])))
		}
	}
	return t
}

// over is DASP's time over a rival's at the knob's i-th value.
func (s swept) over(i int, model, rival string) float64 {
	g := s.grids[i][model]
	x, _ := ratio(values(g["dasp"], perIteration), values(g[rival], perIteration))
	return x
}

// figure draws LeNet-5's ratios, the network whose gaps open on the reference.
func (s swept) figure() result.Figure {
	f := result.Figure{ID: s.key + "-lines", Title: "LeNet-5: DASP's iteration time over its rivals' by " + s.title, Kind: result.TimingOnly, Form: "line",
		Caption: "Below 1 DASP is the faster one. The reference is " + s.name(s.reference) + ".",
		X:       result.Axis{Title: s.title, Unit: s.unit, Log: s.log}, Y: result.Axis{Title: "DASP / rival, iteration time"}}
	var words []string
	for _, b := range rivalsOf {
		line := result.Series{Name: "DASP / " + title[b], Group: b}
		for i, x := range s.at {
			line.X, line.Y = append(line.X, x), append(line.Y, s.over(i, models[0], b))
		}
		f.Series = append(f.Series, line)
		words = append(words, fmt.Sprintf("over %s %.2f to %.2f", title[b], slices.Min(line.Y), slices.Max(line.Y)))
	}
	f.Alt = fmt.Sprintf("LeNet-5, %s from %g to %g: %s.", s.title, s.at[0], s.at[len(s.at)-1], strings.Join(words, "; "))
	return f
}

// note says how far the knob moves DASP's lead, network by network.
func (s swept) note() string {
	var parts []string
	for _, m := range models {
		var over []string
		for _, b := range []string{"ssp", "bsp"} {
			lo, hi := math.Inf(1), math.Inf(-1)
			for i := range s.at {
				x := s.over(i, m, b)
				lo, hi = min(lo, x), max(hi, x)
			}
			over = append(over, fmt.Sprintf("%.2f–%.2f of %s", lo, hi, title[b]))
		}
		parts = append(parts, title[m]+" "+strings.Join(over, ", "))
	}
	return fmt.Sprintf("%s from %g to %g, iteration time of DASP: %s.", s.title, s.at[0], s.at[len(s.at)-1], strings.Join(parts, "; "))
}

// table is time to target and accuracy at each value beside the reference's.
func (l learnedKnob) table() result.Table {
	t := result.Table{ID: l.key + "-learning", Title: "Learning by " + l.title + ", heterogeneous cluster", Kind: result.Trained,
		Caption: fmt.Sprintf("DASP trains %s; %d gradients. Time to %s; the ratio to the reference (%s) and the difference of final accuracies are paired by seed, with 95 %% intervals.",
			l.s.how(), l.s.Pushes, l.s.percent(), l.name(l.reference)),
		Columns: []result.Column{{Key: "value", Title: l.title, Unit: l.unit}, {Key: "seconds", Title: "time to target", Unit: "s", Digits: 3},
			{Key: "ratio", Title: "reference = 1", Digits: 3}, {Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3},
			{Key: "pushes", Title: "gradients to target", Digits: 0}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2},
			{Key: "difference", Title: "minus reference", Unit: "points", Digits: 2}, {Key: "difference_half", Title: "±", Unit: "points", Digits: 2}}}
	base := switched{trained: l.cells[slices.Index(l.at, l.reference)]}
	for i, x := range l.at {
		row := switched{trained: l.cells[i]}.learning(switchRow{}, base, l.s)
		row[0] = x
		t.Rows = append(t.Rows, row)
	}
	return t
}

// note says whether learning notices the knob.
func (l learnedKnob) note() string {
	told := ""
	if base := l.cells[slices.Index(l.at, l.reference)]; short(l.s, "dasp", trainings{"dasp": base}) != "" {
		return fmt.Sprintf("%s: the reference itself misses the target in a seed, so that no ratio of times is printed.", l.title)
	}
	for _, row := range l.table().Rows {
		if lo, ok := row[3].(float64); ok && row[0] != l.reference && (lo > 1 || row[4].(float64) < 1) {
			told += fmt.Sprintf("; %g: %.2f [%.2f, %.2f]", row[0], row[2], lo, row[4])
		}
	}
	if told == "" {
		return fmt.Sprintf("%s: no value's time to target can be told from the reference's with these seeds.", l.title)
	}
	return fmt.Sprintf("%s: values whose time to target can be told from the reference's, as ratios with 95 %% intervals: %s.", l.title, told[2:])
}
