// Package exchange counts what every way sends (Traffic) and times what that takes (Time), over one
// grid of networks, ways, links and workers, and sets both beside the patent's formulas.
package exchange

import (
	"context"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// gridPoint is one network, way, link and number of workers.
type gridPoint struct {
	Work, Way string
	Gbps      float64
	Nodes     int
}

// by returns c with another way.
func (c gridPoint) by(way string) gridPoint {
	c.Way = way
	return c
}

// grid holds iterations by point, at the platform's rates of codecs or at others.
type grid map[gridPoint]setup.Iteration

// runGrid runs the points of some ways and sizes, timing-only.
func runGrid(ctx context.Context, works []setup.Network, these []setup.Way, nodes []int, rates []cluster.CodecRate, b *exp.Bar) (grid, error) {
	out := grid{}
	for _, w := range works {
		_, err := kit.Sweep(b, gridPoints([]setup.Network{w}, these, setup.Links, nodes), func(c gridPoint) (l setup.Iteration, err error) {
			l, err = w.Run(ctx, setup.Case{Way: setup.WayOf(c.Way), Gbps: c.Gbps, Nodes: c.Nodes, Rates: rates})
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
var rateWays = []setup.Way{setup.WayOf("dense"), setup.WayOf("ringsparse"), setup.WayOf("gradients")}

// bytes returns the bytes of a point, of all ranks, over the dense ring's, in per cent.
func (g grid) bytes(c gridPoint) float64 {
	return 100 * (float64(g[c].Totals.Sent.Bytes) / float64(g[c.by("dense")].Totals.Sent.Bytes))
}

// gain returns the dense ring's time over a point's.
func (g grid) gain(c gridPoint) float64 { return g[c.by("dense")].Seconds / g[c].Seconds }

// gridPoints lists the points of networks, ways, links and sizes, in that order.
func gridPoints(works []setup.Network, these []setup.Way, gbps []float64, nodes []int) (out []gridPoint) {
	for _, w := range works {
		for _, way := range these {
			for _, b := range gbps {
				for _, n := range nodes {
					out = append(out, gridPoint{w.Key, way.Key, b, n})
				}
			}
		}
	}
	return out
}

// pointHead heads the columns of a point.
const pointHead = "work:work way:way link/Gb/s n "

func (c gridPoint) row(more ...any) []any {
	return append([]any{c.Work, c.Way, c.Gbps, c.Nodes}, more...)
}

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
		s += float64(3*len(setup.Ways)*2*n*(n-1)*47) / 0.3e6
	}
	return s
}

// bitmapOf returns the bitmap at one of the rates.
func bitmapOf(rates []cluster.CodecRate) ringsparse.Coder {
	r := setup.RateOf(rates, "bitmap")
	return ringsparse.Coder{Codec: codec.Bitmap{}, Encode: r.Encode, Decode: r.Decode}
}

// breakEven returns the density up to which a bitmap pays at a link.
func breakEven(rates []cluster.CodecRate, gbps float64) float64 {
	c := bitmapOf(rates)
	return formula.BitmapBreakEven(gbps*setup.Gigabit, c.Encode, c.Decode)
}
