package bench

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gradsync/shared/cluster/formula"
)

// RingSizes lists the vectors' sizes in bytes, 1 KiB to 256 MiB in powers of 4.
func RingSizes() []int {
	var out []int
	for n := 1 << 10; n <= 256<<20; n *= 4 {
		out = append(out, n)
	}
	return out
}

// RingCase returns the case of one all-reduce of the given bytes over ranks processes, beside Open
// MPI's and MPICH's. The aim is set for two processes.
func RingCase(ranks, bytes int) Case {
	c := Case{Title: fmt.Sprintf("all-reduce of %s, %d processes", SizeText(bytes), ranks), Peer: MPIReduce,
		Job: Job{Kind: KindRing, Bytes: bytes, Ranks: ranks, Threads: RingThreads(ranks)}}
	if ranks == 2 {
		c.Aims = []Aim{{Measure: Speed, Bound: 1, Contender: OurRing}}
	}
	return c
}

// RingThreads returns a rank's share of this machine's cores, one at least. Goroutines of one
// thread hand over to each other without the system, which two ranks that have a core each would
// ask in vain for a second one.
func RingThreads(ranks int) int { return max(runtime.NumCPU()/ranks, 1) }

// SizeText writes a number of bytes in its largest whole binary unit.
func SizeText(bytes int) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if bytes >= 1<<u.shift && bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", bytes>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// RingMemory returns what the contenders of a case hold at once: a vector and as much again for
// what is on its way, for each rank of each of the five all-reduces.
func RingMemory(ranks, bytes int) float64 { return 5 * 2 * float64(ranks) * float64(bytes) }

// RingRow holds what one case came to. Bandwidths are in bytes per second: bus bandwidth of the
// all-reduces, bytes copied and bytes streamed of the limits.
type RingRow struct {
	Ranks     int               `json:"ranks"`
	Bytes     int               `json:"bytes"`
	Rounds    int               `json:"rounds"`
	Bandwidth map[string]Spread `json:"bytes_per_second"` // by contender; max is the best round
	Ratio     *Interval         `json:"ratio,omitempty"`  // ours over MPI_Allreduce
	RingRatio *Interval         `json:"ratio_ring,omitempty"`
	Best      *Interval         `json:"ratio_fastest,omitempty"` // ours over the fastest of MPI
	BestOf    string            `json:"fastest,omitempty"`       // whose median round is that
	TLSRatio  *Interval         `json:"ratio_tls,omitempty"`     // ours with TLS over ours in the clear
	Notes     []Note            `json:"notes,omitempty"`
	Functions []Function        `json:"functions,omitempty"` // CPU profile of our rank 0
}

// Interval is the median of paired ratios with an interval that covers the true median at least 95
// times in 100: order statistics, no shape assumed. With fewer than six rounds no two of them are
// that sure; then Low and High are the extremes and Sure is their coverage.
type Interval struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Sure   float64 `json:"sure"` // at least, of 1
}

// medianInterval returns the interval of the values' median, nil without values.
func medianInterval(values []float64) *Interval {
	n := len(values)
	if n == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(values))
	// The k-th smallest and the k-th largest have the median between them unless
	// fewer than k of n fair coins show heads, or tails: missed is that for heads.
	k, term := 1, math.Pow(0.5, float64(n))
	missed := term
	for k < (n+1)/2 {
		term *= float64(n-k+1) / float64(k)
		if 2*(missed+term) > 0.05 {
			break
		}
		missed += term
		k++
	}
	return &Interval{Median: SpreadOf(v).Median, Low: v[k-1], High: v[n-k], Sure: max(1-2*missed, 0)}
}

// Ring derives a row from an outcome.
func (o *Outcome) Ring() RingRow {
	r := RingRow{Ranks: o.Job.Ranks, Bytes: o.Job.Bytes, Bandwidth: map[string]Spread{}, Notes: o.Notes}
	for _, res := range o.Results {
		switch res.Contender {
		case Copy:
			r.Bandwidth[Copy] = res.rate(float64(o.Job.Bytes))
		case Stream:
			r.Bandwidth[Stream] = res.rate(res.StepBytes)
		default:
			r.Bandwidth[res.Contender] = res.rate(formula.BusBandwidth(o.Job.Ranks, float64(o.Job.Bytes), 1))
		}
	}
	ours := o.Find(OurRing)
	if ours == nil {
		return r
	}
	r.Rounds, r.Functions = ours.Rounds, ours.Functions
	if peer := o.Find(MPIReduce); peer != nil {
		r.Ratio = medianInterval(ratios(ours.speeds, peer.speeds))
	}
	if peer := o.Find(MPIRing); peer != nil {
		r.RingRatio = medianInterval(ratios(ours.speeds, peer.speeds))
	}
	for _, name := range []string{MPIRing, MPIReduce, MPICHRing, MPICHReduce} {
		if peer := o.Find(name); peer != nil && (r.BestOf == "" || r.Bandwidth[name].Median > r.Bandwidth[r.BestOf].Median) {
			r.BestOf, r.Best = name, medianInterval(ratios(ours.speeds, peer.speeds))
		}
	}
	if sealed := o.Find(TLSRing); sealed != nil {
		r.TLSRatio = medianInterval(ratios(sealed.speeds, ours.speeds))
	}
	return r
}

// ringHead and cells are the table of `bench ring` and of BENCHMARKS.md.
var ringHead = []string{"processes", "size", "gradsync", "Open MPI ring", "Open MPI's MPI_Allreduce", "MPICH ring", "MPICH's MPI_Allreduce", "× fastest MPI", "fastest",
	"loopback", "memcpy", "rounds"}

func (r RingRow) cells() []string {
	out := append(r.rates(OurRing, MPIRing, MPIReduce, MPICHRing, MPICHReduce), r.Best.text(), cmp.Or(r.BestOf, "–"))
	out = append(out, r.rates(Stream, Copy)[2:]...)
	return append(out, r.rounds())
}

func (r RingRow) rounds() string { return fmt.Sprint(r.Rounds) }

// rates returns the case and the contenders' bandwidths in GB/s, median and best.
func (r RingRow) rates(names ...string) []string {
	out := []string{fmt.Sprint(r.Ranks), SizeText(r.Bytes)}
	for _, name := range names {
		s, ok := r.Bandwidth[name]
		if !ok {
			out = append(out, "absent")
			continue
		}
		out = append(out, fmt.Sprintf("%s (%s)", figure(s.Median/1e9), figure(s.Max/1e9)))
	}
	return out
}

func (i *Interval) text() string {
	if i == nil {
		return "–"
	}
	return fmt.Sprintf("%s (%s to %s)", figure(i.Median), figure(i.Low), figure(i.High))
}

// RingText returns the table for a terminal, then each note once.
func RingText(rows []RingRow) string {
	table := [][]string{ringHead}
	for _, r := range rows {
		table = append(table, r.cells())
	}
	return ringTable(table, rows)
}

// ringTable sets a table and adds what is noted of its rows.
func ringTable(table [][]string, rows []RingRow) string {
	var b strings.Builder
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, c := range row {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	for _, row := range table {
		for i, c := range row {
			fmt.Fprintf(&b, "%*s", widths[i]+2*min(i, 1), c)
		}
		b.WriteByte('\n')
	}
	for _, n := range ringNotes(rows) {
		b.WriteString(n + "\n")
	}
	for _, r := range rows {
		if s, ok := r.Bandwidth[TLSRing]; ok {
			fmt.Fprintf(&b, "%d processes, %s, with TLS 1.3: %s (%s), × in the clear %s\n", r.Ranks, SizeText(r.Bytes), figure(s.Median/1e9), figure(s.Max/1e9),
				r.TLSRatio.text())
		}
		for _, f := range r.Functions {
			fmt.Fprintf(&b, "%d processes, %s: %5.1f %% %s\n", r.Ranks, SizeText(r.Bytes), 100*f.Share, f.Name)
		}
	}
	return b.String()
}

// headRing is the section of BENCHMARKS.md that `bench ring` writes.
const headRing = "All-reduce over TCP"

// RingCommand renews that section alone.
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

// RingBusy returns a warning if other programs ran before the measurement; "" if not.
func RingBusy() string {
	if Busy() == "" {
		return ""
	}
	return fmt.Sprintf("Other programs ran when this began (load average %s on %d cores): speeds are low, spreads are wide, and who polls "+
		"gains on who sleeps.", load()[0], runtime.NumCPU())
}

// Verdict sets a row beside the aim of its case: "" if it has none.
func (r RingRow) Verdict() string {
	switch aims := RingCase(r.Ranks, r.Bytes).Aims; {
	case len(aims) == 0:
		return ""
	case r.Best == nil:
		return "not measured"
	case r.Best.Median >= aims[0].Bound:
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
  a checksum of every frame; the same ring in C, and MPI_Allreduce, over Open MPI with `+"`--mca btl tcp,self`"+` and over MPICH on TCP alone. Each checks its
  first sum. Ours gathers vectors of at most as many elements as it says below whole, in place of two passes round the ring: the same sums, bit by bit.
- Numbers are GB/s (10⁹ bytes), **median** (best) over interleaved rounds of about %g s. All-reduces are in bus bandwidth, bytes/time ·
  2(N−1)/N. Loopback is a one-way TCP stream of 1 MiB writes between two processes, memcpy is copy() of as many bytes in one.
- Ratios are taken round by round: median, and in brackets an interval that covers the true median 95 times in 100 or more.
- MPI polls: a process of it takes a whole core, ours polls for a moment and sleeps then. With fewer free cores than processes that decides more than the code.
- The aim is at least 1× the fastest of the four of MPI with 2 processes.
`, r.Seconds)
	head := slices.Concat(ringHead[:9], []string{"aim"}, ringHead[9:])
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
		rows = append(rows, slices.Concat(c[:9], []string{verdict}, c[9:]))
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
func (r *RingReport) Into(text string) (string, error) { return into(text, headRing, r.Markdown) }

// into replaces the section with that heading in a report's text, or adds it at its end.
func into(text, heading string, section func(*printer)) (string, error) {
	var b strings.Builder
	p := &printer{w: &b}
	section(p)
	before, after, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		return strings.TrimRight(text, "\n") + "\n\n" + strings.TrimRight(b.String(), "\n") + "\n", p.err
	}
	rest := "\n"
	if at := strings.Index(after, "\n## "); at >= 0 {
		rest = "\n" + after[at:]
	}
	return before + "\n" + strings.TrimRight(b.String(), "\n") + rest, p.err
}

// ringNotes returns the rows' notes, each once.
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
