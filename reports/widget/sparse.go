package widget

import (
	"fmt"
	"slices"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// sparseChoice holds what RingSparse chose, as assets/widgets-sparse.js shows it: by
// model and layer, from the frames hops, kinds and layers of one result.
type sparseChoice struct {
	Ranks  int           `json:"ranks"`
	Models []sparseModel `json:"models"`
}

type sparseModel struct {
	Name  notebook.Both `json:"name"`
	Parts []sparsePart  `json:"parts"` // all layers first
}

// sparsePart is one layer, or all.
type sparsePart struct {
	Name   *notebook.Both `json:"name"` // nil is all layers
	Hops   []sparseHop    `json:"hops"` // at which densities are known
	Shares sparseShare    `json:"shares"`
	Forms  []sparseForm   `json:"forms"`
	Ratio  string         `json:"ratio"` // bytes over the dense ring's
}

// sparseHop is a block that holds the sum of M ranks: the entries of its two forms
// that are not zero, in percent; null where the table has none.
type sparseHop struct {
	M         int          `json:"m"`
	Weights   *float64     `json:"weights"`
	Gradients *float64     `json:"gradients"`
	Shares    *sparseShare `json:"shares"` // of the choices at this hop, if a figure has them
}

// sparseShare are shares of choices, in percent.
type sparseShare struct {
	Sparser   float64 `json:"sparser"` // weights, being sparser
	Tied      float64 `json:"tied"`    // weights, equally sparse
	Gradients float64 `json:"gradients"`
}

type sparseForm struct {
	Name  string  `json:"name"` // direct, bitmap, coo
	Share float64 `json:"share"`
}

// sparseForms are the columns of the forms in which blocks are sent.
var sparseForms = []string{"direct", "bitmap", "coo"}

// sparseOf reads the frames hops, kinds and layers of a result, ties to weights, the most
// ranks.
func sparseOf(l worded, hops *frame) (*sparseChoice, error) {
	kinds, layers := l.Frame("kinds"), l.Frame("layers")
	if kinds == nil || layers == nil {
		return nil, fmt.Errorf("no frame of kinds, or none of layers")
	}
	at := columnsOf(hops, "case", "tie", "m", "dense_weights", "dense_gradients", "sparser", "tied", "gradients")
	if at == nil {
		return nil, fmt.Errorf("a column is missing")
	}
	x := &sparseChoice{}
	parts := map[string]*sparsePart{}
	var order []string
	for i, row := range hops.Rows {
		if typeset.Raw(row[at["tie"]]) != "weights" {
			continue
		}
		key, m := typeset.Raw(row[at["case"]]), int(exact(row[at["m"]]))
		w, g := exact(row[at["dense_weights"]]), exact(row[at["dense_gradients"]])
		shares := sparseShare{exact(row[at["sparser"]]), exact(row[at["tied"]]), exact(row[at["gradients"]])}
		if parts[key] == nil {
			parts[key], order = &sparsePart{}, append(order, key)
		}
		if m != len(parts[key].Hops)+1 || !percentage(w, g, shares.Sparser, shares.Tied, shares.Gradients) {
			return nil, fmt.Errorf("row %d: hop %d of %s with densities %v and %v, shares %v", i, m, key, w, g, shares)
		}
		parts[key].Hops = append(parts[key].Hops, sparseHop{M: m, Weights: &w, Gradients: &g, Shares: &shares})
		x.Ranks = max(x.Ranks, m)
	}
	if x.Ranks < 2 {
		return nil, fmt.Errorf("%d hops", x.Ranks)
	}
	for _, key := range order {
		all, err := readShares(kinds, nil, func(row []any, cols map[string]int) bool {
			return typeset.Raw(row[cols["case"]]) == key && int(exact(row[cols["n"]])) == x.Ranks
		}, "case", "n")
		if err != nil || len(all) != 1 || len(parts[key].Hops) != x.Ranks {
			return nil, fmt.Errorf("%d rows of %s with %d ranks, %d hops: %w", len(all), key, x.Ranks, len(parts[key].Hops), err)
		}
		all[0].Hops = parts[key].Hops
		name, err := l.Page.Label("case", key)
		if err != nil {
			return nil, err
		}
		more, err := layersOf(l, layers, key, x.Ranks)
		if err != nil {
			return nil, err
		}
		x.Models = append(x.Models, sparseModel{Name: name, Parts: append(all, more...)})
	}
	return x, nil
}

// readShares makes parts of the rows that keep takes, ties to weights; name names one.
func readShares(f *frame, name func(row []any, cols map[string]int) (*notebook.Both, error), keep func(row []any, cols map[string]int) bool,
	more ...string) (out []sparsePart, err error) {
	cols := columnsOf(f, append(append([]string{"tie", "sparser", "tied", "gradients", "ratio"}, sparseForms...), more...)...)
	if cols == nil {
		return nil, fmt.Errorf("frame %s lacks a column", f.ID)
	}
	for _, row := range f.Rows {
		if typeset.Raw(row[cols["tie"]]) != "weights" || !keep(row, cols) {
			continue
		}
		p := sparsePart{Shares: sparseShare{exact(row[cols["sparser"]]), exact(row[cols["tied"]]), exact(row[cols["gradients"]])},
			Ratio: typeset.Number(exact(row[cols["ratio"]]), 3)}
		if name != nil {
			if p.Name, err = name(row, cols); err != nil {
				return nil, err
			}
		}
		for _, form := range sparseForms {
			if share := exact(row[cols[form]]); share > 0 {
				p.Forms = append(p.Forms, sparseForm{form, share})
			}
		}
		sum := p.Shares.Sparser + p.Shares.Tied + p.Shares.Gradients
		if exact(row[cols["ratio"]]) < 0 || !percentage(p.Shares.Sparser, p.Shares.Tied, p.Shares.Gradients) || sum < 99.9 || sum > 100.1 || len(p.Forms) == 0 {
			return nil, fmt.Errorf("frame %s: shares %v, forms %v, bytes %v of dense", f.ID, p.Shares, p.Forms, row[cols["ratio"]])
		}
		out = append(out, p)
	}
	return out, nil
}

// percentage reports whether all of shares are from 0 to 100.
func percentage(shares ...float64) bool {
	return !slices.ContainsFunc(shares, func(x float64) bool { return !(x >= 0 && x <= 100) })
}

// layersOf makes parts of a model's layers, with the densities of one rank's gradient and of
// the sum of all.
func layersOf(l worded, f *frame, key string, ranks int) ([]sparsePart, error) {
	var hops [][]sparseHop
	out, err := readShares(f, func(row []any, cols map[string]int) (*notebook.Both, error) {
		name, err := l.Page.Label("layer", typeset.Raw(row[cols["layer"]]))
		text := name
		return &text, err
	}, func(row []any, cols map[string]int) bool {
		if typeset.Raw(row[cols["case"]]) != key {
			return false
		}
		one, all := exact(row[cols["first"]]), exact(row[cols["last"]])
		hops = append(hops, []sparseHop{{M: 1, Gradients: &one}, {M: ranks, Gradients: &all}})
		return true
	}, "case", "layer", "first", "last")
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Hops = hops[i]; !percentage(*hops[i][0].Gradients, *hops[i][1].Gradients) {
			return nil, fmt.Errorf("frame %s: densities %v and %v", f.ID, *hops[i][0].Gradients, *hops[i][1].Gradients)
		}
	}
	return out, nil
}
