package bench

import (
	"fmt"
	"strconv"
)

// outcome writes a case: its command, its table, its notes.
func (p *printer) outcome(o *Outcome) {
	p.line("### %s\n", o.Title)
	p.line("`%s`\n", o.Command())
	head, row := "contender | class | GFLOP/s | CPU-s per step | allocations | × "+o.Peer+" | rounds", gemmRow
	switch o.Job.Kind {
	case KindStep:
		head, row = "contender | class | images/s | GFLOP/s | CPU-s per step | peak MiB | allocations | × "+o.Peer+" | × by CPU time | rounds", stepRow
	case KindVec:
		head, row = "kernel | GB/s | ms | × copy()'s bandwidth | × copy()'s time per element | rounds", vecRow
	case KindCoded:
		head, row = "step | GB/s in | GB/s out | ms | × copy()'s bandwidth | rounds", codedRow
	}
	var rows [][]string
	for _, r := range o.Results {
		rows = append(rows, append(row(o, r), fmt.Sprint(r.Rounds)))
	}
	p.table(head, rows)
	if o.Warning != "" {
		p.line("**%s**\n", o.Warning)
	}
	for _, n := range o.Notes {
		p.line("%s: %s\n", n.Contender, n.Why)
	}
}

func stepRow(o *Outcome, r *Result) []string {
	return []string{
		r.Contender, r.Class, spread(r.rate(float64(o.Job.Images())), ""), figure(r.rate(r.StepFLOP / 1e9).Median), figure(r.CPU.Median),
		mib(r.PeakBytes), allocs(r.Allocs), ratio(r.Ratio), ratio(r.CPURatio),
	}
}

func gemmRow(_ *Outcome, r *Result) []string {
	return []string{r.Contender, r.Class, spread(r.rate(r.StepFLOP/1e9), ""), figure(r.CPU.Median), allocs(r.Allocs), ratio(r.Ratio)}
}

func vecRow(o *Outcome, r *Result) []string {
	perElement := "–"
	if c := o.Find(Copy); c != nil && r.Ratio != nil {
		s := r.Ratio.Scaled(c.StepBytes / r.StepBytes) // both take the same elements
		perElement = ratio(&s)
	}
	return []string{r.Contender, spread(r.rate(r.StepBytes/1e9), ""), figure(1e3 * r.StepTime.Median), ratio(r.Ratio), perElement}
}

func codedRow(_ *Outcome, r *Result) []string {
	in := r.rate(r.StepBytes / 1e9)
	return []string{r.Contender, spread(in, ""), figure(in.Median * Produced(r.Contender)), figure(1e3 * r.StepTime.Median), ratio(r.Ratio)}
}

// ratio is a spread, or "–" for the peer itself and where there is none.
func ratio(s *Spread) string {
	if s == nil {
		return "–"
	}
	return spread(*s, "")
}

// spread is "min – **median** – max", and the unit.
func spread(s Spread, unit string) string {
	return fmt.Sprintf("%s – **%s** – %s%s", figure(s.Min), figure(s.Median), figure(s.Max), unit)
}

// figure has three significant digits, all of a number from 1000.
func figure(v float64) string {
	if v >= 1000 || v <= -1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // of its own output
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// mib is a size in MiB, "–" if unknown.
func mib(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(bytes)/(1<<20))
}
