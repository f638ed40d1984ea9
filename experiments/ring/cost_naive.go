package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
)

// naiveTime is how long the exchanges of the blog's 1.2 GB last on ideal links of
// 1 GB/s, in seconds of virtual time.
type naiveTime struct {
	Ranks              int
	Gather, Both, Ring float64
}

// naiveTimes times N = 2 … 16.
func naiveTimes(ctx context.Context, b *exp.Bar) ([]naiveTime, error) {
	var out []naiveTime
	for n := 2; n <= mostRanks; n++ {
		t, err := naiveAt(ctx, n, blogLink)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		b.Step(fmt.Sprintf("single reducer, %d ranks", n))
	}
	return out, nil
}

func naiveAt(ctx context.Context, n int, bandwidth float64) (naiveTime, error) {
	t := naiveTime{Ranks: n}
	for _, x := range []struct {
		into *float64
		run  exchange
	}{
		{&t.Gather, func(p cluster.Proc) error { return collective.NaiveGatherTiming(p, 0, 0, blogParams) }},
		{&t.Both, func(p cluster.Proc) error { return collective.NaiveExchangeTiming(p, 0, 0, blogParams) }},
		{&t.Ring, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 0, blogParams) }},
	} {
		r, err := onVirtual(ctx, ideal(n, bandwidth), n, x.run)
		if err != nil {
			return t, err
		}
		*x.into = r.Seconds
	}
	return t, nil
}

// judgeNaive judges B04 and B05 by the direction that the blog counts.
func judgeNaive(times []naiveTime) []result.Claim {
	var out []result.Claim
	for _, c := range []struct {
		id string
		n  int
	}{{"B04", 2}, {"B05", 10}} {
		t := times[c.n-2]
		out = append(out, claims.Judge(c.id, claims.Evidence{Value: t.Gather, Note: fmt.Sprintf(
			"the gather alone, which is what the blog counts; with the sum sent back it is %.2f s, and a ring takes %.2f s", t.Both, t.Ring)}))
	}
	return out
}

// naiveTable prints both readings beside their closed forms.
func naiveTable(times []naiveTime) result.Table {
	t := result.Table{ID: "naive", Title: "The single reducer, both ways, and the ring", Kind: result.TimingOnly,
		Caption: "1.2 GB per GPU over ideal links of 1 GB/s without latency, the blog's example. “modelled”: (N−1)·K/B for the gather, twice that with the sum sent back, 2(N−1)·K/(N·B) for the ring. “timed”: virtual time of the code's own exchanges with 1.2 GB declared; 64 bytes of header per message are the difference.",
		Columns: []result.Column{{Key: "n", Title: "GPUs"},
			{Key: "gather", Title: "gather, modelled", Unit: "s", Digits: 3}, {Key: "gather_timed", Title: "timed", Unit: "s", Digits: 3},
			{Key: "both", Title: "gather and send back, modelled", Unit: "s", Digits: 3}, {Key: "both_timed", Title: "timed", Unit: "s", Digits: 3},
			{Key: "ring", Title: "ring, modelled", Unit: "s", Digits: 3}, {Key: "ring_timed", Title: "timed", Unit: "s", Digits: 3}}}
	for _, x := range times {
		t.Rows = append(t.Rows, []any{x.Ranks,
			formula.NaiveGatherTime(x.Ranks, blogBytes, 0, blogLink), x.Gather,
			formula.NaiveTime(x.Ranks, blogBytes, 0, blogLink), x.Both,
			formula.RingTime(x.Ranks, blogBytes, 0, blogLink), x.Ring})
	}
	return t
}

func naiveFigure(times []naiveTime) result.Figure {
	f := result.Figure{ID: "naive-time", Title: "Time of one exchange of 1.2 GB at 1 GB/s", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "GPUs"}, Y: result.Axis{Title: "time", Unit: "s"},
		Caption: "Virtual time of the code's own exchanges, ideal links without latency. The blog's line is the gather alone.",
		Series:  []result.Series{{Name: "single reducer, gather only", Group: "gather"}, {Name: "single reducer, gather and send back", Group: "naive"}, {Name: "ring", Group: "ring"}}}
	for _, x := range times {
		for i, y := range []float64{x.Gather, x.Both, x.Ring} {
			f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, float64(x.Ranks)), append(f.Series[i].Y, y)
		}
	}
	first, last := times[0], times[len(times)-1]
	f.Alt = fmt.Sprintf("From %d to %d GPUs the gather grows in a straight line from %.1f to %.1f s, with the way back from %.1f to %.1f s; the ring from %.2f to %.2f s, and levels off below 2.4 s.",
		first.Ranks, last.Ranks, first.Gather, last.Gather, first.Both, last.Both, first.Ring, last.Ring)
	return f
}
