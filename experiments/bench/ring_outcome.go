package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
)

// RingSizes are 4 KiB to 256 MiB in powers of 4.
func RingSizes() []int {
	var out []int
	for n := 4 << 10; n <= 256<<20; n *= 4 {
		out = append(out, n)
	}
	return out
}

// RingCase is one all-reduce of so many bytes over so many processes, beside Open
// MPI's. The aim is set for two processes and from 1 MiB on.
func RingCase(ranks, bytes int) Case {
	c := Case{Title: fmt.Sprintf("all-reduce of %s, %d processes", SizeText(bytes), ranks), Peer: MPIReduce,
		Job: Job{Kind: KindRing, Bytes: bytes, Ranks: ranks, Threads: RingThreads(ranks)}}
	if ranks == 2 && bytes >= 1<<20 {
		c.Aims = []Aim{{Measure: Speed, Bound: 1, Contender: OurRing}}
	}
	return c
}

// RingThreads is a rank's share of this machine's cores, one at least. Goroutines
// of one thread hand over to each other without the system, which two ranks that
// have a core each would ask in vain for a second one.
func RingThreads(ranks int) int { return max(runtime.NumCPU()/ranks, 1) }

// SizeText is a number of bytes in its largest whole binary unit.
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

// RingMemory is what the contenders of a case hold at once: a vector and as much
// again for what is on its way, for each rank of each of the three all-reduces.
func RingMemory(ranks, bytes int) float64 { return 3 * 2 * float64(ranks) * float64(bytes) }

// RingRow is what one case came to. Bandwidths are in bytes per second: bus
// bandwidth of the all-reduces, bytes copied and bytes streamed of the limits.
type RingRow struct {
	Ranks     int               `json:"ranks"`
	Bytes     int               `json:"bytes"`
	Rounds    int               `json:"rounds"`
	Bandwidth map[string]Spread `json:"bytes_per_second"` // by contender; max is the best round
	Ratio     *Interval         `json:"ratio,omitempty"`  // ours over MPI_Allreduce
	RingRatio *Interval         `json:"ratio_ring,omitempty"`
	Notes     []Note            `json:"notes,omitempty"`
	Functions []Function        `json:"functions,omitempty"` // CPU profile of our rank 0
}

// Interval is the median of paired ratios with an interval that covers the true
// median at least 95 times in 100: order statistics, no shape assumed. With fewer
// than six rounds no two of them are that sure; then Low and High are the extremes
// and Sure is what they cover.
type Interval struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Sure   float64 `json:"sure"` // at least, of 1
}

// MedianInterval is the interval of the values' median, nil without values.
func MedianInterval(values []float64) *Interval {
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
			r.Bandwidth[res.Contender] = res.rate(BusBandwidth(o.Job.Bytes, o.Job.Ranks, 1))
		}
	}
	ours := o.Find(OurRing)
	if ours == nil {
		return r
	}
	r.Rounds, r.Functions = ours.Rounds, ours.Functions
	if peer := o.Find(MPIReduce); peer != nil {
		r.Ratio = MedianInterval(ratios(ours.speeds, peer.speeds))
	}
	if peer := o.Find(MPIRing); peer != nil {
		r.RingRatio = MedianInterval(ratios(ours.speeds, peer.speeds))
	}
	return r
}

// ringHead and cells are the table of `bench ring` and of BENCHMARKS.md.
var ringHead = []string{"processes", "size", "gradsync", "Open MPI ring", "MPI_Allreduce", "× MPI_Allreduce", "× Open MPI ring", "loopback", "memcpy", "rounds"}

func (r RingRow) cells() []string {
	out := []string{fmt.Sprint(r.Ranks), SizeText(r.Bytes)}
	rate := func(name string) string {
		s, ok := r.Bandwidth[name]
		if !ok {
			return "absent"
		}
		return fmt.Sprintf("%s (%s)", figure(s.Median/1e9), figure(s.Max/1e9))
	}
	out = append(out, rate(OurRing), rate(MPIRing), rate(MPIReduce), r.Ratio.text(), r.RingRatio.text(), rate(Stream), rate(Copy))
	return append(out, fmt.Sprint(r.Rounds))
}

func (i *Interval) text() string {
	if i == nil {
		return "–"
	}
	return fmt.Sprintf("%s (%s to %s)", figure(i.Median), figure(i.Low), figure(i.High))
}

// RingText is the table for a terminal, then each note once.
func RingText(rows []RingRow) string {
	var b strings.Builder
	table := [][]string{ringHead}
	for _, r := range rows {
		table = append(table, r.cells())
	}
	widths := make([]int, len(ringHead))
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
		for _, f := range r.Functions {
			fmt.Fprintf(&b, "%d processes, %s: %5.1f %% %s\n", r.Ranks, SizeText(r.Bytes), 100*f.Share, f.Name)
		}
	}
	return b.String()
}
