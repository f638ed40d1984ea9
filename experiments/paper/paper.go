// Package paper describes each document once: what it is called, how it is cited, which
// chapters its page has, and which claims are its own. The pages, the judge, the
// command line, the quiz and what is written outside of the pages read these
// descriptors and list no document by hand. A document's formulas and algorithms stand
// in reports/cited.
//
// documents.json is the data: the four sources and the comparison of their methods, in the order in which their
// experiments run.
package paper

import (
	_ "embed"
	"slices"
	"strings"

	"gradsync/internal/strict"
)

//go:embed documents.json
var text []byte

var documents = strict.Embedded[[]Paper](text)

// pair is a text in English and Chinese.
type pair = [2]string

// Paper describes one document, or, with Ours, the page that compares the methods of all.
type Paper struct {
	Key      string // folder of its results, stem of its page
	Noun     pair   // what a page calls it: paper, blog, patent
	Short    pair
	Title    pair   // ours where the source prints none
	Original string // in the source's language
	Lang     string // of Original
	By       pair   // who wrote it and when: "Li Bowen, Xie Zaipeng (2021)"; nothing for Ours
	Lede     pair   // two sentences for a reader who has not read the paper
	Plain    string // citation
	BibTeX   string
	// Diagram is the table whose widget shows the idea: experiment#table.
	Diagram string
	// First are the experiments that a reproduction runs and renders before the rest: what the
	// document itself states. nil: all at once.
	First []string
	// Ours is set for what is no document: a page of experiments of our own, which
	// claims nothing that could be judged and has nobody else to cite.
	Ours bool
	// Index is its position on the index page, from 1.
	Index int
	// Claims holds the first letters of the ids of its claims: "D" of D19.
	Claims string
	// Dated names it, with its year, in the README's table of verdicts; "" for Ours, which has no row.
	Dated string
	// Chapters cut the results on its page into parts.
	Chapters []Chapter
}

// Chapter is a part of a page's results, with its experiments in the order of the page.
type Chapter struct {
	Title   pair
	Stems   []string
	Pattern string // a regular expression of stems that belong here besides, by their number
}

// All returns every document, in the order in which experiments are listed and run.
func All() []Paper { return slices.Clone(documents) }

// Indexed returns every document, in the order of the index page.
func Indexed() []Paper {
	return slices.SortedFunc(slices.Values(documents), func(a, b Paper) int { return a.Index - b.Index })
}

// Keys returns the keys of All.
func Keys() (out []string) {
	for _, p := range documents {
		out = append(out, p.Key)
	}
	return out
}

// OfClaim returns the document on whose page a claim is judged.
func OfClaim(id string) (Paper, bool) {
	i := slices.IndexFunc(documents, func(p Paper) bool { return id != "" && strings.Contains(p.Claims, id[:1]) })
	if i < 0 {
		return Paper{}, false
	}
	return documents[i], true
}

// Name returns what an English sentence calls the document: "DASP", "the comparison".
func (p Paper) Name() string {
	if p.Ours {
		return "the " + p.Noun[0]
	}
	return p.Short[0]
}
