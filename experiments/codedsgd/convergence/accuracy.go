package convergence

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// table2 lists the accuracy that the networks reach alone, with all the time that they
// are given, and under the three algorithms.
func table2() exp.Experiment {
	return exhibit{id: "table2", source: "Table 2", nets: setup.Networks(), scope: atLargest, serial: true,
		show: func(t *trainer, r *result.Result, all []byNodes) error {
			r.Kind = result.Trained
			var nets []*finals
			for i := range all {
				f, err := t.finals(&all[i].largest)
				if err != nil {
					return err
				}
				nets = append(nets, f)
			}
			r.Frames = []result.Frame{finalsFrame(nets), finalsPlans(nets)}
			r.Facts = kit.Facts("bound/points", claims.Tolerance("C30"))
			r.Claims = []result.Claim{judgeFinals(nets)}
			return nil
		}}.experiment()
}

// finals are the best accuracies of one network's runs, shares.
type finals struct {
	w                  *largest
	Serial, SSGD, ASGD kit.Sample // in as many updates
	Longer             kit.Sample // alone, in plan.Alone times as many
}

func (t *trainer) finals(w *largest) (*finals, error) {
	f := &finals{w: w}
	alone, err := t.all(w.plan.serialRequests(w.seeds))
	if err != nil {
		return f, err
	}
	for i, run := range alone {
		f.Serial, f.Longer, f.SSGD = append(f.Serial, run.bestIn(w.plan.Updates)), append(f.Longer, run.best()), append(f.SSGD, w.ssgd[i].best())
	}
	for _, run := range w.asgd {
		f.ASGD = append(f.ASGD, run.best())
	}
	return f, nil
}

// against returns by how many points the mean of runs is above the mean of others.
func against(runs, others kit.Sample) float64 {
	return 100 * (stat.Mean(runs, nil) - stat.Mean(others, nil))
}

// apart returns the 95 % interval of against, nil of one seed. Runs of the same seeds are paired;
// others have the root of the sum of the squared half-widths.
func apart(runs, others kit.Sample) *[2]float64 {
	if len(runs) == len(others) {
		return runs.Minus(others).Times(100).CI
	}
	a, b := runs.Mean(), others.Mean()
	if a.CI == nil || b.CI == nil {
		return nil
	}
	half := 100 * math.Hypot(a.Half(), b.Half())
	return &[2]float64{against(runs, others) - half, against(runs, others) + half}
}

func finalsFrame(nets []*finals) result.Frame {
	s := kit.NewSheet("finals", "model:model method:method nodes updates runs best±/%.2 against/points.2 staleness/versions.2 clipped")
	for _, f := range nets {
		p, n := f.w.plan, f.w.plan.most()
		clipped, stale := int64(0), 0.0
		for _, t := range f.w.ssgd {
			clipped += t.Clipped
		}
		for _, t := range f.w.asgd {
			stale += t.Staleness / float64(len(f.w.asgd))
		}
		add := func(method string, nodes int, updates int64, runs kit.Sample, stale, clipped any) {
			s.Add(p.Net.Model, method, nodes, updates, len(runs), runs.Mean().Times(100), against(runs, f.Serial), stale, clipped)
		}
		add("alone", 1, p.Updates, f.Serial, nil, nil)
		if p.Alone > 1 {
			add("longer", 1, p.Alone*p.Updates, f.Longer, nil, nil)
		}
		add("synchronous", n, p.Updates, f.SSGD, 0.0, clipped)
		add("asgd", n, p.Updates, f.ASGD, stale, nil)
	}
	return s.Frame
}

// finalsPlans holds how each network was trained, and which methods come within the
// bound of the network alone.
func finalsPlans(nets []*finals) result.Frame {
	s := kit.NewSheet("networks", "model:model within:within data:data nodes batch rate narrower every images blocks q times runs")
	for _, f := range nets {
		p, n, narrower := f.w.plan, f.w.plan.most(), 1.0
		if p.Width > 0 {
			narrower = 1 / p.Width
		}
		s.Add(p.Net.Model, f.within(), f.w.ssgd[0].Data.Name, n, p.Net.PerNode, p.Rate, narrower, p.Every, p.Images, p.blocks(n),
			setup.Q(n), p.Alone, len(f.w.asgd))
	}
	return s.Frame
}

// within says which methods come within the bound of the network alone, by the rule of C30: all, the
// synchronous ones, ASGD, or none; "open" if an interval reaches over the bound.
func (f *finals) within() string {
	near := func(runs kit.Sample) string { return claims.AtLeast(apart(runs, f.Serial), -claims.Margin("C30")) }
	ssgd, asgd := near(f.SSGD), near(f.ASGD)
	if ssgd == claims.Undecided || asgd == claims.Undecided {
		return "open"
	}
	return map[[2]bool]string{{true, true}: "all", {true, false}: "synchronous", {false, true}: "asgd", {}: "none"}[[2]bool{ssgd == claims.Holds,
		asgd == claims.Holds}]
}

// judgeFinals judges C30 as tolerances.csv has it: the best accuracies of every method at
// most the margin below the serial training's, on all networks, each by its interval.
func judgeFinals(nets []*finals) result.Claim {
	bound, seeds := claims.Margin("C30"), 0
	var parts []result.Part
	worst := math.Inf(-1)
	var gaps, longer []map[string]any
	for _, net := range nets {
		seeds = len(net.SSGD)
		p := net.w.plan
		for i, runs := range []kit.Sample{net.SSGD, net.ASGD} {
			method := []string{"synchronous", "asgd"}[i]
			below := 100 * (stat.Mean(net.Serial, nil) - stat.Mean(runs, nil))
			worst = max(worst, below)
			part := result.Part{Of: map[string]string{"model": p.Net.Model, "method": method}, Value: against(runs, net.Serial), CI95: apart(runs, net.Serial)}
			parts = append(parts, claims.Mark(part, claims.AtLeast(part.CI95, -bound)))
			gaps = append(gaps, map[string]any{"model": p.Net.Model, "method": method, "points": against(runs, net.Serial)})
			if p.Alone > 1 {
				longer = append(longer, map[string]any{"model": p.Net.Model, "method": method, "times": p.Alone, "points": against(runs, net.Longer)})
			}
		}
	}
	found := result.Because("C30-found", "points", max(worst, 0))
	f := claims.OfParts(parts, seeds, &found)
	f.Notes = []result.Reason{result.Because("C30", "gaps", gaps), result.Because("C30-bound", "points", bound)}
	if longer != nil {
		f.Notes = append(f.Notes, result.Because("C30-longer", "gaps", longer))
	}
	f.Notes = append(f.Notes, result.Because("C30-changed"))
	return claims.Verdict("C30", f)
}

// fig4 and fig5 show the accuracy over time under the three algorithms.
func fig4() exp.Experiment { return accuracyOverTime("fig4", "Fig. 4", setup.DNN) }

func fig5() exp.Experiment { return accuracyOverTime("fig5", "Fig. 5", setup.CNN) }

// accuracyOverTime makes Fig. 4 or 5, on the largest number of nodes.
func accuracyOverTime(id, source string, net setup.Network) exp.Experiment {
	return exhibit{id: id, source: source, nets: []setup.Network{net}, scope: atLargest,
		show: func(_ *trainer, r *result.Result, all []byNodes) error {
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

// curveMethods are the methods whose curves are drawn; "cssgd" is CSSGD at its best r.
var curveMethods = []string{timing.Unicast.Key(), timing.Multicast.Key(), cssgdKey, "asgd"}

const cssgdKey = "cssgd"

// runs returns a method's curves, with clocks.
func (w *largest) runs(method string, v timing.Variant) (out [][]train.Point) {
	if method == "asgd" {
		for _, t := range w.asgd {
			out = append(out, t.Curve)
		}
		return out
	}
	_, it := w.top.optimal(v)
	for _, x := range []timing.Exchange{timing.Unicast, timing.Multicast} {
		if x.Key() == method {
			it = w.top.Of[v.Key][x]
		}
	}
	for _, t := range w.ssgd {
		out = append(out, clocked(t.Curve, it.Seconds))
	}
	return out
}

// curves returns the three algorithms' curves: SSGD with multicast, CSSGD at its best
// redundancy and ASGD.
func (w *largest) curves(v timing.Variant) (out [][][]train.Point) {
	for _, m := range curveMethods[1:] {
		out = append(out, w.runs(m, v))
	}
	return out
}

// evaluation is an evaluation of a run, or the mean of all runs after the same samples, with
// the seconds of each variant.
type evaluation struct {
	method   string
	seed     any // nil: a mean
	seconds  [4]float64
	accuracy kit.Estimate
}

// curvesFrame holds every run and the mean of each algorithm.
func (w *largest) curvesFrame() result.Frame {
	var rows []evaluation
	for _, m := range curveMethods {
		var runs [4][][]train.Point // by variant
		for i, v := range fourVariants {
			for _, curve := range w.runs(m, v) {
				runs[i] = append(runs[i], sparse(curve))
			}
		}
		at := func(i int, k []int) evaluation {
			p := evaluation{method: m}
			for v := range runs {
				p.seconds[v] = stat.Mean(kit.Each(k, func(run int) float64 { return runs[v][run][i].Seconds }), nil)
			}
			p.accuracy = kit.Each(k, func(run int) float64 { return 100 * runs[0][run][i].Accuracy }).Mean().Clamp(0, 100)
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
	columns := "method:method seed "
	for _, v := range fourVariants {
		columns += v.Key + "/s "
	}
	f := kit.NewSheet("curves", columns+"accuracy~/%").Plain()
	for _, p := range rows {
		row := []any{p.method, p.seed}
		for _, x := range p.seconds {
			row = append(row, x)
		}
		f.Add(append(row, p.accuracy)...)
	}
	return f.Frame
}

// mostPoints is how many evaluations of a run are drawn: more cannot be told apart.
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
	if len(curve)%step != 0 {
		out = append(out, curve[len(curve)-1])
	}
	return out
}

func (w *largest) endsFrame() result.Frame {
	s := kit.NewSheet("ends", "setting:setting method:method r runs iteration/ms.1 seconds/s.2 best±/%.2")
	for _, v := range fourVariants {
		better, _ := w.top.optimal(v)
		for _, m := range curveMethods {
			runs, r := w.runs(m, v), any(nil)
			if m == cssgdKey {
				r = better
			}
			seconds := kit.Each(runs, func(c []train.Point) float64 { return c[len(c)-1].Seconds }).Mean().Value
			best := kit.Each(runs, func(c []train.Point) float64 { return 100 * trajectory{Curve: c}.best() }).Mean()
			s.Add(v.Key, m, r, len(runs), 1e3*seconds/float64(w.plan.Updates), seconds, best)
		}
	}
	return s.Frame
}

// fig6 and fig7 show how the benchmark accuracy is picked.
func fig6() exp.Experiment { return benchmark("fig6", "Fig. 6", "C07", setup.DNN) }

func fig7() exp.Experiment { return benchmark("fig7", "Fig. 7", "C08", setup.CNN) }

// benchmark makes Fig. 6 or 7: the level at which the three algorithms differ most.
func benchmark(id, source, claim string, net setup.Network) exp.Experiment {
	return exhibit{id: id, source: source, nets: []setup.Network{net}, scope: atLargest,
		show: func(_ *trainer, r *result.Result, all []byNodes) error {
			w := &all[0].largest
			other := pickLevel(w.curves(timing.Ethernet))
			level := func(c pickedLevel) float64 {
				if c.Picked == 0 {
					return math.NaN()
				}
				return float64(c.Picked)
			}
			r.Facts = append(w.facts(), kit.Facts("picked/%.0", level(w.picked), "picked.whole/%.0", level(other), "below", levelsBelow,
				"best/%.1", 100*w.picked.Best, "all-below", w.picked.Below, "lowest", w.picked.lowest())...)
			r.Frames = []result.Frame{w.levelsFrame(other), w.reachedFrame()}
			r.Figures = []result.Figure{{ID: "times", Form: "line", Frame: "reached", X: "level", Y: []string{"seconds"}, By: []string{"method"}}}
			r.Claims = []result.Claim{judgeLevel(claim, w.picked, w.pickedBySeed(), w.differs(false))} // the level itself is judged
			return nil
		}}.experiment()
}

// pickedBySeed returns the level that the rule picks of each seed's curves alone, in per cent; a seed's
// runs of ASGD are those of its turns.
func (w *largest) pickedBySeed() kit.Sample {
	out := make(kit.Sample, len(w.seeds))
	for seed := range out {
		var own [][][]train.Point
		for _, runs := range w.curves(timing.Judged) {
			var of [][]train.Point
			for i := seed; i < len(runs); i += len(w.seeds) {
				of = append(of, runs[i])
			}
			own = append(own, of)
		}
		out[seed] = float64(pickLevel(own).Picked)
	}
	return out
}

// levelsFrame holds the mean time to each candidate, where micro-blocks travel on one
// medium and where whole gradients do on a switch.
func (w *largest) levelsFrame(whole pickedLevel) result.Frame {
	s := kit.NewSheet("levels", "setting:setting level/% r ssgd-multicast/s.3 cssgd/s.3 asgd/s.3 spread/.3 picked")
	add := func(v timing.Variant, c pickedLevel) {
		r, _ := w.top.optimal(v)
		for _, l := range c.Levels {
			s.Add(v.Key, l.Percent, r, l.Seconds[0], l.Seconds[1], l.Seconds[2], l.Spread, l.Percent == c.Picked)
		}
	}
	add(timing.Judged, w.picked)
	add(timing.Ethernet, whole)
	return s.Frame
}

// reachedFrame holds the mean time to every level that all runs of an algorithm reach.
func (w *largest) reachedFrame() result.Frame {
	s := kit.NewSheet("reached", "method:method level/% seconds/s")
	curves := w.curves(timing.Judged)
	for i, m := range curveMethods[1:] {
		for percent := max(int(100*w.picked.Best)-4*levelsBelow, 1); percent <= int(100*w.picked.Best); percent++ {
			var at []float64
			for _, curve := range curves[i] {
				at = append(at, secondsTo(curve, float64(percent)/100))
			}
			if x := stat.Mean(at, nil); !math.IsNaN(x) {
				s.Add(m, percent, x)
			}
		}
	}
	return s.Frame
}
