package reports

import (
	"fmt"
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
	Tally    []tally
	Claims   []claimGroup
	Sections []section
	Story    template.HTML // narrative and differences
	StoryToc []heading
	Formulas []formulaView
	Algs     []algorithm
	Software citation
	Command  string
	Files    []csvFile // written beside the page
	HasDirty bool
	HasStale bool
	Partial  []section // results of an interrupted run
}

type kindLine struct{ Key, Means string }

// tally counts one verdict.
type tally struct {
	verdict
	N int
}

// claimGroup is the claims of one result.
type claimGroup struct {
	Anchor, Title, Source, Profile string
	Tally                          []tally
	Common                         []commonWhy // what would repeat in the rows
	Rows                           []claimRow
}

// claimRow is one claim in words.
type claimRow struct {
	ID, Anchor, Statement, Source    string
	Paper, Ours, Interval, Tolerance string
	Verdict                          verdict
	Differs                          []string
	Why                              string
	Words                            bool // paper or ours is words, not a number
}

// section is one result.
type section struct {
	Anchor, Title, Source, Profile, ID string
	Kind, KindMeans                    string
	Incomplete                         bool
	Command                            string
	Notes                              []string
	Tally                              []tally
	Tables                             []tableView
	Figures                            []figureView
	Prov                               []fact
}

type formulaView struct {
	formula
	MathML template.HTML
}

type heading struct{ ID, Text string }

// build turns the results of one paper into its page.
func build(p *paper, rs []loaded, s *scripts, o Options) (*paperPage, error) {
	page := &paperPage{
		Paper: p, Verdicts: verdicts, Algs: p.Algorithms, Software: software(rs), Command: o.Command,
		head: head{Title: p.Short + ", reproduced", Page: p.Key},
	}
	for _, k := range []string{result.Trained, result.TimingOnly, result.Shared, result.Modelled, result.Stated} {
		page.Kinds = append(page.Kinds, kindLine{k, kinds[k]})
	}
	var all []result.Claim
	for _, r := range rs {
		all = append(all, r.Claims...)
		if g := groupClaims(r); len(g.Rows) > 0 {
			page.Claims = append(page.Claims, g)
		}
		sec, files, err := buildSection(p.Key, r, s, o.SingleFile)
		if err != nil {
			return nil, err
		}
		page.Files = append(page.Files, files...)
		page.Sections = append(page.Sections, sec)
		if sec.Incomplete {
			page.Partial = append(page.Partial, sec)
		}
		page.HasStale = page.HasStale || r.Stale
		page.HasDirty = page.HasDirty || r.Run != nil && r.Run.Dirty
	}
	page.Tally = count(all)
	for _, f := range p.Formulas {
		m, err := s.mathML(f.TeX)
		if err != nil {
			return nil, err
		}
		page.Formulas = append(page.Formulas, formulaView{f, template.HTML(m)})
	}
	var err error
	page.Story, page.StoryToc, err = story(p.Key)
	return page, err
}

// buildSection turns one result into its section and the data files beside it.
func buildSection(key string, r loaded, s *scripts, single bool) (section, []csvFile, error) {
	sec := section{
		Anchor: r.Anchor(), Title: r.Title, Source: r.Source, Profile: r.Profile, ID: r.ID,
		Kind: r.Kind, KindMeans: kinds[r.Kind],
		Incomplete: r.Status == "incomplete",
		Command:    fmt.Sprintf("gradsync run %s --profile %s", r.ID, r.Profile),
		Notes:      r.Notes, Tally: count(r.Claims), Prov: provenance(r),
	}
	var files []csvFile
	for _, t := range r.Tables {
		v := viewTable(r, t)
		v.CSV = csvFile{Name: fmt.Sprintf("data/%s/%s-%s.csv", key, r.Anchor(), slug(t.ID)), Text: tableCSV(t)}
		v.CSV.Inline(single)
		files = append(files, v.CSV)
		sec.Tables = append(sec.Tables, v)
	}
	for _, f := range r.Figures {
		v, err := viewFigure(r, f, s)
		if err != nil {
			return section{}, nil, fmt.Errorf("%w (%s)", err, r.ID)
		}
		v.CSV = csvFile{Name: fmt.Sprintf("data/%s/%s-%s.csv", key, r.Anchor(), slug(f.ID)), Text: figureCSV(f)}
		v.CSV.Inline(single)
		files = append(files, v.CSV)
		sec.Figures = append(sec.Figures, v)
	}
	return sec, files, nil
}

// groupClaims words the claims of one result.
func groupClaims(r loaded) claimGroup {
	g := claimGroup{Anchor: r.Anchor(), Title: r.Title, Source: r.Source, Profile: r.Profile, Tally: count(r.Claims)}
	for _, c := range r.Claims {
		v, _ := findVerdict(c.Verdict) // check has seen it
		row := claimRow{
			ID: c.ID, Anchor: g.Anchor + "-" + slug(c.ID), Statement: c.Statement, Source: c.Source, Verdict: v,
			Interval: interval(c.CI95, c.Unit), Differs: c.Differs, Why: c.Why,
		}
		row.Paper, row.Ours = claimValues(c.Paper, c.Measured, c.Unit)
		if c.Tolerance != nil {
			row.Tolerance = "±" + withUnit(number(*c.Tolerance, 0), points(c.Unit))
		}
		_, words := c.Paper.(string)
		_, also := c.Measured.(string)
		row.Words = words || also
		g.Rows = append(g.Rows, row)
	}
	g.Common = oneLineEach(slices.Concat(hoistTerms(g.Rows), hoistSources(g.Rows), hoist(g.Rows)))
	return g
}

// points is the unit of a difference: two percentages differ by points.
func points(unit string) string {
	if unit == "%" {
		return "points"
	}
	return unit
}

// count tallies claims by verdict, best first, without the verdicts nobody got.
func count(claims []result.Claim) []tally {
	var ts []tally
	for _, v := range verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v.Key {
				n++
			}
		}
		if n > 0 {
			ts = append(ts, tally{v, n})
		}
	}
	return ts
}

// total is how many claims a tally counts.
func total(ts []tally) int {
	n := 0
	for _, t := range ts {
		n += t.N
	}
	return n
}

// hasNumbers reports whether column i of rows holds numbers.
func hasNumbers(rows [][]any, i int) bool {
	return slices.ContainsFunc(rows, func(r []any) bool { _, ok := r[i].(float64); return ok })
}

// join is for templates.
func join(ss []string, sep string) string { return strings.Join(ss, sep) }
