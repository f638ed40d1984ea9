package bench

import (
	"fmt"
	"strings"
)

// Case is one comparison.
type Case struct {
	Title   string   `json:"title,omitempty"`
	Job     Job      `json:"job"`
	Peer    string   `json:"peer"`
	Aims    []Aim    `json:"-"`
	Without []string `json:"-"` // contenders that a report leaves out
	Short   bool     `json:"-"` // bench check measures it too
}

// Outcome holds what a case's contenders reached.
type Outcome struct {
	Case
	Results []*Result `json:"engines"`
	Notes   []Note    `json:"notes"`
	Warning string    `json:"warning,omitempty"` // what makes the numbers doubtful
}

// Find returns the result of that contender, or nil.
func (o *Outcome) Find(contender string) *Result {
	for _, r := range o.Results {
		if r.Contender == contender {
			return r
		}
	}
	return nil
}

// Row is a result with the numbers derived from it.
type Row struct {
	*Result
	Seconds float64 `json:"seconds"` // median of one step
	Images  float64 `json:"images_per_second,omitempty"`
	GFLOPS  float64 `json:"gflop_per_second,omitempty"`
	GBps    float64 `json:"gb_per_second,omitempty"`          // read and written, of KindCoded taken in; 10⁹ bytes
	Out     float64 `json:"produced_gb_per_second,omitempty"` // of KindCoded
	Cost    *Spread `json:"cost_ratio,omitempty"`             // of KindPush: its time as a multiple of the peer's
}

// Rows derives the numbers of all results.
func (o *Outcome) Rows() []Row {
	var out []Row
	for _, r := range o.Results {
		t := r.StepTime.Median
		row := Row{Result: r, Seconds: t, Images: float64(o.Job.Images()) / t, GFLOPS: r.StepFLOP / t / 1e9, GBps: r.StepBytes / t / 1e9}
		if o.Job.Kind == KindCoded {
			row.Out = row.GBps * produced(r.Contender)
		}
		if o.Job.Kind == KindPush && r.Ratio != nil {
			cost := r.Ratio.Inverse()
			row.Cost = &cost
		}
		out = append(out, row)
	}
	return out
}

// Said joins the notes into one line.
func (o *Outcome) Said() string {
	var said []string
	for _, n := range o.Notes {
		said = append(said, n.Contender+": "+n.Why)
	}
	return strings.Join(said, "; ")
}

// Text returns a table for a terminal: a line for each contender, then the notes, then what the
// contenders say of themselves, then their profiles.
func (o *Outcome) Text() string {
	var b strings.Builder
	for _, r := range o.Rows() {
		fmt.Fprintf(&b, "%-16s %-10s %10.3f ms", r.Contender, r.Class, 1e3*r.Seconds)
		switch o.Job.Kind {
		case KindStep:
			fmt.Fprintf(&b, " %9.1f images/s %8.2f GFLOP/s", r.Images, r.GFLOPS)
		case KindGemm:
			fmt.Fprintf(&b, " %8.2f GFLOP/s", r.GFLOPS)
		case KindVec:
			fmt.Fprintf(&b, " %8.2f GB/s", r.GBps)
		case KindCoded:
			fmt.Fprintf(&b, " %8.2f GB/s in %8.2f GB/s out", r.GBps, r.Out)
		}
		fmt.Fprintf(&b, " %9.5f CPU-s/step %6s MiB %8s allocs/step", r.CPU.Median, mib(r.PeakBytes), allocs(r.Allocs))
		if r.Cost != nil {
			fmt.Fprintf(&b, "  %.2f× the time of %s (%.2f–%.2f)", r.Cost.Median, o.Peer, r.Cost.Min, r.Cost.Max)
		} else if r.Ratio != nil {
			fmt.Fprintf(&b, "  %.2f× %s (%.2f–%.2f)", r.Ratio.Median, o.Peer, r.Ratio.Min, r.Ratio.Max)
		}
		if r.CPURatio != nil && r.Cost == nil {
			fmt.Fprintf(&b, ", by CPU time %.2f×", r.CPURatio.Median)
		}
		b.WriteByte('\n')
	}
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "%s: %s\n", n.Contender, n.Why)
	}
	for _, r := range o.Results {
		for _, fact := range r.Facts {
			fmt.Fprintf(&b, "%s: %s\n", r.Contender, fact)
		}
	}
	for _, r := range o.Results {
		for _, f := range r.Functions {
			fmt.Fprintf(&b, "%s: %5.1f %% %s\n", r.Contender, 100*f.Share, f.Name)
		}
	}
	return b.String()
}

// allocs reports how many heap objects a step took, "–" where nobody counts.
func allocs(n float64) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprintf("%.4g", n)
}
