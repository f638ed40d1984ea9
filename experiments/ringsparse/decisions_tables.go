package ringsparse

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
)

// findings are all runs of a profile.
type findings struct {
	plan  decisionPlan
	runs  []decided
	seeds int
}

func (f findings) finish(res *result.Result) {
	res.Tables = []result.Table{f.kindTable(), f.aloneTable(), f.hopTable(), f.zeroTable()}
	for _, c := range f.plan.Cases {
		res.Tables = append(res.Tables, f.layerTable(c))
	}
	res.Figures = []result.Figure{f.kindFigure()}
	for _, c := range f.plan.Cases {
		if c.Key == f.plan.AloneOf || c.Key == "mlp-normalised" { // where hops differ
			res.Figures = append(res.Figures, f.hopFigure(c))
		}
	}
	res.Figures = append(res.Figures, f.fillFigure(), f.byteFigure())
	res.Claims = append(res.Claims, f.judgeRule(), f.judgeCount())
	res.Notes = f.notes()
}

// of are the runs of a case, one per seed.
func (f findings) of(key string, ranks int, tie string) (out []decided) {
	for _, d := range f.runs {
		if d.Case.Key == key && d.Ranks == ranks && d.Tie == tie && d.Kinds == "" {
			out = append(out, d)
		}
	}
	return out
}

func everything(int, int) bool { return true }

// sum pools the seeds of a case.
func (f findings) sum(key string, ranks int, tie string, link int, keep func(layer, hop int) bool) (s share) {
	for _, d := range f.of(key, ranks, tie) {
		s.merge(d.sum(link, keep))
	}
	return s
}

// ratios are the bytes over the dense ring's by seed.
func (f findings) ratios(key string, ranks int, tie string, link int) (out []float64) {
	for _, d := range f.of(key, ranks, tie) {
		out = append(out, d.sum(link, everything).ratio())
	}
	return out
}

// most is the largest number of ranks.
func (f findings) most() int { return f.plan.Ranks[len(f.plan.Ranks)-1] }

func percent(key, title string) result.Column {
	return result.Column{Key: key, Title: title, Unit: "%", Digits: 1}
}

func (f findings) kindTable() result.Table {
	link, other := linkName(f.plan.Link), linkName(f.plan.Other)
	t := result.Table{ID: "kinds", Title: "What was chosen, by model, ranks and tie rule", Kind: result.Trained,
		Caption: fmt.Sprintf("Shares of choices, one per block and hop; %d steps of real training, %d seeds pooled, B = %s, rates of %s. Choices at %s are made again from the logged densities. “tie alone”: equally sparse. “direct”: not compressed. Bytes: mean over seeds. Conversions: blocks turned by S51, per rank and step. One row for both tie rules where they agree.", f.plan.Steps, f.seeds, link, reference, other),
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "n", Title: "ranks"}, {Key: "tie", Title: "tie goes to"},
			percent("sparser", "weights, being sparser"), percent("tied", "weights, by the tie alone"), percent("gradients", "gradients"), percent("ties", "decided by the tie alone"), percent("carried", "bytes sent as weights"),
			{Key: "codecs", Title: "sent as, at " + link},
			{Key: "ratio", Title: "bytes / dense at " + link, Digits: 3}, {Key: "half", Title: "± (95 %)", Digits: 3}, {Key: "ratio10", Title: "bytes / dense at " + other, Digits: 3},
			{Key: "converted", Title: "conversions", Digits: 1}}}
	for _, c := range f.plan.Cases {
		for _, n := range f.plan.Ranks {
			for _, tie := range f.plan.Ties {
				s := f.sum(c.Key, n, tie, 0, everything)
				mean, half := exp.MeanAndHalf(f.ratios(c.Key, n, tie, 0))
				mean10, _ := exp.MeanAndHalf(f.ratios(c.Key, n, tie, 1))
				t.Rows = appendTie(t.Rows, 2, []any{c.Title, n, tie, s.of(s.sparserWeights()), s.of(s.TieWeights), s.of(s.gradients()), s.of(s.Ties), f.weightBytes(c.Key, n, tie),
					s.codecs(), mean, exp.OrNone(half), mean10, f.conversions(c.Key, n, tie)})
			}
		}
	}
	return t
}

// aloneTable sets the patent's choice beside sending one kind, where weights can win.
func (f findings) aloneTable() result.Table {
	t := result.Table{ID: "alone", Title: "The choice at every hop against one kind throughout", Kind: result.Trained,
		Caption: fmt.Sprintf("Bytes over the dense ring's at %s, mean over %d seeds, for the case in which weights can be the sparser kind. “both”: S41 and S52, ties to %s. Parameters end with the mask applied in all.", linkName(f.plan.Link), f.seeds, f.plan.Ties[0]),
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "n", Title: "ranks"}, {Key: "both", Title: "both", Digits: 3}}}
	for _, kinds := range f.plan.Alone {
		t.Columns = append(t.Columns, result.Column{Key: kinds, Title: kinds + " alone", Digits: 3})
	}
	for _, c := range f.plan.Cases {
		if c.Key != f.plan.AloneOf {
			continue
		}
		for _, n := range f.plan.Ranks {
			both, _ := exp.MeanAndHalf(f.ratios(c.Key, n, f.plan.Ties[0], 0))
			row := []any{c.Title, n, both}
			for _, kinds := range f.plan.Alone {
				row = append(row, f.alone(n, kinds))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// alone is the mean ratio of bytes of the rivals that send one kind.
func (f findings) alone(ranks int, kinds string) float64 {
	var ratios []float64
	for _, d := range f.runs {
		if d.Ranks == ranks && d.Kinds == kinds {
			ratios = append(ratios, d.sum(0, everything).ratio())
		}
	}
	mean, _ := exp.MeanAndHalf(ratios)
	return mean
}

// conversions are per rank and step.
func (f findings) conversions(key string, ranks int, tie string) float64 {
	sum, of := int64(0), 0.0
	for _, d := range f.of(key, ranks, tie) {
		sum += d.Totals.ToWeights + d.Totals.ToGradients
		of += float64(int64(ranks) * d.Steps)
	}
	return float64(sum) / of
}

// weightBytes is the share of the payload's bytes that were sent as weights, in
// percent, all seeds pooled.
func (f findings) weightBytes(key string, ranks int, tie string) float64 {
	var weights, all int64
	for _, d := range f.of(key, ranks, tie) {
		weights, all = weights+d.Totals.Kinds[ringsparse.Weights].Bytes, all+d.Totals.Sent.Bytes
	}
	return 100 * float64(weights) / float64(max(all, 1))
}

// appendTie adds a row whose column tie names the tie rule; if the last row has a rule
// of its own and nothing else is different, that row becomes both rules'.
func appendTie(rows [][]any, tie int, row []any) [][]any {
	if len(rows) > 0 {
		last := slices.Clone(rows[len(rows)-1])
		if last[tie] != row[tie] {
			last[tie] = row[tie]
			if slices.Equal(last, row) {
				rows[len(rows)-1][tie] = "either"
				return rows
			}
		}
	}
	return append(rows, row)
}

// hopTable is the density of the sum by hop, for the most ranks.
func (f findings) hopTable() result.Table {
	n, tie := f.most(), f.plan.Ties[0]
	t := result.Table{ID: "hops", Title: fmt.Sprintf("Density by hop, N = %d, ties to %s", n, tie), Kind: result.Trained,
		Caption: fmt.Sprintf("Share of entries that are not +0 in a block that holds the sum of 1 … %d ranks, over all layers, weighted by entries; %d seeds pooled. Both are forms of the same sum, of which one was received and the other made of it (S51), so that the kind not sent can show false non-zeros.", n, f.seeds),
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "kind", Title: "density of"}}}
	for h := range n {
		t.Columns = append(t.Columns, percent(fmt.Sprintf("m%d", h+1), fmt.Sprintf("m = %d", h+1)))
	}
	for _, c := range f.plan.Cases {
		w, g := []any{c.Title, "weights"}, []any{c.Title, "gradients"}
		for h := range n {
			s := f.sum(c.Key, n, tie, 0, func(_, hop int) bool { return hop == h })
			w, g = append(w, s.weightDensity()), append(g, s.gradientDensity())
		}
		t.Rows = append(t.Rows, w, g)
	}
	return t
}

// zeroTable counts zeros entry by entry before anything is exchanged.
func (f findings) zeroTable() result.Table {
	t := result.Table{ID: "zeros", Title: "Zeros of the local W′ and of g", Kind: result.Trained,
		Caption: fmt.Sprintf("Entry by entry over every local step (all N, ranks, steps and seeds; tie to %s), before anything is exchanged. Without entries that are zero in W′ alone no block's weights are sparser than its gradients.", f.plan.Ties[0]),
		Columns: []result.Column{{Key: "case", Title: "model"}, {Key: "entries", Title: "entries"}, percent("w", "zero in W′"), percent("g", "zero in g"), {Key: "alone", Title: "zero in W′ and not in g"}}}
	for _, c := range f.plan.Cases {
		z := f.zeros(c.Key)
		of := func(n int64) float64 { return 100 * float64(n) / float64(z.Entries) }
		t.Rows = append(t.Rows, []any{c.Title, int(z.Entries), of(z.Weights), of(z.Gradients), int(z.WeightsAlone)})
	}
	return t
}

func (f findings) zeros(key string) (z zeros) {
	for _, n := range f.plan.Ranks {
		for _, d := range f.of(key, n, f.plan.Ties[0]) {
			z.add(d.Seen)
		}
	}
	return z
}

// groups are a case's layers as rows: single ones, or the deep network's by kind.
func groups(d decided) (names []string, at map[string][]int) {
	at = map[string][]int{}
	for i, l := range d.Layers {
		name := l.Name
		if len(d.Layers) > 6 {
			name = "convolutions"
			switch {
			case strings.Contains(l.Name, "fc"):
				name = "classifier"
			case strings.Contains(l.Name, "bn") || strings.HasSuffix(l.Name, "downsample.1"):
				name = "batch norms"
			}
		}
		if at[name] == nil {
			names = append(names, name)
		}
		at[name] = append(at[name], i)
	}
	return names, at
}

// layerTable is one model's choices by layer, for the most ranks.
func (f findings) layerTable(c decisionCase) result.Table {
	n := f.most()
	t := result.Table{ID: "layers-" + c.Key, Title: fmt.Sprintf("%s, layer by layer, N = %d", c.Title, n), Kind: result.Trained,
		Caption: fmt.Sprintf("Shares of choices as above, B = %s, %d seeds pooled. Density: entries of g that are not +0, of one rank's block and of the sum of all. One row for both tie rules where they agree.", linkName(f.plan.Link), f.seeds),
		Columns: []result.Column{{Key: "layer", Title: "layer"}, {Key: "entries", Title: "entries"}, {Key: "tie", Title: "tie goes to"}, percent("first", "density of one"), percent("last", "density of all"),
			percent("sparser", "weights, being sparser"), percent("tied", "weights, by the tie alone"), percent("gradients", "gradients"), percent("ties", "decided by the tie alone"),
			{Key: "codecs", Title: "sent as"}, {Key: "ratio", Title: "bytes / dense", Digits: 3}}}
	first := f.of(c.Key, n, f.plan.Ties[0])[0]
	names, at := groups(first)
	for _, name := range names {
		in := map[int]bool{}
		entries := 0
		for _, l := range at[name] {
			in[l] = true
			entries += first.Layers[l].Length
		}
		for _, tie := range f.plan.Ties {
			hop := func(h int) share { return f.sum(c.Key, n, tie, 0, func(l, x int) bool { return in[l] && x == h }) }
			s := f.sum(c.Key, n, tie, 0, func(l, _ int) bool { return in[l] })
			t.Rows = appendTie(t.Rows, 2, []any{name, entries, tie, hop(0).gradientDensity(), hop(n - 1).gradientDensity(),
				s.of(s.sparserWeights()), s.of(s.TieWeights), s.of(s.gradients()), s.of(s.Ties), s.codecs(), s.ratio()})
		}
	}
	return t
}
