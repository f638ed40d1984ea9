package ringsparse

import (
	"fmt"
	"math"
	"strings"

	result "gradsync/experiments/result1"
)

const howLoss = "W0 is normal with deviation 0.05, g normal with the size of the column; half of the entries are +0 in every rank's g. Error: ‖Pg − Σg‖ over ‖Σg‖, Σg in float64. "

// lossTable is the patent's way: weights at every hop.
func lossTable(l *losses) result.Table {
	t := result.Table{ID: "cancellation", Title: "Weights at every hop, then back to gradients", Kind: result.Counted,
		Caption: howLoss + fmt.Sprintf("Blocks of %d entries summed in float32 by the package's own functions, in ring order; mean over seeds. False non-zeros: of the entries whose g is +0 everywhere, the share that comes back as something else.", l.plan.Elements),
		Columns: []result.Column{{Key: "n", Title: "N"}}}
	for _, kind := range []struct{ key, title, unit string }{{"error", "error", ""}, {"false", "false non-zeros", "%"}} {
		for i, c := range l.plan.Cells {
			col := result.Column{Key: fmt.Sprintf("%s%d", kind.key, i+1), Title: kind.title + ", " + c.String(), Unit: kind.unit}
			if kind.unit != "" {
				col.Digits = 1
			}
			t.Columns = append(t.Columns, col)
		}
	}
	for n, nodes := range l.plan.Nodes {
		row := []any{nodes}
		for c := range l.plan.Cells {
			e, _ := l.means(c, n, 0)
			row = append(row, digits(e, 2))
		}
		for c := range l.plan.Cells {
			_, f := l.means(c, n, 0)
			row = append(row, 100*f)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// digits rounds x to so many significant digits, for columns that span decades.
func digits(x float64, n int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, float64(n-1)-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// remedyTable sets the ways side by side at the largest ring.
func remedyTable(l *losses) result.Table {
	last := len(l.plan.Nodes) - 1
	t := result.Table{ID: "remedies", Title: fmt.Sprintf("Remedies, N = %d", l.plan.Nodes[last]), Kind: result.Counted,
		Caption: howLoss + "Mean over seeds. Kept gradients are the canonical state, and weights a wire form only.",
		Columns: []result.Column{{Key: "way", Title: "what is carried"}, {Key: "why", Title: "how"}}}
	for i, c := range l.plan.Cells {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("error%d", i+1), Title: "error, " + c.String()})
	}
	t.Columns = append(t.Columns, result.Column{Key: "false", Title: "false non-zeros, most of the columns", Unit: "%", Digits: 1})
	for w, way := range lossWays {
		row, most := []any{way.Title, way.Why}, 0.0
		for c := range l.plan.Cells {
			e, f := l.means(c, last, w)
			row, most = append(row, digits(e, 2)), math.Max(most, f)
		}
		t.Rows = append(t.Rows, append(row, 100*most))
	}
	return t
}

func signTable(signs []signCase) result.Table {
	t := result.Table{ID: "sign", Title: "The sign of S51", Kind: result.Counted,
		Caption: "The sum of four ranks' g is turned into weights by Pw with either sign, and read back as what S3 means: W′ = W0 − η·g if g is the gradient, W′ = W0 + η·g if it is the direction of descent. Error: ‖Pg − Σg‖ over ‖Σg‖.",
		Columns: []result.Column{{Key: "reading", Title: "g is the"}, {Key: "sign", Title: "sign of η in Pw"}, {Key: "error", Title: "error"}}}
	for _, s := range signs {
		t.Rows = append(t.Rows, []any{s.Reading, s.Sign, digits(s.Error, 2)})
	}
	return t
}

func rationalTable(set rationalSet, n identityCount) result.Table {
	t := result.Table{ID: "identities", Title: "The formulas in exact rationals", Kind: result.Modelled,
		Caption: fmt.Sprintf("%d cases: m = %d to %d nodes, random dyadic numbers of so few digits that float32 holds every value on the way. The package's functions against rational arithmetic, compared for equality.", n.Cases, set.Least, set.Most),
		Columns: []result.Column{{Key: "formula", Title: "formula"}, {Key: "against", Title: "equals"}, {Key: "equal", Title: "cases equal"}, {Key: "cases", Title: "of"}}}
	for _, r := range []struct {
		formula, against string
		equal            int
	}{
		{"Pw = m·W0 − η·(Pg′ + Pg″)", "Σ W′, g the gradient", n.Minus},
		{"Pw = m·W0 + η·(Pg′ + Pg″), as printed", "Σ W′, g the gradient", n.Plus},
		{"Pw = m·W0 + η·(Pg′ + Pg″), as printed", "Σ W′, g the direction of descent", n.Directions},
		{"Pg = (m·W0 − (Pw′ + Pw″))/η", "Σ g", n.Back},
		{"Pg with m − 1 for m: k counted from 0", "Σ g", n.Without},
	} {
		t.Rows = append(t.Rows, []any{r.formula, r.against, r.equal, n.Cases})
	}
	return t
}

func lossFigure(l *losses) result.Figure {
	f := result.Figure{ID: "error", Title: "Error of the gradient, by size of the ring", Kind: result.Counted, Form: "line",
		X: result.Axis{Title: "N"}, Y: result.Axis{Title: "relative error", Log: true},
		Caption: howLoss + "Weights at every hop in all three columns of the table, and gradients at every hop with " + l.plan.Cells[0].String() + ", for comparison."}
	last := len(l.plan.Nodes) - 1
	add := func(name, group string, cell, way int) {
		s := result.Series{Name: name, Group: group}
		for n, nodes := range l.plan.Nodes {
			e, _ := l.means(cell, n, way)
			s.X, s.Y = append(s.X, float64(nodes)), append(s.Y, e)
		}
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("%s: %.1e at N = %d, %.1e at N = %d. ", name, s.Y[0], l.plan.Nodes[0], s.Y[last], l.plan.Nodes[last])
	}
	for c, cell := range l.plan.Cells {
		add(cell.String(), fmt.Sprintf("cell %d", c+1), c, 0)
	}
	add("gradients at every hop", "gradients", 0, len(lossWays)-1)
	f.Alt = strings.TrimSpace(f.Alt)
	return f
}

func falseFigure(l *losses) result.Figure {
	f := result.Figure{ID: "false-non-zeros", Title: "True zeros that come back as something else", Kind: result.Counted, Form: "bar",
		X: result.Axis{Title: "N"}, Y: result.Axis{Title: "of the entries without gradient", Unit: "%"},
		Caption: howLoss + "Weights at every hop, first column. Where g is 0 nothing but the rounding of sums of W0 decides, so η and the size of g do not matter."}
	s := result.Series{Name: "weights at every hop", Group: "weights"}
	var parts []string
	for n, nodes := range l.plan.Nodes {
		_, share := l.means(0, n, 0)
		f.X.Categories = append(f.X.Categories, fmt.Sprint(nodes))
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, 100*share)
		parts = append(parts, fmt.Sprintf("N = %d: %.0f %%", nodes, 100*share))
	}
	f.Series, f.Alt = []result.Series{s}, "Share of true zeros that come back as non-zeros: "+strings.Join(parts, ", ")+"."
	return f
}

// firstFalse is the smallest ring with false non-zeros of a way, 0 if there is none.
func firstFalse(l *losses, way int) int {
	for n, nodes := range l.plan.Nodes {
		for c := range l.plan.Cells {
			if _, f := l.means(c, n, way); f > 0 {
				return nodes
			}
		}
	}
	return 0
}

func lossNotes(l *losses, signs []signCase) []string {
	last := len(l.plan.Nodes) - 1
	least, most := math.Inf(1), 0.0
	for c := range l.plan.Cells {
		for n := range l.plan.Nodes {
			e, _ := l.means(c, n, 0)
			least, most = math.Min(least, e), math.Max(most, e)
		}
	}
	zeros := "No true zero becomes a non-zero at any N that was run."
	if n := firstFalse(l, 0); n > 0 {
		_, f := l.means(0, last, 0)
		zeros = fmt.Sprintf("From N = %d on, sums of weights turned back have non-zeros where no rank had a gradient: %.0f %% of the true zeros at N = %d. Up to then m·W0 and the sum of m times W0 round alike. A block that travels as weights has lost the zeros that the choice of S41 is made by.", n, 100*f, l.plan.Nodes[last])
	}
	worst := len(l.plan.Cells) - 1
	at := func(way int) float64 { e, _ := l.means(worst, last, way); return e }
	clean := "none of the remedies does"
	var names []string
	for w := 1; w < len(lossWays); w++ {
		if firstFalse(l, w) == 0 {
			names = append(names, lossWays[w].Title)
		}
	}
	if len(names) > 0 {
		clean = strings.Join(names, "; ")
	}
	return []string{
		fmt.Sprintf("Gradients that travel as weights come back with a relative error of %.1e to %.1e: a step η·g is added to a weight that is much larger, and its last digits go. The error grows with the weight over the step and with N.", least, most),
		zeros,
		fmt.Sprintf("Remedies at N = %d with %s, where weights at every hop lose %.1e: gradients kept and weights as a wire form %.1e; sums in float64 %.1e, which leaves the rounding of W′ itself; float64 throughout %.1e; gradients at every hop %.1e. No false non-zeros at any N: %s.", l.plan.Nodes[last], l.plan.Cells[worst], at(0), at(1), at(2), at(3), at(4), clean),
		fmt.Sprintf("The printed plus of Pw is no matter of taste: applied to gradients it turns them round (error %.0f %%); it is right, to %.1e, where g means the direction of descent.", 100*signs[1].Error, signs[3].Error),
	}
}
