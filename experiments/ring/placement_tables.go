package ring

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
	"gradsync/shared/cluster/formula"
)

// predicted is the time of the blog's formula with the busiest node's card shared by
// all links of the ring that leave it.
func (p placed) predicted() float64 {
	_, most := p.crossings()
	return formula.RingTime(blogGPUs, blogBytes, 0, blogSlowest/float64(max(most, 1)))
}

func orderTable(orders []placed) result.Table {
	t := result.Table{ID: "orders", Title: "The order of 40 GPUs in the ring", Kind: result.TimingOnly,
		Caption: "One all-reduce of 1.2 GB on ring40 (the blog's 5 nodes of 8; that a node has one card of 6 GB/s for all its GPUs is assumed, the blog does not say), virtual time of timing-only runs. “leave a node”: links of the ring between nodes, in all and of the node with the most. “modelled”: 2(N−1)·K/N over 6 GB/s divided by that most.",
		Columns: []result.Column{{Key: "order", Title: "order"}, {Key: "crossings", Title: "links that leave a node"}, {Key: "most", Title: "most of one node"},
			{Key: "modelled", Title: "modelled", Unit: "ms", Digits: 1}, {Key: "time", Title: "in virtual time", Unit: "ms", Digits: 1}, {Key: "factor", Title: "adjacent = 1", Digits: 2}}}
	for _, o := range orders {
		all, most := o.crossings()
		t.Rows = append(t.Rows, []any{o.Key, all, most, 1e3 * o.predicted(), 1e3 * o.Seconds, o.Seconds / orders[0].Seconds})
	}
	return t
}

// randomRange are the random orders' times.
func randomRange(orders []placed) (least, mean, most float64) {
	least, n := math.Inf(1), 0.0
	for i, o := range orders {
		if i > 2 && !o.Contiguous {
			least, most, mean, n = math.Min(least, o.Seconds), math.Max(most, o.Seconds), mean+o.Seconds, n+1
		}
	}
	return least, mean / n, most
}

func orderFigure(orders []placed) result.Figure {
	least, mean, most := randomRange(orders)
	f := result.Figure{ID: "orders-time", Title: "One all-reduce of 1.2 GB on 40 GPUs", Kind: result.TimingOnly, Form: "bar",
		X: result.Axis{Title: "order of the ring", Categories: []string{"adjacent", "pairs", "interleaved", "random"}}, Y: result.Axis{Title: "time", Unit: "ms"},
		Caption: fmt.Sprintf("ring40 (the blog's 5 × 8 GPUs), virtual time of timing-only runs. Random: mean of %d orders, the bar's ends are the quickest and the slowest of them.", len(orders)-3-contiguous(orders[3:]))}
	a, b, c := 1e3*orders[0].Seconds, 1e3*orders[1].Seconds, 1e3*orders[2].Seconds
	f.Series = []result.Series{{Name: "ring", Group: "ring", X: []float64{0, 1, 2, 3}, Y: []float64{a, b, c, 1e3 * mean},
		Lo: []float64{a, b, c, 1e3 * least}, Hi: []float64{a, b, c, 1e3 * most}}}
	f.Alt = fmt.Sprintf("Adjacent %.0f ms, pairs %.0f ms, interleaved %.0f ms, random orders %.0f ms on average, from %.0f to %.0f ms.", a, b, c, 1e3*mean, 1e3*least, 1e3*most)
	return f
}

func contiguous(orders []placed) (n int) {
	for _, o := range orders {
		if o.Contiguous {
			n++
		}
	}
	return n
}

func placementNotes(orders []placed, sizes, equal []trial) []string {
	ok, factor := contiguousWins(orders)
	least, mean, most := randomRange(orders)
	first := "The blog's advice does not hold here"
	if ok {
		first = "The blog's advice holds"
	}
	off := 0.0
	for _, o := range orders {
		off = math.Max(off, math.Abs(o.Seconds/o.predicted()-1))
	}
	return []string{
		fmt.Sprintf("%s: with the GPUs of a node next to each other one all-reduce of 1.2 GB takes %.0f ms, interleaved %.1f times that, in random order %.1f to %.1f times, %.1f on average. Among the orders that keep nodes together the slowest takes %s than the quickest.", first, 1e3*orders[0].Seconds, factor, least/orders[0].Seconds, most/orders[0].Seconds, mean/orders[0].Seconds, longer(togetherSpread(orders))),
		fmt.Sprintf("The blog's word for the cause is contention: eight links of the interleaved ring leave each node through one card. Its own formula, with the card shared by the links of the busiest node, is off by %.0f %% at most over all orders.", 100*off),
		verdictOnRing(sizes, equal),
		hierarchicalNote(sizes[len(sizes)-1]),
	}
}

// togetherSpread is how much longer the slowest of the contiguous orders takes than
// the quickest.
func togetherSpread(orders []placed) float64 {
	least, most := math.Inf(1), 0.0
	for _, o := range orders {
		if o.Contiguous {
			least, most = math.Min(least, o.Seconds), math.Max(most, o.Seconds)
		}
	}
	return most/least - 1
}

// longer spells by how much.
func longer(share float64) string {
	if s := fmt.Sprintf("%.2f", 100*share); s != "0.00" {
		return s + " % longer"
	}
	return "no longer"
}

// hierarchicalNote compares two levels with one at the blog's size.
func hierarchicalNote(large trial) string {
	ring, two := large.Runs[0].Seconds, large.Runs[2].Seconds
	if two < ring {
		return fmt.Sprintf("On the blog's cluster two levels of rings beat one at %s: %.0f against %.0f ms.", bytesOf(large.Elements), 1e3*two, 1e3*ring)
	}
	nodes := blogGPUs / blogPerNode
	inner := formula.RingTime(blogPerNode, 4*float64(large.Elements), 0, blogWithin)
	outer := formula.RingTime(nodes, 4*float64(large.Elements), 0, blogSlowest)
	return fmt.Sprintf("Two levels of rings, within nodes and between them, take %.0f ms for %s where one ring takes %.0f. The card of a node carries less so, but the levels take turns: %.0f ms within nodes and %.0f ms between them by the formula, while one ring keeps all links busy at once.",
		1e3*two, bytesOf(large.Elements), 1e3*ring, 1e3*inner, 1e3*outer)
}
