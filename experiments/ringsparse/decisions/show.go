package decisions

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
)

// chosen holds what frames, facts and claims are made of.
type chosen struct {
	plan decisionPlan
	most int // ranks
	at   func(point) []decided
}

func show(v *kit.View[point, decided]) {
	plan := planDecisions(v.Profile)
	f := chosen{plan, slices.Max(plan.Ranks), v.At}
	for _, r := range plan.both() {
		if d := f.at(r)[0]; d.Data != nil {
			v.Engine = d.Engine
			setup.AddData(v.Result, d.Data)
		}
	}
	v.Facts = f.facts()
	v.Frames = []result.Frame{f.kinds(), f.rules(), f.alone(), f.hops(), f.zeros(), f.layers()}
	v.Figures = f.figures()
	v.Claims = []result.Claim{f.rule(), f.count()}
}

// pool sums the seeds of a run, over the layers and hops that keep takes.
func (f chosen) pool(r point, link int, keep func(layer, hop int) bool) (s choiceSum) {
	for _, d := range f.at(r) {
		s.merge(d.sum(link, keep))
	}
	return s
}

func (f chosen) all(r point) choiceSum { return f.pool(r, 0, everything) }

func (f chosen) hop(r point, hop int) choiceSum {
	return f.pool(r, 0, func(_, h int) bool { return h == hop })
}

// bytes returns the payload over the dense ring's.
func (f chosen) bytes(r point, link int) kit.Estimate {
	return kit.Each(f.at(r), func(d decided) float64 { return d.sum(link, everything).ratio() }).Mean()
}

// carried returns the share of the payload's bytes that were sent as weights.
func (f chosen) carried(r point) float64 {
	var weights, all int64
	for _, d := range f.at(r) {
		weights, all = weights+d.Totals.Kinds[ringsparse.Weights].Bytes, all+d.Totals.Sent.Bytes
	}
	return 100 * float64(weights) / float64(max(all, 1))
}

// converted returns the blocks that S51 turns, per rank and step.
func (f chosen) converted(r point) float64 {
	sum, of := int64(0), 0.0
	for _, d := range f.at(r) {
		sum += d.Totals.ToWeights + d.Totals.ToGradients
		of += float64(int64(r.Ranks) * d.Steps)
	}
	return float64(sum) / of
}

// heads of the columns that say how the choices of a pool were decided, and in which form
// the blocks were sent.
const (
	decidedHead = " sparser/%.1 tied/%.1 gradients/%.1 ties/%.1"
	sentHead    = " direct/%.0 bitmap/%.0 coo/%.0"
)

func (s choiceSum) decided() []any {
	return []any{s.of(s.sparserWeights()), s.of(s.TieWeights), s.of(s.gradients()), s.of(s.Ties)}
}

func (s choiceSum) sentAs() []any {
	out := []any{s.of(s.Codecs[0])}
	for _, c := range coders(setup.Platform()) {
		out = append(out, s.of(s.Codecs[c.Codec.ID()]))
	}
	return out
}

// kinds returns the frame of what was chosen.
func (f chosen) kinds() result.Frame {
	head := "case:case n tie:block" + decidedHead + sentHead + " weights/%.1 carried/%.1 ratio±/.3 ratio_other/.3 compressed_other/%.1 converted/.1"
	return kit.Rows("kinds", head, f.plan.both(), func(r point) []any {
		s, other := f.all(r), f.pool(r, 1, everything)
		return slices.Concat([]any{r.Case, r.Ranks, r.Tie}, s.decided(), s.sentAs(), []any{s.of(s.Weights), f.carried(r), f.bytes(r, 0),
			f.bytes(r, 1), other.of(other.compressed()), f.converted(r)})
	})
}

// rules sets both tie rules side by side. Fewer ties are fewer in the digits that are printed.
func (f chosen) rules() result.Frame {
	head := "case:case n ratio_weights/.3 ratio_gradients/.3 ties_weights/%.1 ties_gradients/%.1 " +
		"converted_weights/.1 converted_gradients/.1 fewer_ties:bool converted_alike:bool"
	rows := slices.DeleteFunc(f.plan.both(), func(r point) bool { return r.Tie != f.plan.Ties[0] })
	return kit.Rows("rules", head, rows, func(w point) []any {
		g := w
		g.Tie = f.plan.Ties[1]
		a, b := f.all(w), f.all(g)
		return []any{w.Case, w.Ranks, f.bytes(w, 0), f.bytes(g, 0), a.of(a.Ties), b.of(b.Ties), f.converted(w), f.converted(g),
			math.Round(10*a.of(a.Ties)) < math.Round(10*b.of(b.Ties)), f.converted(w) == f.converted(g)}
	})
}

// alone sets the choice at every hop beside one kind throughout.
func (f chosen) alone() result.Frame {
	return kit.Rows("alone", "case:case n both/.3 alone_weights/.3 alone_gradients/.3 dearer:bool", f.plan.Ranks, func(n int) []any {
		key := f.plan.AloneOf
		both := f.bytes(point{Case: key, Ranks: n, Tie: f.plan.Ties[0]}, 0)
		w, g := f.bytes(point{Case: key, Ranks: n, Only: "weights"}, 0), f.bytes(point{Case: key, Ranks: n, Only: "gradients"}, 0)
		return []any{key, n, both, w, g, both.Value > min(w.Value, g.Value)}
	})
}

// hops returns the frame of what was chosen about blocks that hold the sum of m ranks, on the most
// ranks.
func (f chosen) hops() result.Frame {
	out := kit.NewSheet("hops", "case:case tie:block m dense_weights/%.1 dense_gradients/%.1"+decidedHead)
	for _, r := range f.plan.both() {
		for h := range r.Ranks {
			if s := f.hop(r, h); r.Ranks == f.most {
				out.Add(append([]any{r.Case, r.Tie, h + 1, s.weightDensity(), s.gradientDensity()}, s.decided()...)...)
			}
		}
	}
	return out.Frame
}

// zeros counts entry by entry before anything is exchanged.
func (f chosen) zeros() result.Frame {
	head := "case:case entries zero_weights/%.1 zero_gradients/%.1 zero_alone zero_alone_share/%.1"
	return kit.Rows("zeros", head, f.plan.Cases, func(c modelCase) []any {
		var z zeros
		for _, n := range f.plan.Ranks {
			for _, d := range f.at(point{Case: c.Key, Ranks: n, Tie: f.plan.Ties[0]}) {
				z.add(d.Seen)
			}
		}
		of := func(n int64) float64 { return 100 * float64(n) / float64(z.Entries) }
		return []any{c.Key, z.Entries, of(z.Weights), of(z.Gradients), z.WeightsAlone, of(z.WeightsAlone)}
	})
}

// layerGroup is a layer of a run, or layers of one sort of a deep network.
type layerGroup struct {
	point
	name    string
	in      []int
	entries int
}

// layerGroups returns a run's layers as rows: single ones, or the deep network's by sort.
func layerGroups(r point, d decided) (out []layerGroup) {
	for i, l := range d.Layers {
		name := l.Name
		if len(d.Layers) > 6 {
			name = "convolutions"
			switch {
			case strings.Contains(l.Name, "fc"):
				name = "classifier"
			case strings.Contains(l.Name, "bn") || strings.HasSuffix(l.Name, "downsample.1"):
				name = "batch-norms"
			}
		}
		at := slices.IndexFunc(out, func(p layerGroup) bool { return p.name == name })
		if at < 0 {
			at, out = len(out), append(out, layerGroup{point: r, name: name})
		}
		out[at].in, out[at].entries = append(out[at].in, i), out[at].entries+l.Length
	}
	return out
}

// layers returns the frame of what was chosen by layer, on the most ranks; both rules of a layer
// beside each other.
func (f chosen) layers() result.Frame {
	var rows []layerGroup
	for _, c := range f.plan.Cases {
		var these []layerGroup
		for _, tie := range f.plan.Ties {
			r := point{Case: c.Key, Ranks: f.most, Tie: tie}
			these = append(these, layerGroups(r, f.at(r)[0])...)
		}
		slices.SortStableFunc(these, func(a, b layerGroup) int { return cmp.Compare(a.in[0], b.in[0]) })
		rows = append(rows, these...)
	}
	head := "case:case layer:layer entries tie:block first/%.1 last/%.1" + decidedHead + sentHead + " ratio/.3"
	return kit.Rows("layers", head, rows, func(p layerGroup) []any {
		of := func(keep func(hop int) bool) choiceSum {
			return f.pool(p.point, 0, func(l, h int) bool { return slices.Contains(p.in, l) && keep(h) })
		}
		density := func(hop int) float64 { return of(func(h int) bool { return h == hop }).gradientDensity() }
		s := of(func(int) bool { return true })
		return slices.Concat([]any{p.Case, p.name, p.entries, p.Tie, density(0), density(f.most - 1)}, s.decided(), s.sentAs(), []any{s.ratio()})
	})
}

func (f chosen) figures() []result.Figure {
	by, tie := []string{"sparser", "tied", "gradients"}, f.plan.Ties[0]
	out := []result.Figure{{ID: "chosen", Form: "bar", Frame: "kinds", Where: map[string]any{"n": f.most, "tie": tie}, X: "case", Y: by}}
	for _, key := range []string{"mlp-normalised", f.plan.AloneOf} { // where hops differ
		out = append(out, result.Figure{ID: "by-hop-" + key, Form: "bar", Frame: "hops", Where: map[string]any{"case": key, "tie": tie}, X: "m", Y: by})
	}
	return append(out,
		result.Figure{ID: "density", Form: "line", Frame: "hops", Where: map[string]any{"tie": f.plan.Ties[len(f.plan.Ties)-1]}, X: "m",
			Y: []string{"dense_gradients"}, By: []string{"case"}},
		result.Figure{ID: "bytes", Form: "bar", Frame: "kinds", Where: map[string]any{"n": f.most}, X: "case",
			Y: []string{"ratio", "ratio_other"}, By: []string{"tie"}})
}

// facts returns the numbers of sentences that stand in no frame.
func (f chosen) facts() []result.Fact {
	replay := 0
	made, all := map[string]int64{}, map[string]int64{}
	for _, r := range f.plan.points() {
		for _, d := range f.at(r) {
			replay += d.Replay
			made[r.Tie] += d.Totals.ToGradients
			all[r.Tie] += d.Totals.ToGradients + d.Totals.ToWeights
		}
	}
	way := func(tie string) float64 { return 100 * float64(made[tie]) / float64(max(all[tie], 1)) }
	tc, td := coders(setup.Platform())[0].Costs(1e9)
	last := point{Case: f.plan.AloneOf, Ranks: f.most, Tie: f.plan.Ties[len(f.plan.Ties)-1]}
	e := setup.DefaultEmbedding()
	sparser, saved := f.elsewhere()
	return kit.Facts("ranks", f.most, "steps", f.plan.Steps, "batch", f.plan.Cases[0].Batch, "link/Gb/s", f.plan.Link, "link.other/Gb/s", f.plan.Other,
		"bitmap/ns.2", tc+td, "direct.other/ns.2", 1e9/(f.plan.Other*setup.Gigabit), "made_gradients.weights/%.0", way("weights"),
		"made_gradients.gradients/%.0", way("gradients"), "masked.falls", f.hop(last, 1).gradientDensity() < f.hop(last, 0).gradientDensity(),
		"embedding.tokens", e.Tokens, "embedding.vocabulary", e.Vocabulary, "embedding.zipf", e.Zipf, "replay", replay, "replayed", replay == 0,
		"elsewhere.sparser", sparser, "elsewhere.saved/%", saved)
}

// elsewhere counts the choices outside the case AloneOf in which weights were the sparser kind, and
// returns how many per cent of the bytes of gradients alone the patent's rules save there at most. A
// run that gives ties to gradients and never chose weights sent gradients alone; where one did
// choose them nothing is known.
func (f chosen) elsewhere() (sparser int, saved float64) {
	saved = math.Inf(-1)
	for _, r := range f.plan.both() {
		if r.Case == f.plan.AloneOf {
			continue
		}
		sparser += f.all(r).sparserWeights()
		if r.Tie == f.plan.Ties[0] {
			alone := r
			if alone.Tie = f.plan.Ties[1]; f.all(alone).Weights > 0 {
				saved = math.NaN()
			}
			saved = max(saved, 100*(1-f.bytes(r, 0).Value/f.bytes(alone, 0).Value))
		}
	}
	return sparser, saved
}

// rule judges P05 by every logged choice.
func (f chosen) rule() result.Claim {
	checked, ties, broken := 0, 0, 0
	var first []result.Reason
	for _, r := range f.plan.both() {
		s := f.all(r)
		checked, ties = checked+s.Choices, ties+s.Ties
		for _, d := range f.at(r) {
			if broken += d.Broken; d.First != nil && first == nil {
				first = append(first, result.Because("P05-first", "case", r.Case, "layer", d.First.Layer, "block", d.First.Block, "hop", d.First.Hop))
			}
		}
	}
	found := claims.Identity(broken == 0 && ties > 0, result.Because("P05-broken", "n", broken, "of", checked))
	return claims.Verdict("P05", found, append([]result.Reason{result.Because("P05", "n", checked, "ties", ties)}, first...)...)
}

// count judges P08 by the messages of every run.
func (f chosen) count() result.Claim {
	runs := 0
	for _, r := range f.plan.points() {
		for _, d := range f.at(r) {
			if phase, got, want := d.wrongCounts(); phase != "" {
				return claims.Verdict("P08", claims.Identity(false,
					result.Because("P08-wrong", "case", r.Case, "n", r.Ranks, "phase", phase, "got", got, "want", want)))
			}
			runs++
		}
	}
	return claims.Verdict("P08", claims.Identity(true, result.Reason{}), result.Because("P08", "runs", runs, "ranks", f.plan.Ranks))
}
