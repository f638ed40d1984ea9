package ringsparse

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

func workTable(works []workload) result.Table {
	t := result.Table{ID: "workloads", Title: "What is exchanged", Kind: result.Stated, Rows: workRows(works),
		Caption: "Share of one worker's gradient that is not +0. " + whyWorks(works) + " Weights are dense everywhere.",
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "layer", Title: "layer"}, {Key: "params", Title: "parameters"}, {Key: "density", Title: "density of the gradient", Unit: "%", Digits: 1}}}
	return t
}

func whyWorks(works []workload) string {
	var parts []string
	for _, w := range works {
		parts = append(parts, w.Title+": "+w.Why)
	}
	return strings.Join(parts, ". ") + "."
}

const howTraffic = "Timing-only runs of sparse32, one iteration; payload of all messages, without frame headers. A sum's gradients fill in as if zeros were independent. "

func wayTable(works []workload, laps map[cell]lap, n int) result.Table {
	t := result.Table{ID: "ways", Title: fmt.Sprintf("Bytes of every way, N = %d", n), Kind: result.TimingOnly,
		Caption: howTraffic + "Shares are of the dense ring's bytes. Codec: per block the cheapest of direct, bitmap and coordinates by S42, with the link's bandwidth as B.",
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "way", Title: "exchange"}, {Key: "bytes", Title: "per worker, 1 Gb/s", Unit: "MB", Digits: 2}}}
	for _, g := range links {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("at%g", g), Title: "at " + linkName(g), Unit: "%", Digits: 1})
	}
	for i := range works {
		for k, way := range ways {
			l := laps[cell{i, k, links[0], n}]
			row := []any{works[i].Title, way.Title, l.perRank(n) / 1e6}
			for _, g := range links {
				row = append(row, 100*ofDense(laps, cell{i, k, g, n}))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func nodesTable(works []workload, laps map[cell]lap, nodes []int) result.Table {
	t := result.Table{ID: "nodes", Title: "Bytes by number of workers, 1 Gb/s", Kind: result.TimingOnly,
		Caption: howTraffic + "Per worker and iteration.",
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "n", Title: "N"}, {Key: "dense", Title: "dense ring", Unit: "MB", Digits: 2}}}
	for _, way := range ways[1:5] {
		t.Columns = append(t.Columns, result.Column{Key: way.Key, Title: way.Title + ", of dense", Unit: "%", Digits: 1})
	}
	for i := range works {
		for _, n := range nodes {
			l := laps[cell{i, 0, links[0], n}]
			row := []any{works[i].Title, n, l.perRank(n) / 1e6}
			for k := range ways[1:5] {
				row = append(row, 100*ofDense(laps, cell{i, k + 1, links[0], n}))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func countTable(plan trafficPlan, counts []counted) result.Table {
	t := result.Table{ID: "counted", Title: fmt.Sprintf("Timing-only bytes against real ones, N = %d", plan.CountedNodes), Kind: result.Counted,
		Caption: fmt.Sprintf("Real vectors exchanged by the same code at %s, one iteration, all ranks together: random ones of the workload's densities (the embedding's zero row by row), and the MLP's own gradients of %d images per worker. Mean over seeds; ± is half the 95 %% interval. Criterion for random vectors: within %.0f %%.", linkName(plan.CountedLink), mlpCase().Batch, 100*plan.Within),
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "vectors", Title: "vectors"}, {Key: "way", Title: "exchange"}, {Key: "counted", Title: "counted", Unit: "MB", Digits: 3},
			{Key: "half", Title: "±", Unit: "MB", Digits: 3}, {Key: "modelled", Title: "timing-only", Unit: "MB", Digits: 3}, {Key: "off", Title: "timing-only is off by", Unit: "%", Digits: 2}}}
	for i := range counts {
		c := &counts[i]
		mean, half := exp.MeanAndHalf(c.Counted)
		vectors := "random"
		if c.Real {
			vectors = "its own gradients"
		}
		if half == 0 {
			half = math.NaN()
		}
		t.Rows = append(t.Rows, []any{c.Work, vectors, c.Way, mean / 1e6, exp.OrNone(half / 1e6), float64(c.Modelled) / 1e6, 100 * c.off()})
	}
	return t
}

func ringTable(plan trafficPlan, rings []ringCount) result.Table {
	t := result.Table{ID: "dense-ring", Title: "T against counted bytes and virtual time", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Dense ring. Bytes: real vectors, a layer of %d elements, which N does not divide; least and most of a rank, and all ranks, against N·2(N−1)/N·D. Time: a layer of %d elements, which every N divides, on links of 1 GB/s without latency.", plan.Elements, divisible),
		Columns: []result.Column{{Key: "n", Title: "N"}, {Key: "least", Title: "least of a rank", Unit: "bytes"}, {Key: "most", Title: "most of a rank", Unit: "bytes"}, {Key: "total", Title: "all ranks", Unit: "bytes"},
			{Key: "formula", Title: "2(N−1)·D", Unit: "bytes"}, {Key: "time", Title: "time", Unit: "ns"}, {Key: "t", Title: "T = 2(N−1)/N·D/B", Unit: "ns"}}}
	for _, c := range rings {
		least, most, total := c.Sent[0], c.Sent[0], int64(0)
		for _, s := range c.Sent {
			least, most, total = min(least, s), max(most, s), total+s
		}
		t.Rows = append(t.Rows, []any{c.Nodes, least, most, total, 2 * int64(c.Nodes-1) * 4 * int64(c.Elements), c.Nanoseconds, 2 * int64(c.Nodes-1) * 4 * divisible / int64(c.Nodes)})
	}
	return t
}

func bytesFigure(works []workload, laps map[cell]lap, work int, nodes []int) result.Figure {
	f := result.Figure{ID: "bytes-" + works[work].Key, Title: works[work].Title + ": bytes per worker, 1 Gb/s", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "N"}, Y: result.Axis{Title: "sent per worker and iteration", Unit: "MB"},
		Caption: howTraffic + fmt.Sprintf("%.1f %% of one worker's gradient is not zero.", 100*works[work].density())}
	last := nodes[len(nodes)-1]
	f.Alt = fmt.Sprintf("At N = %d: ", last)
	for k, way := range ways[:5] {
		s := result.Series{Name: way.Title, Group: way.Key}
		for _, n := range nodes {
			l := laps[cell{work, k, links[0], n}]
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, l.perRank(n)/1e6)
		}
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("%s %.3g MB, ", way.Title, s.Y[len(s.Y)-1])
	}
	f.Alt = strings.TrimSuffix(f.Alt, ", ") + "."
	return f
}
