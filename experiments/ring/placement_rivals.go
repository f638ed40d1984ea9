package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/formula"
)

// rivalSizes are elements: from 1.2 kB to the blog's 1.2 GB.
var rivalSizes = []int{300, 3_000, 30_000, 300_000, 3_000_000, 30_000_000, blogParams}

// rivalRanks are the sizes at which the ring's optimality is tested: powers of two
// and others, one (7) that cuts ragged chunks.
var rivalRanks = []int{2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32, 40}

// trial is every rival on one size or number of ranks.
type trial struct {
	Ranks, Elements int
	Runs            []timed // as rivals()
}

// fastest is the index of the quickest rival.
func (t trial) fastest() (at int) {
	for i := range t.Runs {
		if t.Runs[i].Seconds < t.Runs[at].Seconds {
			at = i
		}
	}
	return at
}

func runRivals(ctx context.Context, p *cluster.Platform, n, elements int) (trial, error) {
	t := trial{Ranks: n, Elements: elements}
	for _, r := range rivals() {
		x, err := onVirtual(ctx, p, n, func(p cluster.Proc) error { return r.run(p, elements) })
		if err != nil {
			return t, err
		}
		t.Runs = append(t.Runs, x)
	}
	return t, nil
}

// rivalsBySize runs all of them on the blog's cluster for every size.
func rivalsBySize(ctx context.Context, p *cluster.Platform, b *exp.Bar) (out []trial, err error) {
	for _, k := range rivalSizes {
		t, err := runRivals(ctx, p, blogGPUs, k)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		b.Step(fmt.Sprintf("rivals, %d elements", k))
	}
	return out, nil
}

// rivalsOnEqualLinks runs all of them on equal links without latency.
func rivalsOnEqualLinks(ctx context.Context, b *exp.Bar) (out []trial, err error) {
	for _, n := range rivalRanks {
		t, err := runRivals(ctx, ideal(n, blogSlowest), n, blogParams)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		b.Step(fmt.Sprintf("rivals, %d ranks", n))
	}
	return out, nil
}

func sizeTable(sizes []trial) result.Table {
	t := result.Table{ID: "sizes", Title: "Where the ring loses", Kind: result.TimingOnly,
		Caption: "One all-reduce on all 40 GPUs of ring40 (the blog's 5 × 8 GPUs), adjacent order, with the latencies and overheads of its platform file; virtual time of timing-only runs. The hierarchical ring has the blog's nodes of 8 as its inner rings.",
		Columns: []result.Column{{Key: "bytes", Title: "K"}}}
	for _, r := range rivals() {
		t.Columns = append(t.Columns, result.Column{Key: r.key, Title: r.title, Unit: "ms", Digits: 3})
	}
	t.Columns = append(t.Columns, result.Column{Key: "fastest", Title: "fastest"})
	for _, x := range sizes {
		row := []any{bytesOf(x.Elements)}
		for _, r := range x.Runs {
			row = append(row, 1e3*r.Seconds)
		}
		t.Rows = append(t.Rows, append(row, rivals()[x.fastest()].title))
	}
	return t
}

func optimalTable(equal []trial) result.Table {
	t := result.Table{ID: "optimal", Title: "Without latency, on equal links", Kind: result.TimingOnly,
		Caption: "1.2 GB over equal links of 6 GB/s without latency; timing-only. Bytes: what the busiest rank sends, over the lower bound 2(N−1)·K/N. Time: over that bound divided by the bandwidth. The hierarchical ring takes the largest divisor of N up to 8 as its inner ring.",
		Columns: []result.Column{{Key: "n", Title: "GPUs"}}}
	for _, r := range rivals() {
		t.Columns = append(t.Columns, result.Column{Key: r.key + "_bytes", Title: r.title + ", bytes", Digits: 3}, result.Column{Key: r.key + "_time", Title: "time", Digits: 3})
	}
	for _, x := range equal {
		bound := formula.RingBytes(x.Ranks, 4*float64(x.Elements))
		row := []any{x.Ranks}
		for _, r := range x.Runs {
			row = append(row, float64(r.busiest())/bound, r.Seconds/(bound/blogSlowest))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func sizeFigure(sizes []trial) result.Figure {
	f := result.Figure{ID: "sizes-time", Title: "Time of one all-reduce on 40 GPUs", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "K", Unit: "bytes", Log: true}, Y: result.Axis{Title: "time", Unit: "ms", Log: true},
		Caption: "ring40 (the blog's 5 × 8 GPUs), adjacent order, with latency; virtual time."}
	for i, r := range rivals() {
		s := result.Series{Name: r.title, Group: r.key}
		for _, x := range sizes {
			s.X, s.Y = append(s.X, 4*float64(x.Elements)), append(s.Y, 1e3*x.Runs[i].Seconds)
		}
		f.Series = append(f.Series, s)
	}
	small, large := sizes[0], sizes[len(sizes)-1]
	f.Alt = fmt.Sprintf("At %s %s is fastest (%.3f ms, the ring %.3f ms); at %s %s (%.0f ms).", bytesOf(small.Elements), rivals()[small.fastest()].title,
		1e3*small.Runs[small.fastest()].Seconds, 1e3*small.Runs[0].Seconds, bytesOf(large.Elements), rivals()[large.fastest()].title, 1e3*large.Runs[large.fastest()].Seconds)
	return f
}

// crossover is the first size from which on the ring is fastest; no number if never.
func crossover(sizes []trial) float64 {
	from := math.NaN()
	for i := len(sizes) - 1; i >= 0 && sizes[i].fastest() == 0; i-- {
		from = 4 * float64(sizes[i].Elements)
	}
	return from
}

// ties are the sizes at which rival i is as fast as the ring, within the tolerance of
// B19, and its busiest rank sends as much.
func ties(equal []trial, i int) (ns []int) {
	for _, t := range equal {
		ring, x := t.Runs[0], t.Runs[i]
		bytes, off := x.busiest()-ring.busiest(), x.Seconds/ring.Seconds-1
		if max(bytes, -bytes) < ragged && math.Abs(off) <= claims.Tolerance("B19") {
			ns = append(ns, t.Ranks)
		}
	}
	return ns
}

// tieNote says who ties, and where a hierarchical ring is the ring itself.
func tieNote(equal []trial) string {
	var parts []string
	for i, r := range rivals() {
		ns := ties(equal, i)
		if i == 0 || len(ns) == 0 {
			continue
		}
		where := "where N is " + listed(ns)
		if len(ns) == len(equal) {
			where = "at all of them"
		}
		if r.key == "hierarchical" {
			if alone := slices.DeleteFunc(ns, func(n int) bool { return nodeOf(n) > 1 }); len(alone) > 0 {
				where += " (it is the ring itself where N is " + listed(alone) + ", which no inner ring divides)"
			}
		}
		name := r.title
		if r.key != "halving-doubling" {
			name = "the " + name
		}
		parts = append(parts, name+" ties "+where)
	}
	if len(parts) == 0 {
		return " None ties."
	}
	s := strings.Join(parts, "; ")
	return " " + strings.ToUpper(s[:1]) + s[1:] + "."
}

// verdictOnRing is the sentence on what beats it.
func verdictOnRing(sizes, equal []trial) string {
	small := sizes[0]
	s := fmt.Sprintf("Without latency nothing here beats the ring, at %d sizes from 2 to %d GPUs.%s", len(equal), rivalRanks[len(rivalRanks)-1], tieNote(equal))
	if against := faultsOfOptimality(equal); len(against) > 0 {
		s = "Without latency something beats the ring: " + against[0] + "."
	}
	if f := small.fastest(); f != 0 {
		s += fmt.Sprintf(" With latency it loses on small gradients: %s take %.3f ms by %s and %.3f ms by the ring, which needs %d steps.", bytesOf(small.Elements), 1e3*small.Runs[f].Seconds, rivals()[f].title, 1e3*small.Runs[0].Seconds, 2*(blogGPUs-1))
	}
	if from := crossover(sizes); !math.IsNaN(from) {
		s += fmt.Sprintf(" From %s on it is the fastest of the four.", bytesOf(int(from/4)))
	}
	return s
}
