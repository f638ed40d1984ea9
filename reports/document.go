package reports

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/widget"
)

// paperPage is everything the template of a paper's page shows.
type paperPage struct {
	page.Head
	*cited.Shown
	Paper    *cited.Document
	Verdicts []page.Verdict
	Remarks  []page.Remark
	Kinds    []kindLine
	Tallies  []profileTally
	Several  bool // an experiment has results of more than one profile
	Judged   []claimBlock
	Profiles []string // of Judged
	Disagree []claimLine
	Parts    []chapterPart
	Sides    []side        // every result, for its provenance
	Common   []commonFacts // what their provenance has in common
	Short    []chapterText // what was found, in short; above everything
	Idea     []chapterText // what the source proposes
	Asked    []chapterText // what the experiments ask; above them
	After    []chapterText // what was lost, differences, errata
	Widgets  bool          // the page has one
	Software citation
	Command  string

	Diagram     *widget.Widget // shows the source's idea; nil where its result is not there
	DiagramHref string         // the page with the same numbers
	DiagramName notebook.Both

	HasDirty bool
	HasStale bool
	Partial  []side // results of an interrupted run
	Ran      *ran.Box
}

type kindLine struct {
	Key   string
	Means said
}

// build turns the results of one paper into its page.
func build(r *renderer, p *cited.Document, rs []loaded) (*paperPage, error) {
	doc := &paperPage{
		Paper: p, Verdicts: page.Verdicts, Remarks: made(rs), Software: software(rs, p.Key+".html"), Command: r.Command,
		Head: page.Head{Title: p.Short().En() + ", reproduced", Page: p.Key},
	}
	if p.Ours {
		doc.Title = p.Short().En()
	}
	for _, k := range page.KindOrder {
		doc.Kinds = append(doc.Kinds, kindLine{k, page.Kinds[k]})
	}
	doc.Tallies = tallies(rs)
	if err := doc.experiments(r, rs); err != nil {
		return nil, err
	}
	for _, l := range rs {
		doc.HasStale = doc.HasStale || l.Stale
		doc.HasDirty = doc.HasDirty || l.Run != nil && l.Run.Dirty
	}
	doc.Partial = slices.DeleteFunc(slices.Clone(doc.Sides), func(s side) bool { return !s.Incomplete })
	var err error
	if doc.Shown, err = cited.Show(p, r.s, r.source); err != nil {
		return nil, err
	}
	if r.SingleFile { // pages that share a folder are for reading on, not for handing in
		if doc.Ran, err = ran.Compare(r.Results, files(rs), publishedJSON); err != nil {
			return nil, err
		}
	}
	if doc.Short, err = story(p.Key+".short", r.at, r.find); err != nil {
		return nil, err
	}
	mark(doc.Ran, doc.Short)
	return doc, doc.tell(r, p.Key)
}

// tell puts the chapters of the narrative where they belong.
func (doc *paperPage) tell(r *renderer, key string) error {
	chapters, err := story(key, r.at, r.find)
	for _, c := range chapters {
		switch c.ID {
		case "idea", "messages", "what":
			doc.Idea = append(doc.Idea, c)
		case "questions":
			doc.Asked = append(doc.Asked, c)
		default:
			doc.After = append(doc.After, c)
		}
	}
	return err
}

// experiments adds what the page says of each experiment.
func (doc *paperPage) experiments(r *renderer, rs []loaded) error {
	var sections []experimentLink
	for _, e := range byExperiment(rs) {
		sections = append(sections, doc.link(r, e))
		if err := doc.showIdeaOf(e[0]); err != nil {
			return err
		}
		doc.Several = doc.Several || len(e) > 1
		for _, l := range e {
			doc.Sides = append(doc.Sides, sideOf(l))
		}
		doc.Disagree = append(doc.Disagree, disagreeing(e)...)
	}
	doc.Parts, doc.Common = parts(sections), shareFacts(doc.Sides)
	doc.showEach()
	return nil
}

// experimentLink is one experiment on the page of its document: a link to the page of its own.
type experimentLink struct {
	Anchor, Source, ID string
	Number             string // "Table 4": what the paper calls it; "" for ours
	Linked             linkedView
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

// ofPublished marks a chapter that tells of the published results, below its heading.
var ofPublished = said{"Of the published results, not of this run.", "以下内容说的是发布的结果，而不是这次运行的。"}

// mark says below the heading of each chapter whose results it tells of, where the
// page's are not all of those. A page without a box is one of the published results, or
// of a reader's own folder.
func mark(v *ran.Box, chapters []chapterText) {
	if v == nil || !v.Partial {
		return
	}
	for i, c := range chapters {
		head, body, _ := strings.Cut(string(c.HTML), "\n")
		note := `<p class="warn"><b>` + string(ofPublished.HTML()) + "</b></p>\n"
		chapters[i].HTML = template.HTML(head + "\n" + note + body)
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

// sideOf says what holds for all of a result.
func sideOf(l loaded) side {
	kinds := page.KindsOf(l.Result)
	return side{Anchor: l.Anchor(), Title: l.Page.Title, Profile: l.Profile, ID: l.ID, Who: who(l.Result), Kinds: kinds, KindMeans: page.KindMeans(kinds),
		Incomplete: l.Status == result.Incomplete, OneSeed: len(l.Seeds) == 1 && !ran.Seedless(l.Result),
		Command: fmt.Sprintf("%s run %s --profile %s", page.Program, l.ID, l.Profile), Tally: page.Count(l.Claims), Prov: ran.Provenance(l.File)}
}

// indexPage lists the papers, also a paper of which nothing was run.
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
