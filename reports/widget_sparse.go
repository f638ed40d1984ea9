package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	result "gradsync/experiments/result1"
)

// sparseChoice is what RingSparse chose, as assets/widgets-sparse.js shows it: by
// model and layer, from the tables hops, kinds and layers-… of one result.
type sparseChoice struct {
	Ranks  int           `json:"ranks"`
	Models []sparseModel `json:"models"`
}

type sparseModel struct {
	Name  string       `json:"name"`
	Parts []sparsePart `json:"parts"` // all layers first
}

// sparsePart is one layer, or all.
type sparsePart struct {
	Name   string       `json:"name"` // "" is all layers
	Hops   []sparseHop  `json:"hops"` // at which densities are known
	Shares sparseShare  `json:"shares"`
	Forms  []sparseForm `json:"forms"`
	Ratio  string       `json:"ratio"` // bytes over the dense ring's
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

var formShare = regexp.MustCompile(`([a-z]+) ([\d.]+) %`)

// sparseOf reads the result that hops is a table of, ties to weights, the most ranks.
func sparseOf(r *result.Result, hops result.Table) (*sparseChoice, error) {
	x := &sparseChoice{}
	for column(hops, "m"+strconv.Itoa(x.Ranks+1)) >= 0 {
		x.Ranks++
	}
	first, kind := column(hops, "m1"), column(hops, "kind")
	at := slices.IndexFunc(r.Tables, func(t result.Table) bool { return t.ID == "kinds" })
	if x.Ranks < 2 || kind < 0 || at < 0 || len(hops.Rows)%2 != 0 || len(hops.Rows) == 0 {
		return nil, fmt.Errorf("%d hops, %d rows, or no table of kinds", x.Ranks, len(hops.Rows))
	}
	for i := 0; i < len(hops.Rows); i += 2 {
		w, g := hops.Rows[i], hops.Rows[i+1]
		name := raw(w[0])
		if w[kind] != "weights" || g[kind] != "gradients" || raw(g[0]) != name {
			return nil, fmt.Errorf("row %d: %v of %v, then %v of %v", i, w[kind], w[0], g[kind], g[0])
		}
		all, err := readShares(r.Tables[at], func(row []any, cols map[string]int) bool {
			return row[cols["case"]] == name && int(exact(row[cols["n"]])) == x.Ranks
		}, "case", "n")
		if err != nil || len(all) != 1 {
			return nil, fmt.Errorf("table kinds: %d rows of %s with %d ranks: %v", len(all), name, x.Ranks, err)
		}
		for h := range x.Ranks {
			wd, gd := exact(w[first+h]), exact(g[first+h])
			if !percentage(wd, gd) {
				return nil, fmt.Errorf("row %d: densities %v and %v in column m%d", i, w[first+h], g[first+h], h+1)
			}
			all[0].Hops = append(all[0].Hops, sparseHop{M: h + 1, Weights: &wd, Gradients: &gd})
		}
		m := sparseModel{Name: name, Parts: all}
		key, layers, err := layersOf(r, name, x.Ranks)
		if err != nil {
			return nil, err
		}
		m.Parts = append(m.Parts, layers...)
		readByHop(r, key, m.Parts[0].Hops)
		x.Models = append(x.Models, m)
	}
	return x, nil
}

// readShares makes parts of the rows that keep takes, ties to weights.
func readShares(t result.Table, keep func(row []any, cols map[string]int) bool, more ...string) (out []sparsePart, err error) {
	cols := columnsOf(t, append([]string{"tie", "sparser", "tied", "gradients", "codecs", "ratio"}, more...)...)
	if cols == nil {
		return nil, fmt.Errorf("table %s lacks a column", t.ID)
	}
	for _, row := range t.Rows {
		if row[cols["tie"]] == "gradients" || !keep(row, cols) {
			continue
		}
		p := sparsePart{Shares: sparseShare{exact(row[cols["sparser"]]), exact(row[cols["tied"]]), exact(row[cols["gradients"]])}, Ratio: number(exact(row[cols["ratio"]]), 3)}
		for _, m := range formShare.FindAllStringSubmatch(raw(row[cols["codecs"]]), -1) {
			share, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", t.ID, err)
			}
			p.Forms = append(p.Forms, sparseForm{m[1], share})
		}
		if bytes := exact(row[cols["ratio"]]); bytes < 0 || !percentage(p.Shares.Sparser, p.Shares.Tied, p.Shares.Gradients) {
			return nil, fmt.Errorf("table %s: shares %v, bytes %v of dense", t.ID, p.Shares, row[cols["ratio"]])
		}
		if sum := p.Shares.Sparser + p.Shares.Tied + p.Shares.Gradients; sum < 99.9 || sum > 100.1 || len(p.Forms) == 0 {
			return nil, fmt.Errorf("table %s: shares that sum to %v %%, sent as %v", t.ID, sum, row[cols["codecs"]])
		}
		out = append(out, p)
	}
	return out, nil
}

// percentage reports whether all of shares are from 0 to 100.
func percentage(shares ...float64) bool {
	return !slices.ContainsFunc(shares, func(x float64) bool { return !(x >= 0 && x <= 100) })
}

// layersOf finds the table of a model's layers by its title and makes parts of it,
// with the densities of one rank's gradient and of the sum of all.
func layersOf(r *result.Result, name string, ranks int) (key string, out []sparsePart, err error) {
	for _, t := range r.Tables {
		if !strings.HasPrefix(t.ID, "layers-") || !strings.HasPrefix(t.Title, name+", layer by layer") {
			continue
		}
		var names []string
		var hops [][]sparseHop
		out, err = readShares(t, func(row []any, cols map[string]int) bool {
			one, all := exact(row[cols["first"]]), exact(row[cols["last"]])
			names = append(names, raw(row[cols["layer"]]))
			hops = append(hops, []sparseHop{{M: 1, Gradients: &one}, {M: ranks, Gradients: &all}})
			return true
		}, "layer", "first", "last")
		for i := range out {
			out[i].Name, out[i].Hops = names[i], hops[i]
			if one, all := *hops[i][0].Gradients, *hops[i][1].Gradients; !percentage(one, all) {
				return "", nil, fmt.Errorf("table %s: layer %s with densities %v and %v", t.ID, names[i], one, all)
			}
		}
		return strings.TrimPrefix(t.ID, "layers-"), out, err
	}
	return "", nil, fmt.Errorf("no table of the layers of %s", name)
}

// readByHop adds the shares of every hop, which a figure has where they differ.
func readByHop(r *result.Result, key string, hops []sparseHop) {
	for _, f := range r.Figures {
		if f.ID != "by-hop-"+key || len(f.Series) != 3 {
			continue
		}
		for h := range hops {
			var of [3]float64
			for s, series := range f.Series {
				if len(series.Y) != len(hops) {
					return
				}
				of[s] = series.Y[h]
			}
			hops[h].Shares = &sparseShare{of[0], of[1], of[2]}
		}
	}
}
