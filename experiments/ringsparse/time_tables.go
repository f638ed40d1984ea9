package ringsparse

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
)

const howTime = "Timing-only runs of sparse32 without jitter, one iteration with overlap; counting, converting, packing and unpacking at the platform's rates. A sum's gradients fill in as if zeros were independent. "

func iterationTable(works []workload, laps map[cell]lap, n int) result.Table {
	t := result.Table{ID: "iteration", Title: fmt.Sprintf("An iteration, N = %d", n), Kind: result.TimingOnly,
		Caption: howTime + "Speed-up: the dense ring's time over this one's. S42 decides with the link's bandwidth as B.",
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "way", Title: "exchange"}}}
	for _, g := range links {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("t%g", g), Title: linkName(g), Unit: "ms", Digits: 2}, result.Column{Key: fmt.Sprintf("s%g", g), Title: "speed-up, " + linkName(g), Digits: 2})
	}
	for i := range works {
		for k, way := range ways {
			row := []any{works[i].Title, way.Title}
			for _, g := range links {
				row = append(row, 1e3*laps[cell{i, k, g, n}].Seconds, gain(laps, i, way.Key, g, n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func againstTable(works []workload, laps map[cell]lap, nodes []int) result.Table {
	t := result.Table{ID: "against-dense", Title: "Dense ring, RingSparse and gradients alone", Kind: result.TimingOnly, Caption: howTime + "RingSparse with the corrected rule and blocks as D.",
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "n", Title: "N"}}}
	keys := []string{"dense", "ringsparse", "gradients"}
	for _, g := range links {
		for _, k := range keys {
			t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("%s%g", k, g), Title: ways[wayIndex(k)].Title + ", " + linkName(g), Unit: "ms", Digits: 2})
		}
	}
	for i := range works {
		for _, n := range nodes {
			row := []any{works[i].Title, n}
			for _, g := range links {
				for _, k := range keys {
					row = append(row, 1e3*laps[cell{i, wayIndex(k), g, n}].Seconds)
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func breakEvenTable() result.Table {
	t := result.Table{ID: "break-even", Title: "Up to which density a bitmap pays", Kind: result.Modelled,
		Caption: "d* = 1 − 1/32 − B·(1/packing + 1/unpacking), both at " + assumed() + "; below 0 nothing is sparse enough. Measured: at " + measuredSet() + ". And the rate, of packing and unpacking each, from which on a block of 10 % pays: (1 − d − 1/32)/B > 2/rate.",
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "d", Title: "d*, assumed", Digits: 3}, {Key: "d-measured", Title: "d*, measured", Digits: 3}, {Key: "rate", Title: "rate that pays at 10 %", Unit: "GB/s", Digits: 2}}}
	for _, g := range links {
		b := g * gigabit
		t.Rows = append(t.Rows, []any{linkName(g), breakEven(referencePlatform().Codecs, g), breakEven(measuredRates, g), 2 * b / (1 - 0.1 - 1./32) / 1e9})
	}
	return t
}

func ruleTable(plan rulePlan) result.Table {
	c := bitmapOf(referencePlatform().Codecs)
	t := result.Table{ID: "rule", Title: "The cost rule, as corrected and as printed", Kind: result.Modelled,
		Caption: fmt.Sprintf("A block of %d bytes as it is (Ta) or as a bitmap (Tb) at the platform's rates. Lost: what the printed rule takes longer than the corrected one.", plan.Block),
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "d", Title: "density", Unit: "%", Digits: 0}, {Key: "ta", Title: "Ta", Unit: "ms", Digits: 3}, {Key: "tb", Title: "Tb", Unit: "ms", Digits: 3},
			{Key: "right", Title: "Tb < Ta: compress"}, {Key: "printed", Title: "printed: direct if Ta ≥ Tb"}, {Key: "lost", Title: "lost", Unit: "ms", Digits: 3}}}
	form := map[bool]string{true: "compress", false: "direct"}
	for _, g := range links {
		for _, d := range plan.Densities {
			n := plan.Block / 4
			ta, tb := costsOf(c, n, c.Codec.SizeAt(n, d), g)
			cost := map[bool]float64{true: tb, false: ta}
			right, printed := ringsparse.Compress(ta, tb, false), ringsparse.Compress(ta, tb, true)
			t.Rows = append(t.Rows, []any{linkName(g), 100 * d, 1e3 * ta, 1e3 * tb, form[right], form[printed], 1e3 * (cost[printed] - cost[right])})
		}
	}
	return t
}

func costTable(direct, coded []exactCost) result.Table {
	t := result.Table{ID: "exact", Title: "Ta and Tb against virtual time", Kind: result.TimingOnly,
		Caption: "Links of one byte per nanosecond without latency. Direct: the sum over 2(N−1) steps of Ta of the longest block, timing-only. Coded: real vectors between two workers, the sum over both exchanges of Tb of the longer message. Compared as rationals.",
		Columns: []result.Column{{Key: "n", Title: "N"}, {Key: "codec", Title: "sent as"}, {Key: "first", Title: "longest message, first step", Unit: "bytes"}, {Key: "last", Title: "last step", Unit: "bytes"},
			{Key: "formula", Title: "Σ Ta or Σ Tb", Unit: "ns"}, {Key: "time", Title: "virtual time", Unit: "ns"}, {Key: "equal", Title: "equal"}}}
	for _, c := range append(append([]exactCost{}, direct...), coded...) {
		equal := "no"
		if c.equal() {
			equal = "yes"
		}
		t.Rows = append(t.Rows, []any{c.Nodes, c.Codec, c.Bytes[0], c.Bytes[len(c.Bytes)-1], c.Expected.RatString(), c.Measured, equal})
	}
	return t
}

func slowTable(s slowCheck) result.Table {
	t := result.Table{ID: "slowest", Title: "The slowest link, the largest block", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("N = %d, links of 1 GB/s without latency, nothing else takes time. First three rows: a dense layer of %d elements; below: real vectors sent as bitmaps, against the sum over steps of the largest and of the mean transfer, means over seeds.", s.Plan.Nodes, divisible),
		Columns: []result.Column{{Key: "what", Title: "exchange"}, {Key: "time", Title: "time", Unit: "ms", Digits: 3}, {Key: "most", Title: "sum of the largest transfers", Unit: "ms", Digits: 3}, {Key: "mean", Title: "of mean transfers", Unit: "ms", Digits: 3}, {Key: "ratio", Title: "time over largest", Digits: 4}}}
	for _, x := range []struct {
		name    string
		seconds float64
	}{{"equal links", s.Equal}, {fmt.Sprintf("one link %g times slower", s.Plan.Factor), s.One}, {fmt.Sprintf("all links %g times slower", s.Plan.Factor), s.At}} {
		t.Rows = append(t.Rows, []any{x.name, 1e3 * x.seconds, nil, nil, nil})
	}
	for _, u := range s.Uneven {
		a, _ := exp.MeanAndHalf(u.Seconds)
		b, _ := exp.MeanAndHalf(u.Steps)
		c, _ := exp.MeanAndHalf(u.Mean)
		t.Rows = append(t.Rows, []any{u.Title, 1e3 * a, 1e3 * b, 1e3 * c, a / b})
	}
	return t
}

func growthTable(g []growth) result.Table {
	t := result.Table{ID: "growth", Title: "One dense all-reduce, in units of D/B", Kind: result.TimingOnly,
		Caption: "Equal links without latency; 2(N−1)/N.",
		Columns: []result.Column{{Key: "n", Title: "N"}, {Key: "ratio", Title: "time over D/B", Digits: 4}, {Key: "formula", Title: "2(N−1)/N", Digits: 4}}}
	for _, x := range g {
		t.Rows = append(t.Rows, []any{x.Nodes, x.Ratio, formula.T(x.Nodes, 1, 1)})
	}
	return t
}

func growthFigure(g []growth) result.Figure {
	s := result.Series{Name: "dense ring", Group: "dense"}
	limit := result.Series{Name: "limit", Group: "ideal"}
	for _, x := range g {
		s.X, s.Y = append(s.X, float64(x.Nodes)), append(s.Y, x.Ratio)
		limit.X, limit.Y = append(limit.X, float64(x.Nodes)), append(limit.Y, 2)
	}
	last := g[len(g)-1]
	return result.Figure{ID: "growth-by-size", Title: "One dense all-reduce", Kind: result.TimingOnly, Form: "line", X: result.Axis{Title: "N"}, Y: result.Axis{Title: "time over D/B"},
		Caption: "Equal links without latency. The time grows with N, towards 2·D/B.", Series: []result.Series{s, limit},
		Alt: fmt.Sprintf("The time of one all-reduce grows from %.3f·D/B at N = %d to %.3f·D/B at N = %d, ever more slowly; the limit is 2.", g[0].Ratio, g[0].Nodes, last.Ratio, last.Nodes)}
}

func timeFigure(works []workload, laps map[cell]lap, work int, gbps float64, nodes []int) result.Figure {
	f := result.Figure{ID: fmt.Sprintf("time-%s-%g", works[work].Key, gbps), Title: fmt.Sprintf("%s: an iteration at %s", works[work].Title, linkName(gbps)), Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "N"}, Y: result.Axis{Title: "iteration", Unit: "ms", Log: true}, Caption: howTime}
	last := nodes[len(nodes)-1]
	f.Alt = fmt.Sprintf("At N = %d: ", last)
	for _, key := range []string{"dense", "ringsparse", "gradients", "all-gather", "printed"} {
		k := wayIndex(key)
		way := ways[k]
		s := result.Series{Name: way.Title, Group: way.Key}
		for _, n := range nodes {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, 1e3*laps[cell{work, k, gbps, n}].Seconds)
		}
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("%s %.3g ms, ", way.Title, s.Y[len(s.Y)-1])
	}
	f.Alt = strings.TrimSuffix(f.Alt, ", ") + "."
	return f
}
