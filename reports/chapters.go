package reports

import (
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/paper"
)

// chapter is a part of a page's results, with its experiments in the order of
// the page.
type chapter struct {
	Title said
	stems []string
	match *regexp.Regexp // stems that belong here besides, by their number
}

// chapters is the order of each page, and of its table of contents. What no
// chapter names comes last, under the title otherChapter.
var chapters = func() map[string][]chapter {
	out := map[string][]chapter{}
	for _, p := range paper.All() {
		for _, c := range p.Chapters {
			part := chapter{Title: c.Title, stems: c.Stems}
			if c.Pattern != "" {
				part.match = regexp.MustCompile(c.Pattern)
			}
			out[p.Key] = append(out[p.Key], part)
		}
	}
	return out
}()

var otherChapter = said{"Further results", "其他结果"}

// chapterTitle returns the title of a chapter of a page, by its place.
func chapterTitle(paper string, place int) said {
	if list := chapters[paper]; place < len(list) {
		return list[place].Title
	}
	return otherChapter
}

// chapterOf returns the place of a stem on a paper's page: its chapter, their number
// for none, and where in its list it stands, -1 where a pattern brought it in.
func chapterOf(paper, stem string) (chapter, place int) {
	for i, c := range chapters[paper] {
		if at := slices.Index(c.stems, stem); at >= 0 {
			return i, at
		}
		if c.match != nil && c.match.MatchString(stem) {
			return i, -1
		}
	}
	return len(chapters[paper]), -1
}

// compareStems orders a paper's stems by chapter, there as its list says, then tables before
// figures before the rest, and table2 before table10.
func compareStems(paper, a, b string) int {
	ca, ia := chapterOf(paper, a)
	cb, ib := chapterOf(paper, b)
	if ca != cb {
		return ca - cb
	}
	if ia != ib {
		return ia - ib
	}
	pa, na := splitStem(a)
	pb, nb := splitStem(b)
	rank := func(p string) int {
		if i := slices.Index([]string{"table", "fig"}, p); i >= 0 {
			return i
		}
		return 2
	}
	if r := rank(pa) - rank(pb); r != 0 {
		return r
	}
	if c := strings.Compare(pa, pb); c != 0 {
		return c
	}
	if na != nb {
		return na - nb
	}
	return strings.Compare(a, b)
}

// splitStem cuts a stem into its leading letters and the number after them.
func splitStem(s string) (prefix string, n int) {
	i := strings.IndexAny(s, "0123456789")
	if i < 0 {
		return s, 0
	}
	for _, c := range s[i:] {
		if c < '0' || c > '9' {
			break
		}
		n = min(n*10+int(c-'0'), 1<<20)
	}
	return s[:i], n
}
