package reports

import (
	"html/template"
	"slices"

	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// indexPage lists the documents with their one-line answers, also one of which nothing was run.
type indexPage struct {
	page.Head
	Papers   []indexLine
	Own      []neighbour // somebody's own comparisons
	Compare  *indexLine  // the page that is of no one document; nil where nothing of it was run
	Verdicts []page.Verdict
	Software citation
	Command  string
}

// indexLine is one document with the first words of its story.
type indexLine struct {
	*cited.Document
	Built    bool
	Lede     template.HTML
	Answer   *chapterText
	Standing string
	Tally    []page.VerdictCount
}

// index makes the page that all others are reached from.
func (r *renderer) index(all map[string][]loaded) error {
	doc := &indexPage{Verdicts: slices.DeleteFunc(slices.Clone(page.Verdicts), func(v page.Verdict) bool { return !v.Counted() }), Command: r.Command}
	var every []loaded
	for i := range cited.Documents {
		p := &cited.Documents[i]
		rs := all[p.Key]
		every = append(every, rs...)
		line := indexLine{Document: p, Built: len(rs) > 0}
		if line.Built {
			told := toldOf(rs)
			line.Tally = counted(told)
			chapters, err := r.teller(p.Key+".story", "", rs).tell()
			if err != nil {
				return err
			}
			for i, c := range chapters {
				switch c.ID {
				case "hero":
					line.Lede = c.Body
				case "answer":
					line.Answer = &chapters[i]
				}
			}
		}
		if !p.Ours {
			doc.Papers = append(doc.Papers, line)
		} else if line.Built {
			doc.Compare = &line
		}
	}
	for _, e := range byExperiment(all[notebook.Own]) {
		doc.Own = append(doc.Own, neighbour{e[0].ID + ".html", e[0].Page.Title})
		every = append(every, e...)
	}
	doc.Software = software(every)
	var err error
	if doc.Head, err = r.frame.Named("gradsync", "index"); err != nil {
		return err
	}
	return r.out.Page(r.pages, "index.html", "index.html", doc)
}
