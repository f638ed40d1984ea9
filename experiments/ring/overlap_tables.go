package ring

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// stretch is one bucket's exchange at GPU 0: its first byte out or in to its last.
type stretch struct {
	name     string
	from, to float64 // seconds
}

// exchanges are the buckets' stretches at GPU 0, in order.
func exchanges(l lineOf) []stretch {
	buckets := l.it.buckets()
	out := make([]stretch, len(buckets))
	for i, b := range buckets {
		out[i] = stretch{name: l.it.name(b), from: math.Inf(1)}
	}
	for _, s := range l.lap.Trace.Spans {
		if s.Rank != 0 || s.Kind != cluster.SpanSend && s.Kind != cluster.SpanRecv {
			continue
		}
		x := &out[s.Tag]
		x.from, x.to = math.Min(x.from, s.From.Seconds()), math.Max(x.to, s.To.Seconds())
	}
	return out
}

// worthwhile is the least exchange that a sentence speaks of, in seconds.
const worthwhile = 1e-3

// busy returns when the first exchange worth a millisecond begins at GPU 0, and how
// long exchanges last in all.
func busy(l lineOf) (first, sum float64) {
	first = math.Inf(1)
	for _, x := range exchanges(l) {
		sum += x.to - x.from
		if x.to-x.from >= worthwhile {
			first = math.Min(first, x.from)
		}
	}
	return first, sum
}

// overlapLine draws GPU 0's device and links, with overlap above and without below.
func overlapLine(pair [2]lineOf) result.Figure {
	n := pair[0].gpus
	f := result.Figure{ID: fmt.Sprintf("iteration-%d", n), Title: fmt.Sprintf("One iteration on %d GPUs", n), Kind: result.TimingOnly, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "GPU 0"},
		Lanes:   []string{"computes, with overlap", "exchanges, with overlap", "computes, without", "exchanges, without"},
		Caption: fmt.Sprintf("GPU 0 of %d of ring40 (the blog's 5 × 8 GPUs) without jitter, the network like Deep Speech 2, layer by layer, from the trace of a timing-only run. An exchange lasts from the layer's first byte to its last, waits for neighbours included.", n)}
	for i, l := range pair {
		blocks := l.it.Stack.Blocks
		stage := 0
		for _, s := range l.lap.Trace.Spans {
			if s.Rank != 0 || s.Kind != cluster.SpanCompute {
				continue
			}
			state, label := "backward", ""
			switch {
			case stage == 0:
				state, label = "forward", "forward pass"
			case stage <= len(blocks):
				label = "backward pass of " + blocks[len(blocks)-stage].Name
			default:
				state, label = "update", "update"
			}
			f.Bands = append(f.Bands, result.Band{Lane: 2 * i, From: 1e3 * s.From.Seconds(), To: 1e3 * s.To.Seconds(), State: state, Label: label})
			stage++
		}
		for _, x := range exchanges(l) {
			f.Bands = append(f.Bands, result.Band{Lane: 2*i + 1, From: 1e3 * x.from, To: 1e3 * x.to, State: "all-reduce", Label: "all-reduce of " + x.name})
		}
	}
	first, _ := busy(pair[0])
	f.Alt = fmt.Sprintf("With overlap the link is busy from %.0f ms on, while the backward pass goes on to %.0f ms, and the iteration ends at %.0f ms. Without it the link is idle for %.0f ms and the iteration ends at %.0f ms.",
		1e3*first, 1e3*blogSingle, 1e3*pair[0].lap.Seconds, 1e3*blogSingle, 1e3*pair[1].lap.Seconds)
	return f
}

func overlapTable(pairs [][2]lineOf) result.Table {
	t := result.Table{ID: "hidden", Title: "What overlap hides", Kind: result.TimingOnly,
		Caption: "The network like Deep Speech 2 on ring40 (the blog's 5 × 8 GPUs) without jitter, layer by layer. “hidden”: what overlap saves, over what the exchange adds to the 370 ms of computation without it.",
		Columns: []result.Column{{Key: "n", Title: "GPUs"}, {Key: "plain", Title: "without overlap", Unit: "ms", Digits: 1}, {Key: "overlap", Title: "with overlap", Unit: "ms", Digits: 1},
			{Key: "first", Title: "link busy from", Unit: "ms", Digits: 1}, {Key: "saved", Title: "saved", Unit: "ms", Digits: 1}, {Key: "hidden", Title: "hidden", Unit: "%", Digits: 1}}}
	for _, p := range pairs {
		with, without := p[0].lap.Seconds, p[1].lap.Seconds
		first, _ := busy(p[0])
		t.Rows = append(t.Rows, []any{p[0].gpus, 1e3 * without, 1e3 * with, 1e3 * first, 1e3 * (without - with), 100 * (without - with) / (without - blogSingle)})
	}
	return t
}

func bucketTable(rows []bucketed) result.Table {
	t := result.Table{ID: "buckets", Title: "How large a piece to exchange at once", Kind: result.TimingOnly,
		Caption: "40 GPUs of ring40 (the blog's 5 × 8 GPUs) without jitter, 300 million parameters, 370 ms of computation. Consecutive layers are exchanged together until their gradients reach the size. Messages: sent by one GPU in an iteration.",
		Columns: []result.Column{{Key: "stack", Title: "network"}, {Key: "bucket", Title: "exchanged together"}, {Key: "count", Title: "exchanges"}, {Key: "messages", Title: "messages"},
			{Key: "plain", Title: "without overlap", Unit: "ms", Digits: 1}, {Key: "overlap", Title: "with overlap", Unit: "ms", Digits: 1}, {Key: "hidden", Title: "hidden", Unit: "%", Digits: 1}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []any{r.Stack.Title, bucketName(r.Bucket), r.Count, r.Count * 2 * (blogGPUs - 1), 1e3 * r.Plain, 1e3 * r.Overlap, 100 * r.hidden()})
	}
	return t
}

func bucketFigure(plan overlapPlan, rows []bucketed) result.Figure {
	f := result.Figure{ID: "buckets-time", Title: "Iteration time by size of a bucket", Kind: result.TimingOnly, Form: "bar",
		X: result.Axis{Title: "exchanged together"}, Y: result.Axis{Title: "iteration with overlap", Unit: "ms"},
		Caption: "40 GPUs of ring40 (the blog's 5 × 8 GPUs) without jitter, with overlap."}
	for _, b := range plan.Buckets {
		f.X.Categories = append(f.X.Categories, bucketName(b))
	}
	for _, s := range plan.Stacks {
		line := result.Series{Name: s.Title, Group: s.Key}
		f.Alt += s.Title + ":"
		for _, r := range rows {
			if r.Stack.Key == s.Key {
				line.X, line.Y = append(line.X, float64(len(line.X))), append(line.Y, 1e3*r.Overlap)
				f.Alt += fmt.Sprintf(" %s %.0f ms;", bucketName(r.Bucket), 1e3*r.Overlap)
			}
		}
		f.Alt = f.Alt[:len(f.Alt)-1] + ". "
		f.Series = append(f.Series, line)
	}
	return f
}
