package dasp

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
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

// sensitivity varies Smin, Smax, α, the spread of speeds and the server's link,
// one at a time.
func sensitivity() exp.Experiment {
	return kit.Study[turned, cell]{ID: "dasp/sensitivity", Source: "ours: the paper varies none of its parameters",
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
			k, p := knobs[slices.IndexFunc(knobs, func(k knob) bool { return k.key == t.Knob })], load(heterogeneous)
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

// knobRange holds DASP's times over a rival's along a knob.
type knobRange struct {
	knob, model, rival string
	ratios             []float64
}

func showKnobs(v *kit.View[turned, cell]) {
	var ranges []knobRange
	learning := map[string]string{} // what trainings say of a knob
	over := func(t turned, rival string) kit.Estimate {
		base := t
		base.Method = rival
		return kit.Each(v.At(t), perIteration).Over(kit.Each(v.At(base), perIteration))
	}
	for _, k := range knobs {
		value := kit.Num("value", k.unit, kit.AsIs, func(t turned) float64 { return t.Value })
		cols := []kit.Col[turned]{value, kit.Word("model", "model", func(t turned) string { return t.Model })}
		for _, b := range rivalsOf {
			col := kit.Mean[turned]
			if b == "bsp" {
				col = kit.Half[turned]
			}
			cols = append(cols, col(b, "", 3, func(t turned) kit.Estimate { return over(t, b) }))
			for _, m := range models {
				r := knobRange{knob: k.key, model: m, rival: b}
				for _, x := range k.at {
					r.ratios = append(r.ratios, over(turned{k.key, x, m, "dasp", false}, b).Value)
				}
				ranges = append(ranges, r)
			}
		}
		cols = append(append(cols, shareCols(1, v.At)...),
			kit.Mean("staleness", "versions", 2, func(t turned) kit.Estimate { return mean(v.At(t), staleness) }),
			kit.Count("spread", "versions", func(t turned) int64 { return widestSpread(v.At(t)) }))
		v.Frames = append(v.Frames, kit.Frame(k.key, k.points(false), cols...))
		v.Figures = append(v.Figures, result.Figure{ID: k.key + "-lines", Form: "line", Frame: k.key, Where: map[string]any{"model": models[0]},
			X: "value", Y: rivalsOf, Log: k.log})
		if learning[k.key] = "untrained"; k.options != nil {
			learning[k.key] = showLearning(v, k, value)
		}
	}
	v.Facts = sizeFacts(manyRows(v.Profile))
	v.Frames = append(v.Frames,
		kit.Frame("knobs", knobs,
			kit.Word("knob", "knob", func(k knob) string { return k.key }),
			kit.Num("reference", "", kit.AsIs, func(k knob) float64 { return k.reference }),
			kit.Word("learning", "learning", func(k knob) string { return learning[k.key] })),
		kit.Frame("ranges", ranges,
			kit.Word("knob", "knob", func(r knobRange) string { return r.knob }),
			kit.Word("model", "model", func(r knobRange) string { return r.model }),
			kit.Word("rival", "method", func(r knobRange) string { return r.rival }),
			kit.Num("smallest", "", 2, func(r knobRange) float64 { return slices.Min(r.ratios) }),
			kit.Num("largest", "", 2, func(r knobRange) float64 { return slices.Max(r.ratios) })))
}

// showLearning adds the trainings of k and returns what they say: whether the reference
// misses the target, or else whether any value's time to it can be told from the
// reference's.
func showLearning(v *kit.View[turned, cell], k knob, value kit.Col[turned]) string {
	s, base := manyRows(v.Profile), v.At(turned{k.key, k.reference, models[0], "dasp", true})
	kit.MadeOf(v.Result, base[0].Engine, base[0].Data)
	f := kit.Frame(k.key+"-learning", k.points(true), append([]kit.Col[turned]{value}, learningCols(s, v.At, base)...)...)
	f.Kind = result.Trained
	v.Frames = append(v.Frames, f)
	at := f.At("time_told")
	switch {
	case secondsAt(base, s.Target) == nil:
		return "missed"
	case slices.ContainsFunc(f.Rows, func(row []any) bool { return row[at] == true }):
		return "told"
	}
	return "silent"
}
