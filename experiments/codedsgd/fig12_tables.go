package codedsgd

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// cutText says what of a study profile quick makes less of.
func cutText(s *study, what string) string {
	if s.Profile != "quick" {
		return ""
	}
	return "(Cut for its time after one quick run: " + what + "; criteria unchanged.) "
}

func howTimed(s *study) string {
	return cutText(s, fmt.Sprintf("%d iterations per seed in place of %d", iterationsOf(s.Profile), timedIterations)) + fmt.Sprintf("Timing-only runs of %s with %d nodes at full width; coding charged at 2 GB/s, jitter 2 %%; means over seeds. Micro-blocks: Q = %d and five batches at once, since C(8,4) does not divide the %d of the other figures; times are per batch of %d samples. One medium: one transmission at a time, with the capacity of all links together. ",
		reference, anchor, microBlocks(anchor, allRedundancies()...), microBlocks(anchor, redundancies...), s.Net.batch(anchor))
}

func timesTable(s *study) result.Table {
	t := result.Table{ID: "times-" + s.Net.Key, Title: s.Net.Title + ": time per batch against the redundancy", Kind: result.TimingOnly,
		Caption: howTimed(s) + "The claims are judged on the first column of times. At r = 8 nothing is exchanged.",
		Columns: []result.Column{{Key: "r", Title: "r"}}}
	for _, v := range s.Variants {
		t.Columns = append(t.Columns, result.Column{Key: v.Key, Title: v.Title, Unit: "ms", Digits: 1})
	}
	for i := range allRedundancies() {
		row := []any{i + 1}
		for _, v := range s.Variants {
			row = append(row, 1e3*v.Mean[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func modelTable(s *study) result.Table {
	t := result.Table{ID: "model-" + s.Net.Key, Title: s.Net.Title + ": the time model against the simulation", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Tcalc = %.1f ms, a node's 1/8 of a batch; Tcomm = %.1f ms, simulated: SSGD with unicasts and micro-blocks on the same medium; Tcomm/Tcalc = %.2f, so r* = √(8/7·%.2f) = %.2f. No overlap, jitter, latency, frame header or time for coding. Exact: r·Tcalc + (n−r)/((n−1)r)·Tcomm; printed: Tcomm/r. Percentages are of the form's time, as C19's criterion has it. On a switch each node takes in (n−r)/n of all gradients by its own link, coded or not: at least r·Tcalc + (n−r)/(n−1)·Tcomm.",
			1e3*s.Calc, 1e3*s.Comm, s.ratio(), s.ratio(), math.Sqrt(8./7*s.ratio())),
		Columns: []result.Column{{Key: "r", Title: "r"}, {Key: "medium", Title: "one medium", Unit: "ms", Digits: 2}, {Key: "exact", Title: "exact", Unit: "ms", Digits: 2}, {Key: "off", Title: "medium beside exact", Unit: "%", Digits: 3},
			{Key: "short", Title: "printed", Unit: "ms", Digits: 2}, {Key: "short-off", Title: "medium beside printed", Unit: "%", Digits: 1}, {Key: "switch", Title: "switch", Unit: "ms", Digits: 2}, {Key: "bound", Title: "at least", Unit: "ms", Digits: 2}}}
	for i, sim := range s.Ideal {
		exact, short := s.Calc*forms[0].batch(anchor, i+1, s.ratio()), s.Calc*forms[1].batch(anchor, i+1, s.ratio())
		t.Rows = append(t.Rows, []any{i + 1, 1e3 * sim, 1e3 * exact, 100 * (sim/exact - 1), 1e3 * short, 100 * (sim/short - 1), 1e3 * s.OnSwitch[i], 1e3 * s.Calc * receivers(anchor, i+1, s.ratio())})
	}
	return t
}

func rivalTable(s *study) result.Table {
	t := result.Table{ID: "rivals-" + s.Net.Key, Title: s.Net.Title + ": the other methods", Kind: result.TimingOnly,
		Caption: howTimed(s) + "Without overlap. Load: gradients sent by all nodes together, a multicast once.",
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "load", Title: "load", Unit: "gradients", Digits: 1}, {Key: "medium", Title: "one medium", Unit: "ms", Digits: 1}, {Key: "switch", Title: "switch", Unit: "ms", Digits: 1}}}
	for _, x := range s.Rivals {
		t.Rows = append(t.Rows, []any{x.Title, x.Load, 1e3 * x.Medium, 1e3 * x.Switch})
	}
	for _, k := range []int{0, 4} { // micro-blocks, whole gradients; medium and switch are 2 apart
		on, sw := &s.Variants[k], &s.Variants[k+2]
		t.Rows = append(t.Rows, []any{fmt.Sprintf("CSSGD, %s, best r: %d and %d", strings.Split(on.Title, ",")[0], on.best(), sw.best()), nil, 1e3 * on.Mean[on.best()-1], 1e3 * sw.Mean[sw.best()-1]})
	}
	return t
}

func sweepCut(s *study) string {
	return strings.TrimRight(" "+cutText(s, fmt.Sprintf("%d of %d ratios", len(sweepOf(s.Profile)), len(sweepOf("standard")))), " ")
}

func sweepTable(s *study) result.Table {
	t := result.Table{ID: "sweep-" + s.Net.Key, Title: s.Net.Title + ": the best redundancy by Tcomm/Tcalc", Kind: result.TimingOnly,
		Caption: "The ratio set by the links' bandwidth. Simulated without overlap, jitter, latency, frame header or time for coding; Tcomm is in every column that of SSGD with unicasts and micro-blocks. Of equal times the smaller r. The whole grid, 23 ratios with 1 % to both sides of 1.75, 5.25 and 10.5, was fixed before the first run." + sweepCut(s),
		Columns: []result.Column{{Key: "ratio", Title: "Tcomm/Tcalc", Digits: 3}, {Key: "real", Title: "√(n/(n−1)·Tcomm/Tcalc)", Digits: 2}, {Key: "exact", Title: "exact form"}, {Key: "short", Title: "printed form"},
			{Key: "medium", Title: "one medium"}, {Key: "switch", Title: "switch"}, {Key: "whole", Title: "whole gradients, one medium"}}}
	for _, p := range s.Sweep {
		t.Rows = append(t.Rows, []any{p.Ratio, p.Real, p.Exact, p.Short, p.Medium, p.Switch, p.Whole})
	}
	return t
}

// line is a series over r, in milliseconds, with the seeds' 95 % interval if there
// are several.
func line(name, group string, mean []float64, seeds [][]float64) result.Series {
	s := result.Series{Name: name, Group: group}
	for i, y := range mean {
		s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, 1e3*y)
		if seeds == nil || len(seeds[i]) < 2 {
			continue
		}
		_, half := exp.MeanAndHalf(seeds[i])
		s.Lo, s.Hi = append(s.Lo, 1e3*(y-half)), append(s.Hi, 1e3*(y+half))
	}
	return s
}

func bestFigure(s *study) result.Figure {
	v, o := &s.Variants[0], &s.Variants[1]
	var exact, short []float64
	for i := range s.Ideal {
		exact, short = append(exact, s.Calc*forms[0].batch(anchor, i+1, s.ratio())), append(short, s.Calc*forms[1].batch(anchor, i+1, s.ratio()))
	}
	return result.Figure{ID: "best-" + s.Net.Key, Title: s.Net.Title + ": time per batch, the paper's message model on one medium", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "time per batch", Unit: "ms"}, Caption: howTimed(s) + "Lines of the model have Tcalc and Tcomm of the simulated SSGD and no time for coding.",
		Series: []result.Series{line("simulated", "cssgd", v.Mean, v.Seconds), line("simulated, overlap", "cssgd-overlap", o.Mean, o.Seconds),
			line("r·Tcalc + (n−r)/((n−1)r)·Tcomm", "exact", exact, nil), line("r·Tcalc + Tcomm/r", "short", short, nil)},
		Alt: fmt.Sprintf("Simulated, the time per batch is least at r = %d, %.0f ms, and %.0f ms at r = 1; with overlap it is least at r = %d, %.0f ms. The exact form of the model is least at r = %d, the printed one at r = %d.",
			v.best(), 1e3*v.Mean[v.best()-1], 1e3*v.Mean[0], o.best(), 1e3*o.Mean[o.best()-1], bestOf(exact), bestOf(short))}
}

func mediaFigure(s *study) result.Figure {
	f := result.Figure{ID: "media-" + s.Net.Key, Title: s.Net.Title + ": messages and media", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "time per batch", Unit: "ms"}, Caption: howTimed(s) + "Without overlap."}
	f.Alt = "Least time per batch:"
	for _, i := range []int{0, 2, 4, 6} {
		v := &s.Variants[i]
		f.Series = append(f.Series, line(v.Title, v.Key, v.Mean, v.Seconds))
		f.Alt += fmt.Sprintf(" %s at r = %d;", v.Title, v.best())
	}
	f.Alt = strings.TrimSuffix(f.Alt, ";") + "."
	return f
}

func sweepFigure(s *study) result.Figure {
	f := result.Figure{ID: "ratio-" + s.Net.Key, Title: s.Net.Title + ": the best redundancy by Tcomm/Tcalc", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "Tcomm/Tcalc", Log: true}, Y: result.Axis{Title: "best r"}, Caption: "As in the table; the real r* is √(n/(n−1)·Tcomm/Tcalc)." + sweepCut(s)}
	series := []result.Series{{Name: "real r*", Group: "exact"}, {Name: "one medium", Group: "micro-medium"}, {Name: "switch", Group: "micro-switch"}, {Name: "whole gradients, one medium", Group: "whole-medium"}}
	for _, p := range s.Sweep {
		for i, y := range []float64{min(p.Real, anchor), float64(p.Medium), float64(p.Switch), float64(p.Whole)} {
			series[i].X, series[i].Y = append(series[i].X, p.Ratio), append(series[i].Y, y)
		}
	}
	f.Series = series
	first, last := s.Sweep[0], s.Sweep[len(s.Sweep)-1]
	f.Alt = fmt.Sprintf("From a ratio of %g to %g the best r on one medium grows step by step from %d to %d; on a switch it goes from %d to %d, for whole gradients from %d to %d, without the values between.",
		first.Ratio, last.Ratio, first.Medium, last.Medium, first.Switch, last.Switch, first.Whole, last.Whole)
	if jumps(s.Sweep, func(p sweepPoint) int { return p.Switch }) && jumps(s.Sweep, func(p sweepPoint) int { return p.Whole }) {
		return f
	}
	f.Alt = strings.Replace(f.Alt, ", without the values between.", ".", 1)
	return f
}

// jumps reports whether only the first and the last value occur.
func jumps(sweep []sweepPoint, of func(sweepPoint) int) bool {
	first, last := of(sweep[0]), of(sweep[len(sweep)-1])
	for _, p := range sweep {
		if x := of(p); x != first && x != last {
			return false
		}
	}
	return true
}
