package reports

import (
	"html/template"
	"regexp"
	"slices"
)

// places maps the id of an experiment, "dasp/table5", to the anchor of its section,
// where it has one.
type places struct {
	at  map[string]string
	own map[string]bool // those that have a page of their own
	tr  *translator
}

// placesOf are the sections of all pages.
func placesOf(all map[string][]loaded, tr *translator) places {
	p := places{at: map[string]string{}, own: map[string]bool{}, tr: tr}
	for _, rs := range all {
		for _, e := range byExperiment(rs) {
			p.at[e[0].ID] = e[0].Anchor()
			p.own[e[0].ID] = slices.ContainsFunc(e, func(l loaded) bool { return l.New != nil })
		}
	}
	return p
}

// An experiment in a narrative, and in a note.
var (
	named  = regexp.MustCompile(`<code>([a-z]+)/([a-z0-9-]+)</code>`)
	spoken = regexp.MustCompile(`\b([a-z]+)/([a-z0-9]+(?:-[a-z0-9]+)*)`)
)

// linkFrom makes links of the experiments that the code of a result's page names.
func (at places) linkFrom(id, html string) string {
	return named.ReplaceAllStringFunc(html, func(name string) string {
		m := named.FindStringSubmatch(name)
		to := m[1] + "/" + m[2]
		anchor, ok := at.at[to]
		switch {
		case !ok || to == id:
			return name
		case at.own[to]:
			return `<a href="../` + to + `.html">` + name + `</a>`
		}
		return `<a href="../` + m[1] + ".html#" + anchor + `">` + name + `</a>`
	})
}

// link makes links of the experiments that html names by one of the two and that have
// a section, on the page of paper or on another.
func (at places) link(paper, html string, by *regexp.Regexp) string {
	return by.ReplaceAllStringFunc(html, func(name string) string {
		m := by.FindStringSubmatch(name)
		anchor, ok := at.at[m[1]+"/"+m[2]]
		switch {
		case !ok:
			return name
		case m[1] == paper:
			return `<a href="#` + anchor + `">` + name + `</a>`
		}
		return `<a href="` + m[1] + ".html#" + anchor + `">` + name + `</a>`
	})
}

// notes are the sentences of a result, with links.
func (at places) notes(paper string, sentences []string) []template.HTML {
	out := make([]template.HTML, len(sentences))
	for i, s := range sentences {
		out[i] = at.tr.both(s, func(s string) template.HTML {
			return template.HTML(at.link(paper, string(coded(prose)(s)), spoken))
		})
	}
	return out
}
