package reports

import (
	"html/template"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// paperPage is everything the template of a paper's page shows.
type paperPage struct {
	head
	Paper    *paper
	Verdicts []verdict
	Kinds    []kindLine
	Tallies  []profileTally
	Several  bool // an experiment has results of more than one profile
	Claims   []claimTable
	Disagree []claimRow // claims whose verdicts differ between profiles
	Parts    []part
	Sides    []side        // every result, for its provenance
	Story    template.HTML // narrative and differences
	StoryToc []heading
	Short    template.HTML // what was found, in short; above everything
	ShortToc []heading
	Formulas []formulaView
	Algs     []algorithm
	Software citation
	Command  string
	Files    []csvFile // written beside the page
	HasDirty bool
	HasStale bool
	Partial  []side // results of an interrupted run
}

type kindLine struct{ Key, Means string }

// tally counts one verdict.
type tally struct {
	verdict
	N int
}

type formulaView struct {
	formula
	MathML        template.HTML
	PrintedMathML template.HTML
}

type heading struct{ ID, Text string }

// build turns the results of one paper into its page.
func build(p *paper, rs []loaded, at places, s *scripts, o Options) (*paperPage, error) {
	page := &paperPage{
		Paper: p, Verdicts: verdicts, Algs: p.Algorithms, Software: software(rs), Command: o.Command,
		head: head{Title: p.Short + ", reproduced", Page: p.Key},
	}
	if p.Ours {
		page.Title = p.Short
	}
	for _, k := range []string{result.Trained, result.TimingOnly, result.Shared, result.Modelled, result.Counted, result.Stated} {
		page.Kinds = append(page.Kinds, kindLine{k, kinds[k]})
	}
	page.Tallies = tallies(rs)
	var groups []claimGroup
	var sections []section
	for _, e := range byExperiment(rs) {
		if g := groupClaims(e); len(g.Rows) > 0 {
			groups = append(groups, g)
			for _, row := range g.Rows {
				if row.Disagree {
					page.Disagree = append(page.Disagree, row)
				}
			}
		}
		sec, files, err := buildSection(p.Key, e, at, s, o.SingleFile)
		if err != nil {
			return nil, err
		}
		page.Files = append(page.Files, files...)
		sections = append(sections, sec)
		page.Widgets = page.Widgets || slices.ContainsFunc(sec.Tables, item.Works)
		page.Sides = append(page.Sides, sec.Sides...)
		page.Several = page.Several || len(e) > 1
	}
	page.Claims, page.Parts = claimTables(groups), parts(sections)
	for _, r := range rs {
		page.HasStale = page.HasStale || r.Stale
		page.HasDirty = page.HasDirty || r.Run != nil && r.Run.Dirty
	}
	page.Partial = slices.DeleteFunc(slices.Clone(page.Sides), func(s side) bool { return !s.Incomplete })
	for _, f := range p.Formulas {
		m, err := s.mathML(f.TeX)
		if err != nil {
			return nil, err
		}
		v := formulaView{formula: f, MathML: template.HTML(m)}
		if f.Printed != "" {
			if m, err = s.mathML(f.Printed); err != nil {
				return nil, err
			}
			v.PrintedMathML = template.HTML(m)
		}
		page.Formulas = append(page.Formulas, v)
	}
	var err error
	if page.Short, page.ShortToc, err = story(p.Key+".short", at); err != nil {
		return nil, err
	}
	page.Story, page.StoryToc, err = story(p.Key, at)
	return page, err
}

// hasNumbers reports whether column i of rows holds numbers.
func hasNumbers(rows [][]any, i int) bool {
	return slices.ContainsFunc(rows, func(r []any) bool { _, ok := r[i].(float64); return ok })
}

// join is for templates.
func join(ss []string, sep string) string { return strings.Join(ss, sep) }
