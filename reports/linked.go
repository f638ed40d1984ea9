package reports

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
	"gradsync/reports/widget"
)

// linkedView stands on a document's page for an experiment that has a page of its own: its
// title, what it found in a paragraph, and its verdicts.
type linkedView struct {
	Href    string
	Title   template.HTML
	Answer  template.HTML
	Tallies []profileTally
	Aliases []string // anchors of its other profiles
}

// claimBlock is the claims of one experiment beside what its profiles found, of which the
// reader sees one at a time.
type claimBlock struct {
	Anchor, Href string
	Title        template.HTML
	Source       string
	Sides        []claimSide
}

// claimSide holds what one profile found.
type claimSide struct {
	Profile string
	Shown   string // classes: the profiles that show it
	Tally   []page.VerdictCount
	Rows    []claimLine
	Outside []claimLine // out of scope: named and not counted
}

// paragraph is the first of a prose.
var paragraph = regexp.MustCompile(`(?s)<p>(.*?)</p>`)

// link shows an experiment on the page of its document.
func (doc *paperPage) link(r *renderer, e []loaded) experimentLink {
	first := e[0]
	v := linkedView{Href: first.ID + ".html", Title: first.Page.Title.HTML(), Tallies: tallies(e)}
	for _, l := range e[1:] {
		v.Aliases = append(v.Aliases, l.Anchor())
	}
	if parts := first.Page.Parts; len(parts) > 0 && parts[0].Prose != nil {
		var answer [2]template.HTML
		for l, text := range parts[0].Prose {
			if m := paragraph.FindStringSubmatch(string(text)); m != nil {
				answer[l] = template.HTML(r.at.link(typeset.UnitsHTML(m[1])))
			}
		}
		v.Answer = typeset.BothHTML(answer)
	}
	doc.judge(e, &v)
	return experimentLink{Anchor: first.Anchor(), Source: first.Source, ID: first.ID, Number: paperNumber(first.Source), Linked: v}
}

// judge adds the claims of an experiment to the page.
func (doc *paperPage) judge(e []loaded, v *linkedView) {
	b := claimBlock{Anchor: e[0].Anchor(), Href: v.Href, Title: v.Title, Source: e[0].Source}
	for _, l := range e {
		if len(l.ClaimRows) == 0 {
			continue
		}
		s := claimSide{Profile: l.Profile, Tally: page.Count(claims.InScope(l.Claims))}
		for _, c := range l.ClaimRows {
			if line := lineOf(l, c); claims.OutOfScope(c.ID) == "" {
				s.Rows = append(s.Rows, line)
			} else {
				s.Outside = append(s.Outside, line)
			}
		}
		b.Sides = append(b.Sides, s)
	}
	if len(b.Sides) > 0 {
		doc.Judged = append(doc.Judged, b)
	}
}

// showEach lets every claim be seen in each profile of the page: where an experiment lacks
// one, its first stands for it.
func (doc *paperPage) showEach() {
	for _, b := range doc.Judged {
		for _, s := range b.Sides {
			if !slices.Contains(doc.Profiles, s.Profile) {
				doc.Profiles = append(doc.Profiles, s.Profile)
			}
		}
	}
	slices.SortFunc(doc.Profiles, func(a, b string) int { return slices.Index(profiles, a) - slices.Index(profiles, b) })
	for _, b := range doc.Judged {
		for i := range b.Sides {
			b.Sides[i].Shown = "p-" + b.Sides[i].Profile
		}
		for _, p := range doc.Profiles {
			if !slices.ContainsFunc(b.Sides, func(s claimSide) bool { return s.Profile == p }) {
				b.Sides[0].Shown += " p-" + p
			}
		}
	}
}

// showIdeaOf takes the widget that shows the idea of the source from the frame that the
// document names.
func (doc *paperPage) showIdeaOf(l loaded) error {
	for _, f := range l.Frames {
		if doc.Paper.Diagram != l.ID+"#"+f.ID || doc.Diagram != nil {
			continue
		}
		var err error
		if doc.Diagram, err = widget.Of(l.Result, l.Page, f.ID); err != nil {
			return fmt.Errorf("reports: %s: %w", l.ID, err)
		}
		doc.DiagramHref, doc.DiagramName, doc.Widgets = l.ID+".html", l.Page.Title, true
	}
	return nil
}

// undecidedly are the verdicts that decide nothing: beside a decided one they are no disagreement.
var undecidedly = []string{claims.NotRun, claims.NotStated, claims.Undecided, claims.NoCase, claims.Input}

// disagreeing returns the claims that two profiles decide otherwise.
func disagreeing(e []loaded) (out []claimLine) {
	ran := map[string]string{} // claim to the first verdict
	for _, l := range e {
		for _, c := range l.ClaimRows {
			if slices.Contains(undecidedly, c.Verdict) {
				continue
			}
			first, seen := ran[c.ID]
			if !seen {
				ran[c.ID] = c.Verdict
			} else if first != c.Verdict && !slices.ContainsFunc(out, func(d claimLine) bool { return d.ID == c.ID }) {
				out = append(out, lineOf(e[0], c))
			}
		}
	}
	return out
}

// experimentPages are the experiments that have a page, by id: "dasp/table5".
type experimentPages map[string]bool

// placesOf returns the experiments of all documents.
func placesOf(all map[string][]loaded) experimentPages {
	p := experimentPages{}
	for _, rs := range all {
		for _, l := range rs {
			p[l.ID] = true
		}
	}
	return p
}

// named is an experiment in a narrative.
var named = regexp.MustCompile(`<code>([a-z]+)/([a-z0-9-]+)</code>`)

// linkFrom makes links of the experiments that the code of a result's page names.
func (at experimentPages) linkFrom(id, html string) string {
	return named.ReplaceAllStringFunc(html, func(name string) string {
		m := named.FindStringSubmatch(name)
		to := m[1] + "/" + m[2]
		if !at[to] || to == id {
			return name
		}
		return `<a href="../` + to + `.html">` + name + `</a>`
	})
}

// link makes links of the experiments that the code of a document's page names.
func (at experimentPages) link(html string) string {
	return named.ReplaceAllStringFunc(html, func(name string) string {
		m := named.FindStringSubmatch(name)
		if to := m[1] + "/" + m[2]; at[to] {
			return `<a href="` + to + `.html">` + name + `</a>`
		}
		return name
	})
}
