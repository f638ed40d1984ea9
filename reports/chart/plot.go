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

// Plot is a figure as HTML and CSS around one stretched drawing: its words are text, which keeps its
// size at every width, speaks both languages and is printed.
type Plot struct {
	Anchor, Form   string
	Told           template.HTML // caption
	Alt            notebook.Both // for who cannot see it
	Key            []PlotKey
	XTitle, YTitle notebook.Both
	Body           template.HTML
	Drawn          notebook.Both // what the drawing does otherwise than the data
}

// PlotKey explains one look.
type PlotKey struct {
	Name   notebook.Both
	Sample template.HTML
}

// NewPlot draws a figure.
func NewPlot(f *notebook.Figure, anchor string) (*Plot, error) {
	if err := check(f); err != nil {
		return nil, err
	}
	en, zh, together := asDrawn(f)
	p := &Plot{Anchor: anchor, Form: en.Form, Told: typeset.BothHTML(f.Caption), Alt: f.Alt, Drawn: howDrawn(en, together),
		XTitle: notebook.Both{axisTitle(en.X), axisTitle(zh.X)}, YTitle: notebook.Both{axisTitle(en.Y), axisTitle(zh.Y)}}
	switch en.Form {
	case "line":
		p.lines(en, zh)
	case "bar":
		p.bars(en, zh)
	case "gantt":
		p.lanes(en, zh)
	default:
		p.cells(en, zh)
	}
	return p, nil
}

// side is how many steps a stretched drawing has on each side.
const side = 1000

// spot returns where a value stands in a stretched drawing.
func spot(s compare.Scale, v float64) int { return int(math.Round(s.At(v) * side / 100)) }

// path writes points as an SVG path: absolute where a piece begins, relative after it.
type path struct {
	strings.Builder
	x, y int
	open bool
}

func (p *path) to(x, y int) {
	switch {
	case !p.open:
		fmt.Fprintf(p, "M%d %d", x, y)
	case x == p.x && y == p.y:
		return
	default:
		fmt.Fprintf(p, "l%d %d", x-p.x, y-p.y)
	}
	p.x, p.y, p.open = x, y, true
}

// manyGroups is how many groups a drawing may have before their bands would run together.
const manyGroups = 3

// mostDotted is how many points of a line are dots as well.
const mostDotted = 8

// lineSample is a piece of a line for the key: its colour, and the attribute of its dash.
const lineSample = `<svg width="28" height="10" viewBox="0 0 28 10" aria-hidden="true">` +
	`<path d="M0 5h28" fill="none" stroke-width="2.5" stroke="%s"%s/></svg>`

// lines draws means with their dash, and their bands behind them where few groups are; no seeds.
func (p *Plot) lines(en, zh notebook.Drawing) {
	xs, ys := p.axes(en)
	dressed := looks(en.Series)
	if en.Before != nil {
		dressed = looks(en.Before)
	}
	_, names := legendOf(en.Series)
	_, chinese := legendOf(zh.Series)
	few := len(names) <= manyGroups
	var bands, means strings.Builder
	seeded := false
	named := map[string]bool{}
	for _, s := range ordered(en.Series) {
		l := dressed[group(s)]
		if s.Seed == nil && len(s.Lo) > 0 && few {
			var b path
			for i, x := range s.X {
				b.to(spot(xs, x), side-spot(ys, s.Hi[i]))
			}
			for i := len(s.X) - 1; i >= 0; i-- {
				b.to(spot(xs, s.X[i]), side-spot(ys, s.Lo[i]))
			}
			fmt.Fprintf(&bands, `<path class="r" fill="%s" d="%sz"/>`, l.Colour, b.String())
		}
		if s.Seed != nil {
			seeded = true
			continue
		}
		var line, dots path
		for i, x := range s.X {
			if missing(s.Y[i]) {
				line.open = false
				continue
			}
			line.to(spot(xs, x), side-spot(ys, s.Y[i]))
			dots.open = false
			dots.to(spot(xs, x), side-spot(ys, s.Y[i]))
			dots.WriteString("h0")
		}
		fmt.Fprintf(&means, `<path stroke="%s"%s d="%s"/>`, l.Colour, dashed(l), line.String())
		if len(s.X) <= mostDotted {
			fmt.Fprintf(&means, `<path class="d" stroke="%s" d="%s"/>`, l.Colour, dots.String())
		}
		if i := slices.Index(names, s.Name); i >= 0 && !named[s.Name] {
			named[s.Name] = true
			p.Key = append(p.Key, PlotKey{notebook.Both{s.Name, chinese[min(i, len(chinese)-1)]},
				template.HTML(fmt.Sprintf(lineSample, l.Colour, dashed(l)))})
		}
	}
	if len(names) == 1 {
		p.Key = nil
	}
	switch {
	case seeded && bands.Len() > 0:
		p.add(notebook.Both{"Lines are means over the runs, bands their 95 % intervals.", "线为各次运行的均值，色带为其 95 % 区间。"})
	case seeded:
		p.add(notebook.Both{"Lines are means over the runs.", "线为各次运行的均值。"})
	case bands.Len() > 0:
		p.add(notebook.Both{"Bands are 95 % intervals.", "色带为 95 % 区间。"})
	}
	p.Body = area(xs, ys, bands.String()+means.String(), "")
}

// add says one thing more of the drawing.
func (p *Plot) add(text notebook.Both) {
	if p.Drawn[0] != "" {
		text[0] = " " + text[0]
	}
	p.Drawn[0], p.Drawn[1] = p.Drawn[0]+text[0], p.Drawn[1]+text[1]
}

// dashed returns the attribute of a look's dash, "" of a solid line.
func dashed(l look) string {
	if lengths, ok := l.Dash.([]int); ok {
		return ` stroke-dasharray="` + strings.Trim(fmt.Sprint(lengths), "[]") + `"`
	}
	return ""
}

// axes returns the axes of lines: along the figure from the first to the last number, across it a
// little more than the means, and of shares as percentRange says.
func (p *Plot) axes(f notebook.Drawing) (xs, ys compare.Scale) {
	inf := math.Inf(1)
	x, y, wide := [2]float64{inf, -inf}, [2]float64{inf, -inf}, [2]float64{inf, -inf}
	stretch := func(r *[2]float64, v float64) {
		if !missing(v) && !math.IsInf(v, 0) {
			r[0], r[1] = min(r[0], v), max(r[1], v)
		}
	}
	for _, s := range f.Series {
		for i := range s.X {
			stretch(&x, s.X[i])
			if s.Seed == nil {
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
	xs = compare.Spanning(x[0], x[1], f.X.Log, notebook.Both{})
	ys = compare.Around(y[0], y[1], f.Y.Log, notebook.Both{})
	if lo, hi, ok := percentRange(f); ok {
		ys = compare.Spanning(lo, hi, false, notebook.Both{})
	}
	return xs, ys
}

// area puts a stretched drawing between labels.
func area(xs, ys compare.Scale, drawing, over string) template.HTML {
	var b, grid strings.Builder
	b.WriteString(`<div class="area">`)
	for _, t := range ys.Ticks {
		fmt.Fprintf(&grid, "M0 %dh%d", side-spot(ys, t), side)
		fmt.Fprintf(&b, `<u class="y" style="--y:%s">%s</u>`, places(ys.At(t)), compare.Label(t))
	}
	for _, t := range xs.Ticks {
		fmt.Fprintf(&grid, "M%d %dv-12", spot(xs, t), side)
		fmt.Fprintf(&b, `<u class="x" style="--x:%s">%s</u>`, places(xs.At(t)), compare.Label(t))
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true"><path class="g" d="%s"/>%s</svg>%s</div>`, side, side,
		grid.String(), drawing, over)
	return template.HTML(b.String())
}

// places prints a place in per cent.
func places(x float64) string { return compare.Percent(x) }
