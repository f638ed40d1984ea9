package reports

import (
	"encoding/csv"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	result "gradsync/experiments/result1"
)

// csvFile is a table or figure as data: a file beside the page, or a link that
// holds it where the page is a single file.
type csvFile struct {
	Name string // relative to the pages
	Text string
	Href template.URL
}

// Inline sets the link.
func (c *csvFile) Inline(single bool) {
	c.Href = template.URL(c.Name)
	if single {
		c.Href = template.URL("data:text/csv;charset=utf-8," + url.PathEscape(c.Text))
	}
}

// File is the name that a browser saves it under.
func (c csvFile) File() string {
	return strings.ReplaceAll(strings.TrimPrefix(c.Name, "data/"), "/", "-")
}

// tableView is a table in words.
type tableView struct {
	Anchor, Title, Caption, Kind string
	Columns                      []columnView
	Rows                         [][]cell
	CSV                          csvFile
	Widget                       *widget // nil for most
	Above                        string  // anchor of the widget that shows it, where that stands elsewhere
	Class                        string  // of a table with a look of its own
	within
	told
}

// manyRows is how many rows a table may have before it is closed where a script can.
const manyRows = 16

// Long reports whether the table is closed at first.
func (v tableView) Long() bool { return v.Widget != nil && v.Widget.Fold || len(v.Rows) > manyRows }

type columnView struct {
	Title, Unit string
	Number      bool
}

type cell struct {
	Text   string
	HTML   template.HTML // in place of Text, where it has more than words
	Label  string        // the column's title, where report.css has no rule for it
	Number bool
	Empty  bool
	Head   bool // the first column names the row
	Brief  bool // not worth a line break
}

// viewTable words every cell.
func viewTable(r loaded, t result.Table) tableView {
	v := tableView{Anchor: r.Anchor() + "-" + slug(t.ID), Title: t.Title, Caption: t.Caption, Kind: kindOr(t.Kind, r.Kind)}
	for i, c := range t.Columns {
		title := c.Title
		if title == "" {
			title = c.Key
		}
		v.Columns = append(v.Columns, columnView{title, c.Unit, hasNumbers(t.Rows, i)})
	}
	exact := make([]bool, len(v.Columns))
	for i := range v.Columns {
		exact[i] = hasExact(t.Rows, i)
	}
	spreads, empty := make([]bool, len(v.Columns)), make([]bool, len(v.Columns)) // by the titles of the result
	for i, c := range v.Columns {
		spreads[i] = v.spread(i)
		empty[i] = i > 0 && slices.Contains([]string{"±", "from", "to"}, c.Title) && isEmpty(t.Rows, i) // of a single seed
	}
	v.nameBounds()
	for i := range v.Columns {
		v.Columns[i].Number = v.Columns[i].Number || exact[i] || hasDecimals(t.Rows, i)
	}
	for _, row := range t.Rows {
		var cells []cell
		for i, x := range row {
			if empty[i] {
				continue
			}
			if spreads[i] {
				if x, ok := x.(float64); ok && !cells[len(cells)-1].Empty {
					cells[len(cells)-1].Text += nbsp + "±" + nbsp + number(x, t.Columns[i].Digits)
				}
				continue
			}
			c := cell{Number: v.Columns[i].Number, Head: i == 0}
			if i >= ruledColumns {
				c.Label = v.Columns[i].Label()
			}
			switch x := x.(type) {
			case nil:
				c.Empty = true
			case float64:
				c.Text = number(x, t.Columns[i].Digits)
			default:
				c.Text = value(x, "")
				if exact[i] {
					c.Text = groupEach(c.Text)
				}
			}
			c.Brief = !c.Number && utf8.RuneCountInString(c.Text) <= 12
			cells = append(cells, c)
		}
		v.Rows = append(v.Rows, cells)
	}
	for i := len(v.Columns) - 1; i > 0; i-- {
		if spreads[i] {
			v.Columns[i-1].Title += " ± 95" + nbsp + "%"
		}
		if spreads[i] || empty[i] {
			v.Columns = slices.Delete(v.Columns, i, i+1)
		}
	}
	dressProof(r.ID, t, &v)
	if r.ID == "compare/when" && t.ID == "advice" {
		v.Class = "advice"
	}
	return v
}

// decimal is a number that a result's words have already rounded and grouped.
var decimal = regexp.MustCompile(`^[-−]?\d{1,3}([ \x{202f}]?\d{3})*\.\d+$`)

// hasDecimals reports whether all words of column i are decimal numbers, to stand
// below one another as numbers do.
func hasDecimals(rows [][]any, i int) bool {
	found := false
	for _, r := range rows {
		s, ok := r[i].(string)
		if !ok && r[i] != nil || ok && !decimal.MatchString(s) {
			return false
		}
		found = found || ok
	}
	return found
}

// fraction is an exact number as a result's words have it.
var fraction = regexp.MustCompile(`^-?\d+(/\d+)?$`)

// hasExact reports whether the words of column i are exact numbers, all of them,
// and one is long enough to be grouped.
func hasExact(rows [][]any, i int) bool {
	long := false
	for _, r := range rows {
		s, ok := r[i].(string)
		if !ok && r[i] != nil || ok && !fraction.MatchString(s) {
			return false
		}
		long = long || ok && groupEach(s) != s
	}
	return long
}

// groupEach prints an exact number as number prints one that is not: the parts
// of a fraction by thousands.
func groupEach(s string) string {
	p, q, isFraction := strings.Cut(strings.Replace(s, "-", "−", 1), "/")
	if !isFraction {
		return groups(p)
	}
	return groups(p) + "/" + groups(q)
}

// spread reports whether column i is the ± of the numbers before it, which a
// reader wants beside them. The CSV file keeps it apart.
func (v *tableView) spread(i int) bool {
	return i > 0 && v.Columns[i].Title == "±" && v.Columns[i].Number && v.Columns[i-1].Number && v.Columns[i].Unit == v.Columns[i-1].Unit
}

// isEmpty reports whether no row has anything in column i.
func isEmpty(rows [][]any, i int) bool {
	return !slices.ContainsFunc(rows, func(r []any) bool { return r[i] != nil })
}

// nameBounds says of columns titled "from", "to" and "±" that they bound 95 %
// of the number before them. A "from" behind words is a range of something else.
func (v *tableView) nameBounds() {
	for i := 1; i < len(v.Columns); i++ {
		c, before := &v.Columns[i], v.Columns[i-1]
		if !before.Number {
			continue
		}
		switch {
		case c.Title == "±":
			c.Title = "95" + nbsp + "% ±"
		case c.Title == "from" && i+1 < len(v.Columns) && v.Columns[i+1].Title == "to":
			c.Title, v.Columns[i+1].Title = "95"+nbsp+"% from", "95"+nbsp+"% to"
		}
	}
}

// kindOr is a table's own kind or else its result's.
func kindOr(kind, otherwise string) string {
	if kind != "" {
		return kind
	}
	return otherwise
}

// tableCSV is the table with every digit, units in the header.
func tableCSV(t result.Table) string {
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Key
		if c.Unit != "" {
			head[i] += " [" + c.Unit + "]"
		}
	}
	rows := [][]string{head}
	for _, r := range t.Rows {
		line := make([]string, len(r))
		for i, x := range r {
			line[i] = raw(x)
		}
		rows = append(rows, line)
	}
	return writeCSV(rows)
}

// figureCSV is the figure's data, one row per point or band.
func figureCSV(f result.Figure) string {
	if f.Form == "gantt" {
		rows := [][]string{{"lane", "from [" + f.X.Unit + "]", "to [" + f.X.Unit + "]", "state", "label"}}
		for _, b := range f.Bands {
			rows = append(rows, []string{f.Lanes[b.Lane], raw(b.From), raw(b.To), b.State, b.Label})
		}
		return writeCSV(rows)
	}
	rows := [][]string{{"series", "group", "seed", axisTitle(f.X), axisTitle(f.Y), "low", "high"}}
	for _, s := range f.Series {
		seed := ""
		if s.Seed != nil {
			seed = strconv.FormatUint(*s.Seed, 10)
		}
		for i, y := range s.Y {
			line := []string{s.Name, s.Group, seed, standing(f, s, i), raw(y), "", ""}
			if len(s.Lo) > 0 {
				line[5], line[6] = raw(s.Lo[i]), raw(s.Hi[i])
			}
			rows = append(rows, line)
		}
	}
	return writeCSV(rows)
}

// standing is what point i of a series stands at.
func standing(f result.Figure, s result.Series, i int) string {
	if f.Form == "bar" {
		return f.X.Categories[i]
	}
	return raw(s.X[i])
}

// raw prints a cell with every digit.
func raw(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(x)
}

func writeCSV(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // a strings.Builder takes everything
	return b.String()
}
