package choices

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// knob is one parameter, varied alone around its reference. A knob of DASP leaves its rivals as they
// are, a knob of the cluster does not.
type knob struct {
	key, unit string
	at        []float64 // the values tried
	reference float64
	log       string // the logarithmic axis of its figure, "" for none
	options   func(o *rivals.Options, x float64)
	platform  func(p *cluster.Platform, x float64) *cluster.Platform
}

// knobs lists the parameters and their values, all fixed before the first run.
var knobs = []knob{
	{key: "smin", unit: "versions", at: []float64{0, 1, 2, 3, 4, 5}, reference: setup.Smin,
		options: func(o *rivals.Options, x float64) { o.Smin = int64(x) }},
	{key: "smax", unit: "versions", at: []float64{4, 5, 6, 8, 10, 15, 30}, reference: setup.Smax,
		options: func(o *rivals.Options, x float64) { o.Smax = int64(x) }},
	{key: "alpha", at: []float64{0, 0.25, 0.5, 0.75, 1, 2}, reference: setup.Alpha,
		options: func(o *rivals.Options, x float64) { o.Alpha = x }},
	{key: "heterogeneity", at: []float64{0, 0.5, 1, 1.5, 2}, reference: 1, platform: spreadSpeeds},
	{key: "server", unit: "Gb/s", at: []float64{1, 2.5, 5, 10, 25, 50, 100}, reference: 10, log: "x",
		platform: func(p *cluster.Platform, x float64) *cluster.Platform { return p.WithServerBandwidth(x * 1e9 / 8) }},
}

// spreadSpeeds raises the time factors of p's workers to the power h: 0 makes all as fast as the
// fastest, 1 leaves them, 2 squares their differences.
func spreadSpeeds(p *cluster.Platform, h float64) *cluster.Platform {
	fastest := 0.0
	for _, w := range p.Workers {
		fastest = max(fastest, w.FLOPS)
	}
	return p.WithHosts(func(w *cluster.Host, server bool) {
		if !server {
			w.FLOPS = fastest / math.Pow(fastest/w.FLOPS, h)
		}
	})
}

// rivalsOf lists the methods that DASP's time is compared with, fastest kind first.
var rivalsOf = []string{"asp", "dssp", "ssp", "bsp"}

// knobPoint is a point of dasp/sensitivity: a method at a value of a knob, either timed or, with
// LeNet-5, trained.
type knobPoint struct {
	Knob          string
	Value         float64
	Model, Method string
	Trained       bool
}

// trainedAt returns the values of k at which LeNet-5 is trained: in quick the ends and the reference,
// else all.
func (k knob) trainedAt(profile string) []float64 {
	if profile != "quick" {
		return k.at
	}
	return []float64{k.at[0], k.reference, k.at[len(k.at)-1]}
}

// points returns DASP at each value of k: with LeNet-5 if trained, else with every network.
func (k knob) points(profile string, trained bool) (out []knobPoint) {
	values := k.at
	if trained {
		values = k.trainedAt(profile)
	}
	for _, x := range values {
		for _, m := range setup.Models {
			if !trained || m == setup.Models[0] {
				out = append(out, knobPoint{k.key, x, m, "dasp", trained})
			}
		}
	}
	return out
}

// sensitivity varies Smin, Smax, α, the spread of speeds and the server's link, one at a time.
func sensitivity() exp.Experiment {
	return kit.Study[knobPoint, setup.Summary]{ID: "dasp/sensitivity", Source: "ours",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(profile string) (out []knobPoint) {
			for _, k := range knobs {
				for _, t := range k.points(profile, false) {
					for _, t.Method = range setup.Methods {
						out = append(out, t)
					}
				}
				if k.options != nil {
					out = append(out, k.points(profile, true)...)
				}
			}
			return out
		},
		Cost: func(profile string, t knobPoint) (string, float64) {
			if s := manyRows(profile); t.Trained {
				return "training", s.Seconds(s.Pushes)
			}
			return "timing", 0.02
		},
		Config: func(profile string) map[string]any {
			values, trained := map[string][]float64{}, map[string][]float64{}
			for _, k := range knobs {
				if values[k.key] = k.at; k.options != nil {
					trained[k.key] = k.trainedAt(profile)
				}
			}
			return map[string]any{"platform": kit.Platform(setup.Load(setup.Heterogeneous)), "options": setup.Options(), "batch": setup.FullBatch,
				"size": manyRows(profile), "knobs": values, "trained": trained}
		},
		Measure: func(ctx context.Context, env exp.Env, t knobPoint, seed uint64) (setup.Summary, error) {
			k, p := kit.Find(knobs, func(k knob) bool { return k.key == t.Knob }), setup.Load(setup.Heterogeneous)
			if k.platform != nil {
				p = k.platform(p, t.Value)
			}
			cfg := setup.Timing(p, t.Method, t.Model, seed)
			if t.Trained {
				cfg = setup.Training(p, t.Method, seed, manyRows(env.Profile))
			}
			if k.options != nil && t.Method == "dasp" {
				k.options(cfg.Options, t.Value)
			}
			return setup.Run(ctx, env, cfg)
		},
		Show: showKnobs}.Experiment()
}

func showKnobs(v *kit.View[knobPoint, setup.Summary]) {
	all := kit.NewSheet("knobs", "knob:knob reference learning:learning")
	ranges := kit.NewSheet("ranges", "knob:knob model:model rival:method smallest/.2 largest/.2")
	over := func(t knobPoint, rival string) kit.Estimate {
		base := t
		base.Method = rival
		return kit.Each(v.At(t), setup.PerIteration).Over(kit.Each(v.At(base), setup.PerIteration))
	}
	for _, k := range knobs {
		s := kit.NewSheet(k.key, "value/"+k.unit+" model:model asp/.3 dssp/.3 ssp/.3 bsp±/.3 "+
			"QIS/%.1 WSS/%.1 FSS/%.1 staleness/versions.2 spread/versions")
		for _, t := range k.points(v.Profile, false) {
			row := []any{t.Value, t.Model}
			for _, b := range rivalsOf {
				row = append(row, over(t, b))
			}
			row = append(row, setup.Shares(v.At(t))...)
			s.Add(append(row, kit.Each(v.At(t), setup.MeanStaleness).Mean(), setup.WidestSpread(v.At(t)))...)
		}
		v.Frames = append(v.Frames, s.Frame)
		for _, b := range rivalsOf {
			for _, m := range setup.Models {
				lo, hi := kit.Extent(k.at, func(x float64) float64 { return over(knobPoint{k.key, x, m, "dasp", false}, b).Value })
				ranges.Add(k.key, m, b, lo, hi)
			}
		}
		v.Figures = append(v.Figures, result.Figure{ID: k.key + "-lines", Form: "line", Frame: k.key, Where: map[string]any{"model": setup.Models[0]},
			X: "value", Y: rivalsOf, Log: k.log})
		learning := "untrained"
		if k.options != nil {
			learning = showLearning(v, k)
		}
		all.Add(k.key, k.reference, learning)
	}
	v.Facts = append(sizeFacts(manyRows(v.Profile)), kit.Facts("fewer", v.Profile == "quick")...)
	v.Frames = append(v.Frames, all.Frame, ranges.Frame)
}

// showLearning adds the trainings of k and returns a key for what they show: the reference misses
// the target, some value's time to it can be told from the reference's, or neither.
func showLearning(v *kit.View[knobPoint, setup.Summary], k knob) string {
	target, base := manyRows(v.Profile).Target, v.At(knobPoint{k.key, k.reference, setup.Models[0], "dasp", true})
	kit.MadeOf(v.Result, base[0].Engine, base[0].Data)
	s := kit.NewSheet(k.key+"-learning", "value/"+k.unit+learningColumns)
	for _, t := range k.points(v.Profile, true) {
		s.Add(learningCells(target, v.At(t), base, t.Value)...)
	}
	v.Frames = append(v.Frames, kit.As(result.Trained, s.Frame))
	at := s.At("time_told")
	switch {
	case setup.SecondsAt(base, target) == nil:
		return "missed"
	case slices.ContainsFunc(s.Rows, func(row []any) bool { return row[at] == true }):
		return "told"
	}
	return "silent"
}

// manyRows returns LeNet-5's size for tables of many rows: in standard half as many gradients.
func manyRows(profile string) setup.Size {
	s := setup.SizeOf(profile, "lenet5")
	if profile == "standard" {
		s.Pushes, s.Target = 3750, 0.95
	}
	return s
}

// sizeFacts returns Settings and how the network of s is trained.
func sizeFacts(s setup.Size) []result.Fact {
	return append(setup.Settings(), kit.Facts("target/%", 100*s.Target, "batch", s.Batch, "rate", s.Rate, "gradients", s.Pushes,
		"timed_gradients", setup.Workers*setup.PerWorker)...)
}

// learningColumns heads a sheet that compares trainings with base trainings: time to the target,
// accuracy, and whether their intervals tell them from the base's.
const learningColumns = " seconds/s.3 ratio~/.3 pushes/.0 accuracy/%.2 difference±/points.2 missed time_told accuracy_told"

// learningCells appends the cells of learningColumns to the first cells of a row; runs and base
// are paired by seed.
func learningCells(target float64, runs, base []setup.Summary, first ...any) []any {
	seconds, gained := setup.SecondsAt(runs, target), make(kit.Sample, len(base))
	for i, c := range runs {
		gained[i] = 100 * (c.Accuracy - base[i].Accuracy)
	}
	ratio, difference := seconds.Over(setup.SecondsAt(base, target)), gained.Mean()
	told := func(e kit.Estimate, null float64) bool { return e.CI != nil && e.Excludes(null) }
	accuracy := kit.Each(runs, func(c setup.Summary) float64 { return 100 * c.Accuracy }).Mean()
	return append(first, seconds.Mean(), ratio, setup.PushesAt(runs, target).Mean(), accuracy, difference, seconds == nil,
		told(ratio, 1), told(difference, 0))
}

// switchRow changes one choice of our reconstruction and leaves the others.
type switchRow struct {
	key string
	set func(*rivals.Options)
}

// literalFSS is the key of the switch that D59 is judged by.
const literalFSS = "fss-literal"

var switchRows = []switchRow{
	{"default", func(*rivals.Options) {}},
	{"wait-absolute", func(o *rivals.Options) { o.Wait = "absolute" }},
	{"wait-convex", func(o *rivals.Options) { o.Wait = "convex" }},
	{"wait-oldest", func(o *rivals.Options) { o.Wait = "oldest" }},
	{"duration-iteration", func(o *rivals.Options) { o.Duration = "iteration" }},
	{"gap-post", func(o *rivals.Options) { o.Gap = "post" }},
	{literalFSS, func(o *rivals.Options) { o.FSS = "literal" }},
	{"arrivals-join", func(o *rivals.Options) { o.Arrivals = "join" }},
	{"qis-weight-1", func(o *rivals.Options) { o.QISWeight = "1" }},
	{"group-weight-1-n", func(o *rivals.Options) { o.GroupWeight = "1/N" }},
}

// switchRuns holds LeNet-5 timed and trained with one switch.
type switchRuns struct{ Timed, Trained setup.Summary }

// switches compares each choice of our reconstruction with the default, one at a time, and judges
// D59 by Algorithm 1 as printed. A point is the key of a switch.
func switches() exp.Experiment {
	return kit.Study[string, switchRuns]{ID: "dasp/switches", Source: "ours",
		Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(string) []string { return kit.Map(switchRows, func(r switchRow) string { return r.key }) },
		Cost: func(profile, key string) (string, float64) {
			s := manyRows(profile)
			return key, 0.05 + s.Seconds(s.Pushes)
		},
		Config: func(profile string) map[string]any {
			set := map[string]any{}
			for _, row := range switchRows {
				o := setup.Options()
				row.set(&o)
				set[row.key] = o
			}
			return map[string]any{"platform": kit.Platform(setup.Load(setup.Heterogeneous)), "switches": set,
				"size": manyRows(profile), "clock_batch": setup.FullBatch}
		},
		Measure: func(ctx context.Context, env exp.Env, key string, seed uint64) (x switchRuns, err error) {
			o := setup.Options()
			kit.Find(switchRows, func(r switchRow) bool { return r.key == key }).set(&o)
			run := func(cfg train.Config) (setup.Summary, error) {
				cfg.Options = &o
				return setup.Run(ctx, env, cfg)
			}
			if x.Timed, err = run(setup.Timing(setup.Load(setup.Heterogeneous), "dasp", "lenet5", seed)); err == nil {
				x.Trained, err = run(setup.Training(setup.Load(setup.Heterogeneous), "dasp", seed, manyRows(env.Profile)))
			}
			return x, err
		},
		Show: showSwitches}.Experiment()
}

func showSwitches(v *kit.View[string, switchRuns]) {
	timed := func(r switchRow) []setup.Summary {
		return kit.Map(v.At(r.key), func(x switchRuns) setup.Summary { return x.Timed })
	}
	trained := func(r switchRow) []setup.Summary {
		return kit.Map(v.At(r.key), func(x switchRuns) setup.Summary { return x.Trained })
	}
	base := switchRows[0]
	times := func(row switchRow) kit.Sample { return kit.Each(timed(row), setup.PerIteration) }
	events := kit.NewSheet("switches", "switch:switch paper:evidence iteration/ms.2 ratio~/.3 QIS/%.2 WSS/%.2 FSS/%.2 gap/versions spread/versions")
	learning := kit.NewSheet("learning", "switch:switch"+learningColumns)
	for _, r := range switchRows {
		row := append([]any{r.key, r.key, times(r).Mean().Times(1e3), times(r).Over(times(base))}, setup.Shares(timed(r))...)
		events.Add(append(row, setup.Gaps(timed(r)).Max(), setup.WidestSpread(timed(r)))...)
		learning.Add(learningCells(manyRows(v.Profile).Target, trained(r), trained(base), r.key)...)
	}
	v.Frames = []result.Frame{kit.As(result.TimingOnly, events.Frame), learning.Frame}
	kit.MadeOf(v.Result, trained(base)[0].Engine, trained(base)[0].Data)
	intervals, target := 0, manyRows(v.Profile).Target
	for _, r := range switchRows[1:] { // of accuracies, and of times where every seed reaches the target
		if len(v.Seeds) > 1 {
			intervals++
		}
		if setup.SecondsAt(trained(r), target).Over(setup.SecondsAt(trained(base), target)).CI != nil {
			intervals++
		}
	}
	v.Facts = append(sizeFacts(manyRows(v.Profile)), kit.Facts("intervals", intervals,
		"one_seed", len(v.Seeds) == 1)...)
	v.Claims = []result.Claim{withinSmax(timed(kit.Find(switchRows, func(r switchRow) bool { return r.key == literalFSS })))}
}

// withinSmax judges D59 for Algorithm 1 as printed, by the seed of the widest spread: it is said of all
// version differences. The part holds each seed's.
func withinSmax(runs []setup.Summary) result.Claim {
	widest := setup.WidestSpread(runs)
	words := result.Because("D59", "spread", widest, "smax", setup.Smax)
	f := claims.Holding(widest <= setup.Smax, len(runs), &words)
	f.Cluster, f.Network = setup.Heterogeneous, "lenet5"
	part := kit.Part(float64(widest), widest <= setup.Smax, "model", f.Network)
	part.Samples = kit.Each(runs, func(c setup.Summary) float64 { return float64(setup.WidestSpread([]setup.Summary{c})) })
	f.Parts = []result.Part{part}
	f.Notes = []result.Reason{result.Because("D59-literal", "seeds", len(runs), "spread", widest, "smax", setup.Smax, "bound", setup.Smax+setup.Workers-2)}
	return claims.Verdict("D59", f)
}
