package reports

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
	"gradsync/reports/widget"
)

// resultPage is the page of one experiment: what each of its profiles found, of which the
// reader sees one at a time.
type resultPage struct {
	page.Head
	Paper      *cited.Document
	ID, Anchor string
	Heading    notebook.Both
	Source     string
	Number     string // "Table 4": what the document calls it; "" for ours
	Sides      []resultSide
	Prev, Next *neighbour
	Software   citation
	Widgets    bool
	Figures    bool // the page has a chart
	Command    string
	Words      map[string]string // Chinese of the charts' words
}

// neighbour links the page before or after.
type neighbour struct {
	Href  string
	Title notebook.Both
}

// resultSide is the result of one profile.
type resultSide struct {
	side
	Shown string // classes: the profiles that show it
	Parts []partView
}

// partView is one part of a notebook as the template shows it; one field is set.
type partView struct {
	Prose  template.HTML
	Table  *gridView
	Figure *chart.View
	Claims *claimsView
	Fold   template.HTML
	End    bool
}

// gridView is a table of a notebook.
type gridView struct {
	Anchor  string
	Caption template.HTML
	Kind    string            // "" where all of the result is of one
	Style   template.HTMLAttr // the columns' names, for a narrow window
	Head    []gridHead
	Rows    [][]gridCell
	Widget  *widget.Widget
}

type gridHead struct {
	Title  template.HTML
	Number bool
}

type gridCell struct {
	HTML          template.HTML
	Every         string // the number with every digit, where the cell has fewer
	Head, Words   bool
	Empty, Narrow bool
}

// Long reports whether the table is closed at first.
func (g *gridView) Long() bool { return g.Widget != nil && g.Widget.Fold || len(g.Rows) > manyRows }

// claimsView are claims with what was found and why.
type claimsView struct {
	Caption template.HTML
	Rows    []claimLine
}

// claimLine is a claim beside what one profile found.
type claimLine struct {
	ID, Anchor              string
	Statement, Source       template.HTML
	Stated, Tolerance       template.HTML
	Found, Interval         template.HTML
	Criterion, Note         template.HTML
	Verdict                 page.Verdict
	Remark                  page.Remark
	Reasons, Differs        template.HTML
	WordsStated, WordsFound bool
	Several                 bool
}

// resultPages makes a page for every experiment of a paper that has a result of version 2.
func (r *renderer) resultPages(p *cited.Document, rs []loaded) error {
	var pages []*resultPage
	for _, e := range byExperiment(rs) {
		doc, err := r.resultPage(p, e)
		if err != nil {
			return fmt.Errorf("reports: %s: %w", e[0].ID, err)
		}
		pages = append(pages, doc)
	}
	for i, doc := range pages {
		if i > 0 {
			doc.Prev = &neighbour{"../" + pages[i-1].ID + ".html", pages[i-1].Heading}
		}
		if i+1 < len(pages) {
			doc.Next = &neighbour{"../" + pages[i+1].ID + ".html", pages[i+1].Heading}
		}
		var scripts []string
		if doc.Widgets {
			scripts = page.WidgetScripts
		}
		frame := r.frame
		frame.Root = "../"
		var err error
		if doc.Head, err = frame.Named(doc.Heading[0], doc.ID, scripts...); err != nil {
			return err
		}
		doc.Charted = doc.Figures
		name := doc.ID + ".html"
		r.names = append(r.names, name)
		if err := r.out.Page(r.pages, "result.html", name, doc); err != nil {
			return err
		}
	}
	return nil
}

// resultPage makes the page of one experiment from its profiles.
func (r *renderer) resultPage(p *cited.Document, e []loaded) (*resultPage, error) {
	doc := &resultPage{Paper: p, ID: e[0].ID, Anchor: e[0].Stem, Heading: e[0].Page.Title, Source: e[0].Source, Number: paperNumber(e[0].Source),
		Software: software(e, e[0].ID+".html"), Command: r.Command, Words: map[string]string{}}
	for _, l := range e {
		s := resultSide{side: sideOf(l), Shown: "p-" + l.Profile}
		for _, part := range l.Page.Parts {
			v, err := r.part(doc, l, part)
			if err != nil {
				return nil, err
			}
			s.Parts = append(s.Parts, v)
		}
		doc.Sides = append(doc.Sides, s)
	}
	return doc, nil
}

func (r *renderer) part(doc *resultPage, l loaded, part notebook.Part) (v partView, err error) {
	switch {
	case part.Prose != nil:
		v.Prose = r.prose(l.ID, *part.Prose)
	case part.Table != nil:
		v.Table, err = r.grid(l, part.Table)
		doc.Widgets = doc.Widgets || err == nil && v.Table.Widget != nil
	case part.Figure != nil:
		if v.Figure, err = viewFigure(l, part.Figure, r.s); err == nil {
			doc.Figures = true
			doc.Widgets = doc.Widgets || v.Figure.Form == "gantt" // which is looked into
			maps.Copy(doc.Words, chart.Words(part.Figure.Drawn[0], part.Figure.Drawn[1]))
		}
	case part.Claims != nil:
		v.Claims = &claimsView{Caption: typeset.BothHTML(part.Claims.Caption)}
		for _, row := range part.Claims.Rows {
			v.Claims.Rows = append(v.Claims.Rows, lineOf(l, row))
		}
	case part.Fold != nil:
		v.Fold = part.Fold.HTML()
	default:
		v.End = true
	}
	return v, err
}

// prose links the experiments that it names and keeps numbers beside their units.
func (r *renderer) prose(id string, text [2]template.HTML) template.HTML {
	for i := range text {
		text[i] = template.HTML(r.at.linkFrom(id, typeset.UnitsHTML(string(text[i]))))
	}
	if text[0] == text[1] {
		return text[0]
	}
	return `<div class="en">` + text[0] + `</div><div class="zh" lang="zh">` + text[1] + `</div>`
}

// grid shows a table of a notebook, with the widget that its frame feeds.
func (r *renderer) grid(l loaded, t *notebook.Table) (*gridView, error) {
	g := &gridView{Anchor: l.Anchor() + "-" + typeset.Slug(t.Frame), Caption: typeset.BothHTML(t.Caption), Kind: kindBeside(l, t.Kind)}
	var names []string
	for i, h := range t.Head {
		title := notebook.Both{}
		for k := range title {
			title[k] = h.Title[k] + map[string]string{"half": " ± 95" + typeset.NBSP + "%", "lo": " [95" + typeset.NBSP + "%]"}[h.Bound]
			if h.Unit[k] != "" {
				title[k] += " (" + h.Unit[k] + ")"
			}
		}
		g.Head = append(g.Head, gridHead{title.HTML(), h.Number})
		if i < ruledColumns {
			names = append(names, fmt.Sprintf("--c%d:%s", i+1, cssString(title[0])))
			if !title.Same() {
				names = append(names, fmt.Sprintf("--z%d:%s", i+1, cssString(title[1])))
			}
		}
	}
	g.Style = template.HTMLAttr(`style="` + strings.Join(names, ";") + `"`)
	for _, row := range t.Rows {
		var line []gridCell
		for i, c := range row {
			cell := gridCell{HTML: c.Text.HTML(), Head: i == 0, Words: !t.Head[i].Number, Empty: c.Empty}
			if x, ok := c.V.(float64); ok && typeset.Raw(x) != c.Text[0] {
				cell.Every = typeset.Raw(x)
			}
			cell.Narrow = cell.Words && len([]rune(c.Text[0])) <= 12
			line = append(line, cell)
		}
		g.Rows = append(g.Rows, line)
	}
	var err error
	g.Widget, err = widget.Of(l.Result, l.Page, t.Frame)
	return g, err
}

// kindBeside returns the kind that a part of a result says, "" where its head says it for all.
func kindBeside(l loaded, kind string) string {
	if len(page.KindsOf(l.Result)) < 2 {
		return ""
	}
	return page.KindOr(kind, l.Kind)
}

// viewFigure shows a figure of a result.
func viewFigure(l loaded, f *notebook.Figure, s *page.Scripts) (*chart.View, error) {
	v, err := chart.Show(f, l.Anchor()+"-"+figureID(l, f.ID), s)
	if err != nil {
		return nil, err
	}
	v.Kind = kindBeside(l, f.Drawn[0].Kind)
	return v, nil
}

// figureID tells a figure from a frame of the same id.
func figureID(l loaded, id string) string {
	if slices.ContainsFunc(l.Frames, func(f result.Frame) bool { return typeset.Slug(f.ID) == typeset.Slug(id) }) {
		id += "-figure"
	}
	return typeset.Slug(id)
}

// lineOf words one claim.
func lineOf(l loaded, c notebook.ClaimRow) claimLine {
	text := func(b notebook.Both) template.HTML {
		return notebook.Pair(typeset.Escape(typeset.Pretty(b[0])), !b.Same(), typeset.Escape(typeset.Pretty(b[1])))
	}
	reasons := func(list [2][]string) template.HTML {
		if len(list[0]) == 0 {
			return ""
		}
		return text(notebook.Both{strings.Join(list[0], "; ") + ".", strings.Join(list[1], "；") + "。"})
	}
	line := claimLine{ID: c.ID, Anchor: l.Anchor() + "-" + typeset.Slug(c.ID), Statement: text(c.Statement), Source: text(c.Source), Stated: text(c.Stated),
		Tolerance: text(c.Tolerance), Found: text(c.Found), Interval: text(c.Interval), Criterion: text(c.Criterion), Note: text(c.Note),
		Reasons: reasons(c.Reasons), Differs: reasons(c.Differs)}
	line.Verdict, _ = page.FindVerdict(c.Verdict) // check has seen it
	stated, _ := claims.Get(c.ID)
	several := len(stated.Numbers()) > 1 // numbers with their names
	line.WordsStated, line.WordsFound, line.Several = several || stated.Numbers() == nil, several || c.Measured == nil, several
	if i := slices.IndexFunc(page.Remarks, func(x page.Remark) bool { return x.Key == c.Remark }); i >= 0 {
		line.Remark = page.Remarks[i]
	}
	return line
}

// Bases returns the base options and words of the page's charts.
func (p *resultPage) Bases() (template.JS, error) { return chart.Bases(p.Words) }

// Several reports whether the reader may choose a profile.
func (p *resultPage) Several() bool { return len(p.Sides) > 1 }

// Profiles lists the profiles that the page has, in its order.
func (p *resultPage) Profiles() (out []string) {
	for _, s := range p.Sides {
		out = append(out, s.Profile)
	}
	return out
}

// manyRows is how many rows a table may have before it is closed where a script can.
const manyRows = 16

// ruledColumns is how many columns of a table report.css can name in a narrow window,
// where each row is a card.
const ruledColumns = 24

// inCSS writes what would end a string of a style, or its line.
var inCSS = strings.NewReplacer(`\`, `\5c `, `'`, `\27 `, "\n", `\a `, "\r", `\d `, "\f", `\c `)

// cssString returns s as a string of a style in an attribute.
func cssString(s string) string { return "'" + template.HTMLEscapeString(inCSS.Replace(s)) + "'" }
