package reports

import (
	"regexp"
	"slices"
	"strings"
)

// chapter is a part of a page's results, with its experiments in the order of
// the page.
type chapter struct {
	Title string
	stems []string
	match *regexp.Regexp // stems that belong here besides, by their number
}

// chapters is the order of each page, and of its table of contents. What no
// chapter names comes last, under the title otherChapter.
var chapters = map[string][]chapter{
	"ring": {
		{Title: "What a ring does, and what it costs", stems: []string{"steps", "cost"}},
		{Title: "What it buys in training", stems: []string{"scaling", "overlap"}},
		{Title: "Which ring, and its weakest link", stems: []string{"placement", "slow-link"}},
		{Title: "Is it the same training?", stems: []string{"equals-sgd"}},
	},
	"ringsparse": {
		{Title: "What is sent, and what that saves", stems: []string{"decisions", "traffic", "time"}},
		{Title: "What becomes of zeros on the way", stems: []string{"fill-in", "conversion-error"}},
		{Title: "What the patent promises", stems: []string{"scaling", "accuracy", "overlap"}},
	},
	"codedsgd": {
		{Title: "The scheme", stems: []string{"fig1", "fig2", "fig3"}},
		{Title: "The proof, step by step", stems: []string{"proof", "overcount", "accounting"}},
		{Title: "The paper’s experiments", stems: []string{"table1", "table2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9",
			"fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "abstracts"}},
		{Title: "Beyond the paper", stems: []string{"quantisation", "speed"}},
	},
	"compare": {
		{Title: "Which method when", stems: []string{"when", "facts"}},
		{Title: "The same training by every method", stems: []string{"homogeneous", "heterogeneous"}},
	},
	"dasp": {
		{Title: "The method at work", stems: []string{"walk"}},
		{Title: "The paper’s tables and figures", match: regexp.MustCompile(`^(table|fig)\d+$`)},
		{Title: "Choices the paper leaves open", stems: []string{"thresholds", "tuning", "switches", "sensitivity"}},
		{Title: "Beyond the paper", stems: []string{"accuracy", "versions-vs-clocks", "dynamic", "network", "dssp-anchor"}},
		{Title: "What must have been true", stems: []string{"explain"}},
	},
}

const otherChapter = "Further results"

// chapterOf is the place of a stem on a paper's page: its chapter, their number
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

// part is the sections of one chapter.
type part struct {
	Anchor, Title string
	Sections      []section
}

// parts cuts sections, which are in the order of compareStems, into chapters.
func parts(sections []section) []part {
	var out []part
	last := -1
	for _, s := range sections {
		paper, stem, _ := strings.Cut(s.ID, "/")
		c, _ := chapterOf(paper, stem)
		if c != last {
			title := otherChapter
			if c < len(chapters[paper]) {
				title = chapters[paper][c].Title
			}
			out = append(out, part{Anchor: "part-" + slug(title), Title: title})
			last = c
		}
		out[len(out)-1].Sections = append(out[len(out)-1].Sections, s)
	}
	return out
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
