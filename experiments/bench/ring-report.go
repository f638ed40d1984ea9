package bench

import (
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

// strangers are the all-reduces of others over TCP.
var strangers = []string{MPIReduce, MPICHReduce}

// RingCase returns the case of one all-reduce of the given bytes over ranks processes, beside Open
// MPI's and MPICH's. The aim is set for two processes: the faster of both.
func RingCase(ranks, bytes int) Case {
	c := ringCase(ranks, bytes, MPIReduce)
	if ranks == 2 {
		c.Aims = []Aim{{Measure: Fastest, Bound: 1, Contender: OurRing}}
	}
	return c
}

// OnMPICase returns the case of our ring over Open MPI beside our ring over TCP and two of C.
func OnMPICase(ranks, bytes int) Case { return ringCase(ranks, bytes, MPIRing) }

// TLSCase returns the case of our ring with certificates beside itself in the clear.
func TLSCase(ranks, bytes int) Case { return ringCase(ranks, bytes, OurRing) }

func ringCase(ranks, bytes int, peer string) Case {
	return Case{Title: fmt.Sprintf("all-reduce of %s, %d processes", SizeText(bytes), ranks), Peer: peer,
		Job: Job{Kind: KindRing, Bytes: bytes, Ranks: ranks, Threads: RingThreads(ranks)}}
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
// what is on its way, for each rank of each of the four all-reduces.
func RingMemory(ranks, bytes int) float64 { return 4 * 2 * float64(ranks) * float64(bytes) }

// RingRow holds what one case came to. Bandwidths are in bytes per second: bus bandwidth of the
// all-reduces, bytes copied and bytes streamed of the limits.
type RingRow struct {
	Ranks     int               `json:"ranks"`
	Bytes     int               `json:"bytes"`
	Rounds    int               `json:"rounds"`
	Bandwidth map[string]Spread `json:"bytes_per_second"` // by contender; max is the best round
	Ratio     *Interval         `json:"ratio,omitempty"`  // ours over MPI_Allreduce
	RingRatio *Interval         `json:"ratio_ring,omitempty"`
	MPICH     *Interval         `json:"ratio_mpich,omitempty"` // ours over MPICH's MPI_Allreduce
	TLSRatio  *Interval         `json:"ratio_tls,omitempty"`   // ours with TLS over ours in the clear
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
	r.Ratio, r.RingRatio, r.MPICH = o.Against(OurRing, MPIReduce), o.Against(OurRing, MPIRing), o.Against(OurRing, MPICHReduce)
	r.TLSRatio = o.Against(TLSRing, OurRing)
	return r
}

// Against returns the ratio of two contenders' speeds, round by round: nil if either is not there.
func (o *Outcome) Against(ours, theirs string) *Interval {
	a, b := o.Find(ours), o.Find(theirs)
	if a == nil || b == nil {
		return nil
	}
	return medianInterval(ratios(a.Speeds, b.Speeds))
}

// ringHead and cells are the table of `bench ring` and of BENCHMARKS.md.
var ringHead = []string{"processes", "size", "gradsync", "Open MPI", "MPICH", "ring in C", "× Open MPI", "× MPICH", "× ring in C", "loopback",
	"memcpy", "rounds"}

func (r RingRow) cells() []string {
	out := append(r.rates(OurRing, MPIReduce, MPICHReduce, MPIRing), r.Ratio.text(), r.MPICH.text(), r.RingRatio.text())
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

// bold sets the medians of a row in bold: the number before a bracket.
func bold(cells []string) []string {
	for i, cell := range cells {
		if median, rest, ok := strings.Cut(cell, " ("); ok { // a number, not a size
			cells[i] = "**" + median + "** (" + rest
		}
	}
	return cells
}

// ringMethod says how the sections of all-reduces were measured.
const ringMethod = `- One all-reduce of float32 between processes of this machine: the ring of shared/cluster/collective over the runtime tcp, with
  a checksum of every frame; MPI_Allreduce over Open MPI with ` + "`--mca btl tcp,self`" + ` and over MPICH with TCP alone; the same ring in C over that
  Open MPI. Each checks its first sum.
- Numbers are GB/s (10⁹ bytes), **median** (best) over interleaved rounds of about %s s. All-reduces are in bus bandwidth, bytes/time ·
  2(N−1)/N. Loopback is a one-way TCP stream of 1 MiB writes between two processes, memcpy is copy() of as many bytes in one.
- Ratios are taken round by round: median, and in brackets an interval that covers the true median 95 times in 100 or more, the extremes
  with fewer than six rounds.
- Open MPI and MPICH poll: a process of theirs takes a whole core, ours sleeps. With fewer free cores than processes that decides more than the code.
- The aim is the faster of Open MPI and MPICH with 2 processes, at every size.
`

// ring writes the section of all-reduces over TCP.
func (p *printer) ring(all []*Outcome, seconds float64) {
	p.line(ringMethod, figure(seconds))
	head := slices.Concat(ringHead[:9], []string{"aim"}, ringHead[9:])
	var table [][]string
	var rows []RingRow
	for _, o := range all {
		row := o.Ring()
		verdict := "–"
		for _, v := range o.Judge(OurRing) {
			verdict = v.word()
		}
		c := bold(row.cells())
		table, rows = append(table, slices.Concat(c[:9], []string{verdict}, c[9:])), append(rows, row)
	}
	p.table(strings.Join(head, " | "), table)
	p.ringNotes(rows)
}

// onMPI writes the section of our ring over Open MPI.
func (p *printer) onMPI(all []*Outcome) {
	p.line("Our ring over Open MPI (`--runtime mpi`), with what transport that chooses, beside our ring over TCP, and a ring in C and MPI_Allreduce " +
		"over the same Open MPI. Numbers and ratios are as above; GOMAXPROCS of each ring's ranks is in the table of settings, over MPI with the thread that " +
		"calls MPI.\n")
	var table [][]string
	var rows []RingRow
	for _, o := range all {
		cells, row := o.OnMPI().cells()
		table, rows = append(table, bold(cells)), append(rows, row)
	}
	p.table(strings.Join(onMPIHead, " | "), table)
	p.ringNotes(rows)
}

// tls writes the section of our ring with certificates.
func (p *printer) tls(all []*Outcome) {
	p.line("Our ring over TCP with certificates, TLS 1.3 (`gradsync bench ring --tls`), beside itself in the clear. Numbers and ratios are as above.\n")
	var table [][]string
	var rows []RingRow
	for _, o := range all {
		row := o.Ring()
		table = append(table, bold(append(row.rates(TLSRing, OurRing), row.TLSRatio.text(), row.rounds())))
		rows = append(rows, row)
	}
	p.table("processes | size | TLS 1.3 | clear | × clear | rounds", table)
	p.ringNotes(rows)
}

// ringNotes writes what is noted of the rows.
func (p *printer) ringNotes(rows []RingRow) {
	for _, line := range ringNotes(rows) {
		p.line("- %s", line)
	}
	if len(ringNotes(rows)) > 0 {
		p.line("")
	}
}

// RingLoad returns the load before the measurement, and a warning if other programs ran; "" if not.
func RingLoad() (average, warning string) {
	average = fmt.Sprintf("Load average %s on %d cores when this began.", load()[0], runtime.NumCPU())
	if Busy() != "" {
		warning = "Other programs ran: speeds are low, spreads are wide, and who polls gains on who sleeps."
	}
	return average, warning
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
