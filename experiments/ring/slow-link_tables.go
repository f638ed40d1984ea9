package ring

import (
	"fmt"

	result "gradsync/experiments/result1"
)

func slowTable(cases []slowCase) result.Table {
	t := result.Table{ID: "slow-link", Title: "One host's link slowed", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("One all-reduce of 1.2 GB on %d hosts with links of 1 GB/s and 50 µs, timing-only. The link of rank %d is slower by the factor, both ways; “all slowed”: every link; “the reducer slowed”: rank 0 instead. “without it”: the other %d in a ring of their own.", slowRanks, slowRank, slowRanks-1),
		Columns: []result.Column{{Key: "factor", Title: "slower by", Digits: 1}, {Key: "ring", Title: "ring", Unit: "s", Digits: 2}, {Key: "all", Title: "ring, all slowed", Unit: "s", Digits: 2}, {Key: "ratio", Title: "one / all", Digits: 4},
			{Key: "short", Title: "ring without it", Unit: "s", Digits: 2}, {Key: "halving", Title: "halving-doubling", Unit: "s", Digits: 2}, {Key: "naive", Title: "single reducer", Unit: "s", Digits: 2}, {Key: "top", Title: "single reducer, the reducer slowed", Unit: "s", Digits: 2}}}
	for _, c := range cases {
		t.Rows = append(t.Rows, []any{c.Factor, c.Ring, c.AllSlow, c.Ring / c.AllSlow, c.Short, c.Halving, c.Naive, c.NaiveTop})
	}
	return t
}

func slowFigure(cases []slowCase) result.Figure {
	f := result.Figure{ID: "slow-link-time", Title: "What one slow link costs", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "slower by", Log: true}, Y: result.Axis{Title: "time of one all-reduce", Unit: "s", Log: true},
		Caption: fmt.Sprintf("%d hosts, 1.2 GB, links of 1 GB/s; the link of one host is slowed.", slowRanks),
		Series:  []result.Series{{Name: "ring", Group: "ring"}, {Name: "halving-doubling", Group: "halving-doubling"}, {Name: "single reducer", Group: "naive"}, {Name: "single reducer, the reducer slowed", Group: "naive-top"}}}
	for _, c := range cases {
		for i, y := range []float64{c.Ring, c.Halving, c.Naive, c.NaiveTop} {
			f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, c.Factor), append(f.Series[i].Y, y)
		}
	}
	a, z := cases[0], cases[len(cases)-1]
	f.Alt = fmt.Sprintf("From factor %g to %g the ring rises from %.1f to %.0f s, halving-doubling from %.1f to %.0f s, the single reducer from %.1f to %.0f s, and with the reducer slowed from %.1f to %.0f s.",
		a.Factor, z.Factor, a.Ring, z.Ring, a.Halving, z.Halving, a.Naive, z.Naive, a.NaiveTop, z.NaiveTop)
	return f
}
