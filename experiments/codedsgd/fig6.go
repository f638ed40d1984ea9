package codedsgd

import (
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fig6 and fig7 are the choice of the benchmark accuracy.
func fig6() exp.Experiment { return benchmark("fig6", "Fig. 6", "C07", dnn) }
func fig7() exp.Experiment { return benchmark("fig7", "Fig. 7", "C08", cnn) }

// benchmark is Fig. 6 or 7: the level at which the threeMethods algorithms differ most.
func benchmark(id, source, claim string, net network) exp.Experiment {
	return figure{id: id, source: source, nets: []network{net}, depth: atLargest,
		show: func(_ *trainer, r *result.Result, all []sweep) error {
			w := &all[0].largest
			other := chooseLevel(w.curves(ethernet))
			level := func(c choice) float64 {
				if c.Picked == 0 {
					return math.NaN()
				}
				return float64(c.Picked)
			}
			r.Facts = append(w.facts(), kit.Number("picked", "%", 0, level(w.picked)), kit.Number("picked.whole", "%", 0, level(other)),
				kit.Counted("below", "", levelsBelow),
				kit.Number("best", "%", 1, 100*w.picked.Best), kit.Whether("all-below", w.picked.Below), kit.Whether("lowest", w.picked.lowest()))
			r.Frames = []result.Frame{w.levelsFrame(other), w.reachedFrame()}
			r.Figures = []result.Figure{{ID: "times", Form: "line", Frame: "reached", X: "level", Y: []string{"seconds"}, By: []string{"method"}}}
			r.Claims = []result.Claim{judgeLevel(claim, w.picked, len(w.seeds), w.differs(false))} // the level itself is judged
			return nil
		}}.experiment()
}

// threeMethods are the algorithms of figs. 6, 7, 14 and 15, in the order of largest.curves.
var threeMethods = []string{multicast.key(), codedsgdKey, "asgd"}

// levelsFrame holds the mean time to each candidate, where micro-blocks travel on one
// medium and where whole gradients do on a switch.
func (w *largest) levelsFrame(whole choice) result.Frame {
	type row struct {
		v variant
		rung
		picked bool
	}
	var rows []row
	for _, x := range []struct {
		v variant
		c choice
	}{{judged, w.picked}, {ethernet, whole}} {
		for _, l := range x.c.Levels {
			rows = append(rows, row{x.v, l, l.Percent == x.c.Picked})
		}
	}
	cols := []kit.Col[row]{kit.Word("setting", "setting", func(r row) string { return r.v.Key }), kit.Count("level", "%", func(r row) int { return r.Percent }),
		kit.Count("r", "", func(r row) int { best, _ := w.top.optimal(r.v); return best })}
	for i, m := range threeMethods {
		cols = append(cols, kit.Num(m, "s", 3, func(r row) float64 { return r.Seconds[i] }))
	}
	return kit.Frame("levels", rows, append(cols, kit.Num("spread", "", 3, func(r row) float64 { return r.Spread }),
		kit.Flag("picked", func(r row) bool { return r.picked }))...)
}

// reachedFrame holds the mean time to every level that all runs of an algorithm reach.
func (w *largest) reachedFrame() result.Frame {
	type row struct {
		method  string
		level   int
		seconds float64
	}
	var rows []row
	curves := w.curves(judged)
	for i, m := range threeMethods {
		for percent := max(int(100*w.picked.Best)-4*levelsBelow, 1); percent <= int(100*w.picked.Best); percent++ {
			var at []float64
			for _, curve := range curves[i] {
				at = append(at, secondsTo(curve, float64(percent)/100))
			}
			if x := meanOf(at); !math.IsNaN(x) {
				rows = append(rows, row{m, percent, x})
			}
		}
	}
	return kit.Frame("reached", rows, kit.Word("method", "method", func(r row) string { return r.method }),
		kit.Count("level", "%", func(r row) int { return r.level }), kit.Num("seconds", "s", kit.AsIs, func(r row) float64 { return r.seconds }))
}
