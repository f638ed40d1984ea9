package bench

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// headRing is the section of BENCHMARKS.md that `bench ring` writes.
const headRing = "All-reduce over TCP"

// RingCommand is what renews that section alone.
const RingCommand = "gradsync bench ring --into BENCHMARKS.md"

// RingReport is all that the section says.
type RingReport struct {
	Command string    `json:"command"`
	Version string    `json:"version"`
	Seconds float64   `json:"seconds"` // of a round
	Busy    string    `json:"busy,omitempty"`
	Rows    []RingRow `json:"rows"`
	Facts   []string  `json:"facts"`
}

// RingBusy says so if other programs ran before the measurement; "" if not.
func RingBusy() string {
	if Busy() == "" {
		return ""
	}
	return fmt.Sprintf("Other programs ran when this began (load average %s on %d cores): speeds are low, spreads are wide, and who polls gains on who sleeps.", load()[0], runtime.NumCPU())
}

// Verdict sets a row beside the aim of its case: "" if it has none.
func (r RingRow) Verdict() string {
	switch aims := RingCase(r.Ranks, r.Bytes).Aims; {
	case len(aims) == 0:
		return ""
	case r.Ratio == nil:
		return "not measured"
	case r.Ratio.Median >= aims[0].Bound:
		return "held"
	}
	return "missed"
}

// Markdown writes the section.
func (r *RingReport) Markdown(p *printer) {
	p.line("## %s\n", headRing)
	p.line("Written by `%s` (gradsync %s).\n", r.Command, r.Version)
	if r.Busy != "" {
		p.line("**%s**\n", r.Busy)
	}
	p.line(`- One all-reduce of float32 between processes of this machine: the ring of shared/cluster/collective over the runtime tcp, with
  a checksum of every frame; the same ring in C, and MPI_Allreduce, over Open MPI with `+"`--mca btl tcp,self`"+`. Each checks its first sum.
- Numbers are GB/s (10⁹ bytes), **median** (best) over interleaved rounds of about %g s. All-reduces are in bus bandwidth, bytes/time ·
  2(N−1)/N. Loopback is a one-way TCP stream of 1 MiB writes between two processes, memcpy is copy() of as many bytes in one.
- Ratios are taken round by round: median, and in brackets an interval that covers the true median 95 times in 100 or more.
- Open MPI polls: a process of it takes a whole core, ours sleeps. With fewer free cores than processes that decides more than the code.
- The aim is at least 1× MPI_Allreduce with 2 processes from 1 MiB on.
`, r.Seconds)
	head := slices.Concat(ringHead[:7], []string{"aim"}, ringHead[7:])
	var rows [][]string
	for _, row := range r.Rows {
		c := row.cells()
		verdict := row.Verdict()
		if verdict == "" {
			verdict = "–"
		}
		for i, cell := range c {
			if median, rest, ok := strings.Cut(cell, " ("); ok { // a number, not a size
				c[i] = "**" + median + "** (" + rest
			}
		}
		rows = append(rows, slices.Concat(c[:7], []string{verdict}, c[7:]))
	}
	p.table(strings.Join(head, " | "), rows)
	for _, line := range slices.Concat(ringNotes(r.Rows), r.Facts) {
		p.line("- %s", line)
	}
	if len(r.Facts) > 0 {
		p.line("")
	}
}

// Into replaces the section in a report's text, or adds it at its end.
func (r *RingReport) Into(text string) (string, error) {
	var b strings.Builder
	p := &printer{w: &b}
	r.Markdown(p)
	before, after, found := strings.Cut(text, "\n## "+headRing+"\n")
	if !found {
		return strings.TrimRight(text, "\n") + "\n\n" + strings.TrimRight(b.String(), "\n") + "\n", p.err
	}
	rest := "\n"
	if at := strings.Index(after, "\n## "); at >= 0 {
		rest = "\n" + after[at:]
	}
	return before + "\n" + strings.TrimRight(b.String(), "\n") + rest, p.err
}

// ringNotes are the rows' notes, each once.
func ringNotes(rows []RingRow) (out []string) {
	for _, r := range rows {
		for _, n := range r.Notes {
			if line := fmt.Sprintf("%s: %s", n.Contender, n.Why); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}
