package reports

import (
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
)

// codePage shows the algorithms of a document beside the Go that carries them out, and its formulas.
type codePage struct {
	page.Head
	*cited.Shown
	Paper   *cited.Document
	Command string
}

// assumptionsPage says what the text lacks, where we do otherwise, and what is wrong in it.
type assumptionsPage struct {
	page.Head
	Paper    *cited.Document
	Chapters []chapterText
	Command  string
}

// provenancePage says how every result of a document came about.
type provenancePage struct {
	page.Head
	Paper   *cited.Document
	Common  []commonFacts
	Sides   []side
	Command string
}

// side holds what is said of one result as a whole, above its tables and figures.
type side struct {
	Anchor, Profile, ID string
	Title               notebook.Both
	Who                 said
	Kinds               []string // of the result and its frames
	KindMeans           said
	Incomplete          bool
	OneSeed             bool // one run: no interval, and no mean
	Command             string
	Tally               []page.VerdictCount
	Prov                []ran.Fact
	InCommon            bool // the rest of it is said once for the profile
}

// document makes all pages of one document.
func (r *renderer) document(p *cited.Document, rs []loaded) error {
	story, err := r.storyOf(p, rs)
	if err != nil {
		return err
	}
	kept, err := r.teller(p.Key+".assumptions", "../", rs).tell()
	if err != nil {
		return err
	}
	shown, err := cited.Show(p, r.s, r.source)
	if err != nil {
		return err
	}
	listed := r.claimsOf(p, rs)

	frame := r.frame
	if frame.Moved, err = movedFrom(p, rs, kept); err != nil {
		return err
	}
	var scripts []string
	if story.Picture != nil {
		scripts = page.WidgetScripts
	}
	title := p.Short().En() + ", reproduced"
	if p.Ours {
		title = p.Short().En()
	}
	if story.Head, err = frame.Named(title, p.Key, scripts...); err != nil {
		return err
	}
	story.Crumb = p.Short()
	r.names = append(r.names, p.Key+".html")
	if err := r.out.Page(r.pages, "story.html", p.Key+".html", story); err != nil {
		return err
	}
	if listed != nil {
		if err := r.below(p, "claims", &listed.Head, listed); err != nil {
			return err
		}
	}
	if len(shown.Algs)+len(shown.Formulas) > 0 {
		doc := &codePage{Paper: p, Shown: shown, Command: r.Command}
		if err := r.below(p, "code", &doc.Head, doc); err != nil {
			return err
		}
	}
	if len(kept) > 0 {
		doc := &assumptionsPage{Paper: p, Chapters: kept, Command: r.Command}
		if err := r.below(p, "assumptions", &doc.Head, doc); err != nil {
			return err
		}
	}
	from := &provenancePage{Paper: p, Command: r.Command}
	for _, l := range rs {
		from.Sides = append(from.Sides, sideOf(l))
	}
	from.Common = shareFacts(from.Sides)
	if err := r.below(p, "provenance", &from.Head, from); err != nil {
		return err
	}
	return r.resultPages(p, rs)
}

// siteNames are the names of a document's pages.
var siteNames = map[string]notebook.Both{"claims": {"Claims", "论断"}, "code": {"Code", "代码"}, "assumptions": {"Assumptions", "假设"},
	"provenance": {"Provenance", "来源"}}

// siteOf returns what the header of a document's pages links; which are there follows from the document.
func (r *renderer) siteOf(p *cited.Document, rs []loaded) page.Site {
	s := page.Site{Name: p.Short(), Pages: []page.Link{{Page: p.Key, Title: said{"Story", "概述"}}}}
	add := func(name string) {
		s.Pages = append(s.Pages, page.Link{Page: p.Key + "/" + name, Title: siteNames[name]})
	}
	if len(toldOf(rs)) > 0 {
		add("claims")
	}
	if len(p.Algorithms)+len(p.Formulas) > 0 {
		add("code")
	}
	if hasText(p.Key + ".assumptions") {
		add("assumptions")
	}
	add("provenance")
	return s
}

// below makes a page in the folder of a document.
func (r *renderer) below(p *cited.Document, name string, head *page.Head, data any) error {
	frame := r.frame
	frame.Root = "../"
	var err error
	if *head, err = frame.Named(p.Short().En()+": "+siteNames[name].En(), p.Key+"/"+name); err != nil {
		return err
	}
	head.Crumb = siteNames[name]
	file := p.Key + "/" + name + ".html"
	r.names = append(r.names, file)
	return r.out.Page(r.pages, name+".html", file, data)
}

// sideOf says what holds for all of a result.
func sideOf(l loaded) side {
	kinds := page.KindsOf(l.Result)
	return side{Anchor: l.Anchor(), Title: l.Page.Title, Profile: l.Profile, ID: l.ID, Who: who(l.Result), Kinds: kinds, KindMeans: page.KindMeans(kinds),
		Incomplete: l.Status == result.Incomplete, OneSeed: len(l.Seeds) == 1 && !ran.Seedless(l.Result),
		Command: fmt.Sprintf("%s run %s --profile %s", page.Program, l.ID, l.Profile), Tally: page.Count(claims.InScope(l.Claims)), Prov: ran.Provenance(l.File)}
}
