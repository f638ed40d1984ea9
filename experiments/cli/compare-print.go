package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gradsync/experiments/kit"
	"gradsync/experiments/own"
	"gradsync/experiments/result"
)

// comparedRow is an own.Row for --json; null is a number that cannot be had.
type comparedRow struct {
	Value     any         `json:"value,omitempty"`
	Method    string      `json:"method"`
	Finding   string      `json:"finding"`
	Seconds   *float64    `json:"seconds"`
	Half      *float64    `json:"seconds_half"`
	Ratio     *float64    `json:"ratio"`
	RatioCI   *[2]float64 `json:"ratio_ci95"`
	Decide    int         `json:"seeds_to_decide,omitempty"`
	Once      *float64    `json:"first_crossing_seconds"`
	Accuracy  *float64    `json:"accuracy"`
	Updates   *float64    `json:"updates"`
	Gradients *float64    `json:"gradients"`
	Bytes     *float64    `json:"bytes"`
	Staleness *float64    `json:"staleness"`
	Missed    int         `json:"missed"`
	Diverged  []uint64    `json:"diverged"`
	Failed    []string    `json:"failed"`
}

// value returns the mean of e, nil for no number.
func value(e kit.Estimate) *float64 {
	if e.N == 0 {
		return nil
	}
	return &e.Value
}

// comparedObject returns a comparison for --json.
func comparedObject(p *own.Plan, rows []own.Row, r *result.Result, path string) any {
	out := []comparedRow{}
	for _, row := range rows {
		c := comparedRow{Value: p.Values[row.Value], Method: row.Method, Finding: row.Finding, Seconds: value(row.Seconds()), Ratio: value(row.Over),
			RatioCI: row.Over.CI, Decide: row.Decide, Once: value(row.OnceSeconds()), Accuracy: value(row.Accuracy()), Updates: value(row.Updates()),
			Gradients: value(row.Gradients()), Bytes: value(row.Bytes()), Staleness: value(row.Staleness()), Missed: row.Missed,
			Diverged: append([]uint64{}, row.Diverged...), Failed: []string{}}
		if half := row.Seconds().Half(); !math.IsNaN(half) {
			c.Half = &half
		}
		for _, f := range row.Failed {
			c.Failed = append(c.Failed, f.Why)
		}
		out = append(out, c)
	}
	return map[string]any{"id": r.ID, "path": path, "status": r.Status, "reference": p.Methods[0], "seeds": p.Seeds, "axis": p.Axis, "unit": p.Unit,
		"accuracies": append([]float64{}, p.Accuracies()...), "every": factOf(r, "every"), "horizon": factOf(r, "horizon"), "rows": out}
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// factOf returns the value of a fact of r, nil where it has none.
func factOf(r *result.Result, key string) any {
	if f := r.Fact(key); f != nil {
		return f.Value
	}
	return nil
}

// printComparison prints what was found: what was asked, a table for each value of the axis, and what is to be known of it.
func (a *app) printComparison(p *own.Plan, all []own.Row, path string) {
	rows := all
	cfg := p.Configs[own.Point{Method: p.Methods[0]}]
	fmt.Fprintf(a.out, "%s, %s: ", cfg.Model, plural(len(p.Seeds), "seed"))
	if cfg.TimingOnly {
		fmt.Fprintf(a.out, "time of 1,000 gradients, of %d timed\n", cfg.MaxPushes)
	} else {
		fmt.Fprintf(a.out, "time to %s test accuracy (geometric mean), and to %.4g %% alone\n", percents(p.Accuracies()), 100*cfg.TargetAccuracy)
		fmt.Fprintf(a.out, "evaluated every %d gradients on %d images; times between are interpolated\n", cfg.EvalEvery, p.EvaluationImages(all))
		a.printData(all)
	}
	if len(p.Methods) == 1 {
		a.printTable(p, rows)
	} else {
		for n := len(p.Methods); len(rows) > 0; rows = rows[n:] {
			a.printTable(p, rows[:n])
		}
	}
	a.printRemarks(p, all)
	fmt.Fprintf(a.out, "\nresult: %s\n", path)
}

// printData names the images, and what they stand in for.
func (a *app) printData(rows []own.Row) {
	for _, r := range rows {
		for _, c := range r.Cells {
			if d := c.Data; d != nil {
				fmt.Fprintf(a.out, "%s (%s), %d images to train and %d to test\n", d.Name, d.Origin, d.Train, d.Test)
				if d.Note != "" {
					fmt.Fprintf(a.out, "note: %s\n", d.Note)
				}
				return
			}
		}
	}
}

// printTable prints a table of rows that have one reference, and their times as bars.
func (a *app) printTable(p *own.Plan, rows []own.Row) {
	at, first := p.Configs[rows[0].Point], p.Reference(rows[0].Value)
	head, beside := "method", "beside "+first.Method
	fmt.Fprintln(a.out)
	switch {
	case len(p.Methods) == 1:
		head, beside = p.Axis, fmt.Sprintf("beside %s %v", p.Axis, p.Values[0])
		fmt.Fprintf(a.out, "%s, ", first.Method)
	case p.Axis != "":
		fmt.Fprintln(a.out, strings.TrimSpace(fmt.Sprintf("%s %v %s", p.Axis, p.Values[rows[0].Value], p.Unit)))
	}
	fmt.Fprintf(a.out, "%s, %d workers\n", at.Platform.Name, at.Workers)
	once := "alone (s)"
	if !at.TimingOnly {
		once = fmt.Sprintf("to %.4g %% (s)", 100*at.TargetAccuracy)
	}
	lines := [][]string{{head, "virtual time (s)", beside, once, "accuracy", "updates", "gradients", "MB", "staleness"}}
	longest := 0.0
	for _, row := range rows {
		lines = append(lines, comparedCells(shortName(p, row), row))
		longest = max(longest, row.Seconds().Value)
	}
	a.printColumns(lines)
	if longest <= 0 {
		return
	}
	fmt.Fprintln(a.out)
	for _, row := range rows {
		if e := row.Seconds(); e.N > 0 {
			bar := strings.Repeat("█", max(1, int(math.Round(barWidth*e.Value/longest))))
			fmt.Fprintf(a.out, "%-18s %s %s s\n", shortName(p, row), bar, digits4(e))
		}
	}
}

// shortName returns what tells a row of a table from the others: its method, or of a single one the value.
func shortName(p *own.Plan, r own.Row) string {
	if len(p.Methods) == 1 {
		return strings.TrimSpace(fmt.Sprintf("%v %s", p.Values[r.Value], p.Unit))
	}
	return r.Method
}

// comparedCells returns the cells of a row of the table.
func comparedCells(name string, r own.Row) []string {
	return []string{name, plusMinus(r.Seconds()), saidOf(r), digits4(r.OnceSeconds()), unit(r.Accuracy(), "%.1f %%"), unit(r.Updates(), "%.0f"),
		unit(r.Gradients(), "%.0f"), unit(r.Bytes().Times(1e-6), "%.1f"), unit(r.Staleness(), "%.2f")}
}

// none is the cell of what cannot be had.
const none = "–"

// printColumns prints lines below their heading. A column of which nothing can be had is left out.
func (a *app) printColumns(lines [][]string) {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, l := range lines {
		var cells []string
		for i, text := range l {
			if slices.ContainsFunc(lines[1:], func(l []string) bool { return l[i] != none }) {
				cells = append(cells, text)
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // the command's writer keeps its first error
}

// barWidth is the length of the longest bar of times, in letters.
const barWidth = 40

// saidOf words what was found of a row.
func saidOf(r own.Row) string {
	said := map[string]string{own.Failed: "failed", own.Diverged: "diverged", own.Reference: "the reference", own.Unpaired: "the reference has no times",
		own.NoCase: "no case: exactly the same", own.Never: "neither reaches it", own.Alone: "one seed", own.Sooner: "sooner", own.Later: "later",
		own.Cannot: "cannot tell"}[r.Finding]
	if r.Finding == own.NoCase || r.Over.N == 0 {
		if r.Missed > 0 && !slices.Contains([]string{own.Never, own.Diverged, own.Failed}, r.Finding) {
			said += fmt.Sprintf(", %d of %d never reach it", r.Missed, len(r.Cells))
		}
		return said
	}
	later := r.Over.Times(100)
	said += fmt.Sprintf(", %+.1f %%", later.Value-100)
	if later.CI != nil {
		said += fmt.Sprintf(" [%+.1f, %+.1f]", later.CI[0]-100, later.CI[1]-100)
	}
	if r.Decide > 0 {
		said += fmt.Sprintf("; %d seeds would", r.Decide)
	}
	return said
}

// plusMinus prints a mean and half the width of its interval.
func plusMinus(e kit.Estimate) string {
	if half := e.Half(); e.N > 0 && !math.IsNaN(half) {
		return fmt.Sprintf("%.4g ± %.2g", e.Value, half)
	}
	return digits4(e)
}

func digits4(e kit.Estimate) string { return unit(e, "%.4g") }

// unit prints a mean by a format, – for no number.
func unit(e kit.Estimate, format string) string {
	if e.N == 0 {
		return none
	}
	return fmt.Sprintf(format, e.Value)
}

// printRemarks says, a line each, what a reader of the table must know.
func (a *app) printRemarks(p *own.Plan, rows []own.Row) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if len(p.Seeds) == 1 {
		add("one seed: there is no interval, and no verdict; --seeds 0-4 has both")
	} else {
		add("± and [ ] are 95 %% intervals, those of ratios paired by seed")
	}
	for _, r := range rows {
		name := r.Method
		if p.Axis != "" {
			name = fmt.Sprintf("%s at %s %v", r.Method, p.Axis, p.Values[r.Value])
		}
		cfg, other := p.Configs[r.Point], p.Methods[0]
		if len(p.Methods) == 1 {
			other = fmt.Sprintf("%s %v", p.Axis, p.Values[0])
		}
		switch {
		case len(r.Failed) > 0:
			add("%s failed with %d of %d seeds: %s", name, len(r.Failed), len(r.Cells), r.Failed[0].Why)
		case len(r.Diverged) > 0:
			at := r.Cells[0].Diverged
			for _, c := range r.Cells {
				if at == nil {
					at = c.Diverged
				}
			}
			add("%s diverged with %d of %d seeds, first seen after %d gradients: lower --rate %g, or give --set %s.rate=…", name, len(r.Diverged),
				len(r.Cells), at.Pushes, cfg.Rate, r.Method)
		case r.Missed > 0:
			add("%s never reaches %.4g %% within %d gradients with %d of %d seeds: give more --pushes, or a lower --target-accuracy", name,
				100*cfg.TargetAccuracy, cfg.MaxPushes, r.Missed, len(r.Cells))
		case r.First > 0:
			add("%s is at %.4g %% at its first evaluation with %d of %d seeds: its time is an upper bound", name, 100*p.Accuracies()[0], r.First, len(r.Cells))
		}
		switch {
		case r.Decide > 0 && r.Over.N == 0:
			add("%s beside %s: without all times only the order of pairs counts, and %d seeds of one order decide", name, other, r.Decide)
		case r.Decide > 0:
			add("%s beside %s: %d seeds would decide in four of five cases, if effect and spread are as seen", name, other, r.Decide)
		}
	}
	fmt.Fprintln(a.out)
	for _, l := range lines {
		fmt.Fprintln(a.out, l)
	}
}
