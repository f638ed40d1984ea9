package reports

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
	"gradsync/reports/widget"
)

// resultPage is the page of one experiment: what each of its profiles found, of which the
// reader sees one at a time. The template fixes the order: the answer, the claims, one figure, folds.
type resultPage struct {
	page.Head
	Paper      *cited.Document
	ID, Anchor string
	Heading    notebook.Both
	Number     string // "Table 4": what the document calls it; "" for ours
	Sides      []*resultSide
	Prev, Next *neighbour
	Software   citation
	Widgets    bool
	Command    string
}

// neighbour links the page before or after.
type neighbour struct {
	Href  string
	Title notebook.Both
}

// resultSide is the result of one profile.
type resultSide struct {
	side
	Shown  string              // classes: the profiles that show it
	Answer template.HTML       // the notebook's first paragraph
	Counts []page.VerdictCount // of the claims that are judged here
	Claims template.HTML       // rows of stated beside found
	// Elsewhere is the page on which claims of this table are judged; nil: here.
	Elsewhere *neighbour

	Lead    []template.HTML // what the notebook says before its first heading
	Widget  *widget.Widget
	From    int // the step at which the widget stands at first
	Figure  *chart.Plot
	Chart   template.HTML // a component that stands for the figure
	Printed []partView    // tables in the shape of the document's, above all else
	Open    []partView    // tables that are not folded
	Folds   []*fold
	Undrawn int // figures that the page leaves to report --figures
	// Abridged says that the folds of a further profile are left out: export writes their tables.
	Abridged bool
	Aside    template.HTML // inputs, restatements and what was not run, as rows
	Why      []whyLine
	Brief    []ran.Fact // of the provenance
	Ran      string     // the command of a comparison of somebody's own
}

// brief are the facts of a result's provenance that its own page says; provenance.html has them all.
var brief = []string{"commit", "changes", "seeds", "data", "run", "warning"}

// fold is closed until a reader opens it.
type fold struct {
	Title template.HTML
	Parts []partView
}

// partView is one part of a notebook as the template shows it; one field is set.
type partView struct {
	Prose  template.HTML
	Table  *gridView
	Figure *chart.Plot
}

// resultPages makes a page for every experiment of a paper that has a result of version 2.
func (r *renderer) resultPages(p *cited.Document, rs []loaded) error {
	var pages []*resultPage
	for _, e := range byExperiment(rs) {
		doc, err := r.resultPage(p, e, rs)
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
		if err := r.addResult(p, doc); err != nil {
			return err
		}
	}
	return nil
}

// addResult adds the page of an experiment.
func (r *renderer) addResult(p *cited.Document, doc *resultPage) (err error) {
	var scripts []string
	if doc.Widgets {
		scripts = page.WidgetScripts
	}
	frame := r.frame
	frame.Root, frame.Apart = "../", p.Key == notebook.Own
	if doc.Head, err = frame.Named(doc.Heading[0], doc.ID, scripts...); err != nil {
		return err
	}
	doc.Crumb = notebook.Alike(doc.Anchor)
	if doc.Number != "" { // short: a phone's header has little room
		doc.Crumb = page.SourceOf(doc.Number)
	}
	name := doc.ID + ".html"
	r.names = append(r.names, name)
	return r.out.Page(r.pages, "result.html", name, doc)
}

// room is how much a page has room for.
type room struct {
	open    int // cells of a table that is not folded: on a phone each is a line
	figures int // that are drawn, the folded ones included; report --figures draws all
	rows    int // of a table
	cells   int // of a table
}

// documentRoom is of an experiment's page; somebody's own comparison is one page to hand in, with all that was found.
var (
	documentRoom = room{open: 72, figures: 2, rows: 24, cells: 96}
	ownRoom      = room{open: 120, figures: 6, rows: 20, cells: 160}
)

// roomFor returns the room of a result's page.
func roomFor(l loaded) room {
	if paperOf(l.ID) == notebook.Own {
		return ownRoom
	}
	return documentRoom
}

// firstShown is the profile that a page shows at first, where it is whole.
const firstShown = "standard"

// resultPage makes the page of one experiment from its profiles.
func (r *renderer) resultPage(p *cited.Document, e, all []loaded) (*resultPage, error) {
	e = firstShownFirst(e)
	doc := &resultPage{Paper: p, ID: e[0].ID, Anchor: e[0].Stem, Heading: e[0].Page.Title, Number: paperNumber(e[0].Source),
		Software: citeResult(p, e, r.Address), Command: r.Command}
	if p.Key == notebook.Own { // the page is its reader's, the program is not
		doc.Software = software(e)
	}
	for i, l := range e {
		s := &resultSide{side: sideOf(l), Shown: "p-" + l.Profile}
		s.Brief = slices.DeleteFunc(slices.Clone(s.Prov), func(f ran.Fact) bool { return !slices.Contains(brief, f.Name.En()) })
		if s.Ran = ownCommand(l); s.Ran != "" { // it stands above the rest
			s.Prov = slices.DeleteFunc(s.Prov, func(f ran.Fact) bool { return f.Name.En() == "command" })
		}
		if err := r.judged(p, s, l, all, i == 0); err != nil {
			return nil, err
		}
		if err := r.arrange(s, l); err != nil {
			return nil, err
		}
		if i > 0 && !s.Incomplete { // the rest is that of the first, of other runs
			s.Folds, s.Why, s.Aside, s.Widget, s.Undrawn, s.Abridged = nil, nil, "", nil, 0, true
		}
		doc.Widgets = doc.Widgets || s.Widget != nil
		doc.Sides = append(doc.Sides, s)
	}
	return doc, nil
}

// firstShownFirst returns the profiles of an experiment in the order of its page.
func firstShownFirst(e []loaded) []loaded {
	e = slices.Clone(e)
	slices.SortStableFunc(e, func(a, b loaded) int { return shownBefore(b) - shownBefore(a) })
	return e
}

// shownBefore is 1 for the profile that is shown first.
func shownBefore(l loaded) int {
	if l.Profile == firstShown && l.Status == result.Complete {
		return 1
	}
	return 0
}

// arrange puts the parts of a notebook where the page has them: its first paragraph is the answer, its
// first figure stands open, a heading begins a fold. A page without claims shows its first table.
func (r *renderer) arrange(s *resultSide, l loaded) error {
	drawn, shown := 1, map[string]int{}
	var now *fold // what is added to; nil: nothing is folded yet
	into := func(title notebook.Both) *fold {
		if now == nil {
			now = &fold{Title: title.HTML()}
			s.Folds = append(s.Folds, now)
		}
		return now
	}
	for _, part := range l.Page.Parts {
		switch {
		case part.Prose != nil:
			for _, p := range pieces(*part.Prose) {
				if p.title[0] != "" {
					now = &fold{Title: r.prose(l.ID, p.title)}
					s.Folds = append(s.Folds, now)
				}
				r.tell(s, l, now, p.body)
			}
		case part.Table != nil:
			g, err := r.grid(l, part.Table)
			if err != nil {
				return err
			}
			s.hold(l, g, shown)
			if part.Table.Printed {
				s.Printed = append(s.Printed, partView{Table: g})
				continue
			}
			if now == nil && s.Claims == "" && len(s.Open) == 0 && len(g.Rows)*len(g.Head) <= roomFor(l).open {
				s.Open = append(s.Open, partView{Table: g})
				continue
			}
			into(said{"The numbers", "数据"}).add(partView{Table: g})
		case part.Figure != nil:
			v, err := chart.NewPlot(part.Figure, l.Anchor()+"-"+figureID(l, part.Figure.ID))
			if err != nil {
				return err
			}
			switch {
			case !s.drawn() && (now == nil || s.Printed == nil):
				s.Figure = v
			case drawn == roomFor(l).figures:
				s.Undrawn++
			default:
				drawn++
				into(said{"More figures", "更多图"}).add(partView{Figure: v})
			}
		case part.Placed != nil:
			html, err := r.component(part.Placed[0], part.Placed[1:], teller{key: paperOf(l.ID), own: &l})
			if err != nil {
				return err
			}
			if now == nil && !s.drawn() {
				s.Chart = html
				continue
			}
			into(said{"More figures", "更多图"}).add(partView{Prose: html})
		case part.Fold != nil:
			now = &fold{Title: part.Fold.HTML()}
			s.Folds = append(s.Folds, now)
		case part.End:
			now = nil
		}
	}
	s.Folds = slices.DeleteFunc(s.Folds, func(f *fold) bool { return len(f.Parts) == 0 })
	return nil
}

// hold numbers a table among those of its frame, of which there may be several, and takes the first widget.
func (s *resultSide) hold(l loaded, g *gridView, shown map[string]int) {
	if shown[g.Anchor]++; shown[g.Anchor] > 1 {
		g.Anchor += "-" + strconv.Itoa(shown[g.Anchor])
	}
	if s.Widget == nil && g.Widget != nil {
		s.Widget, s.From = g.Widget, widget.Opening(l.Result, g.frame)
	}
}

// drawn reports whether the one figure of the page stands.
func (s *resultSide) drawn() bool { return s.Figure != nil || s.Chart != "" }

func (f *fold) add(v partView) { f.Parts = append(f.Parts, v) }

// tell puts prose on the page: as the answer and what follows it, or into a fold.
func (r *renderer) tell(s *resultSide, l loaded, now *fold, body [2]template.HTML) {
	if now == nil && s.Answer == "" {
		var first [2]template.HTML
		for i, text := range body {
			if m := paragraph.FindStringSubmatchIndex(string(text)); m != nil {
				first[i], body[i] = text[m[0]:m[1]], text[:m[0]]+text[m[1]:]
			}
		}
		s.Answer = r.prose(l.ID, first)
	}
	if len(spoken(body[0]))+len(spoken(body[1])) == 0 {
		return
	}
	if now == nil {
		s.Lead = append(s.Lead, r.prose(l.ID, body))
		return
	}
	now.Parts = append(now.Parts, partView{Prose: r.prose(l.ID, body)})
}

// blockTag begins what no line of text may hold.
var blockTag = regexp.MustCompile(`<(?:p|ul|ol|dl|table|div|pre|blockquote)\b`)

// paragraph is the first of a prose.
var paragraph = regexp.MustCompile(`(?s)<p>(.*?)</p>`)

var markup = regexp.MustCompile(`<[^>]*>|\s`)

// spoken returns what is said in HTML, without spaces.
func spoken(text template.HTML) string { return markup.ReplaceAllString(string(text), "") }

// piece is prose below a heading; title is empty before the first.
type piece struct{ title, body [2]template.HTML }

var thirdHeading = regexp.MustCompile(`(?s)<h[234][^>]*>(.*?)</h[234]>`)

// pieces cuts prose at its headings, which both languages have alike.
func pieces(text [2]template.HTML) []piece {
	var at [2][][]int
	for i, t := range text {
		at[i] = thirdHeading.FindAllStringSubmatchIndex(string(t), -1)
	}
	if len(at[0]) != len(at[1]) {
		return []piece{{body: text}}
	}
	out := make([]piece, len(at[0])+1)
	for i, t := range text {
		from := 0
		for k, m := range at[i] {
			out[k].body[i], out[k+1].title[i] = t[from:m[0]], t[m[2]:m[3]]
			from = m[1]
		}
		out[len(out)-1].body[i] = t[from:]
	}
	return out
}

// prose links the experiments that it names and keeps numbers beside their units.
func (r *renderer) prose(id string, text [2]template.HTML) template.HTML {
	for i := range text {
		units := typeset.UnitsHTML(string(text[i]))
		// A table of prose scrolls on a phone: the keyboard reaches it.
		text[i] = template.HTML(r.at.linkFrom(id, strings.ReplaceAll(units, "<table>", `<table tabindex="0">`)))
	}
	if text[0] == text[1] {
		return text[0]
	}
	tag := "div"
	if !blockTag.MatchString(string(text[0])) {
		tag = "span"
	}
	return template.HTML(fmt.Sprintf(`<%[1]s class="en">%[2]s</%[1]s><%[1]s class="zh" lang="zh">%[3]s</%[1]s>`, tag, text[0], text[1]))
}

// Export returns the command that writes the numbers of the result.
func (s *resultSide) Export() string { return page.Program + " export " + s.ID }

// Draw returns the command that draws all figures.
func (s *resultSide) Draw() string { return page.Program + " report --figures out/figures" }

// Several reports whether the reader may choose a profile.
func (p *resultPage) Several() bool { return len(p.Sides) > 1 }

// Profiles lists the profiles that the page has, in its order.
func (p *resultPage) Profiles() (out []string) {
	for _, s := range p.Sides {
		out = append(out, s.Profile)
	}
	return out
}
