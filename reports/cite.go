package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gradsync/reports/cited"
	"gradsync/reports/typeset"
)

// Who made the software, and what it is called: CITATION.cff has the same, which a
// test compares.
const (
	citeAuthors = "The gradsync authors"
	citeTitle   = "gradsync: gradient synchronisation in distributed deep learning, reproduced"
)

// citation is how to cite something.
type citation struct{ Plain, BibTeX string }

// software cites gradsync as a whole, with the commits that the results are of. The year is the last one
// in which a result was made.
func software(rs []loaded) citation { return cite("gradsync", citeTitle, "", "", rs) }

// citeStory cites the page of a document, at an address where the pages have one.
func citeStory(p *cited.Document, rs []loaded, address string) citation {
	title := p.Short().En() + ", reproduced"
	if p.Ours {
		title = p.Short().En()
	}
	return cite("gradsync-"+p.Key, title, p.Key+".html", address, rs)
}

// cite cites a page of gradsync by a key, a title, the page ("": none) and the address of all pages, if any.
func cite(key, title, page, address string, rs []loaded) citation {
	year, version := madeIn(rs)
	where := "results of " + commitsOf(rs)
	plain := citeAuthors + ", " + title
	bib := "@software{" + key + ",\n  author  = {{" + citeAuthors + "}},\n  title   = {{" + title + "}},\n"
	for _, f := range []struct{ plain, name, value string }{{"", "year", year}, {"version ", "version", version}} {
		if f.value != "" {
			plain += ", " + f.plain + f.value
			bib += fmt.Sprintf("  %-7s = {%s},\n", f.name, f.value)
		}
	}
	if page != "" {
		plain += ", " + page
	}
	switch {
	case address != "" && page != "":
		bib += "  url     = {" + strings.TrimSuffix(address, "/") + "/" + page + "},\n  note    = {" + where
	case page != "":
		bib += "  note    = {" + strings.ReplaceAll(page, "#", `\#`) + ", " + where
	default:
		bib += "  note    = {" + where
	}
	return citation{Plain: plain + "; " + where + ".", BibTeX: bib + "}\n}"}
}

// citeResult cites one result of gradsync: a key and a title of its own, the page and, where the pages
// have one, their address.
func citeResult(p *cited.Document, rs []loaded, address string) citation {
	name := paperNumber(rs[0].Source)
	if name == "" {
		name = rs[0].Page.Title[0]
	}
	title := p.Short().En() + ", " + strings.TrimPrefix(name, p.Short().En()+", ") + ", reproduced"
	if p.Ours {
		title = name
	}
	return cite("gradsync-"+strings.ReplaceAll(rs[0].ID, "/", "-"), title, rs[0].ID+".html#"+rs[0].Stem, address, rs)
}

// madeIn returns the last year in which a result was made, and the program's version.
func madeIn(rs []loaded) (year, version string) {
	for _, r := range rs {
		if r.Run != nil {
			year, version = max(year, yearOf(r.Run.Started)), cmp.Or(version, r.Run.Version)
		}
	}
	return year, version
}

// yearOf returns the year of a time as sidecars write it, "" of anything else.
func yearOf(started string) string {
	year, _, ok := strings.Cut(started, "-")
	if !ok || len(year) != 4 {
		return ""
	}
	return year
}

// shortCommit is how much of a commit's name is printed where several stand in a line.
const shortCommit = 12

// commitsOf names the commits of results, each once, in the order of the page.
func commitsOf(rs []loaded) string {
	var names []string
	for _, r := range rs {
		if name := commitOf(r); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return "commit " + cmp.Or(strings.Join(names, ""), unknownCommit)
	}
	for i, name := range names {
		hash, changes, _ := strings.Cut(name, " ")
		names[i] = strings.TrimSpace(hash[:min(shortCommit, len(hash))] + " " + changes)
	}
	return "commits " + typeset.InWords(names)
}

const unknownCommit = "unknown"

// commitOf names the commit of one result.
func commitOf(r loaded) string {
	if r.Run == nil || cmp.Or(r.Run.Commit, unknownCommit) == unknownCommit {
		return unknownCommit
	}
	if r.Run.Dirty {
		return r.Run.Commit + " (with changes that no commit holds)"
	}
	return r.Run.Commit
}
