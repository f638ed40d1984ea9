package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/reports/notebook"
)

// figureView is a figure: the drawing that every reader gets, the option that
// the browser makes a live chart of, and the numbers behind both.
type figureView struct {
	Anchor, Title, Caption, Alt, Kind, Form string
	XTitle, YTitle, XUnit, Lanes            string
	SVG                                     template.HTML
	Option                                  template.JS // of shortOption; its <, > and & are escaped
	Height                                  int
	Data                                    tableView
	Cut                                     int    // points that only the CSV file has
	Drawn                                   string // what the drawing does otherwise than the data
	CSV                                     csvFile
	Words                                   []string          // of the chart, in English
	Chinese                                 map[string]string // of those that have it, without numbers

	// Of a figure of a notebook: caption, text for who cannot see it, and what the drawing
	// does otherwise than the data, in both languages.
	Told      template.HTML
	AltBoth   notebook.Both
	DrawnBoth notebook.Both
	within
	told
}

// shownPoints is how many points a page's own table holds at most.
const shownPoints = 60

// viewFigure draws a figure once and keeps its option for the live chart.
func viewFigure(r loaded, f result.Figure, s *scripts) (figureView, error) {
	v, err := drawFigure(r, f, s)
	if err != nil {
		return v, err
	}
	apart := apartInGroups(f)
	merged, _ := merge(apart)
	return v, v.addWords(apart, merged)
}

// drawFigure is viewFigure without the Chinese of its words.
func drawFigure(r loaded, f result.Figure, s *scripts) (figureView, error) {
	id := r.Anchor() + "-" + slug(f.ID)
	apart := apartInGroups(f)
	f, together := merge(apart)
	opt, err := option(f)
	if err != nil {
		return figureView{}, err
	}
	height := figureHeight(len(f.Lanes)) + legendRow*(legendRows(namesOf(f))-1)
	svg, err := s.svg(id, opt, height)
	if err != nil {
		return figureView{}, err
	}
	short, err := shortOption(f.Form, opt)
	if err != nil {
		return figureView{}, err
	}
	v := figureView{
		Anchor: id, Title: f.Title, Caption: f.Caption, Alt: alt(f), Kind: kindOr(f.Kind, r.Kind), Form: f.Form, Drawn: howDrawn(f, together),
		XTitle: axisTitle(f.X), YTitle: axisTitle(f.Y), XUnit: f.X.Unit, Lanes: strings.Join(f.Lanes, "\n"),
		SVG: template.HTML(svg), Option: template.JS(short), Height: height,
	}
	v.DrawnBoth = notebook.Both{v.Drawn, drawnZh(f, together)}
	data := figureTable(f)
	if n := len(data.Rows); n > shownPoints {
		v.Cut = n - shownPoints
		data.Rows = data.Rows[:shownPoints]
	}
	v.Data = viewTable(r, data)
	return v, nil
}

// figureTable is the data of a figure as a table: the means first, since a page
// shows only so many rows.
func figureTable(f result.Figure) result.Table {
	t := result.Table{ID: f.ID, Title: f.Title}
	if f.Form == "gantt" {
		t.Columns = []result.Column{{Key: "lane", Title: "lane"}, {Key: "from", Title: "from", Unit: f.X.Unit},
			{Key: "to", Title: "to", Unit: f.X.Unit}, {Key: "state", Title: "state"}, {Key: "label", Title: "label"}}
		for _, b := range f.Bands {
			t.Rows = append(t.Rows, []any{f.Lanes[b.Lane], b.From, b.To, b.State, b.Label})
		}
		return t
	}
	t.Columns = []result.Column{{Key: "series", Title: "series"}, {Key: "seed", Title: "seed"}, {Key: "x", Title: axisTitle(f.X)},
		{Key: "y", Title: axisTitle(f.Y)}, {Key: "lo", Title: "95 % low"}, {Key: "hi", Title: "95 % high"}}
	for _, s := range ordered(f.Series) {
		var seed any
		if s.Seed != nil {
			seed = fmt.Sprint(*s.Seed)
		}
		for i, y := range s.Y {
			var x any
			if f.Form == "bar" {
				x = f.X.Categories[i]
			} else {
				x = s.X[i]
			}
			row := []any{s.Name, seed, x, y, nil, nil}
			if missing(y) {
				row[3] = nil
			}
			if len(s.Lo) > 0 {
				row[4], row[5] = s.Lo[i], s.Hi[i]
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return dropEmpty(t)
}

// dropEmpty leaves out columns in which no row has anything.
func dropEmpty(t result.Table) result.Table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Rows, func(r []any) bool { return r[i] != nil && r[i] != "" }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for j := range t.Rows {
			t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
		}
	}
	return t
}
