package reports

import (
	"html/template"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/reports/notebook"
)

// paperPage is everything the template of a paper's page shows.
type paperPage struct {
	head
	Paper    *paper
	Verdicts []verdict
	Remarks  []remark
	Kinds    []kindLine
	Tallies  []profileTally
	Several  bool         // an experiment has results of more than one profile
	Claims   []claimTable // of results of version 1
	Judged   []claimBlock
	Profiles []string   // of Judged
	Disagree []claimRow // claims whose verdicts differ between profiles
	Parts    []part
	Sides    []side        // every result, for its provenance
	Common   []commonFacts // what their provenance has in common
	Short    []chapterText // what was found, in short; above everything
	Idea     []chapterText // what the source proposes
	Asked    []chapterText // what the experiments ask; above them
	After    []chapterText // what was lost, differences, errata
	Widgets  bool          // the page has one
	Formulas []formulaView
	Algs     []algorithm
	Beside   bool // the Go stands beside algorithms and formulas
	Software citation
	Command  string
	Files    []csvFile // written beside the page

	Diagram                    *widget // shows the source's idea; nil where its result is not there
	DiagramTable, DiagramTitle string  // the table with the same numbers
	DiagramHref                string  // its page, where it has one
	DiagramName                notebook.Both

	HasDirty bool
	HasStale bool
	Partial  []side // results of an interrupted run
	Ran      *ranView
}

type kindLine struct {
	Key   string
	Means said
}

// tally counts one verdict.
type tally struct {
	verdict
	N  int
	Of []share // those of them that have a remark
}

type formulaView struct {
	formula
	MathML        template.HTML
	PrintedMathML template.HTML
	Go            []excerpt // of a page that is made with the source
}

// build turns the results of one paper into its page.
func build(r *renderer, p *paper, rs []loaded) (*paperPage, error) {
	at, s, o := r.at, r.s, r.Options
	page := &paperPage{
		Paper: p, Verdicts: verdicts, Remarks: made(rs), Algs: p.Algorithms, Software: software(rs, p.Key+".html"), Command: o.Command,
		head: head{Title: p.Short.En + ", reproduced", Page: p.Key},
	}
	if p.Ours {
		page.Title = p.Short.En
	}
	for _, k := range []string{result.Trained, result.TimingOnly, result.Shared, result.Modelled, result.Counted, result.Stated} {
		page.Kinds = append(page.Kinds, kindLine{k, kinds[k]})
	}
	page.Tallies = tallies(rs)
	if err := page.experiments(r, p, rs); err != nil {
		return nil, err
	}
	for _, r := range rs {
		page.HasStale = page.HasStale || r.Stale
		page.HasDirty = page.HasDirty || r.Run != nil && r.Run.Dirty
	}
	page.Partial = slices.DeleteFunc(slices.Clone(page.Sides), func(s side) bool { return !s.Incomplete })
	if err := page.formulas(p.Formulas, s); err != nil {
		return nil, err
	}
	var err error
	if page.Ran, err = ranBox(o, rs); err != nil {
		return nil, err
	}
	if page.Short, err = story(p.Key+".short", at); err != nil {
		return nil, err
	}
	page.Ran.mark(page.Short)
	return page, page.tell(p.Key, at)
}

// tell puts the chapters of the narrative where they belong.
func (page *paperPage) tell(key string, at places) error {
	chapters, err := story(key, at)
	for _, c := range chapters {
		switch c.ID {
		case "idea", "messages", "what":
			page.Idea = append(page.Idea, c)
		case "questions":
			page.Asked = append(page.Asked, c)
		default:
			page.After = append(page.After, c)
		}
	}
	return err
}

// experiments adds what the results of each experiment say.
func (page *paperPage) experiments(r *renderer, p *paper, rs []loaded) error {
	var groups []claimGroup
	var sections []section
	for _, e := range byExperiment(rs) {
		if linked := slices.DeleteFunc(slices.Clone(e), func(l loaded) bool { return l.New == nil }); len(linked) > 0 {
			sections = append(sections, page.link(r, linked))
			if err := page.showIdeaOf(linked[0]); err != nil {
				return err
			}
			page.Several = page.Several || len(e) > 1
			if e = slices.DeleteFunc(slices.Clone(e), func(l loaded) bool { return l.New != nil }); len(e) == 0 {
				continue
			}
		}
		g := groupClaims(e)
		if len(g.Rows) > 0 {
			groups = append(groups, g)
			for _, row := range g.Rows {
				if row.Disagree {
					page.Disagree = append(page.Disagree, row)
				}
			}
		}
		sec, files, err := buildSection(p.Key, e, r.at, r.s, r.SingleFile)
		if err != nil {
			return err
		}
		if len(g.Rows) > 0 {
			sec.Judged = &g
		}
		page.showIdea(p, &sec)
		page.Files = append(page.Files, files...)
		sections = append(sections, sec)
		page.Widgets = page.Widgets || page.Diagram != nil || slices.ContainsFunc(sec.Tables, item.Works)
		page.Sides = append(page.Sides, sec.Sides...)
		page.Several = page.Several || len(e) > 1
	}
	page.Claims, page.Parts, page.Common = claimTables(groups), parts(sections), shareFacts(page.Sides)
	page.showEach()
	return nil
}

// formulas sets formulas as MathML.
func (page *paperPage) formulas(list []formula, s *scripts) error {
	for _, f := range list {
		m, err := s.mathML(f.TeX)
		if err != nil {
			return err
		}
		v := formulaView{formula: f, MathML: template.HTML(m)}
		if f.Printed != "" {
			if m, err = s.mathML(f.Printed); err != nil {
				return err
			}
			v.PrintedMathML = template.HTML(m)
		}
		page.Formulas = append(page.Formulas, v)
	}
	return nil
}

// showIdea takes the widget that shows the idea of the source to the chapter about it,
// from the first table that p names.
func (page *paperPage) showIdea(p *paper, sec *section) {
	stem, table, _ := strings.Cut(p.Diagram, "#")
	if sec.ID != stem || page.Diagram != nil {
		return
	}
	for i := range sec.Tables {
		for j := range sec.Tables[i].Tables {
			t := &sec.Tables[i].Tables[j]
			if t.Widget == nil || !strings.HasSuffix(t.Anchor, "-"+slug(table)) {
				continue
			}
			page.Diagram, page.DiagramTable, page.DiagramTitle = t.Widget, t.Anchor, t.Title
			if page.DiagramTitle == "" {
				page.DiagramTitle = sec.Tables[i].Title
			}
			t.Widget, t.Above = nil, "idea"
			return
		}
	}
}

// hasNumbers reports whether column i of rows holds numbers.
func hasNumbers(rows [][]any, i int) bool {
	return slices.ContainsFunc(rows, func(r []any) bool { _, ok := r[i].(float64); return ok })
}

// join is for templates.
func join(ss []string, sep string) string { return strings.Join(ss, sep) }
