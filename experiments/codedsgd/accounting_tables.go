package codedsgd

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

const gradientUnits = "gradient units"

// loadsTable has one row per n and r, and one column per accounting.
func loadsTable(plan accountingPlan, sizes []size) result.Table {
	equal, of := countedEqual(sizes)
	t := result.Table{ID: "loads", Title: fmt.Sprintf("Load of one batch, n ≤ %d, whole-gradient messages", plan.Most), Kind: result.Modelled,
		Caption: fmt.Sprintf("Closed forms: what all nodes together send per batch, one whole gradient being the unit. Multicast: a packet counts once however many receive it; unicast: once per receiver. Those of CSSGD, of the same blocks uncoded and of SSGD block by block were also counted from blocks and packets, one by one: %d of %d are equal. r = n: every node computes everything, nothing is sent. Replicated workers exist where r divides n.", equal, of),
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}}}
	for _, a := range codedsgd.Accountings() {
		t.Columns = append(t.Columns, result.Column{Key: a.Key, Title: a.Title, Unit: gradientUnits, Digits: 2})
	}
	for i := range sizes {
		row := []any{sizes[i].N, sizes[i].R}
		for _, l := range sizes[i].Loads {
			if l == nil {
				row = append(row, nil)
			} else {
				row = append(row, float(l))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sends are the sizes at which coded packets, a multicast once, send less than an
// accounting, and those that could be compared: r < n, and the accounting exists.
func sends(sizes []size, key string) (less, of []size) {
	for i := range sizes {
		s := &sizes[i]
		rival := s.at(key)
		if s.R == s.N || rival == nil {
			continue
		}
		of = append(of, *s)
		if s.at("coded").Cmp(rival) < 0 {
			less = append(less, *s)
		}
	}
	return less, of
}

// redundanciesOf lists those of n among sizes, "none" if there are none.
func redundanciesOf(sizes []size, n int) string {
	var rs []string
	for i := range sizes {
		if sizes[i].N == n {
			rs = append(rs, strconv.Itoa(sizes[i].R))
		}
	}
	if rs == nil {
		return "none"
	}
	return strings.Join(rs, ", ")
}

func winsTable(plan accountingPlan, sizes []size) result.Table {
	t := result.Table{ID: "wins", Title: "Where coded packets send less", Kind: result.Modelled,
		Caption: fmt.Sprintf("CSSGD by multicast, each packet counted once, against each other accounting of the table of loads; r < n, 2 ≤ n ≤ %d. A rival counted per receiver is at a disadvantage that has nothing to do with coding.", plan.Most),
		Columns: []result.Column{{Key: "rival", Title: "rival"}, {Key: "form", Title: "its load"}, {Key: "counted", Title: "counted"}, {Key: "less", Title: "CSSGD sends less at"}, {Key: "of", Title: "of sizes"}}}
	for _, n := range plan.Drawn {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("n%d", n), Title: fmt.Sprintf("r at n = %d", n)})
	}
	for _, a := range codedsgd.Accountings()[1:] {
		less, of := sends(sizes, a.Key)
		counted := "once per packet"
		if a.PerReceiver {
			counted = "once per receiver"
		}
		row := []any{a.Title, a.Form, counted, len(less), len(of)}
		for _, n := range plan.Drawn {
			row = append(row, redundanciesOf(less, n))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func ratiosTable(sizes []size) result.Table {
	t := result.Table{ID: "ratios", Title: "The ratio of §2.4, and like for like", Kind: result.Counted,
		Caption: "(19) divides packets that are counted once by messages that are counted once per receiver; like for like both are counted once: the same blocks, multicast without coding. Both were counted from packets and blocks. The bound is that of coded computing, in shares of n·C(n,r) gradients, for nodes that each need something else of every block; (28) is exactly that bound, which says nothing of nodes that all need the same sum.",
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "eq19", Title: "(19), counted", Digits: 4}, {Key: "overr", Title: "1/r", Digits: 4}, {Key: "overn", Title: "1/n, as §2.2 says", Digits: 4},
			{Key: "like", Title: "like for like, counted", Digits: 4}, {Key: "bound", Title: "(1/r)(1 − r/n)", Digits: 4}}}
	for i := range sizes {
		s := &sizes[i]
		row := []any{s.N, s.R, float(s.ratio()), 1 / float64(s.R), 1 / float64(s.N), nil, float(codedsgd.Bound(s.N, s.R))}
		if like := s.likeForLike(); like != nil {
			row[5] = float(like)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// drawn are the accountings of the figures, with short names and the groups that fix
// their colours.
var drawn = []struct{ Key, Name, Group string }{
	{"coded", "CSSGD", "cssgd"}, {"uncoded", "uncoded", "ssgd-multicast"}, {"coded-unicast", "either, unicast", "either"}, {"blocks-unicast", "(30), unicast", "ssgd-unicast"},
	{"ssgd", "SSGD", "ssgd"}, {"ring", "ring", "ring"}, {"compressed", "compressed", "compressed"},
}

// ofNodes are the sizes of n that send anything.
func ofNodes(sizes []size, n int) []size {
	return slices.DeleteFunc(slices.Clone(sizes), func(s size) bool { return s.N != n || s.R == n })
}

func loadsFigure(sizes []size, n int) result.Figure {
	f := result.Figure{ID: fmt.Sprintf("loads-%d", n), Title: fmt.Sprintf("Load by redundancy, n = %d, whole-gradient messages", n), Kind: result.Modelled, Form: "line",
		X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "sent per batch", Unit: gradientUnits, Log: true},
		Caption: fmt.Sprintf("Closed forms, all %d nodes together, a multicast counted once; r = %d sends nothing and is left out. Uncoded: the same blocks on the same nodes. By unicast CSSGD and these send the same, one line. (30): SSGD block by block. SSGD: one sum per node.", n, n)}
	for _, d := range drawn {
		s := result.Series{Name: d.Name, Group: d.Group}
		for _, x := range ofNodes(sizes, n) {
			s.X, s.Y = append(s.X, float64(x.R)), append(s.Y, float(x.at(d.Key)))
		}
		f.Series = append(f.Series, s)
	}
	f.Alt = altOf(&f, "gradients")
	return f
}

// messageFigure is the paper's message model: Q micro-blocks for every r, so that all
// loads are in parts of Q.
func messageFigure(sizes []size, n int) result.Figure {
	f := result.Figure{ID: fmt.Sprintf("messages-%d", n), Title: fmt.Sprintf("Load by redundancy, n = %d, the paper's message model", n), Kind: result.Modelled, Form: "line",
		X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "sent per micro-block", Unit: gradientUnits},
		Caption: fmt.Sprintf("Closed forms, all %d nodes together. A batch is cut into Q micro-blocks for every r alike, and the gradient of each travels by itself, never summed: the model in which (19) and the time per batch of §3.2.4 follow. Nodes that add up first send %d/Q.", n, n)}
	for _, w := range []struct {
		name, group string
		load        func(s *size) *big.Rat
	}{
		{"CSSGD, multicast", "cssgd", func(s *size) *big.Rat { return s.at("coded") }},
		{"SSGD, unicast: the baseline of (19)", "ssgd-unicast", func(s *size) *big.Rat { return s.at("blocks-unicast") }},
		{"SSGD, multicast", "ssgd-multicast", func(s *size) *big.Rat { return s.at("blocks") }},
	} {
		s := result.Series{Name: w.name, Group: w.group}
		for _, x := range ofNodes(sizes, n) {
			s.X, s.Y = append(s.X, float64(x.R)), append(s.Y, float(new(big.Rat).Quo(w.load(&x), x.at("blocks"))))
		}
		f.Series = append(f.Series, s)
	}
	f.Alt = altOf(&f, "gradients per micro-block")
	return f
}

// altOf says where the lines begin and end.
func altOf(f *result.Figure, unit string) string {
	var parts []string
	for _, s := range f.Series {
		last := len(s.X) - 1
		parts = append(parts, fmt.Sprintf("%s: %.3g at r = %g, %.3g at r = %g", s.Name, s.Y[0], s.X[0], s.Y[last], s.X[last]))
	}
	return "In " + unit + ". " + strings.Join(parts, "; ") + "."
}
