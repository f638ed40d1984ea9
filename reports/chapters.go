package reports

import (
	"regexp"
	"slices"
	"strings"

	"gradsync/reports/typeset"
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
var chapters = map[string][]chapter{
	"ring": {
		{Title: said{"What a ring does, and what it costs", "环做什么，代价是多少"}, stems: []string{"steps", "cost", "chunks"}},
		{Title: said{"What it buys in training", "它给训练带来什么"}, stems: []string{"scaling", "overlap"}},
		{Title: said{"Which ring, and its weakest link", "哪一个环，及其最弱的链路"}, stems: []string{"placement", "slow-link"}},
		{Title: said{"Is it the same training?", "是同样的训练吗？"}, stems: []string{"equals-sgd"}},
	},
	"ringsparse": {
		{Title: said{"What is sent, and what that saves", "发送什么，省下什么"}, stems: []string{"decisions", "traffic", "time"}},
		{Title: said{"What becomes of zeros on the way", "零在途中变成什么"}, stems: []string{"fill-in", "conversion-error"}},
		{Title: said{"What the patent promises", "专利的承诺"}, stems: []string{"scaling", "accuracy", "overlap"}},
	},
	"codedsgd": {
		{Title: said{"The scheme", "方案"}, stems: []string{"fig1", "fig2", "fig3"}},
		{Title: said{"The proof, step by step", "证明，逐步进行"}, stems: []string{"proof", "overcount", "accounting"}},
		{Title: said{"The paper’s experiments", "论文的实验"}, stems: []string{"table1", "table2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9",
			"fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "abstracts"}},
		{Title: said{"Beyond the paper", "论文之外"}, stems: []string{"quantisation", "speed"}},
	},
	"compare": {
		{Title: said{"Which method when", "何时用哪种方法"}, stems: []string{"when", "facts"}},
		{Title: said{"The same training by every method", "每种方法做同一次训练"}, stems: []string{"homogeneous", "heterogeneous"}},
	},
	"dasp": {
		{Title: said{"The method at work", "方法的运行过程"}, stems: []string{"walk"}},
		{Title: said{"The paper’s tables and figures", "论文的表和图"}, match: regexp.MustCompile(`^(table|fig)\d+$`)},
		{Title: said{"Choices the paper leaves open", "论文未定、由我们作的选择"}, stems: []string{"thresholds", "tuning", "switches", "sensitivity"}},
		{Title: said{"Beyond the paper", "论文之外"}, stems: []string{"accuracy", "versions-vs-clocks", "dynamic", "network", "dssp-anchor"}},
		{Title: said{"What must have been true", "当时必须具备什么条件"}, stems: []string{"explain"}},
	},
}

var otherChapter = said{"Further results", "其他结果"}

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

// chapterPart is the sections of one chapter.
type chapterPart struct {
	Anchor   string
	Title    said
	Sections []experimentLink
}

// parts cuts sections, which are in the order of compareStems, into chapters.
func parts(sections []experimentLink) []chapterPart {
	var out []chapterPart
	last := -1
	for _, s := range sections {
		paper, stem, _ := strings.Cut(s.ID, "/")
		c, _ := chapterOf(paper, stem)
		if c != last {
			title := otherChapter
			if c < len(chapters[paper]) {
				title = chapters[paper][c].Title
			}
			out = append(out, chapterPart{Anchor: "part-" + typeset.Slug(title.En()), Title: title})
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
