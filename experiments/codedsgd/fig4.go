package codedsgd

import (
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// fig4 and fig5 are the accuracy over time under the three algorithms.
func fig4() exp.Experiment { return accuracyOverTime("fig4", "Fig. 4", dnn) }
func fig5() exp.Experiment { return accuracyOverTime("fig5", "Fig. 5", cnn) }

// accuracyOverTime is Fig. 4 or 5, on the largest number of nodes.
func accuracyOverTime(id, source string, net network) exp.Experiment {
	return figure{id: id, source: source, nets: []network{net}, depth: atLargest,
		show: func(_ *trainer, r *result.Result, all []sweep) error {
			w := &all[0].largest
			r.Facts = w.facts()
			r.Frames = []result.Frame{w.endsFrame(), w.curvesFrame()}
			for _, v := range fourVariants {
				r.Figures = append(r.Figures, result.Figure{ID: "time-" + v.Key, Form: "line", Frame: "curves", X: v.Key, Y: []string{"accuracy"},
					By: []string{"method"}, Seed: "seed"})
			}
			return nil
		}}.experiment()
}

// curveMethods are the methods whose curves are drawn; "cssgd" is CSSGD at the better of r = 2
// and 3.
var curveMethods = []string{unicast.key(), multicast.key(), codedsgdKey, "asgd"}

const codedsgdKey = "cssgd"

// runs returns a method's curves, with clocks.
func (w *largest) runs(method string, v variant) [][]train.Point {
	of := w.curves(v)
	switch method {
	case unicast.key():
		out := make([][]train.Point, len(w.ssgd))
		for i, t := range w.ssgd {
			out[i] = clocked(t.Curve, w.top.Of[v.Key][unicast].Seconds)
		}
		return out
	case multicast.key():
		return of[0]
	case codedsgdKey:
		return of[1]
	}
	return of[2]
}

// point is an evaluation of a run, or the mean of all runs after the same samples, with
// the seconds of each variant.
type point struct {
	method   string
	seed     any // nil: a mean
	seconds  [4]float64
	accuracy kit.Estimate
}

// curvesFrame holds every run and the mean of each algorithm.
func (w *largest) curvesFrame() result.Frame {
	var rows []point
	for _, m := range curveMethods {
		var runs [4][][]train.Point // by variant
		for i, v := range fourVariants {
			for _, curve := range w.runs(m, v) {
				runs[i] = append(runs[i], sparse(curve))
			}
		}
		at := func(i int, k []int) point {
			p := point{method: m}
			for v := range runs {
				var xs []float64
				for _, run := range k {
					xs = append(xs, runs[v][run][i].Seconds)
				}
				p.seconds[v] = meanOf(xs)
			}
			var ys kit.Sample
			for _, run := range k {
				ys = append(ys, 100*runs[0][run][i].Accuracy)
			}
			p.accuracy = ys.Mean().Clamp(0, 100)
			return p
		}
		least := len(runs[0][0])
		var every []int
		for k, curve := range runs[0] {
			for i := range curve {
				p := at(i, []int{k})
				p.seed = runSeed(w.seeds, k)
				rows = append(rows, p)
			}
			every, least = append(every, k), min(least, len(curve))
		}
		for i := range least {
			rows = append(rows, at(i, every))
		}
	}
	cols := []kit.Col[point]{kit.Word("method", "method", func(p point) string { return p.method }), kit.Any("seed", "", func(p point) any { return p.seed })}
	for i, v := range fourVariants {
		cols = append(cols, kit.Num(v.Key, "s", kit.AsIs, func(p point) float64 { return p.seconds[i] }))
	}
	return kit.Frame("curves", rows, append(cols, kit.Interval("accuracy", "%", kit.AsIs, func(p point) kit.Estimate { return p.accuracy }).Plain())...)
}

// mostPoints is how many evaluations of a run are curveMethods: more cannot be told apart.
const mostPoints = 60

// sparse returns a curve of at most mostPoints+1 points: every k-th, and the last.
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

// endsFrame says where the curves end.
func (w *largest) endsFrame() result.Frame {
	s := kit.NewSheet("ends", "setting:setting method:method r runs iteration/ms.1 seconds/s.2 best±/%.2")
	for _, v := range fourVariants {
		better, _ := w.top.optimal(v)
		for _, m := range curveMethods {
			runs, r := w.runs(m, v), any(nil)
			if m == codedsgdKey {
				r = better
			}
			seconds := kit.Each(runs, func(c []train.Point) float64 { return c[len(c)-1].Seconds }).Mean().Value
			best := kit.Each(runs, func(c []train.Point) float64 { return 100 * trajectory{Curve: c}.best() }).Mean()
			s.Add(v.Key, m, r, len(runs), 1e3*seconds/float64(w.plan.Updates), seconds, best)
		}
	}
	return s.Frame
}
