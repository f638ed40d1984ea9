package dasp

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// knob is one parameter, varied alone around the reference. Knobs of DASP leave
// its rivals as they are; those of the cluster do not.
type knob struct {
	key, unit string
	at        []float64 // the values tried
	reference float64
	log       string // the axis of a figure that is logarithmic
	options   func(o *rivals.Options, x float64)
	platform  func(p *cluster.Platform, x float64) *cluster.Platform
}

// knobs were fixed with their values before the first run.
var knobs = []knob{
	{key: "smin", unit: "versions", at: []float64{0, 1, 2, 3, 4, 5}, reference: smin,
		options: func(o *rivals.Options, x float64) { o.Smin = int64(x) }},
	{key: "smax", unit: "versions", at: []float64{4, 5, 6, 8, 10, 15, 30}, reference: smax,
		options: func(o *rivals.Options, x float64) { o.Smax = int64(x) }},
	{key: "alpha", at: []float64{0, 0.25, 0.5, 0.75, 1, 2}, reference: alpha,
		options: func(o *rivals.Options, x float64) { o.Alpha = x }},
	{key: "heterogeneity", at: []float64{0, 0.5, 1, 1.5, 2}, reference: 1, platform: spreadSpeeds},
	{key: "server", unit: "Gb/s", at: []float64{1, 2.5, 5, 10, 25, 50, 100}, reference: 10, log: "x",
		platform: func(p *cluster.Platform, x float64) *cluster.Platform { return p.WithServerBandwidth(x * 1e9 / 8) }},
}

// spreadSpeeds raises the time factors of p's workers to the power h: 0 makes
// all as fast as the fastest, 1 leaves them, 2 squares their differences.
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

// rivalsOf lists whom DASP's time is set beside, fastest kind first.
var rivalsOf = []string{"asp", "dssp", "ssp", "bsp"}

// turned is a method at a value of a knob: timed, or LeNet-5 trained by it.
type turned struct {
	Knob          string
	Value         float64
	Model, Method string
	Trained       bool
}

// points returns DASP's at each value: of LeNet-5 trained, or of every network timed.
func (k knob) points(trained bool) (out []turned) {
	for _, x := range k.at {
		for _, m := range models {
			if !trained || m == models[0] {
				out = append(out, turned{k.key, x, m, "dasp", trained})
			}
		}
	}
	return out
}

// sensitivity varies Smin, Smax, α, the spread of speeds and the server's link, one at a time.
func sensitivity() exp.Experiment {
	return kit.Study[turned, cell]{ID: "dasp/sensitivity", Source: "ours",
		Kind: result.TimingOnly, Profiles: exp.Profiles,
		Points: func(string) (out []turned) {
			for _, k := range knobs {
				for _, t := range k.points(false) {
					for _, t.Method = range methods {
						out = append(out, t)
					}
				}
				if k.options != nil {
					out = append(out, k.points(true)...)
				}
			}
			return out
		},
		Cost: func(profile string, t turned) (string, float64) {
			if s := manyRows(profile); t.Trained {
				return "training", s.seconds(s.Pushes)
			}
			return "timing", 0.02
		},
		Config: func(profile string) map[string]any {
			values := map[string][]float64{}
			for _, k := range knobs {
				values[k.key] = k.at
			}
			return map[string]any{"platform": kit.Platform(load(heterogeneous)), "options": options(), "batch": fullBatch,
				"size": manyRows(profile), "knobs": values}
		},
		Measure: func(ctx context.Context, env exp.Env, t turned, seed uint64) (cell, error) {
			k, p := kit.Find(knobs, func(k knob) bool { return k.key == t.Knob }), load(heterogeneous)
			if k.platform != nil {
				p = k.platform(p, t.Value)
			}
			cfg := timing(p, t.Method, t.Model, seed)
			if t.Trained {
				cfg = training(p, t.Method, seed, manyRows(env.Profile))
			}
			if k.options != nil && t.Method == "dasp" {
				k.options(cfg.Options, t.Value)
			}
			return cellOf(ctx, env, cfg)
		},
		Show: showKnobs}.Experiment()
}

func showKnobs(v *kit.View[turned, cell]) {
	all := kit.NewSheet("knobs", "knob:knob reference learning:learning")
	ranges := kit.NewSheet("ranges", "knob:knob model:model rival:method smallest/.2 largest/.2")
	over := func(t turned, rival string) kit.Estimate {
		base := t
		base.Method = rival
		return kit.Each(v.At(t), perIteration).Over(kit.Each(v.At(base), perIteration))
	}
	for _, k := range knobs {
		s := kit.NewSheet(k.key, "value/"+k.unit+" model:model asp/.3 dssp/.3 ssp/.3 bsp±/.3 "+
			"QIS/%.1 WSS/%.1 FSS/%.1 staleness/versions.2 spread/versions")
		for _, t := range k.points(false) {
			row := []any{t.Value, t.Model}
			for _, b := range rivalsOf {
				row = append(row, over(t, b))
			}
			row = append(row, shares(v.At(t))...)
			s.Add(append(row, mean(v.At(t), staleness), widestSpread(v.At(t)))...)
		}
		v.Frames = append(v.Frames, s.Frame)
		for _, b := range rivalsOf {
			for _, m := range models {
				lo, hi := kit.Extent(k.at, func(x float64) float64 { return over(turned{k.key, x, m, "dasp", false}, b).Value })
				ranges.Add(k.key, m, b, lo, hi)
			}
		}
		v.Figures = append(v.Figures, result.Figure{ID: k.key + "-lines", Form: "line", Frame: k.key, Where: map[string]any{"model": models[0]},
			X: "value", Y: rivalsOf, Log: k.log})
		learning := "untrained"
		if k.options != nil {
			learning = showLearning(v, k)
		}
		all.Add(k.key, k.reference, learning)
	}
	v.Facts = sizeFacts(manyRows(v.Profile))
	v.Frames = append(v.Frames, all.Frame, ranges.Frame)
}

// showLearning adds the trainings of k and returns what they say: whether the reference misses
// the target, or else whether any value's time to it can be told from the reference's.
func showLearning(v *kit.View[turned, cell], k knob) string {
	target, base := manyRows(v.Profile).Target, v.At(turned{k.key, k.reference, models[0], "dasp", true})
	kit.MadeOf(v.Result, base[0].Engine, base[0].Data)
	s := kit.NewSheet(k.key+"-learning", "value/"+k.unit+learningColumns)
	for _, t := range k.points(true) {
		s.Add(learningCells(target, v.At(t), base, t.Value)...)
	}
	v.Frames = append(v.Frames, kit.As(result.Trained, s.Frame))
	at := s.At("time_told")
	switch {
	case secondsAt(base, target) == nil:
		return "missed"
	case slices.ContainsFunc(s.Rows, func(row []any) bool { return row[at] == true }):
		return "told"
	}
	return "silent"
}

// switchRow changes one reconstruction choice alone.
type switchRow struct {
	key string
	set func(*rivals.Options)
}

// literalFSS is the switch that D59 is judged by.
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

// switched is LeNet-5 timed and trained with one switch.
type switched struct{ Timed, Trained cell }

// switches shows each reconstruction choice alone against the default, and judges D59 by
// the literal form. A point is the key of a switch.
func switches() exp.Experiment {
	return kit.Study[string, switched]{ID: "dasp/switches", Source: "ours",
		Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(string) []string { return kit.Map(switchRows, func(r switchRow) string { return r.key }) },
		Cost: func(profile, key string) (string, float64) {
			s := manyRows(profile)
			return key, 0.05 + s.seconds(s.Pushes)
		},
		Config: func(profile string) map[string]any {
			set := map[string]any{}
			for _, row := range switchRows {
				o := options()
				row.set(&o)
				set[row.key] = o
			}
			return map[string]any{"platform": kit.Platform(load(heterogeneous)), "switches": set, "size": manyRows(profile), "clock_batch": fullBatch}
		},
		Measure: func(ctx context.Context, env exp.Env, key string, seed uint64) (x switched, err error) {
			o := options()
			kit.Find(switchRows, func(r switchRow) bool { return r.key == key }).set(&o)
			run := func(cfg train.Config) (cell, error) {
				cfg.Options = &o
				return cellOf(ctx, env, cfg)
			}
			if x.Timed, err = run(timing(load(heterogeneous), "dasp", "lenet5", seed)); err == nil {
				x.Trained, err = run(training(load(heterogeneous), "dasp", seed, manyRows(env.Profile)))
			}
			return x, err
		},
		Show: showSwitches}.Experiment()
}

func showSwitches(v *kit.View[string, switched]) {
	timed := func(r switchRow) []cell { return kit.Map(v.At(r.key), func(x switched) cell { return x.Timed }) }
	trained := func(r switchRow) []cell { return kit.Map(v.At(r.key), func(x switched) cell { return x.Trained }) }
	base := switchRows[0]
	times := func(row switchRow) kit.Sample { return kit.Each(timed(row), perIteration) }
	events := kit.NewSheet("switches", "switch:switch paper:evidence iteration/ms.2 ratio~/.3 QIS/%.2 WSS/%.2 FSS/%.2 gap/versions spread/versions")
	learning := kit.NewSheet("learning", "switch:switch"+learningColumns)
	for _, r := range switchRows {
		row := append([]any{r.key, r.key, times(r).Mean().Times(1e3), times(r).Over(times(base))}, shares(timed(r))...)
		events.Add(append(row, gaps(timed(r)).Max(), widestSpread(timed(r)))...)
		learning.Add(learningCells(manyRows(v.Profile).Target, trained(r), trained(base), r.key)...)
	}
	v.Frames = []result.Frame{kit.As(result.TimingOnly, events.Frame), learning.Frame}
	kit.MadeOf(v.Result, trained(base)[0].Engine, trained(base)[0].Data)
	intervals, target := 0, manyRows(v.Profile).Target
	for _, r := range switchRows[1:] { // of accuracies, and of times where every seed reaches the target
		if len(v.Seeds) > 1 {
			intervals++
		}
		if secondsAt(trained(r), target).Over(secondsAt(trained(base), target)).CI != nil {
			intervals++
		}
	}
	v.Facts = append(sizeFacts(manyRows(v.Profile)), kit.Counted("intervals", "", intervals), kit.Whether("one_seed", len(v.Seeds) == 1))
	v.Claims = []result.Claim{withinSmax(timed(kit.Find(switchRows, func(r switchRow) bool { return r.key == literalFSS })))}
}

// withinSmax judges D59 for Algorithm 1 as printed.
func withinSmax(cells []cell) result.Claim {
	widest := widestSpread(cells)
	words := result.Because("D59", "spread", widest, "smax", smax)
	f := claims.Holding(widest <= smax, len(cells), &words)
	f.Cluster, f.Network = heterogeneous, "lenet5"
	f.Notes = []result.Reason{result.Because("D59-literal", "seeds", len(cells), "spread", widest, "smax", smax, "bound", smax+workers-2)}
	return claims.Verdict("D59", f)
}
