package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gradsync/reports/notebook"
)

// figureView is a figure: the drawing that every reader gets, the option that
// the browser makes a live chart of, and the numbers behind both.
type figureView struct {
	Anchor, Form, Kind           string
	XTitle, YTitle, XUnit, Lanes string
	Told                         template.HTML // caption
	Alt                          notebook.Both // for who cannot see it
	SVG                          template.HTML
	Option                       template.JS // of shortOption; its <, > and & are escaped
	Height                       int
	Head                         []template.HTML
	Points                       [][]template.HTML
	Cut                          int  // points that the page's own table leaves out
	Drawn                        said // what the drawing does otherwise than the data
}

// andWords join two names in each language.
var andWords = [2]string{" and ", " 和 "}

// shownPoints is how many points a page's own table holds at most.
const shownPoints = 60

// viewFigure draws a figure once, in English, and keeps its option for the live chart.
func viewFigure(l loaded, f *notebook.Figure, s *scripts) (*figureView, error) {
	en, together := merge(apartInGroups(f.Drawn[0]), andWords[0])
	zh, alsoZh := merge(apartInGroups(f.Drawn[1]), andWords[1])
	if f.Alt[0] == "" {
		return nil, fmt.Errorf("figure %s: the notebook has no alt text under it", f.ID)
	}
	if err := checkDrawing(f.Drawn[0]); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	opt, err := option(en)
	if err != nil {
		return nil, err
	}
	id := l.Anchor() + "-" + figureID(l, f.ID)
	height := figureHeight(len(en.Lanes)) + legendRow*(legendRows(namesOf(en))-1)
	svg, err := s.svg(id, opt, height)
	if err != nil {
		return nil, err
	}
	short, err := shortOption(en.Form, opt)
	if err != nil {
		return nil, err
	}
	v := &figureView{Anchor: id, Form: en.Form, Kind: kindBeside(l, en.Kind), Told: bothHTML(f.Caption), Alt: f.Alt, SVG: template.HTML(svg), Option: template.JS(short), Height: height,
		XTitle: axisTitle(en.X), YTitle: axisTitle(en.Y), XUnit: en.X.Unit, Lanes: strings.Join(en.Lanes, "\n"), Drawn: howDrawn(en, [2][]string{together, alsoZh})}
	rows, rowsZh := pointsOf(en), pointsOf(zh)
	heads := pointHeads(en, zh)
	said := make([]bool, len(heads)) // columns that say something
	for _, row := range rows {
		for j, s := range row {
			said[j] = said[j] || s != ""
		}
	}
	for j, h := range heads {
		if said[j] {
			v.Head = append(v.Head, h)
		}
	}
	if n := len(rows); n > shownPoints {
		v.Cut = n - shownPoints
		rows, rowsZh = rows[:shownPoints], rowsZh[:shownPoints]
	}
	for i, row := range rows {
		var line []template.HTML
		for j := range row {
			if said[j] {
				line = append(line, both(notebook.Both{row[j], rowsZh[i][j]}))
			}
		}
		v.Points = append(v.Points, line)
	}
	return v, nil
}

// figureID tells a figure from a frame of the same id.
func figureID(l loaded, id string) string {
	if slices.ContainsFunc(l.Frames, func(f frame) bool { return slug(f.ID) == slug(id) }) {
		id += "-figure"
	}
	return slug(id)
}

// pointHeads are the heads of pointsOf.
func pointHeads(en, zh notebook.Drawing) (out []template.HTML) {
	words := []notebook.Both{{"series", "系列"}, {"seed", "种子"}, {axisTitle(en.X), axisTitle(zh.X)}, {axisTitle(en.Y), axisTitle(zh.Y)}, {"95 % low", "95 % 下限"}, {"95 % high", "95 % 上限"}}
	if en.Form == "gantt" {
		unit := ""
		if en.X.Unit != "" {
			unit = " (" + en.X.Unit + ")"
		}
		words = []notebook.Both{{"lane", "泳道"}, {"from" + unit, "从" + unit}, {"to" + unit, "到" + unit}, {"state", "状态"}, {"label", "标签"}}
	}
	for _, w := range words {
		out = append(out, both(w))
	}
	return out
}

// pointsOf is the data of a figure in rows of words: the means first, since a page shows
// only so many.
func pointsOf(f notebook.Drawing) (rows [][]string) {
	if f.Form == "gantt" {
		for _, b := range f.Bands {
			rows = append(rows, []string{f.Lanes[b.Lane], number(b.From, 0), number(b.To, 0), b.State, b.Label})
		}
		return rows
	}
	for _, s := range ordered(f.Series) {
		seed := ""
		if s.Seed != nil {
			seed = strconv.FormatUint(*s.Seed, 10)
		}
		for i, y := range s.Y {
			if missing(y) {
				continue
			}
			row := []string{s.Name, seed, "", number(y, 0), "", ""}
			if row[2] = standing(f, s, i); f.Form != "bar" {
				row[2] = number(s.X[i], 0)
			}
			if len(s.Lo) > 0 {
				row[4], row[5] = number(s.Lo[i], 0), number(s.Hi[i], 0)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// standing is what point i of a series stands at.
func standing(f notebook.Drawing, s notebook.Series, i int) string {
	if f.Form == "bar" {
		return f.X.Categories[i]
	}
	return raw(s.X[i])
}
