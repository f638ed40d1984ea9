package reports

import (
	"html/template"
	"slices"

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
	Several  bool // an experiment has results of more than one profile
	Judged   []claimBlock
	Profiles []string // of Judged
	Disagree []claimLine
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

	Diagram     *widget // shows the source's idea; nil where its result is not there
	DiagramHref string  // the page with the same numbers
	DiagramName notebook.Both

	HasDirty bool
	HasStale bool
	Partial  []side // results of an interrupted run
	Ran      *ranView
}

type kindLine struct {
	Key   string
	Means said
}

type formulaView struct {
	formula
	MathML        template.HTML
	PrintedMathML template.HTML
	Go            []excerpt // of a page that is made with the source
}

// build turns the results of one paper into its page.
func build(r *renderer, p *paper, rs []loaded) (*paperPage, error) {
	page := &paperPage{
		Paper: p, Verdicts: verdicts, Remarks: made(rs), Algs: p.Algorithms, Software: software(rs, p.Key+".html"), Command: r.Command,
		head: head{Title: p.Short.En() + ", reproduced", Page: p.Key},
	}
	if p.Ours {
		page.Title = p.Short.En()
	}
	for _, k := range kindOrder {
		page.Kinds = append(page.Kinds, kindLine{k, kinds[k]})
	}
	page.Tallies = tallies(rs)
	if err := page.experiments(r, rs); err != nil {
		return nil, err
	}
	for _, l := range rs {
		page.HasStale = page.HasStale || l.Stale
		page.HasDirty = page.HasDirty || l.Run != nil && l.Run.Dirty
	}
	page.Partial = slices.DeleteFunc(slices.Clone(page.Sides), func(s side) bool { return !s.Incomplete })
	if err := page.formulas(p.Formulas, r.s); err != nil {
		return nil, err
	}
	var err error
	if page.Ran, err = ranBox(r.Options, rs); err != nil {
		return nil, err
	}
	if page.Short, err = story(p.Key+".short", r.at, r.find); err != nil {
		return nil, err
	}
	page.Ran.mark(page.Short)
	return page, page.tell(r, p.Key)
}

// tell puts the chapters of the narrative where they belong.
func (page *paperPage) tell(r *renderer, key string) error {
	chapters, err := story(key, r.at, r.find)
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

// experiments adds what the page says of each experiment.
func (page *paperPage) experiments(r *renderer, rs []loaded) error {
	var sections []section
	for _, e := range byExperiment(rs) {
		sections = append(sections, page.link(r, e))
		if err := page.showIdeaOf(e[0]); err != nil {
			return err
		}
		page.Several = page.Several || len(e) > 1
		for _, l := range e {
			page.Sides = append(page.Sides, sideOf(l))
		}
		page.Disagree = append(page.Disagree, disagreeing(e)...)
	}
	page.Parts, page.Common = parts(sections), shareFacts(page.Sides)
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
