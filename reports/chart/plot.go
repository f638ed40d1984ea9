package chart

import (
	"fmt"
	"html/template"
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

// PlotKey explains one look. Method is the name of the method that has it, "" of what is none.
type PlotKey struct {
	Name   notebook.Both
	Method string
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

// manyGroups is how many groups a drawing may have before their bands would run together.
const manyGroups = 3

// mostDotted is how many points of a line are dots as well.
const mostDotted = 8

// lineSample is a piece of a line for the key: its colour, and the attribute of its dash.
const lineSample = `<svg width="28" height="10" aria-hidden="true">` +
	`<path d="M0 5h28" fill="none" stroke-width="2.5" stroke="%s"%s/></svg>`

// lines draws means with their dash, and their bands behind them where few groups are; no seeds. What
// lies outside of the frame is cut there.
func (p *Plot) lines(en, zh notebook.Drawing) {
	xs, ys := p.axes(en, zh)
	dressed := looks(en.Series)
	if en.Before != nil {
		dressed = looks(en.Before)
	}
	_, names := legendOf(en.Series)
	_, chinese := legendOf(zh.Series)
	few := len(names) <= manyGroups
	var bands, solid, broken strings.Builder
	seeded, cut := false, false
	named := map[string]bool{}
	var drawn []mean
	for _, s := range ordered(en.Series) {
		l := dressed[group(s)]
		if s.Seed == nil && len(s.Lo) > 0 && few {
			d, beyond := band(xs, ys, s)
			cut = cut || beyond
			if d != "" {
				fmt.Fprintf(&bands, `<path class="r" fill="%s" d="%sz"/>`, l.Colour, d)
			}
		}
		if s.Seed != nil {
			seeded = true
			continue
		}
		var line, dots path
		whole := make(mean, len(s.X))
		for i, x := range s.X {
			whole[i] = at(xs, ys, x, s.Y[i])
			if missing(s.Y[i]) {
				line.open = false
				continue
			}
			if i > 0 && !missing(s.Y[i-1]) {
				line.segment(whole[i-1], whole[i])
			}
			if !whole[i].outside() {
				dots.open = false
				dots.to(whole[i])
				dots.WriteString("h0")
			}
		}
		means := &solid // below those whose gaps show it
		if dashed(l) != "" {
			means = &broken
		}
		if line.Len() > 0 {
			fmt.Fprintf(means, `<path stroke="%s"%s d="%s"/>`, l.Colour, dashed(l), line.String())
		}
		if len(s.X) <= mostDotted && dots.Len() > 0 {
			fmt.Fprintf(means, `<path class="d" stroke="%s" d="%s"/>`, l.Colour, dots.String())
		}
		if i := slices.Index(names, s.Name); i >= 0 && !named[s.Name] {
			named[s.Name] = true
			drawn = append(drawn, whole)
			p.Key = append(p.Key, PlotKey{notebook.Both{s.Name, chinese[min(i, len(chinese)-1)]}, methodOf(group(s)),
				template.HTML(fmt.Sprintf(lineSample, l.Colour, dashed(l)))})
		}
	}
	p.alike(drawn)
	if len(names) == 1 {
		p.Key = nil
	}
	p.explain(seeded, bands.Len() > 0, cut)
	p.logarithmic(xs, ys)
	p.Body = area(xs, ys, bands.String()+solid.String()+broken.String(), "")
}

// band returns the path around a series' interval, and whether the frame cuts it.
func band(xs, ys compare.Scale, s notebook.Series) (d string, cut bool) {
	var around []point
	for i, x := range s.X {
		around = append(around, at(xs, ys, x, s.Hi[i]))
	}
	for i := len(s.X) - 1; i >= 0; i-- {
		around = append(around, at(xs, ys, s.X[i], s.Lo[i]))
	}
	var b path
	for _, corner := range inside(around) {
		b.to(corner)
	}
	return b.String(), slices.ContainsFunc(around, point.outside)
}

// explain says what lines and bands are.
func (p *Plot) explain(seeded, banded, cut bool) {
	switch {
	case seeded && banded:
		p.add(notebook.Both{"Lines are means over the runs, bands their 95 % intervals.", "线为各次运行的均值，色带为其 95 % 区间。"})
	case seeded:
		p.add(notebook.Both{"Lines are means over the runs.", "线为各次运行的均值。"})
	case banded:
		p.add(notebook.Both{"Bands are 95 % intervals.", "色带为 95 % 区间。"})
	}
	if cut {
		p.add(notebook.Both{"The frame cuts bands that go on beyond it.", "超出边框的色带在边框处截断。"})
	}
}

// logarithmic says which axes are.
func (p *Plot) logarithmic(xs, ys compare.Scale) {
	switch {
	case xs.Log && ys.Log:
		p.add(notebook.Both{"Both axes are logarithmic.", "两轴均为对数轴。"})
	case xs.Log:
		p.add(notebook.Both{"The horizontal axis is logarithmic.", "横轴为对数轴。"})
	case ys.Log:
		p.add(notebook.Both{"The vertical axis is logarithmic.", "纵轴为对数轴。"})
	}
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
