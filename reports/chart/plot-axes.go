package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gradsync/reports/compare"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// axes returns the axes of lines: along the figure from the first to the last number, across it a
// little more than the means, and of shares as percentRange says.
func (p *Plot) axes(f, zh notebook.Drawing) (xs, ys compare.Scale) {
	inf := math.Inf(1)
	x, y, wide := [2]float64{inf, -inf}, [2]float64{inf, -inf}, [2]float64{inf, -inf}
	stretch := func(r *[2]float64, v float64) {
		if !missing(v) && !math.IsInf(v, 0) {
			r[0], r[1] = min(r[0], v), max(r[1], v)
		}
	}
	var places []float64
	for _, s := range f.Series {
		for i := range s.X {
			stretch(&x, s.X[i])
			if s.Seed == nil {
				places = append(places, s.X[i])
				stretch(&y, s.Y[i])
			}
			stretch(&wide, s.Y[i])
			if len(s.Lo) > 0 {
				stretch(&wide, s.Lo[i])
				stretch(&wide, s.Hi[i])
			}
		}
	}
	if y[0] > y[1] {
		y = wide
	}
	if room := y[1] - y[0]; !f.Y.Log { // bands are cut where they would flatten the means
		y[0], y[1] = max(wide[0], y[0]-room), min(wide[1], y[1]+room)
		if y[0] > 0 && y[0] < y[1]/3 {
			y[0] = 0
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	if !f.X.Log && !counts(f) && len(places) > manyPlaces && x[0] > 0 && x[0] < x[1]/8 {
		x[0] = 0 // a course is read from its beginning
	}
	x[1] = p.shortened(f, zh, x[1])
	places = slices.DeleteFunc(places, func(v float64) bool { return v > x[1] })
	xs = compare.Spanning(x[0], x[1], f.X.Log, notebook.Both{})
	if !slices.ContainsFunc(places, func(v float64) bool { return v != math.Trunc(v) }) {
		xs = compare.SpanningWhole(x[0], x[1], f.X.Log, notebook.Both{})
	}
	if xs.Lo == x[0] && xs.Hi == x[1] && (x[0] != 0 || places[0] == 0) {
		xs = xs.On(places)
	}
	ys = compare.Around(y[0], y[1], f.Y.Log, notebook.Both{})
	if lo, hi, ok := percentRange(f); ok {
		ys = compare.Spanning(lo, hi, false, notebook.Both{})
	}
	return xs, ys
}

// manyPlaces is how many points a line has at least that shows a course, such as that of a training.
const manyPlaces = 12

// farther is how many times as far as all others a line reaches that is cut, so that the others are seen.
const farther = 2.5

// shortened returns where the horizontal axis ends. One line that reaches much farther than all others is
// cut a little behind them, and the words of the drawing say how far it goes.
func (p *Plot) shortened(f, zh notebook.Drawing, end float64) float64 {
	ends := map[string]float64{}
	for _, s := range f.Series {
		if len(s.X) > 0 {
			ends[group(s)] = max(ends[group(s)], slices.Max(s.X))
		}
	}
	longest, second := "", 0.0
	for g, x := range ends {
		if x == end {
			longest = g
		} else {
			second = max(second, x)
		}
	}
	for g, x := range ends {
		if x == end && g != longest {
			return end // two reach as far
		}
	}
	to := 1.15 * second
	if f.X.Log || len(ends) < 3 || end < farther*second {
		return end
	}
	for i, s := range f.Series {
		if s.Seed == nil && group(s) == longest {
			if s.X[0] >= to/2 {
				return end // nothing would be left of it
			}
			long := typeset.WithUnit(typeset.Number(rounded(end), 0), f.X.Unit)
			p.add(notebook.Both{s.Name + " goes on to " + long + ", beyond the frame.", zh.Series[i].Name + "延伸到边框之外，直至 " + long + "。"})
			return to
		}
	}
	return end
}

// area puts a stretched drawing between labels.
func area(xs, ys compare.Scale, drawing, over string) template.HTML {
	var b, grid strings.Builder
	b.WriteString(`<div class="area">`)
	for i, text := range ys.Labels() {
		t := ys.Ticks[i]
		fmt.Fprintf(&grid, "M0 %dh%d", side-spot(ys, t), side)
		fmt.Fprintf(&b, `<u class="y" style="--y:%s">%s</u>`, places(ys.At(t)), text)
	}
	for i, text := range xs.Labels() {
		t := xs.Ticks[i]
		fmt.Fprintf(&grid, "M%d %dv-12", spot(xs, t), side)
		fmt.Fprintf(&b, `<u class="x" style="--x:%s">%s</u>`, places(xs.At(t)), text)
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true"><path class="g" d="%s"/>%s</svg>%s</div>`, side, side,
		grid.String(), drawing, over)
	return template.HTML(b.String())
}

// places prints a place in per cent.
func places(x float64) string { return compare.Percent(x) }
