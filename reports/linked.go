package reports

import "regexp"

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
