package reports

import (
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/widget"
)

// storyPage tells what one document says and what was found, in minutes.
type storyPage struct {
	page.Head
	Paper    *cited.Document
	Lede     template.HTML // one sentence
	Answer   *chapterText  // does it hold; nil where no story is written
	Lost     template.HTML // what the text lacks
	Standing string        // "hardly" …, by its findings
	Tally    []page.VerdictCount
	Chapters []chapterText
	Picture  *widget.Widget // the source's idea at work; nil where its result is not there
	Still    template.HTML  // stands for it without scripts and on paper
	From, To int            // the events between which it begins by itself
	Results  []resultLink
	Partial  []resultLink // of interrupted runs
	HasDirty bool
	HasStale bool
	Software citation
	Run      string // the command that makes the results again
	Command  string
	Ran      *ran.Box
}

// resultLink is a result's page.
type resultLink struct {
	Href   string
	Number string // "Table 4": what the document calls it; "" for ours
	Title  notebook.Both
	Part   notebook.Both // the chapter, at its first result
}

// storyOf makes the page of one document from its results.
func (r *renderer) storyOf(p *cited.Document, rs []loaded) (*storyPage, error) {
	doc := &storyPage{Paper: p, Software: citeStory(p, rs, r.Address), Run: "make reproduce-" + p.Key, Command: r.Command}
	judged := toldOf(rs)
	doc.Tally = counted(judged)
	last := -1
	for _, e := range byExperiment(rs) {
		l := resultLink{Href: e[0].ID + ".html", Number: paperNumber(e[0].Source), Title: e[0].Page.Title}
		if c, _ := chapterOf(p.Key, e[0].Stem); c != last {
			last, l.Part = c, chapterTitle(p.Key, c)
		}
		doc.Results = append(doc.Results, l)
		for _, one := range e {
			if one.Status == result.Incomplete {
				doc.Partial = append(doc.Partial, l)
			}
			doc.HasStale = doc.HasStale || one.Stale
			doc.HasDirty = doc.HasDirty || one.Run != nil && one.Run.Dirty
		}
		shown := firstTold(e) // the story speaks of it
		if shown == nil {
			shown = &e[0]
		}
		if err := doc.showIdeaOf(*shown); err != nil {
			return nil, err
		}
	}
	var err error
	if r.SingleFile { // pages that share a folder are for reading on, not for handing in
		if doc.Ran, err = ran.Compare(r.Results, files(rs), publishedJSON); err != nil {
			return nil, err
		}
	}
	chapters, err := r.teller(p.Key+".story", "", rs).tell()
	if err != nil {
		return nil, err
	}
	mark(doc.Ran, chapters)
	for i, c := range chapters {
		switch c.ID {
		case "hero":
			doc.Lede = c.Body
		case "answer":
			doc.Answer = &chapters[i]
		case "lost":
			doc.Lost = c.Body
		case "still":
			doc.Still = c.Body
		default:
			doc.Chapters = append(doc.Chapters, c)
		}
	}
	return doc, nil
}

// teller returns what tells a text of a document, from root.
func (r *renderer) teller(key, root string, rs []loaded) teller {
	t := teller{key: key, root: root, at: r.at, find: r.find, told: toldOf(rs), has: r.has, judged: map[string]int{}}
	t.draw = func(name string, args []string) (template.HTML, error) { return r.component(name, args, t) }
	return t
}

// has reports whether the render makes a page: of a result, or of a document.
func (r *renderer) has(name string) bool {
	if r.at[name] || name == "playground" || name == "index" || name == "cards" || name == coursework {
		return true
	}
	return slices.ContainsFunc(r.frame.Sites[paperOf(name)].Pages, func(l page.Link) bool { return l.Page == name })
}

// toldProfiles is the order in which a story takes the profiles of an experiment.
var toldProfiles = []string{"standard", "quick", "paper", "ci"}

// toldOf returns every claim of a document once: of the first profile in which its experiment is whole.
func toldOf(rs []loaded) (out notebook.Told) {
	for _, e := range byExperiment(rs) {
		if l := firstTold(e); l != nil {
			out = append(out, l.Claims...)
		}
	}
	return out
}

// firstTold returns the result of an experiment that a story speaks of, nil where none is whole.
func firstTold(e []loaded) *loaded {
	for _, p := range toldProfiles {
		for i := range e {
			if e[i].Profile == p && e[i].Status != result.Incomplete {
				return &e[i]
			}
		}
	}
	return nil
}

// counted tallies the claims that a page counts: without restatements and without what is out of scope.
func counted(list []result.Claim) []page.VerdictCount {
	ts := page.Count(slices.DeleteFunc(claims.InScope(list), func(c result.Claim) bool { return c.Remark == claims.DerivedRemark }))
	for i := range ts {
		ts[i].Of = nil
	}
	return ts
}

// showIdeaOf takes the widget that shows the idea of the source from the frame that the
// document names, opened before the first event of note.
func (doc *storyPage) showIdeaOf(l loaded) error {
	for _, f := range l.Frames {
		if doc.Paper.Diagram != l.ID+"#"+f.ID || doc.Picture != nil {
			continue
		}
		var err error
		if doc.Picture, err = widget.Of(l.Result, l.Page, f.ID); err != nil {
			return fmt.Errorf("reports: %s: %w", l.ID, err)
		}
		doc.To = widget.Opening(l.Result, f.ID)
		doc.From = max(0, doc.To-3)
	}
	return nil
}

// moved says where anchors that stood on the page of a document have gone.
type moved struct {
	Document string   `json:"document"`
	Results  []string `json:"results"`
	Code     []string `json:"code"`
	Kept     []string `json:"assumptions"`
}

// movedFrom lists the anchors that the page of a document had before its parts got pages of their own.
func movedFrom(p *cited.Document, rs []loaded, assumptions []chapterText) (template.JS, error) {
	m := moved{Document: p.Key, Code: []string{"algorithms", "formulas"}}
	for _, e := range byExperiment(rs) {
		m.Results = append(m.Results, e[0].Stem)
	}
	for _, a := range p.Algorithms {
		m.Code = append(m.Code, a.ID)
	}
	for _, f := range p.Formulas {
		m.Code = append(append(m.Code, f.ID), f.Also...)
	}
	for _, c := range assumptions {
		m.Kept = append(m.Kept, c.ID)
	}
	raw, err := json.Marshal(m)
	return template.JS(raw), err
}

// ofPublished marks a chapter that tells of the published results, below its heading.
var ofPublished = said{"Of the published results, not of this run.", "以下内容说的是发布的结果，而不是这次运行的。"}

// mark says above each chapter whose results it tells of, where the page's are not all of those. A page
// without a box is one of the published results, or of a reader's own folder.
func mark(v *ran.Box, chapters []chapterText) {
	if v == nil || !v.Partial {
		return
	}
	for i := range chapters {
		chapters[i].Body = `<p class="warn"><b>` + ofPublished.HTML() + "</b></p>\n" + chapters[i].Body
	}
}

// numbered is a source that is a table or figure of the paper.
var numbered = regexp.MustCompile(`^[^,:]+, ((?:Table|Fig\.) \d+)$`)

// paperNumber returns "Table 4" of the source "DASP, Table 4", "" of others.
func paperNumber(source string) string {
	if m := numbered.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}
