package reports

import (
	"slices"

	"gradsync/reports/cited"
	"gradsync/reports/page"
)

// indexPage lists the papers, also those of which nothing was run.
type indexPage struct {
	page.Head
	Papers   []indexLine
	Compare  *indexLine // the page that is of no one paper; nil where nothing of it was run
	Verdicts []page.Verdict
	Remarks  []page.Remark
	Software citation
	Command  string
}

type indexLine struct {
	*cited.Document
	Built    bool
	Tallies  []profileTally
	Claims   int
	Results  int
	Disagree int // claims whose verdicts differ between profiles
}

// add appends a paper with what its results found.
func (p *indexPage) add(of *cited.Document, rs []loaded) {
	line := indexLine{Document: of, Built: len(rs) > 0, Results: len(rs), Tallies: tallies(rs), Claims: claimCount(rs)}
	for _, e := range byExperiment(rs) {
		line.Disagree += len(disagreeing(e))
	}
	if of.Ours {
		if line.Built {
			p.Compare = &line
		}
		return
	}
	// Papers with results come first, each kind in the order of the registry.
	at := len(p.Papers)
	if line.Built {
		at = slices.IndexFunc(p.Papers, func(l indexLine) bool { return !l.Built })
		if at < 0 {
			at = len(p.Papers)
		}
	}
	p.Papers = slices.Insert(p.Papers, at, line)
}
