package reports

import (
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
	"gradsync/reports/widget"
)

// gridView is a table of a notebook.
type gridView struct {
	Anchor  string
	frame   string
	room    room
	Export  string // the command that writes all rows
	File    string // in which they are then
	Caption template.HTML
	Kind    string            // "" where all of the result is of one
	Style   template.HTMLAttr // the columns' names, for a narrow window
	Head    []gridHead
	Rows    [][]gridCell
	Asked   *askable // nil: nobody chooses among its rows
	Widget  *widget.Widget
	whole   bool // it is shown whole, however long
}

type gridHead struct {
	Title  template.HTML
	Number bool
}

type gridCell struct {
	HTML          template.HTML
	Head, Words   bool
	Empty, Narrow bool
}

// Long reports whether the table has too many rows for a page, which then says how to get them.
func (g *gridView) Long() bool {
	return g.Asked == nil && !g.whole && g.room.long(len(g.Rows), len(g.Head))
}

// long reports whether a table of these rows and columns is too large for a page.
func (r room) long(rows, columns int) bool { return rows > r.rows || rows*columns > r.cells }

// grid shows a table of a notebook, with the widget that its frame feeds.
func (r *renderer) grid(l loaded, t *notebook.Table) (*gridView, error) {
	g := &gridView{frame: t.Frame, room: roomFor(l), whole: t.Printed,
		Anchor: l.Anchor() + "-" + typeset.Slug(t.Frame), Caption: typeset.BothHTML(t.Caption), Kind: kindBeside(l, t.Kind),
		Export: page.Program + " export " + l.ID, File: sheetOf(l, t.Frame)}
	if paperOf(l.ID) == notebook.Own { // its folder is its maker's choice
		g.Export += " --results " + filepath.ToSlash(r.Results)
	}
	var names []string
	for i, h := range t.Head {
		title := headOf(h)
		g.Head = append(g.Head, gridHead{title.HTML(), h.Number})
		if i < ruledColumns {
			names = append(names, fmt.Sprintf("--c%d:%s", i+1, cssString(title[0])))
			if !title.Same() {
				names = append(names, fmt.Sprintf("--z%d:%s", i+1, cssString(title[1])))
			}
		}
	}
	g.Style = template.HTMLAttr(`style="` + strings.Join(names, ";") + `"`)
	var lead int
	if g.Asked, lead = asked(t); g.Asked != nil {
		g.Head, g.Rows = g.Head[lead:], make([][]gridCell, len(t.Rows))
		return g.withWidget(l)
	}
	if !g.whole && g.room.long(len(t.Rows), len(t.Head)) {
		g.Rows = make([][]gridCell, len(t.Rows))
		return g.withWidget(l)
	}
	for _, row := range t.Rows {
		var line []gridCell
		for i, c := range row {
			cell := gridCell{HTML: c.Text.HTML(), Head: i == 0, Words: !t.Head[i].Number, Empty: c.Empty}
			cell.Narrow = cell.Words && len([]rune(c.Text[0])) <= 12
			line = append(line, cell)
		}
		g.Rows = append(g.Rows, line)
	}
	return g.withWidget(l)
}

// headOf returns what stands above a column: its title, its bounds and its unit.
func headOf(h notebook.Head) (title notebook.Both) {
	for k := range title {
		title[k] = h.Title[k] + map[string]string{"half": " ± 95" + typeset.NBSP + "%", "lo": " [95" + typeset.NBSP + "%]"}[h.Bound]
		if h.Unit[k] != "" {
			title[k] += " (" + h.Unit[k] + ")"
		}
	}
	return title
}

// withWidget adds the widget that the frame feeds.
func (g *gridView) withWidget(l loaded) (_ *gridView, err error) {
	g.Widget, err = widget.Of(l.Result, l.Page, g.frame)
	return g, err
}

// sheetOf returns the file of a frame in the folder that export fills.
func sheetOf(l loaded, frame string) string {
	return strings.TrimSuffix(filepath.ToSlash(result.Path("", l.ID, l.Profile)), ".json") + "/" + frame + ".csv"
}

// kindBeside returns the kind that a part of a result says, "" where its head says it for all.
func kindBeside(l loaded, kind string) string {
	if len(page.KindsOf(l.Result)) < 2 {
		return ""
	}
	return page.KindOr(kind, l.Kind)
}

// figureID tells a figure from a frame of the same id.
func figureID(l loaded, id string) string {
	if slices.ContainsFunc(l.Frames, func(f result.Frame) bool { return typeset.Slug(f.ID) == typeset.Slug(id) }) {
		id += "-figure"
	}
	return typeset.Slug(id)
}

// ruledColumns is how many columns of a table report.css can name in a narrow window,
// where each row is a card.
const ruledColumns = 24

// inCSS writes what would end a string of a style, or its line.
var inCSS = strings.NewReplacer(`\`, `\5c `, `'`, `\27 `, "\n", `\a `, "\r", `\d `, "\f", `\c `)

// cssString returns s as a string of a style in an attribute.
func cssString(s string) string { return "'" + template.HTMLEscapeString(inCSS.Replace(s)) + "'" }
