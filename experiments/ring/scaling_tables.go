package ring

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// seconds are the laps' times, in milliseconds.
func milliseconds(laps []lap) []float64 {
	out := make([]float64, len(laps))
	for i, l := range laps {
		out[i] = 1e3 * l.Seconds
	}
	return out
}

// saved is what overlap saves of each seed's iteration, in milliseconds.
func (x point) saved() []float64 {
	out, with := milliseconds(x.Plain), milliseconds(x.Overlap)
	for i := range out {
		out[i] -= with[i]
	}
	return out
}

// throughput is samples per second of all GPUs, by seed.
func (x point) throughput(laps []lap) []float64 {
	out := make([]float64, len(laps))
	for i, l := range laps {
		out[i] = float64(x.GPUs*blogBatch) / l.Seconds
	}
	return out
}

// nodesOf is how many machines n GPUs take, filled one after another.
func nodesOf(n int) int { return (n + blogPerNode - 1) / blogPerNode }

const whereScaling = "Timing-only runs of the platform ring40: 5 nodes of 8 GPUs, 10 GB/s within a node, 6 GB/s between nodes, nodes filled one after another, 5 % jitter of computations. "

func scalingTable(points []point) result.Table {
	t := result.Table{ID: "scaling", Title: "An iteration on 1 to 40 GPUs", Kind: result.TimingOnly,
		Caption: whereScaling + fmt.Sprintf("A network like Deep Speech 2 with 300 million parameters; the work of its layers is scaled so that one GPU takes the blog's 370 ms, batch %d per GPU. Layers are exchanged one by one on one ring, in the order in which their gradients come. “all-reduce alone”: all parameters at once, nothing else running; “on equal links”: links of 6 GB/s everywhere, no latency. Efficiency: throughput over N times that of one GPU. Means over seeds and iterations, more of them on fewer GPUs; ± is half the 95 %% interval over seeds. N = 10 was added to the sizes of profiles ci and quick after their first runs.", blogBatch),
		Columns: []result.Column{{Key: "n", Title: "GPUs"}, {Key: "nodes", Title: "nodes"}, {Key: "equal", Title: "all-reduce on equal links", Unit: "ms", Digits: 1}, {Key: "exchange", Title: "all-reduce alone", Unit: "ms", Digits: 1},
			{Key: "plain", Title: "iteration without overlap", Unit: "ms", Digits: 1}, {Key: "overlap", Title: "with overlap", Unit: "ms", Digits: 1}, {Key: "half", Title: "±", Unit: "ms", Digits: 1},
			{Key: "saved", Title: "saved", Unit: "ms", Digits: 1}, {Key: "throughput", Title: "throughput", Unit: "samples/s", Digits: 0}, {Key: "speedup", Title: "speed-up", Digits: 2}, {Key: "efficiency", Title: "efficiency", Unit: "%", Digits: 1}}}
	one, _ := exp.MeanAndHalf(points[0].throughput(points[0].Overlap))
	for _, x := range points {
		with, half := exp.MeanAndHalf(milliseconds(x.Overlap))
		plain, _ := exp.MeanAndHalf(milliseconds(x.Plain))
		saved, _ := exp.MeanAndHalf(x.saved())
		rate, _ := exp.MeanAndHalf(x.throughput(x.Overlap))
		t.Rows = append(t.Rows, []any{x.GPUs, nodesOf(x.GPUs), 1e3 * x.Equal, 1e3 * x.Exchange, plain, with, exp.OrNone(half), saved, rate, rate / one, 100 * rate / one / float64(x.GPUs)})
	}
	return t
}

// hidden is the share of the exchange that overlap hides behind computation.
func (s spread) hidden() float64 { return (s.Plain - s.Overlap) / (s.Plain - blogSingle) }

func spreadTable(wide []spread) result.Table {
	t := result.Table{ID: "distributions", Title: "How much overlaps depends on where the parameters are", Kind: result.TimingOnly,
		Caption: "40 GPUs of ring40 (the blog's 5 × 8 GPUs) without jitter, 300 million parameters and 370 ms of computation each; only their distribution over layers differs. The blog does not give its own. The first is the reference of all claims; all were written down before the first run.",
		Columns: []result.Column{{Key: "stack", Title: "network"}, {Key: "layers", Title: "layers"}, {Key: "why", Title: "what it stands for"},
			{Key: "plain", Title: "without overlap", Unit: "ms", Digits: 1}, {Key: "overlap", Title: "with overlap", Unit: "ms", Digits: 1}, {Key: "saved", Title: "saved", Unit: "ms", Digits: 1}, {Key: "hidden", Title: "of the exchange hidden", Unit: "%", Digits: 0}}}
	for _, s := range wide {
		t.Rows = append(t.Rows, []any{s.Stack.Title, len(s.Stack.Blocks), s.Stack.Why, 1e3 * s.Plain, 1e3 * s.Overlap, 1e3 * (s.Plain - s.Overlap), 100 * s.hidden()})
	}
	return t
}

func stackTable(s stack) result.Table {
	t := result.Table{ID: "layers", Title: "The network like Deep Speech 2", Kind: result.Stated,
		Caption: fmt.Sprintf("Ours, as the blog gives the number of parameters only: two convolutions (41×11 and 21×11, %d channels) over 161 frequencies, %d bidirectional GRU layers of %d units whose directions are added, an output over %d characters. Work: forward operations per time step; the backward pass is taken as twice that.", dsChannels, dsLayers, dsUnits, dsLetters),
		Columns: []result.Column{{Key: "layer", Title: "layer"}, {Key: "params", Title: "parameters"}, {Key: "share", Title: "of all", Unit: "%", Digits: 2}, {Key: "work", Title: "of the work", Unit: "%", Digits: 2}}}
	for _, b := range s.Blocks {
		t.Rows = append(t.Rows, []any{b.Name, b.Params, 100 * float64(b.Params) / float64(s.params()), 100 * b.Cost / s.cost()})
	}
	t.Rows = append(t.Rows, []any{"all", s.params(), 100.0, 100.0})
	return t
}

func throughputFigure(points []point) result.Figure {
	f := result.Figure{ID: "throughput", Title: "Throughput", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "GPUs"}, Y: result.Axis{Title: "throughput", Unit: "samples/s"},
		Caption: whereScaling + "Mean over seeds. “ideal” is N times one GPU.",
		Series:  []result.Series{{Name: "ideal", Group: "ideal"}, {Name: "ring, with overlap", Group: "ring"}, {Name: "ring, without overlap", Group: "plain"}}}
	one, _ := exp.MeanAndHalf(points[0].throughput(points[0].Overlap))
	for _, x := range points {
		with, _ := exp.MeanAndHalf(x.throughput(x.Overlap))
		plain, _ := exp.MeanAndHalf(x.throughput(x.Plain))
		for i, y := range []float64{float64(x.GPUs) * one, with, plain} {
			f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, float64(x.GPUs)), append(f.Series[i].Y, y)
		}
	}
	line := fitLine(points)
	last := len(points) - 1
	f.Alt = fmt.Sprintf("Throughput rises from %.0f samples/s on one GPU to %.0f on %d; from 2 GPUs on it is a straight line (R² = %.4f), at %.0f %% of the ideal one's height at the end; without overlap %.0f.",
		one, f.Series[1].Y[last], points[last].GPUs, line.R2, 100*f.Series[1].Y[last]/f.Series[0].Y[last], f.Series[2].Y[last])
	return f
}

// grown is the share of the growth of an iteration with overlap that is over by n
// GPUs.
func grown(points []point, n int) float64 {
	one, _ := exp.MeanAndHalf(milliseconds(points[0].Overlap))
	some, _ := exp.MeanAndHalf(milliseconds(at(points, n).Overlap))
	all, _ := exp.MeanAndHalf(milliseconds(points[len(points)-1].Overlap))
	return (some - one) / (all - one)
}

func iterationFigure(points []point) result.Figure {
	f := result.Figure{ID: "iteration", Title: "Time of an iteration", Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "GPUs"}, Y: result.Axis{Title: "time", Unit: "ms"},
		Caption: whereScaling + "Bands: 95 % interval over seeds. Beyond 8 GPUs the ring leaves the node.",
		Series:  []result.Series{{Name: "with overlap", Group: "ring"}, {Name: "without overlap", Group: "plain"}, {Name: "all-reduce alone", Group: "exchange"}}}
	for _, x := range points {
		for i, laps := range [][]lap{x.Overlap, x.Plain} {
			s := &f.Series[i]
			mean, half := exp.MeanAndHalf(milliseconds(laps))
			s.X, s.Y = append(s.X, float64(x.GPUs)), append(s.Y, mean)
			if !math.IsNaN(half) {
				s.Lo, s.Hi = append(s.Lo, mean-half), append(s.Hi, mean+half)
			}
		}
		f.Series[2].X, f.Series[2].Y = append(f.Series[2].X, float64(x.GPUs)), append(f.Series[2].Y, 1e3*x.Exchange)
	}
	last := len(points) - 1
	f.Alt = fmt.Sprintf("From 1 to %d GPUs an iteration grows from %.0f to %.0f ms with overlap and to %.0f ms without; the all-reduce alone from %.0f ms to %.0f ms. By 16 GPUs %.0f %% of the growth with overlap is over.",
		points[last].GPUs, f.Series[0].Y[0], f.Series[0].Y[last], f.Series[1].Y[last], f.Series[2].Y[0], f.Series[2].Y[last], 100*grown(points, 16))
	return f
}
