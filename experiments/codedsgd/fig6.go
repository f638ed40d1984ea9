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
			r.Facts = append(w.facts(), kit.Facts("picked/%.0", level(w.picked), "picked.whole/%.0", level(other), "below", levelsBelow,
				"best/%.1", 100*w.picked.Best, "all-below", w.picked.Below, "lowest", w.picked.lowest())...)
			r.Frames = []result.Frame{w.levelsFrame(other), w.reachedFrame()}
			r.Figures = []result.Figure{{ID: "times", Form: "line", Frame: "reached", X: "level", Y: []string{"seconds"}, By: []string{"method"}}}
			r.Claims = []result.Claim{judgeLevel(claim, w.picked, len(w.seeds), w.differs(false))} // the level itself is judged
			return nil
		}}.experiment()
}

// levelsFrame holds the mean time to each candidate, where micro-blocks travel on one
// medium and where whole gradients do on a switch.
func (w *largest) levelsFrame(whole choice) result.Frame {
	s := kit.NewSheet("levels", "setting:setting level/% r ssgd-multicast/s.3 cssgd/s.3 asgd/s.3 spread/.3 picked")
	add := func(v variant, c choice) {
		r, _ := w.top.optimal(v)
		for _, l := range c.Levels {
			s.Add(v.Key, l.Percent, r, l.Seconds[0], l.Seconds[1], l.Seconds[2], l.Spread, l.Percent == c.Picked)
		}
	}
	add(judged, w.picked)
	add(ethernet, whole)
	return s.Frame
}

// reachedFrame holds the mean time to every level that all runs of an algorithm reach.
func (w *largest) reachedFrame() result.Frame {
	s := kit.NewSheet("reached", "method:method level/% seconds/s")
	curves := w.curves(judged)
	for i, m := range []string{multicast.key(), codedsgdKey, "asgd"} {
		for percent := max(int(100*w.picked.Best)-4*levelsBelow, 1); percent <= int(100*w.picked.Best); percent++ {
			var at []float64
			for _, curve := range curves[i] {
				at = append(at, secondsTo(curve, float64(percent)/100))
			}
			if x := meanOf(at); !math.IsNaN(x) {
				s.Add(m, percent, x)
			}
		}
	}
	return s.Frame
}
