package chart

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// View is a figure: the drawing that every reader gets, the option that
// the browser makes a live chart of, and the numbers behind both.
type View struct {
	Anchor, Form, Kind           string
	XTitle, YTitle, XUnit, Lanes string
	Told                         template.HTML // caption
	Alt                          notebook.Both // for who cannot see it
	SVG                          template.HTML
	Option                       template.JS // of shortOption; its <, > and & are escaped
	Height                       int
	Head                         []template.HTML
	Points                       [][]template.HTML
	Cut                          int           // points that the page's own table leaves out
	Drawn                        notebook.Both // what the drawing does otherwise than the data
}

// andWords join two names in each language.
var andWords = [2]string{" and ", " 和 "}

// shownPoints is how many points a page's own table holds at most.
const shownPoints = 60

// Show draws a figure once, in English, and keeps its option for the live chart. Anchor
// is its place on the page.
func Show(f *notebook.Figure, anchor string, s *page.Scripts) (*View, error) {
	en, zh, together := asDrawn(f)
	if f.Alt[0] == "" {
		return nil, fmt.Errorf("figure %s: the notebook has no alt text under it", f.ID)
	}
	if err := checkDrawing(f.Drawn[0]); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	opt, err := Option(en)
	if err != nil {
		return nil, err
	}
	height := heightOf(en) + legendRow*(legendRows(namesOf(en))-1)
	svg, err := drawOption(s, anchor, opt, height)
	if err != nil {
		return nil, err
	}
	short, err := shortOption(en.Form, opt)
	if err != nil {
		return nil, err
	}
	v := &View{Anchor: anchor, Form: en.Form, Told: typeset.BothHTML(f.Caption), Alt: f.Alt, SVG: template.HTML(svg), Option: template.JS(short), Height: height,
		XTitle: axisTitle(en.X), YTitle: axisTitle(en.Y), XUnit: en.X.Unit, Lanes: strings.Join(en.Lanes, "\n"), Drawn: howDrawn(en, together)}
	rows, rowsZh := pointsOf(en), pointsOf(zh)
	heads := pointHeads(en, zh)
	filled := make([]bool, len(heads)) // columns that say something
	for _, row := range rows {
		for j, s := range row {
			filled[j] = filled[j] || s != ""
		}
	}
	for j, h := range heads {
		if filled[j] {
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
			if filled[j] {
				line = append(line, notebook.Both{row[j], rowsZh[i][j]}.HTML())
			}
		}
		v.Points = append(v.Points, line)
	}
	return v, nil
}

// asDrawn returns a figure in each language as it is drawn, with the names of the curves
// that coincide.
func asDrawn(f *notebook.Figure) (en, zh notebook.Drawing, together [2][]string) {
	en, together[0] = merge(apartInGroups(f.Drawn[0]), andWords[0])
	zh, together[1] = merge(apartInGroups(f.Drawn[1]), andWords[1])
	return en, zh, together
}

// HowDrawn says what a reader of the drawing must know besides its caption.
func HowDrawn(f *notebook.Figure) notebook.Both {
	en, _, together := asDrawn(f)
	return howDrawn(en, together)
}

// pointHeads returns the heads of pointsOf.
func pointHeads(en, zh notebook.Drawing) (out []template.HTML) {
	words := []notebook.Both{{"series", "系列"}, {"seed", "种子"}, {axisTitle(en.X), axisTitle(zh.X)}, {axisTitle(en.Y), axisTitle(zh.Y)},
		{"95 % low", "95 % 下限"}, {"95 % high", "95 % 上限"}}
	switch en.Form {
	case "map":
		words = []notebook.Both{{"lane", "泳道"}}
		for i, c := range en.X.Categories {
			words = append(words, notebook.Both{c, zh.X.Categories[i]})
		}
	case "gantt":
		unit := ""
		if en.X.Unit != "" {
			unit = " (" + en.X.Unit + ")"
		}
		words = []notebook.Both{{"lane", "泳道"}, {"from" + unit, "从" + unit}, {"to" + unit, "到" + unit}, {"state", "状态"}, {"label", "标签"}}
	}
	for _, w := range words {
		out = append(out, w.HTML())
	}
	return out
}

// pointsOf returns the data of a figure in rows of words: the means first, since a page shows
// the first shownPoints alone.
func pointsOf(f notebook.Drawing) (rows [][]string) {
	if f.Form == "map" {
		return mapRows(f)
	}
	if f.Form == "gantt" {
		for _, b := range f.Bands {
			rows = append(rows, []string{f.Lanes[b.Lane], typeset.Number(b.From, 0), typeset.Number(b.To, 0), b.State, b.Label})
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
			row := []string{s.Name, seed, "", typeset.Number(y, 0), "", ""}
			if row[2] = standing(f, s, i); f.Form != "bar" {
				row[2] = typeset.Number(s.X[i], 0)
			}
			if len(s.Lo) > 0 {
				row[4], row[5] = typeset.Number(s.Lo[i], 0), typeset.Number(s.Hi[i], 0)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// standing returns the category or place of point i of a series.
func standing(f notebook.Drawing, s notebook.Series, i int) string {
	if f.Form == "bar" {
		return f.X.Categories[i]
	}
	return typeset.Raw(s.X[i])
}

// CSV returns the numbers of a figure with every digit, one row per point or band.
func CSV(f notebook.Drawing) ([]byte, error) {
	var rows [][]string
	if f.Form == "map" {
		rows = mapLines(f)
	} else if f.Form == "gantt" {
		rows = append(rows, []string{"lane", "from [" + f.X.Unit + "]", "to [" + f.X.Unit + "]", "state", "label"})
		for _, b := range f.Bands {
			rows = append(rows, []string{f.Lanes[b.Lane], typeset.Raw(b.From), typeset.Raw(b.To), b.State, b.Label})
		}
	} else {
		rows = append(rows, []string{"series", "group", "seed", axisTitle(f.X), axisTitle(f.Y), "low", "high"})
		for _, s := range f.Series {
			seed := ""
			if s.Seed != nil {
				seed = strconv.FormatUint(*s.Seed, 10)
			}
			for i, y := range s.Y {
				if missing(y) {
					continue
				}
				line := []string{s.Name, s.Group, seed, standing(f, s, i), typeset.Raw(y), "", ""}
				if len(s.Lo) > 0 {
					line[5], line[6] = typeset.Raw(s.Lo[i]), typeset.Raw(s.Hi[i])
				}
				rows = append(rows, line)
			}
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// Words returns the words of a chart in English with the Chinese of each that differs.
func Words(en, zh notebook.Drawing) map[string]string {
	out := map[string]string{}
	put := func(a, b string) {
		if a != b && a != "" {
			out[a] = b
		}
	}
	axis := func(a, b notebook.Axis) {
		put(axisTitle(a), axisTitle(b))
		put(a.Unit, b.Unit)
		for i := range min(len(a.Categories), len(b.Categories)) {
			put(a.Categories[i], b.Categories[i])
		}
	}
	axis(en.X, zh.X)
	axis(en.Y, zh.Y)
	for i := range min(len(en.Series), len(zh.Series)) {
		put(en.Series[i].Name, zh.Series[i].Name)
	}
	for i := range min(len(en.Lanes), len(zh.Lanes)) {
		put(en.Lanes[i], zh.Lanes[i])
	}
	for i := range min(len(en.Bands), len(zh.Bands)) {
		put(en.Bands[i].State, zh.Bands[i].State)
		put(en.Bands[i].Label, zh.Bands[i].Label)
	}
	a, _ := merge(apartInGroups(en), andWords[0])
	b, _ := merge(apartInGroups(zh), andWords[1])
	for i := range min(len(a.Series), len(b.Series)) {
		put(a.Series[i].Name, b.Series[i].Name)
	}
	return out
}
