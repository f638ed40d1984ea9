package ringsparse

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// overlapPlan is what a profile compares.
type overlapPlan struct {
	Nodes  int     `json:"nodes"`
	Depths []int   `json:"depths"` // of stacks with dense gradients; one layer is the control
	Drawn  int     `json:"drawn"`  // the depth whose time line is drawn
	Link   float64 `json:"link"`   // Gb/s of the time line
}

func planOverlap(profile string) overlapPlan {
	p := overlapPlan{Nodes: 4, Depths: []int{1, 2, 4, 12, 36, 100}, Drawn: 12, Link: 25}
	if profile == "ci" {
		p.Depths = []int{1, 2, 4, 12}
	}
	return p
}

// pair is one network and link with overlap and without.
type pair struct {
	Title       string
	Layers      int
	First       float64 // share of the parameters in the first layer, whose gradient comes last
	Gbps        float64
	Way         string
	With, Plain float64 // seconds of an iteration
	Single      float64 // of one worker with nothing to exchange
}

// saved is the share of the iteration without overlap that overlap saves.
func (p pair) saved() float64 { return 1 - p.With/p.Plain }

// hidden is what overlap saves over what the exchange adds without it.
func (p pair) hidden() float64 { return (p.Plain - p.With) / (p.Plain - p.Single) }

// overlapWays are compared; P14 is about the first.
var overlapWays = []string{"ringsparse", "dense"}

// overlap compares iterations with and without overlap, and draws one.
func overlap() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/overlap", Title: "Exchange while the backward pass goes on", Source: "the patent, S13 and Fig. 3", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p, layers := planOverlap(profile), 3+3+41
		for _, d := range p.Depths {
			layers += d
		}
		return 0.3 + 0.1*float64(seeds) + float64(layers*2*p.Nodes*(p.Nodes-1)*len(links)*len(overlapWays)*2)/0.3e6
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planOverlap(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, nil)
		works, err := workloads(env)
		if err != nil {
			return res, err
		}
		for _, d := range plan.Depths {
			works = append(works, newStack(d, 1))
		}
		res.Config = map[string]any{"plan": plan, "platform": referencePlatform(), "links": links, "workloads": works, "ways": overlapWays, "width": stackWidth, "rows": stackRows, "seeds": env.Seeds}
		res.Data, res.Engine = works[0].images.data(), works[0].images.engineName
		b := exp.Bar{Env: env, Total: float64(len(works)*len(links)*len(overlapWays) + len(overlapWays))}
		var pairs []pair
		for i := range works {
			for _, g := range links {
				for _, key := range overlapWays {
					p, err := works[i].compare(ctx, plan.Nodes, g, key)
					if err != nil {
						return res, err
					}
					pairs = append(pairs, p)
					b.Step(works[i].Title + ", " + linkName(g))
				}
			}
		}
		for _, key := range []string{"dense", "ringsparse"} {
			f, err := timeLine(ctx, plan, key)
			if err != nil {
				return res, err
			}
			res.Figures = append(res.Figures, f)
			b.Step("time line")
		}
		res.Tables = []result.Table{pairTable(plan, pairs)}
		res.Figures = append(res.Figures, savedFigure(plan, pairs))
		res.Claims = []result.Claim{judgeOverlap(pairs)}
		res.Notes = overlapNotes(plan, pairs)
		res.Status = complete
		return res, nil
	}
	return e
}

// compare runs one iteration with and one without overlap.
func (w *workload) compare(ctx context.Context, n int, gbps float64, key string) (pair, error) {
	way := ways[wayIndex(key)]
	p := pair{Title: w.Title, Layers: len(w.Layers), First: float64(w.Layers[0].Length) / float64(w.params()), Gbps: gbps, Way: key}
	alone := leg{way: ways[wayIndex("dense")], gbps: gbps, nodes: 1}
	with := leg{way: way, gbps: gbps, nodes: n}
	plain := with
	plain.way.Options.NoOverlap = true
	for _, x := range []struct {
		leg  leg
		into *float64
	}{{alone, &p.Single}, {with, &p.With}, {plain, &p.Plain}} {
		l, err := w.run(ctx, x.leg)
		if err != nil {
			return p, err
		}
		*x.into = l.Seconds
	}
	return p, nil
}

// timeLine draws worker 0 of the drawn stack, with overlap above and without below.
func timeLine(ctx context.Context, plan overlapPlan, key string) (result.Figure, error) {
	way := ways[wayIndex(key)]
	w := newStack(plan.Drawn, 1)
	f := result.Figure{ID: "iteration-" + key, Title: fmt.Sprintf("One iteration of %d layers, %s, N = %d, %s", plan.Drawn, way.Title, plan.Nodes, linkName(plan.Link)), Kind: result.TimingOnly, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "worker 0"},
		Lanes:   []string{"computes, with overlap", "exchanges, with overlap", "computes, without", "exchanges, without"},
		Caption: "Worker 0, from the trace of a timing-only run. " + howScale() + "Gradients are dense. An exchange lasts from the layer's first byte to its last, waits for neighbours and the work of choosing included. The patent's own Fig. 3 is lost."}
	var ends, begins, computed [2]float64
	for i, plain := range []bool{false, true} {
		way.Options.NoOverlap = plain
		l, err := w.run(ctx, leg{way: way, gbps: plan.Link, nodes: plan.Nodes, trace: true})
		if err != nil {
			return f, err
		}
		bands := spans(l.Trace, w.Layers, 2*i)
		f.Bands = append(f.Bands, bands...)
		ends[i] = 1e3 * l.Seconds
		for _, b := range bands {
			switch {
			case b.State == "backward":
				computed[i] = max(computed[i], b.To)
			case b.State == "all-reduce" && (begins[i] == 0 || b.From < begins[i]):
				begins[i] = b.From
			}
		}
	}
	f.Alt = fmt.Sprintf("With overlap worker 0 exchanges from %.0f ms on, while its backward pass goes on to %.0f ms, and the iteration ends at %.0f ms. Without it the exchange begins at %.0f ms, after the backward pass, and the iteration ends at %.0f ms.", begins[0], computed[0], ends[0], begins[1], ends[1])
	return f, nil
}

// spans are the bands of rank 0: its device's stages in lane `lane`, the exchanges of
// its layers, from first byte to last, in the one below.
func spans(t *cluster.Trace, layers []cluster.Layer, lane int) []result.Band {
	var out []result.Band
	from, to := make([]float64, len(layers)), make([]float64, len(layers))
	stage := 0
	for _, s := range t.Spans {
		a, z := 1e3*s.From.Seconds(), 1e3*s.To.Seconds()
		switch {
		case s.Rank != 0:
		case s.Kind == cluster.SpanCompute:
			state, label := "update", "update"
			switch {
			case stage == 0:
				state, label = "forward", "forward pass"
			case stage <= len(layers):
				state, label = "backward", "backward pass of "+layers[len(layers)-stage].Name
			}
			out = append(out, result.Band{Lane: lane, From: a, To: z, State: state, Label: label})
			stage++
		case s.Kind == cluster.SpanSend || s.Kind == cluster.SpanRecv:
			if l := int(s.Tag); to[l] == 0 || a < from[l] {
				from[l] = a
			}
			to[s.Tag] = max(to[s.Tag], z)
		}
	}
	for l := len(layers) - 1; l >= 0; l-- {
		if to[l] > 0 {
			out = append(out, result.Band{Lane: lane + 1, From: from[l], To: to[l], State: "all-reduce", Label: "exchange of " + layers[l].Name})
		}
	}
	return out
}
