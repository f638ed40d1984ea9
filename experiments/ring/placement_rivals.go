package ring

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
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
func rivalsBySize(ctx context.Context, p *cluster.Platform, b *bar) (out []trial, err error) {
	for _, k := range rivalSizes {
		t, err := runRivals(ctx, p, blogGPUs, k)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		b.step(fmt.Sprintf("rivals, %d elements", k))
	}
	return out, nil
}

// rivalsOnEqualLinks runs all of them on equal links without latency.
func rivalsOnEqualLinks(ctx context.Context, b *bar) (out []trial, err error) {
	for _, n := range rivalRanks {
		t, err := runRivals(ctx, ideal(n, blogSlowest), n, blogParams)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		b.step(fmt.Sprintf("rivals, %d ranks", n))
	}
	return out, nil
}

// faultsOfOptimality are what speaks against the ring's optimality on equal links.
func faultsOfOptimality(equal []trial) (out []string) {
	for _, t := range equal {
		bound := formula.RingBytes(t.Ranks, 4*float64(t.Elements))
		ring := t.Runs[0]
		if float64(ring.busiest()) >= bound+ragged {
			out = append(out, fmt.Sprintf("N = %d: the busiest rank of the ring sends %d bytes, the bound is %.0f", t.Ranks, ring.busiest(), bound))
		}
		for i, r := range rivals()[1:] {
			x := t.Runs[i+1]
			if x.busiest() <= ring.busiest()-ragged {
				out = append(out, fmt.Sprintf("N = %d: %s's busiest rank sends %d bytes, the ring's %d", t.Ranks, r.title, x.busiest(), ring.busiest()))
			}
			if x.Seconds < ring.Seconds/(1+tolerance("B19")) {
				out = append(out, fmt.Sprintf("N = %d: %s takes %.4g s, the ring %.4g s", t.Ranks, r.title, x.Seconds, ring.Seconds))
			}
		}
	}
	return out
}

// judgeOptimal judges B19.
func judgeOptimal(equal, sizes []trial) result.Claim {
	against := faultsOfOptimality(equal)
	found := fmt.Sprintf("no rival is better at %d sizes", len(equal))
	note := ""
	if len(against) > 0 {
		found, note = "a rival is better", against[0]+"; "
	}
	var beaten string
	for _, t := range sizes {
		if f := t.fastest(); f != 0 {
			beaten = fmt.Sprintf("with latency the ring loses up to %s on 40 GPUs of the blog's cluster, there to %s, %.3g against %.3g ms", bytesOf(t.Elements), rivals()[f].title, 1e3*t.Runs[f].Seconds, 1e3*t.Runs[0].Seconds)
		}
	}
	if beaten == "" {
		beaten = "with latency the ring is the fastest of these at every size on the blog's cluster, too"
	}
	return holds("B19", len(against) == 0, 0, found, note+"on equal links without latency, against halving-doubling, a hierarchical ring and a single reducer; "+beaten)
}

// bytesOf spells the bytes of so many elements.
func bytesOf(elements int) string {
	b := 4 * float64(elements)
	for _, u := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if b >= u.size {
			return fmt.Sprintf("%.3g %s", b/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", b)
}

// judgeHops judges B11 and B12.
func judgeHops(within, between float64) []result.Claim {
	note := "a number that the blog gives and the platform takes over: what one transfer of 1.2 GB got in virtual time, %s; no link of the blog's was measured"
	return []result.Claim{taken("B11", within/1e9, fmt.Sprintf(note, "from GPU 0 to GPU 1 of one node")), taken("B12", between/1e9, fmt.Sprintf(note, "from GPU 0 to GPU 8, on the next node"))}
}

func sizeTable(sizes []trial) result.Table {
	t := result.Table{ID: "sizes", Title: "Where the ring loses", Kind: result.TimingOnly,
		Caption: "One all-reduce on all 40 GPUs of ring40, adjacent order, with the latencies and overheads of its platform file; timing-only. The hierarchical ring has the blog's nodes of 8 as its inner rings.",
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
		Caption: "ring40, adjacent order, with latency."}
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

// verdictOnRing is the sentence on what beats it.
func verdictOnRing(sizes, equal []trial) string {
	small := sizes[0]
	s := fmt.Sprintf("Without latency nothing here beats the ring, at %d sizes from 2 to %d GPUs; halving-doubling ties where N is a power of two.", len(equal), rivalRanks[len(rivalRanks)-1])
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

// placementClaim is B21's id, of which judgePlacement and the notes speak.
const placementClaim = "B21"

// contiguousWins reports whether every order that keeps nodes together is faster
// than every one that does not, and whether interleaving costs at least the
// tolerance.
func contiguousWins(orders []placed) (ok bool, slowest float64) {
	worstIn, bestOut, interleaved := 0.0, math.Inf(1), 0.0
	for i, o := range orders {
		switch {
		case o.Contiguous:
			worstIn = math.Max(worstIn, o.Seconds)
		default:
			bestOut = math.Min(bestOut, o.Seconds)
		}
		if i == 2 {
			interleaved = o.Seconds
		}
	}
	adjacent := orders[0].Seconds
	return worstIn < bestOut && interleaved >= (1+tolerance(placementClaim))*adjacent, interleaved / adjacent
}

func judgePlacement(orders []placed) result.Claim {
	ok, factor := contiguousWins(orders)
	best, worst := math.Inf(1), 0.0
	n := 0
	for _, o := range orders {
		if !o.Contiguous {
			n++
			best, worst = math.Min(best, o.Seconds), math.Max(worst, o.Seconds)
		}
	}
	return claims.Judge(placementClaim, claims.Evidence{Value: fmt.Sprintf("interleaved ×%.2f", factor), Holds: &ok,
		Note: fmt.Sprintf("one all-reduce of 1.2 GB takes %.0f ms with nodes together, %.0f to %.0f ms in %d other orders; a node's GPUs share its card of 6 GB/s, so that every further link of the ring that leaves the node takes a share of it", 1e3*orders[0].Seconds, 1e3*best, 1e3*worst, n)})
}
