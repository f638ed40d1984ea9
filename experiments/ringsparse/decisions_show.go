package ringsparse

import (
	"cmp"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/codec"
)

// chosen is what frames, facts and claims are made of.
type chosen struct {
	plan decisionPlan
	most int // ranks
	at   func(run) []decided
}

func showDecisions(v *kit.View[run, decided]) {
	plan := planDecisions(v.Profile)
	f := chosen{plan, slices.Max(plan.Ranks), v.At}
	for _, r := range plan.both() {
		if d := f.at(r)[0]; d.Data != nil {
			v.Engine = d.Engine
			if !slices.ContainsFunc(v.Data, func(x result.Data) bool { return x.SHA256 == d.Data.SHA256 }) {
				v.Data = append(v.Data, *d.Data)
			}
		}
	}
	v.Facts = f.facts()
	v.Frames = []result.Frame{f.kinds(), f.rules(), f.alone(), f.hops(), f.zeros(), f.layers()}
	v.Figures = f.figures()
	v.Claims = []result.Claim{f.rule(), f.count()}
}

// pool sums the seeds of a run, over the layers and hops that keep takes.
func (f chosen) pool(r run, link int, keep func(layer, hop int) bool) (s share) {
	for _, d := range f.at(r) {
		s.merge(d.sum(link, keep))
	}
	return s
}

func (f chosen) all(r run) share { return f.pool(r, 0, everything) }

func (f chosen) hop(r run, hop int) share {
	return f.pool(r, 0, func(_, h int) bool { return h == hop })
}

// bytes returns the payload over the dense ring's.
func (f chosen) bytes(r run, link int) kit.Estimate {
	return kit.Each(f.at(r), func(d decided) float64 { return d.sum(link, everything).ratio() }).Mean()
}

// carried returns the share of the payload's bytes that were sent as weights.
func (f chosen) carried(r run) float64 {
	var weights, all int64
	for _, d := range f.at(r) {
		weights, all = weights+d.Totals.Kinds[ringsparse.Weights].Bytes, all+d.Totals.Sent.Bytes
	}
	return 100 * float64(weights) / float64(max(all, 1))
}

// converted returns the blocks that S51 turns, per rank and step.
func (f chosen) converted(r run) float64 {
	sum, of := int64(0), 0.0
	for _, d := range f.at(r) {
		sum += d.Totals.ToWeights + d.Totals.ToGradients
		of += float64(int64(r.Ranks) * d.Steps)
	}
	return float64(sum) / of
}

func percent[R any](key string, of func(R) float64) kit.Col[R] { return kit.Num(key, "%", 1, of) }

// decidedBy are the columns that say how the choices of a pool were decided.
func decidedBy[R any](of func(R) share) []kit.Col[R] {
	count := func(key string, x func(share) int) kit.Col[R] {
		return percent(key, func(r R) float64 { s := of(r); return s.of(x(s)) })
	}
	return []kit.Col[R]{count("sparser", share.sparserWeights), count("tied", func(s share) int { return s.TieWeights }),
		count("gradients", share.gradients), count("ties", func(s share) int { return s.Ties })}
}

// sentAs are the columns that say in which form the blocks of a pool were sent.
func sentAs[R any](of func(R) share) (cols []kit.Col[R]) {
	for _, name := range append([]string{"direct"}, candidateNames...) {
		id := uint8(0)
		if c, err := codec.Lookup(name); err == nil {
			id = c.ID()
		}
		cols = append(cols, kit.Num(name, "%", 0, func(r R) float64 { s := of(r); return s.of(s.Codecs[id]) }))
	}
	return cols
}

func caseColumn(r run) string { return r.Case }
func ranksColumn(r run) int   { return r.Ranks }
func tieColumn(r run) string  { return r.Tie }

func runColumns() []kit.Col[run] {
	return []kit.Col[run]{kit.Word("case", "case", caseColumn), kit.Count("n", "", ranksColumn), kit.Word("tie", "block", tieColumn)}
}

// kinds is what was chosen.
func (f chosen) kinds() result.Frame {
	cols := slices.Concat(runColumns(), decidedBy(f.all), sentAs(f.all), []kit.Col[run]{
		percent("weights", func(r run) float64 { s := f.all(r); return s.of(s.Weights) }),
		percent("carried", f.carried),
		kit.Half("ratio", "", 3, func(r run) kit.Estimate { return f.bytes(r, 0) }),
		kit.Mean("ratio_other", "", 3, func(r run) kit.Estimate { return f.bytes(r, 1) }),
		percent("compressed_other", func(r run) float64 { s := f.pool(r, 1, everything); return s.of(s.compressed()) }),
		kit.Num("converted", "", 1, f.converted)})
	return kit.Frame("kinds", f.plan.both(), cols...)
}

// rules sets both tie rules side by side.
func (f chosen) rules() result.Frame {
	var rows []run
	for _, r := range f.plan.both() {
		if r.Tie == f.plan.Ties[0] {
			rows = append(rows, r)
		}
	}
	under := func(r run, i int) run { r.Tie = f.plan.Ties[i]; return r }
	cols := runColumns()[:2]
	for i, tie := range f.plan.Ties {
		cols = append(cols,
			kit.Mean("ratio_"+tie, "", 3, func(r run) kit.Estimate { return f.bytes(under(r, i), 0) }),
			percent("ties_"+tie, func(r run) float64 { s := f.all(under(r, i)); return s.of(s.Ties) }),
			kit.Num("converted_"+tie, "", 1, func(r run) float64 { return f.converted(under(r, i)) }))
	}
	return kit.Frame("rules", rows, append(cols,
		kit.Flag("fewer_ties", func(r run) bool { return f.all(under(r, 0)).Ties < f.all(under(r, 1)).Ties }),
		kit.Flag("converted_alike", func(r run) bool { return f.converted(under(r, 0)) == f.converted(under(r, 1)) }))...)
}

// alone sets the choice at every hop beside one kind throughout.
func (f chosen) alone() result.Frame {
	var rows []run
	for _, n := range f.plan.Ranks {
		rows = append(rows, run{Case: f.plan.AloneOf, Ranks: n, Tie: f.plan.Ties[0]})
	}
	sent := func(kind string) func(run) kit.Estimate {
		return func(r run) kit.Estimate { return f.bytes(run{Case: r.Case, Ranks: r.Ranks, Only: kind}, 0) }
	}
	both := func(r run) kit.Estimate { return f.bytes(r, 0) }
	cols := append(runColumns()[:2], kit.Mean("both", "", 3, both))
	for _, kind := range f.plan.Alone {
		cols = append(cols, kit.Mean("alone_"+kind, "", 3, sent(kind)))
	}
	return kit.Frame("alone", rows, append(cols, kit.Flag("dearer", func(r run) bool {
		return both(r).Value > min(sent("weights")(r).Value, sent("gradients")(r).Value)
	}))...)
}

// hops is what was chosen about blocks that hold the sum of m ranks, on the most ranks.
func (f chosen) hops() result.Frame {
	type at struct {
		run
		m int
	}
	var rows []at
	for _, r := range f.plan.both() {
		if r.Ranks != f.most {
			continue
		}
		for h := range r.Ranks {
			rows = append(rows, at{r, h + 1})
		}
	}
	pool := func(a at) share { return f.hop(a.run, a.m-1) }
	return kit.Frame("hops", rows, append([]kit.Col[at]{
		kit.Word("case", "case", func(a at) string { return a.Case }), kit.Word("tie", "block", func(a at) string { return a.Tie }),
		kit.Count("m", "", func(a at) int { return a.m }),
		percent("dense_weights", func(a at) float64 { return pool(a).weightDensity() }),
		percent("dense_gradients", func(a at) float64 { return pool(a).gradientDensity() })}, decidedBy(pool)[:3]...)...)
}

// zeros counts entry by entry before anything is exchanged.
func (f chosen) zeros() result.Frame {
	seen := func(c decisionCase) (z zeros) {
		for _, n := range f.plan.Ranks {
			for _, d := range f.at(run{Case: c.Key, Ranks: n, Tie: f.plan.Ties[0]}) {
				z.add(d.Seen)
			}
		}
		return z
	}
	of := func(key string, x func(zeros) int64) kit.Col[decisionCase] {
		return percent(key, func(c decisionCase) float64 { z := seen(c); return 100 * float64(x(z)) / float64(z.Entries) })
	}
	alone := func(z zeros) int64 { return z.WeightsAlone }
	return kit.Frame("zeros", f.plan.Cases, kit.Word("case", "case", func(c decisionCase) string { return c.Key }),
		kit.Count("entries", "", func(c decisionCase) int64 { return seen(c).Entries }),
		of("zero_weights", func(z zeros) int64 { return z.Weights }), of("zero_gradients", func(z zeros) int64 { return z.Gradients }),
		kit.Count("zero_alone", "", func(c decisionCase) int64 { return alone(seen(c)) }), of("zero_alone_share", alone))
}

// part is a layer of a run, or layers of one sort of a deep network.
type part struct {
	run
	name    string
	in      []int
	entries int
}

// parts returns a run's layers as rows: single ones, or the deep network's by sort.
func parts(r run, d decided) (out []part) {
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
		at := slices.IndexFunc(out, func(p part) bool { return p.name == name })
		if at < 0 {
			at, out = len(out), append(out, part{run: r, name: name})
		}
		out[at].in, out[at].entries = append(out[at].in, i), out[at].entries+l.Length
	}
	return out
}

// layers is what was chosen by layer, on the most ranks; both rules of a layer beside
// each other.
func (f chosen) layers() result.Frame {
	var rows []part
	for _, c := range f.plan.Cases {
		var these []part
		for _, tie := range f.plan.Ties {
			r := run{Case: c.Key, Ranks: f.most, Tie: tie}
			these = append(these, parts(r, f.at(r)[0])...)
		}
		slices.SortStableFunc(these, func(a, b part) int { return cmp.Compare(a.in[0], b.in[0]) })
		rows = append(rows, these...)
	}
	of := func(p part, keep func(hop int) bool) share {
		return f.pool(p.run, 0, func(l, h int) bool { return slices.Contains(p.in, l) && keep(h) })
	}
	all := func(p part) share { return of(p, func(int) bool { return true }) }
	density := func(key string, hop int) kit.Col[part] {
		return percent(key, func(p part) float64 { return of(p, func(h int) bool { return h == hop }).gradientDensity() })
	}
	return kit.Frame("layers", rows, slices.Concat([]kit.Col[part]{
		kit.Word("case", "case", func(p part) string { return p.Case }), kit.Word("layer", "layer", func(p part) string { return p.name }),
		kit.Count("entries", "", func(p part) int { return p.entries }), kit.Word("tie", "block", func(p part) string { return p.Tie }),
		density("first", 0), density("last", f.most-1)}, decidedBy(all), sentAs(all),
		[]kit.Col[part]{kit.Num("ratio", "", 3, func(p part) float64 { return all(p).ratio() })})...)
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

// facts are the numbers of sentences that stand in no frame.
func (f chosen) facts() []result.Fact {
	e, bitmap := defaultEmbedding(), coders(referencePlatform())[0]
	tc, td := bitmap.Costs(1e9)
	last := run{Case: f.plan.AloneOf, Ranks: f.most, Tie: f.plan.Ties[len(f.plan.Ties)-1]}
	out := []result.Fact{kit.Counted("ranks", "", f.most), kit.Counted("steps", "", f.plan.Steps), kit.Counted("batch", "", f.plan.Cases[0].Batch),
		kit.Number("link", "Gb/s", kit.AsIs, f.plan.Link), kit.Number("link.other", "Gb/s", kit.AsIs, f.plan.Other),
		kit.Number("bitmap", "ns", 2, tc+td), kit.Number("direct.other", "ns", 2, 1e9/(f.plan.Other*gigabit)),
		kit.Counted("embedding.tokens", "", e.Tokens), kit.Counted("embedding.vocabulary", "", e.Vocabulary), kit.Number("embedding.zipf", "", kit.AsIs, e.Zipf),
		kit.Whether("masked.falls", f.hop(last, 1).gradientDensity() < f.hop(last, 0).gradientDensity())}
	replay := 0
	made, all := map[string]int64{}, map[string]int64{}
	for _, r := range f.plan.runs() {
		for _, d := range f.at(r) {
			replay += d.Replay
			made[r.Tie] += d.Totals.ToGradients
			all[r.Tie] += d.Totals.ToGradients + d.Totals.ToWeights
		}
	}
	for _, tie := range f.plan.Ties {
		out = append(out, kit.Number("made_gradients."+tie, "%", 0, 100*float64(made[tie])/float64(max(all[tie], 1))))
	}
	return append(out, kit.Counted("replay", "", replay))
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
	found.Notes = append([]result.Reason{result.Because("P05", "n", checked, "ties", ties)}, first...)
	return claims.Verdict("P05", found)
}

// count judges P08 by the messages of every run.
func (f chosen) count() result.Claim {
	runs := 0
	for _, r := range f.plan.runs() {
		for _, d := range f.at(r) {
			if phase, got, want := d.wrongCounts(); phase != "" {
				return claims.Verdict("P08", claims.Identity(false,
					result.Because("P08-wrong", "case", r.Case, "n", r.Ranks, "phase", phase, "got", got, "want", want)))
			}
			runs++
		}
	}
	found := claims.Identity(true, result.Reason{})
	found.Notes = []result.Reason{result.Because("P08", "runs", runs, "ranks", f.plan.Ranks)}
	return claims.Verdict("P08", found)
}
