package scaling

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
)

// overlapPlan holds what a profile compares.
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

// overlapped is one network and link with overlap and without.
type overlapped struct {
	Work        string
	Layers      int
	First       float64 // share of the parameters in the first layer, whose gradient comes last
	Gbps        float64
	Way         string
	With, Plain float64 // seconds of an iteration
	Single      float64 // of one worker with nothing to exchange
}

// saved returns the share of the iteration without overlap that overlap saves.
func (p overlapped) saved() float64 { return 1 - p.With/p.Plain }

// hidden returns the seconds that overlap saves over the seconds that the exchange adds without
// it.
func (p overlapped) hidden() float64 { return (p.Plain - p.With) / (p.Plain - p.Single) }

// judged reports whether P14 is about p.
func (p overlapped) judged() bool { return p.Way == overlapWays[0] && p.Layers > 1 }

// overlapWays are compared; P14 is about the first.
var overlapWays = []string{"ringsparse", "dense"}

// Overlap compares iterations with and without overlap, and draws one.
func Overlap() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/overlap", Source: "the patent, S13 and Fig. 3", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			p, layers := planOverlap(profile), 3+3+41
			for _, d := range p.Depths {
				layers += d
			}
			return 0.3 + 0.1*float64(seeds) + float64(layers*2*p.Nodes*(p.Nodes-1)*len(setup.Links)*len(overlapWays)*2)/0.3e6
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planOverlap(profile), "platform": kit.Platform(setup.Platform()), "links": setup.Links, "ways": overlapWays,
				"width": setup.StackWidth, "rows": setup.StackRows}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan := planOverlap(env.Profile)
			works, err := setup.OpenNetworks(env, r)
			if err != nil {
				return err
			}
			for _, d := range plan.Depths {
				works = append(works, setup.Stack(d, 1))
			}
			b := exp.Bar{Env: env, Total: float64(len(works)*len(setup.Links)*len(overlapWays) + len(overlapWays))}
			var pairs []overlapped
			for _, w := range works {
				for _, g := range setup.Links {
					these, err := kit.Sweep(&b, overlapWays, func(key string) (overlapped, error) { return compare(ctx, w, plan.Nodes, g, key) })
					if err != nil {
						return err
					}
					pairs = append(pairs, these...)
				}
			}
			bands, moments, err := timeLines(ctx, plan, &b)
			if err != nil {
				return err
			}
			r.Facts = overlapFacts(plan, pairs)
			r.Frames = []result.Frame{overlappedFrame(pairs), bands, moments}
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
func compare(ctx context.Context, w setup.Network, n int, gbps float64, key string) (overlapped, error) {
	p := overlapped{Work: w.Key, Layers: len(w.Layers), First: float64(w.Layers[0].Length) / float64(w.NumParams()), Gbps: gbps, Way: key}
	with := setup.Case{Way: setup.WayOf(key), Gbps: gbps, Nodes: n}
	plain := with
	plain.Way.Options.NoOverlap = true
	for i, x := range []setup.Case{{Way: setup.WayOf("dense"), Gbps: gbps, Nodes: 1}, with, plain} {
		l, err := w.Run(ctx, x)
		if err != nil {
			return p, err
		}
		*[]*float64{&p.Single, &p.With, &p.Plain}[i] = l.Seconds
	}
	return p, nil
}

// timeLines returns what worker 0 does in the drawn stack, with overlap and without, and
// when it exchanges first, ends its backward pass and is through, in ms.
func timeLines(ctx context.Context, plan overlapPlan, b *exp.Bar) (bands, moments result.Frame, err error) {
	all := kit.NewSheet("bands", "way:way lane:lane from/ms.1 to/ms.1 state:state layer")
	first := kit.NewSheet("moments", "way:way overlap:bool begins/ms.0 computed/ms.0 through/ms.0")
	w := setup.Stack(plan.Drawn, 1)
	var layers []string
	for _, l := range w.Layers {
		layers = append(layers, l.Name)
	}
	backward := slices.Clone(layers)
	slices.Reverse(backward)
	_, err = kit.Sweep(b, overlapWays, func(key string) (struct{}, error) {
		for _, plain := range []bool{false, true} {
			way := setup.WayOf(key)
			way.Options.NoOverlap = plain
			l, err := w.Run(ctx, setup.Case{Way: way, Gbps: plan.Link, Nodes: plan.Nodes, Trace: true})
			if err != nil {
				return struct{}{}, err
			}
			begins, computed := math.Inf(1), 0.0
			for _, x := range kit.TimeLine(l.Trace, backward, layers) {
				lane := "computes"
				switch {
				case !x.Computes:
					lane, begins = "exchanges", min(begins, x.From)
				case x.State == "backward":
					computed = max(computed, x.To)
				}
				if plain {
					lane += "-plain"
				}
				all.Add(key, lane, x.From, x.To, x.State, x.Layer)
			}
			first.Add(key, !plain, begins, computed, 1e3*l.Seconds)
		}
		return struct{}{}, nil
	})
	return all.Frame, first.Frame, err
}

func overlappedFrame(pairs []overlapped) result.Frame {
	head := "work:work layers link/Gb/s way:way single/ms.2 plain/ms.2 with/ms.2 saved/%.1 hidden/%.1 first/%.0 computing/%.0 judged:bool pays:bool"
	return kit.Rows("saved", head, pairs, func(p overlapped) []any {
		return []any{p.Work, p.Layers, p.Gbps, p.Way, 1e3 * p.Single, 1e3 * p.Plain, 1e3 * p.With, 100 * p.saved(), 100 * p.hidden(),
			100 * p.First, 100 * p.Single / p.Plain, p.judged(), p.pays()}
	})
}

// pays reports whether overlap saves what P14 is to save.
func (p overlapped) pays() bool { return p.With/p.Plain <= 1-claims.Tolerance("P14") }

// extremes returns the judged pairs that overlap saves least and most of.
func extremes(pairs []overlapped) (least, most overlapped) {
	these := slices.DeleteFunc(slices.Clone(pairs), func(p overlapped) bool { return !p.judged() })
	by := func(a, b overlapped) int { return cmp.Compare(a.saved(), b.saved()) }
	return slices.MinFunc(these, by), slices.MaxFunc(these, by)
}

// judgeOverlap judges P14 by RingSparse on every network of more than one layer at
// every link.
func judgeOverlap(pairs []overlapped) result.Claim {
	least, most := extremes(pairs)
	var parts []result.Part
	var failing []result.Reason
	for _, p := range pairs {
		if !p.judged() {
			continue
		}
		parts = append(parts, kit.Part(100*p.saved(), p.pays(), "work", p.Work, "depth", fmt.Sprint(p.Layers), "gbps", fmt.Sprint(p.Gbps)))
		if !p.pays() {
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

// overlapFacts returns findings, and the numbers of sentences that stand in no frame.
func overlapFacts(plan overlapPlan, pairs []overlapped) []result.Fact {
	out := kit.Facts("n", plan.Nodes, "depth.most", slices.Max(plan.Depths), "drawn", plan.Drawn, "drawn.link/Gb/s", plan.Link, "width", setup.StackWidth,
		"rows", setup.StackRows, "params/million.1", float64(setup.StackWidth*(setup.StackWidth+1))/1e6)
	least, most := extremes(pairs)
	for i, x := range []overlapped{least, most} {
		key := []string{"least", "most"}[i]
		out = append(out, kit.Facts(key+".saved/%.1", 100*x.saved(), key+".work:work", x.Work, key+".layers", x.Layers, key+".link/Gb/s", x.Gbps)...)
	}
	faster, of := denseFaster(pairs)
	return append(out, kit.Facts("dense.faster", faster, "cases", of)...)
}

// denseFaster counts the networks and links where the dense ring with overlap is
// faster than RingSparse with overlap.
func denseFaster(pairs []overlapped) (faster, of int) {
	for _, p := range pairs {
		if p.Way == overlapWays[0] {
			of++
			faster += kit.CountIf(pairs, func(d overlapped) bool {
				return d.Way == "dense" && d.Work == p.Work && d.Layers == p.Layers && d.Gbps == p.Gbps && d.With < p.With
			})
		}
	}
	return faster, of
}
