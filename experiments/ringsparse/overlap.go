package ringsparse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
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
	Work        string
	Layers      int
	First       float64 // share of the parameters in the first layer, whose gradient comes last
	Gbps        float64
	Way         string
	With, Plain float64 // seconds of an iteration
	Single      float64 // of one worker with nothing to exchange
}

// saved returns the share of the iteration without overlap that overlap saves.
func (p pair) saved() float64 { return 1 - p.With/p.Plain }

// hidden returns what overlap saves over what the exchange adds without it.
func (p pair) hidden() float64 { return (p.Plain - p.With) / (p.Plain - p.Single) }

// judged tells whether P14 is about p.
func (p pair) judged() bool { return p.Way == overlapWays[0] && p.Layers > 1 }

// overlapWays are compared; P14 is about the first.
var overlapWays = []string{"ringsparse", "dense"}

// overlap compares iterations with and without overlap, and draws one.
func overlap() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/overlap", Source: "the patent, S13 and Fig. 3", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			p, layers := planOverlap(profile), 3+3+41
			for _, d := range p.Depths {
				layers += d
			}
			return 0.3 + 0.1*float64(seeds) + float64(layers*2*p.Nodes*(p.Nodes-1)*len(links)*len(overlapWays)*2)/0.3e6
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planOverlap(profile), "platform": kit.Platform(referencePlatform()), "links": links, "ways": overlapWays,
				"width": stackWidth, "rows": stackRows}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan := planOverlap(env.Profile)
			works, err := openWorkloads(env, r)
			if err != nil {
				return err
			}
			for _, d := range plan.Depths {
				works = append(works, newStack(d, 1))
			}
			b := exp.Bar{Env: env, Total: float64(len(works)*len(links)*len(overlapWays) + len(overlapWays))}
			var pairs []pair
			for i := range works {
				for _, g := range links {
					for _, key := range overlapWays {
						p, err := works[i].compare(ctx, plan.Nodes, g, key)
						if err != nil {
							return err
						}
						pairs = append(pairs, p)
						b.Step(fmt.Sprintf("%s, %g Gb/s", works[i].Key, g))
					}
				}
			}
			var lines timeLines
			for _, key := range overlapWays {
				if err := lines.add(ctx, plan, key); err != nil {
					return err
				}
				b.Step("time line")
			}
			r.Facts = overlapFacts(plan, pairs)
			r.Frames = []result.Frame{pairFrame(pairs), lines.frame(), lines.momentFrame()}
			for _, key := range []string{"dense", "ringsparse"} {
				r.Figures = append(r.Figures, result.Figure{ID: "iteration-" + key, Form: "gantt", Frame: "bands", Where: map[string]any{"way": key},
					X: "from", Y: []string{"to"}, Lane: "lane", State: "state", Label: "layer"})
			}
			r.Figures = append(r.Figures, result.Figure{ID: "saved-by-depth", Form: "bar", Frame: "saved",
				Where: map[string]any{"work": "stack", "way": overlapWays[0]}, X: "layers", Y: []string{"saved"}, By: []string{"link"}})
			r.Claims = []result.Claim{judgeOverlap(pairs)}
			return nil
		}}.Experiment()
}

// compare runs one iteration with and one without overlap.
func (w *workload) compare(ctx context.Context, n int, gbps float64, key string) (pair, error) {
	p := pair{Work: w.Key, Layers: len(w.Layers), First: float64(w.Layers[0].Length) / float64(w.params()), Gbps: gbps, Way: key}
	with := leg{way: wayOf(key), gbps: gbps, nodes: n}
	plain := with
	plain.way.Options.NoOverlap = true
	for _, x := range []struct {
		leg  leg
		into *float64
	}{{leg{way: wayOf("dense"), gbps: gbps, nodes: 1}, &p.Single}, {with, &p.With}, {plain, &p.Plain}} {
		l, err := w.run(ctx, x.leg)
		if err != nil {
			return p, err
		}
		*x.into = l.Seconds
	}
	return p, nil
}

// band is a stretch of worker 0's time line, in ms.
type band struct {
	Way, Lane, State string
	Layer            string // "": none
	From, To         float64
}

// moment says when worker 0 exchanges first, ends its backward pass and is through, in ms.
type moment struct {
	Way                       string
	Overlap                   bool
	Begins, Computed, Through float64
}

// timeLines are worker 0's in the drawn stack, with overlap and without.
type timeLines struct {
	bands   []band
	moments []moment
}

func (t *timeLines) add(ctx context.Context, plan overlapPlan, key string) error {
	way := wayOf(key)
	w := newStack(plan.Drawn, 1)
	for _, plain := range []bool{false, true} {
		way.Options.NoOverlap = plain
		l, err := w.run(ctx, leg{way: way, gbps: plan.Link, nodes: plan.Nodes, trace: true})
		if err != nil {
			return err
		}
		m := moment{Way: key, Overlap: !plain, Through: 1e3 * l.Seconds}
		for _, b := range spans(l.Trace, len(w.Layers)) {
			switch {
			case b.State == "backward":
				m.Computed = max(m.Computed, b.To)
			case b.State == "all-reduce" && (m.Begins == 0 || b.From < m.Begins):
				m.Begins = b.From
			}
			if b.Way = key; plain {
				b.Lane += "-plain"
			}
			t.bands = append(t.bands, b)
		}
		t.moments = append(t.moments, m)
	}
	return nil
}

// spans returns the bands of rank 0: its device's stages, then the exchanges of its
// layers, from first byte to last.
func spans(t *cluster.Trace, layers int) (out []band) {
	from, to := make([]float64, layers), make([]float64, layers)
	stage := 0
	for _, s := range t.Spans {
		a, z := 1e3*s.From.Seconds(), 1e3*s.To.Seconds()
		switch {
		case s.Rank != 0:
		case s.Kind == cluster.SpanCompute:
			b := band{Lane: "computes", State: "update", From: a, To: z}
			switch {
			case stage == 0:
				b.State = "forward"
			case stage <= layers:
				b.State, b.Layer = "backward", fmt.Sprintf("layer%d", layers-stage+1)
			}
			out = append(out, b)
			stage++
		case s.Kind == cluster.SpanSend || s.Kind == cluster.SpanRecv:
			if l := int(s.Tag); to[l] == 0 || a < from[l] {
				from[l] = a
			}
			to[s.Tag] = max(to[s.Tag], z)
		}
	}
	for l := layers - 1; l >= 0; l-- {
		if to[l] > 0 {
			out = append(out, band{Lane: "exchanges", State: "all-reduce", Layer: fmt.Sprintf("layer%d", l+1), From: from[l], To: to[l]})
		}
	}
	return out
}

func (t *timeLines) frame() result.Frame {
	return kit.Rows("bands", "way:way lane:lane from/ms.1 to/ms.1 state:state layer", t.bands, func(b band) []any {
		return []any{b.Way, b.Lane, b.From, b.To, b.State, b.Layer}
	})
}

func (t *timeLines) momentFrame() result.Frame {
	return kit.Rows("moments", "way:way overlap:bool begins/ms.0 computed/ms.0 through/ms.0", t.moments,
		func(m moment) []any { return []any{m.Way, m.Overlap, m.Begins, m.Computed, m.Through} })
}

func pairFrame(pairs []pair) result.Frame {
	head := "work:work layers link/Gb/s way:way single/ms.2 plain/ms.2 with/ms.2 saved/%.1 hidden/%.1 first/%.0 computing/%.0 judged:bool pays:bool"
	return kit.Rows("saved", head, pairs, func(p pair) []any {
		return []any{p.Work, p.Layers, p.Gbps, p.Way, 1e3 * p.Single, 1e3 * p.Plain, 1e3 * p.With, 100 * p.saved(), 100 * p.hidden(),
			100 * p.First, 100 * p.Single / p.Plain, p.judged(), p.pays()}
	})
}

// pays tells whether overlap saves what P14 is to save.
func (p pair) pays() bool { return p.With/p.Plain <= 1-claims.Tolerance("P14") }

// extremes returns the judged pairs that overlap saves least and most of.
func extremes(pairs []pair) (least, most pair) {
	var these []pair
	for _, p := range pairs {
		if p.judged() {
			these = append(these, p)
		}
	}
	by := func(a, b pair) int { return cmp.Compare(a.saved(), b.saved()) }
	return slices.MinFunc(these, by), slices.MaxFunc(these, by)
}

// judgeOverlap judges P14 by RingSparse on every network of more than one layer at
// every link.
func judgeOverlap(pairs []pair) result.Claim {
	least, most := extremes(pairs)
	var parts []result.Part
	var failing []result.Reason
	for _, p := range pairs {
		if !p.judged() {
			continue
		}
		ok := p.pays()
		parts = append(parts, result.Part{Of: map[string]string{"work": p.Work, "depth": fmt.Sprint(p.Layers), "gbps": fmt.Sprint(p.Gbps)}, Value: 100 * p.saved(), Holds: &ok})
		if !ok {
			failing = append(failing, result.Because("P14-failing", "work", p.Work, "layers", p.Layers, "link", p.Gbps, "saved", 100*p.saved(),
				"first", 100*p.First, "computing", 100*p.Single/p.Plain))
		}
	}
	words := result.Because("P14-found", "least", 100*least.saved(), "most", 100*most.saved())
	found := claims.Holding(len(failing) == 0, 0, &words)
	found.Parts = parts
	found.Notes = []result.Reason{result.Because("P14", "good", len(parts)-len(failing), "of", len(parts), "wanted", 100*claims.Tolerance("P14"),
		"least", 100*least.saved(), "work", least.Work, "layers", least.Layers, "link", least.Gbps, "most", 100*most.saved())}
	if len(failing) > 0 {
		found.Notes = append(append(found.Notes, result.Because("P14-others")), failing...)
	}
	return claims.Verdict("P14", found)
}

// overlapFacts are findings, and the numbers of sentences that stand in no frame.
func overlapFacts(plan overlapPlan, pairs []pair) []result.Fact {
	out := kit.Facts("n", plan.Nodes, "depth.most", slices.Max(plan.Depths), "drawn", plan.Drawn, "drawn.link/Gb/s", plan.Link, "width", stackWidth,
		"rows", stackRows, "params/million.1", float64(stackWidth*(stackWidth+1))/1e6)
	least, most := extremes(pairs)
	for i, x := range []pair{least, most} {
		key := []string{"least", "most"}[i]
		out = append(out, kit.Facts(key+".saved/%.1", 100*x.saved(), key+".work:work", x.Work, key+".layers", x.Layers, key+".link/Gb/s", x.Gbps)...)
	}
	faster, of := denseFaster(pairs)
	return append(out, kit.Facts("dense.faster", faster, "cases", of)...)
}

// denseFaster counts the networks and links where the dense ring with overlap is
// faster than RingSparse with overlap.
func denseFaster(pairs []pair) (faster, of int) {
	for _, p := range pairs {
		if p.Way != overlapWays[0] {
			continue
		}
		of++
		for _, d := range pairs {
			if d.Way == "dense" && d.Work == p.Work && d.Layers == p.Layers && d.Gbps == p.Gbps && d.With < p.With {
				faster++
			}
		}
	}
	return faster, of
}
