package ringsparse

import (
	"context"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// cell is one workload, way, link and number of workers.
type cell struct {
	Work, Way string
	Gbps      float64
	Nodes     int
}

// by returns c with another way.
func (c cell) by(way string) cell {
	c.Way = way
	return c
}

// grid holds iterations by cell, at the platform's rates of codecs or at others.
type grid map[cell]lap

// runGrid runs the cells of some ways and sizes, timing-only.
func runGrid(ctx context.Context, works []workload, these []way, nodes []int, rates []cluster.CodecRate, b *exp.Bar) (grid, error) {
	out := grid{}
	for _, w := range works {
		_, err := kit.Sweep(b, cells([]workload{w}, these, links, nodes), func(c cell) (l lap, err error) {
			l, err = w.run(ctx, leg{way: wayOf(c.Way), gbps: c.Gbps, nodes: c.Nodes, rates: rates})
			l.Trace = nil
			out[c] = l
			return l, err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rateWays are run at measured rates too; the dense ring needs none.
var rateWays = []way{wayOf("dense"), wayOf("ringsparse"), wayOf("gradients")}

// bytes returns the bytes of a cell over those of the dense ring, both of all ranks, in
// per cent.
func (g grid) bytes(c cell) float64 {
	return 100 * (float64(g[c].Totals.Sent.Bytes) / float64(g[c.by("dense")].Totals.Sent.Bytes))
}

// gain returns the dense ring's time over a cell's.
func (g grid) gain(c cell) float64 { return g[c.by("dense")].Seconds / g[c].Seconds }

// cells lists the cells of workloads, ways, links and sizes, in that order.
func cells(works []workload, these []way, gbps []float64, nodes []int) (out []cell) {
	for _, w := range works {
		for _, way := range these {
			for _, b := range gbps {
				for _, n := range nodes {
					out = append(out, cell{w.Key, way.Key, b, n})
				}
			}
		}
	}
	return out
}

// cellHead heads the columns of a cell.
const cellHead = "work:work way:way link/Gb/s n "

func (c cell) row(more ...any) []any { return append([]any{c.Work, c.Way, c.Gbps, c.Nodes}, more...) }

// gridPlan returns the sizes of a profile.
func gridPlan(profile string) []int {
	switch profile {
	case "ci":
		return []int{2, 4, 8}
	case "quick":
		return []int{2, 4, 6, 8, 12, 16}
	}
	return upTo(2, mostRanks)
}

// upTo lists numbers of workers.
func upTo(from, to int) (out []int) {
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

// gridSeconds estimates runGrid of all ways.
func gridSeconds(profile string) (s float64) {
	for _, n := range gridPlan(profile) {
		s += float64(3*len(ways)*2*n*(n-1)*47) / 0.3e6
	}
	return s
}

// bitmapOf returns the bitmap at one of the rates.
func bitmapOf(rates []cluster.CodecRate) ringsparse.Coder {
	r := rateOf(rates, "bitmap")
	return ringsparse.Coder{Codec: codec.Bitmap{}, Encode: r.Encode, Decode: r.Decode}
}

// breakEven returns the density up to which a bitmap pays at a link.
func breakEven(rates []cluster.CodecRate, gbps float64) float64 {
	c := bitmapOf(rates)
	return formula.BitmapBreakEven(gbps*gigabit, c.Encode, c.Decode)
}
