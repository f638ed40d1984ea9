package dasp

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// knob is one parameter, varied alone around the reference. Knobs of DASP leave
// its rivals as they are; those of the cluster do not.
type knob struct {
	key, title, unit string
	at               []float64 // the values tried
	reference        float64
	log              bool
	options          func(o *rivals.Options, x float64)
	platform         func(p *cluster.Platform, x float64) *cluster.Platform
}

// knobs were fixed with their values before the first run.
var knobs = []knob{
	{key: "smin", title: "Smin", unit: "versions", at: []float64{0, 1, 2, 3, 4, 5}, reference: smin,
		options: func(o *rivals.Options, x float64) { o.Smin = int64(x) }},
	{key: "smax", title: "Smax", unit: "versions", at: []float64{4, 5, 6, 8, 10, 15, 30}, reference: smax,
		options: func(o *rivals.Options, x float64) { o.Smax = int64(x) }},
	{key: "alpha", title: "α", at: []float64{0, 0.25, 0.5, 0.75, 1, 2}, reference: alpha,
		options: func(o *rivals.Options, x float64) { o.Alpha = x }},
	{key: "heterogeneity", title: "heterogeneity h", at: []float64{0, 0.5, 1, 1.5, 2}, reference: 1, platform: spreadSpeeds},
	{key: "server", title: "server's link", unit: "Gb/s", at: []float64{1, 2.5, 5, 10, 25, 50, 100}, reference: 10, log: true,
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

// sensitivity varies Smin, Smax, α, the spread of speeds and the server's link,
// one at a time.
func sensitivity() exp.Experiment {
	e := exp.Experiment{ID: "dasp/sensitivity", Title: "Sensitivity to thresholds, α, heterogeneity and the server's link",
		Source: "ours: the paper varies none of its parameters", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) (total float64) {
		s := manyRows(profile)
		for _, k := range knobs {
			runs := len(models)
			if k.platform != nil {
				runs *= len(methods)
			} else {
				total += s.seconds(s.Pushes) * float64(seeds*len(k.at))
			}
			total += 0.02 * float64(seeds*runs*len(k.at))
		}
		return total
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: e.Seconds(env.Profile, len(env.Seeds))}
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"platform": load(heterogeneous), "options": options(), "batch": fullBatch,
			"size": manyRows(env.Profile), "knobs": knobValues(), "seeds": env.Seeds})
		for _, k := range knobs {
			sw, err := r.sweepKnob(k)
			if err != nil {
				return incomplete(res), err
			}
			res.Tables = append(res.Tables, sw.table())
			res.Figures = append(res.Figures, sw.figure())
			if k.options != nil {
				learned, err := r.learnKnob(k)
				if err != nil {
					return incomplete(res), err
				}
				res.Tables = append(res.Tables, learned.table())
				res.Data, res.Engine = learned.cells[0][0].Data, learned.cells[0][0].Engine
				res.Notes = append(res.Notes, learned.note())
			}
			res.Notes = append(res.Notes, sw.note())
		}
		res.Status = complete
		return res, nil
	}
	return e
}

// knobValues is what the result records of the sweep.
func knobValues() map[string][]float64 {
	out := map[string][]float64{}
	for _, k := range knobs {
		out[k.key] = k.at
	}
	return out
}

// swept is a knob's timing-only runs: [value][model][method][seed].
type swept struct {
	knob
	grids []grid
}

func (r *runs) sweepKnob(k knob) (swept, error) {
	out := swept{knob: k}
	for _, x := range k.at {
		p := load(heterogeneous)
		if k.platform != nil {
			p = k.platform(p, x)
		}
		g := grid{}
		for _, m := range models {
			g[m] = map[string][]cell{}
			for _, method := range methods {
				for _, seed := range r.env.Seeds {
					cfg := timing(p, method, m, seed)
					if k.options != nil && method == "dasp" {
						o := options()
						k.options(&o, x)
						cfg.Options = &o
					}
					c, err := r.get(fmt.Sprintf("%s = %g, %s, %s", k.title, x, title[m], title[method]), 0.02, cfg)
					if err != nil {
						return out, err
					}
					g[m][method] = append(g[m][method], c)
				}
			}
		}
		out.grids = append(out.grids, g)
	}
	return out, nil
}

// learnedKnob is LeNet-5 trained by DASP at each value: [value][seed].
type learnedKnob struct {
	knob
	s     size
	cells [][]cell
}

func (r *runs) learnKnob(k knob) (learnedKnob, error) {
	out := learnedKnob{knob: k, s: manyRows(r.env.Profile)}
	for _, x := range k.at {
		var cells []cell
		for _, seed := range r.env.Seeds {
			cfg := training(load(heterogeneous), "dasp", seed, out.s)
			o := options()
			k.options(&o, x)
			cfg.Options = &o
			c, err := r.get(fmt.Sprintf("training: %s = %g", k.title, x), out.s.seconds(out.s.Pushes), cfg)
			if err != nil {
				return out, err
			}
			cells = append(cells, c)
		}
		out.cells = append(out.cells, cells)
	}
	return out, nil
}
