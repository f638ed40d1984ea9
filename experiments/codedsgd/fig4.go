package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// fig4 is the DNN's accuracy over time under the three algorithms.
func fig4() exp.Experiment { return accuracyOverTime("fig4", "Fig. 4", dnn) }

// accuracyOverTime is Fig. 4 or 5, on the largest number of nodes.
func accuracyOverTime(id, source string, net network) exp.Experiment {
	return figure{id: id, title: "Test accuracy over time, " + net.Title, source: source, nets: []network{net}, depth: atLargest,
		fill: func(_ *school, res *result.Result, cs []course) error {
			w := cs[0].largest
			for _, v := range grounds {
				res.Figures = append(res.Figures, w.timeFigure(v))
			}
			res.Tables = []result.Table{w.endsTable()}
			res.Notes = w.timeNotes(source)
			return nil
		}}.experiment()
}

// track is one algorithm's curves, with clocks.
type track struct {
	name, group string
	runs        [][]train.Point
}

// tracks are SSGD both ways, CSSGD at its best redundancy, and ASGD.
func (w *largest) tracks(v variant) []track {
	r, _ := w.top.optimal(v)
	three := w.curves(v)
	uni := make([][]train.Point, len(w.ssgd))
	for i, t := range w.ssgd {
		uni[i] = clocked(t.Curve, w.top.Of[v.Key][unicast].Seconds)
	}
	name, group := seriesName(coded(r))
	return []track{{"SSGD Unicast", unicast.Method, uni}, {"SSGD Multicast", multicast.Method, three[0]}, {name, group, three[1]}, {"ASGD", "asgd", three[2]}}
}

// timeFigure draws every run faint and the mean of each algorithm bold.
func (w *largest) timeFigure(v variant) result.Figure {
	f := result.Figure{ID: "time-" + v.Key, Title: fmt.Sprintf("%s, %d nodes: accuracy over time, %s", w.plan.Net.Title, w.plan.most(), groundName(v)),
		Kind: result.Shared, Form: "line", X: result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "test accuracy", Unit: "%"},
		Caption: "Thin lines are single runs, the bold line is their mean at equal samples, the band its 95 % interval; of long runs some 60 evaluations are drawn, evenly spaced. " + groundHow(v) +
			" The synchronous algorithms are timed on one trajectory per seed; ASGD was trained by itself and sends one whole gradient per push to its server in each of them." + w.first(v)}
	f.Alt = "Time of the whole run and mean accuracy at its end:"
	for i, t := range w.tracks(v) {
		for k, curve := range t.runs {
			curve = sparse(curve)
			t.runs[k] = curve
			s := result.Series{Name: t.name, Group: t.group}
			seed := runSeed(w.seeds, k)
			s.Seed = &seed
			for _, p := range curve {
				s.X, s.Y = append(s.X, p.Seconds), append(s.Y, 100*p.Accuracy)
			}
			f.Series = append(f.Series, s)
		}
		m := meanCurve(t)
		f.Series = append(f.Series, m)
		if n := len(m.Y); n > 0 {
			f.Alt += fmt.Sprintf("%s %s %.3g s, %.1f %%", map[bool]string{true: "", false: ";"}[i == 0], t.name, m.X[n-1], m.Y[n-1])
		}
	}
	f.Alt += "."
	return f
}

// mostPoints is how many evaluations of a run are drawn: more cannot be told apart.
const mostPoints = 60

// sparse is a curve of at most mostPoints+1 points: every k-th, and the last.
func sparse(curve []train.Point) []train.Point {
	step := (len(curve) + mostPoints - 1) / mostPoints
	if step < 2 {
		return curve
	}
	var out []train.Point
	for i := step - 1; i < len(curve); i += step {
		out = append(out, curve[i])
	}
	if last := len(curve) - 1; len(curve)%step != 0 {
		out = append(out, curve[last])
	}
	return out
}

// meanCurve averages evaluation by evaluation: all runs are evaluated after the same
// samples.
func meanCurve(t track) result.Series {
	s := result.Series{Name: t.name, Group: t.group}
	for i := 0; ; i++ {
		var xs, ys []float64
		for _, c := range t.runs {
			if i >= len(c) {
				return s
			}
			xs, ys = append(xs, c[i].Seconds), append(ys, 100*c[i].Accuracy)
		}
		m, half := exp.MeanAndHalf(ys)
		s.X, s.Y = append(s.X, meanOf(xs)), append(s.Y, m)
		if !math.IsNaN(half) {
			s.Lo, s.Hi = append(s.Lo, max(m-half, 0)), append(s.Hi, min(m+half, 100))
		}
	}
}

// endsTable is where the curves end.
func (w *largest) endsTable() result.Table {
	t := result.Table{ID: "ends", Title: "The curves in numbers", Kind: result.Shared,
		Caption: "Best: highest accuracy of a run's evaluations, mean over runs ± half the 95 % interval. Time: of the whole run; every run uses the same samples. " + w.how() + ".",
		Columns: []result.Column{{Key: "model", Title: "messages"}, {Key: "method", Title: "method"}, {Key: "runs", Title: "runs"},
			{Key: "iteration", Title: "time per update", Unit: "ms", Digits: 1}, {Key: "time", Title: "whole run", Unit: "s", Digits: 2},
			{Key: "best", Title: "best accuracy", Unit: "%", Digits: 2}, {Key: "half", Title: "±", Unit: "points", Digits: 2}}}
	for _, v := range grounds {
		for _, k := range w.tracks(v) {
			var ends, best []float64
			for _, c := range k.runs {
				ends = append(ends, c[len(c)-1].Seconds)
				best = append(best, 100*trajectory{Curve: c}.best())
			}
			m, half := exp.MeanAndHalf(best)
			t.Rows = append(t.Rows, []any{groundName(v), k.name, len(k.runs), 1e3 * meanOf(ends) / float64(w.plan.Updates), meanOf(ends), m, exp.OrNone(half)})
		}
	}
	return t
}

// timeNotes say what the figure of the paper shows and what is found.
func (w *largest) timeNotes(source string) []string {
	on := func(v variant) string {
		r, it := w.top.optimal(v)
		uni, multi := w.top.Of[v.Key][unicast].Seconds, w.top.Of[v.Key][multicast].Seconds
		return fmt.Sprintf("an update takes %.0f ms with SSGD Unicast, %.0f ms with SSGD Multicast and %.0f ms with CSSGD (%s)", 1e3*uni, 1e3*multi, 1e3*it.Seconds, redundancyName(w.plan.most(), r))
	}
	async := w.asgd[0].Curve
	last := async[len(async)-1]
	return []string{
		fmt.Sprintf("The text says of %s, accuracy over time, that all three algorithms arrive at the final accuracy in enough time; the curves are lost. Here, on %d nodes in the paper's message and time model, %s; ASGD takes %.0f ms for as many samples.",
			source, w.plan.most(), on(judged), 1e3*last.Seconds/(float64(last.Pushes)/float64(w.plan.most()))),
		"With whole gradients on a switch " + on(ethernet) + ": nothing but the sum of a node's blocks need travel, and coding multiplies the blocks.",
		"The synchronous curves are one curve with three clocks. " + shared + " " + w.whole.note(),
	}
}
