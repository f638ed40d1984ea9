package reports

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// claimsPage lists every claim of a document beside what each profile found.
type claimsPage struct {
	page.Head
	Paper    *cited.Document
	Groups   []claimGroup
	Profiles []string
	Asks     []ask
	Verdicts []page.Verdict
	Command  string
}

// claimGroup is claims under one heading.
type claimGroup struct {
	ID          string
	Title, Says notebook.Both
	Rows        []claimEntry
}

// claimEntry is one claim.
type claimEntry struct {
	ID, Href                  string
	Statement, Source, Stated template.HTML
	From                      string // key of its source
	Sides                     []claimFound
	Outside                   bool
}

// claimFound holds the finding of one profile; Shown are the classes of the profiles that show it.
type claimFound struct {
	Shown           string
	Found, Interval template.HTML
	Verdict         page.Verdict
}

// claimGroups is the order of a list of claims.
var claimGroups = []claimGroup{
	{ID: "judged", Title: notebook.Both{"Judged", "已判定"}},
	{ID: "no-case", Title: notebook.Both{"No case", "无从比较"}, Says: notebook.Both{"Both methods did exactly the same, event by event: there is nothing to compare.",
		"两种方法逐个事件完全相同：没有可比较的。"}},
	{ID: "inputs", Title: notebook.Both{"Inputs and our own values", "输入与我们自己的数"}, Says: notebook.Both{"We set these numbers, worked them out from the " +
		"text’s own, " +
		"or the text states none. They are not counted.", "这些数由我们设定，或由原文自己的数算出，或原文没有给出。它们不计入。"}},
	{ID: "restated", Title: notebook.Both{"Restatements", "重述"}, Says: notebook.Both{"These numbers follow from others of the list. They are not counted again.",
		"这些数由表中其他数推出，不重复计入。"}},
	{ID: "left", Title: notebook.Both{"Not run, or of another text", "未运行，或出自另一篇文献"},
		Says: notebook.Both{"No run here can judge these, or they are of another text. They are not counted.",
			"这里的运行无法判断这些论断，或它们出自另一篇文献。它们不计入。"}},
}

// groupOf returns the id of the group in which a claim stands.
func groupOf(c result.Claim) string {
	word := claims.Word(c.Verdict)
	switch {
	case claims.OutOfScope(c.ID) != "" || claims.Cited(c.ID) || word == claims.WordNotRun:
		return "left"
	case c.Remark == claims.DerivedRemark:
		return "restated"
	case word == claims.WordInput || word == claims.WordOwn:
		return "inputs"
	case word == claims.WordNoCase:
		return "no-case"
	}
	return "judged"
}

// claimsOf makes the list of a document, nil where its results judge nothing.
func (r *renderer) claimsOf(p *cited.Document, rs []loaded) *claimsPage {
	doc := &claimsPage{Paper: p, Verdicts: page.Verdicts, Command: r.Command}
	for _, one := range toldProfiles {
		if slices.ContainsFunc(rs, func(l loaded) bool { return l.Profile == one && len(l.Claims) > 0 }) {
			doc.Profiles = append(doc.Profiles, one)
		}
	}
	type row struct {
		claimEntry
		group  string
		source notebook.Both
	}
	var rows []row
	for _, e := range byExperiment(rs) {
		first := firstTold(e)
		if first == nil {
			first = &e[0]
		}
		for _, c := range first.ClaimRows {
			x := row{group: groupOf(c.Claim), source: c.Source}
			x.claimEntry = claimEntry{ID: c.ID, Href: "../" + first.ID + ".html#" + c.ID, Statement: words(c.Statement), Source: words(c.Source),
				Stated:  words(c.Stated),
				Outside: claims.OutOfScope(c.ID) != ""}
			x.Sides = sidesOf(e, first, c.ID, doc.Profiles)
			rows = append(rows, x)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	var sources []notebook.Both
	place := map[string]int{}
	for i, c := range claims.All() {
		place[c.ID] = i
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	for _, g := range claimGroups {
		g.Rows = nil
		for _, x := range rows {
			if x.group != g.ID {
				continue
			}
			if !slices.Contains(sources, x.source) {
				sources = append(sources, x.source)
			}
			x.From = strconv.Itoa(1 + slices.Index(sources, x.source))
			g.Rows = append(g.Rows, x.claimEntry)
		}
		if len(g.Rows) > 0 {
			doc.Groups = append(doc.Groups, g)
		}
	}
	doc.Asks = asksOf(doc.Groups, sources)
	return doc
}

// asksOf lists what readers choose claims by: sources, and the verdicts that some claim has.
func asksOf(groups []claimGroup, sources []notebook.Both) []ask {
	from := ask{Title: said{"where", "出处"}, Any: said{"anywhere", "不限"}}
	for i, s := range sources {
		from.Of = append(from.Of, choice{strconv.Itoa(1 + i), s})
	}
	judged := ask{Title: said{"verdict", "结论"}, Any: said{"any", "不限"}}
	for _, v := range page.Verdicts {
		has := func(f claimFound) bool { return f.Verdict.Key == v.Key }
		if slices.ContainsFunc(groups, func(g claimGroup) bool {
			return slices.ContainsFunc(g.Rows, func(e claimEntry) bool { return slices.ContainsFunc(e.Sides, has) })
		}) {
			judged.Of = append(judged.Of, choice{v.Key, v.Word})
		}
	}
	return []ask{from, judged}
}

// sidesOf returns what the profiles found of a claim; for a profile that lacks the experiment, first stands.
func sidesOf(e []loaded, first *loaded, id string, profiles []string) (out []claimFound) {
	for _, p := range profiles {
		i := slices.IndexFunc(e, func(l loaded) bool { return l.Profile == p && l.Claim(id) != nil })
		l := first
		if i >= 0 {
			l = &e[i]
		}
		if i < 0 || l == first {
			if at := slices.IndexFunc(out, func(f claimFound) bool { return strings.Contains(f.Shown, "p-"+first.Profile) }); at >= 0 {
				out[at].Shown += " p-" + p
				continue
			}
		}
		k := slices.IndexFunc(l.ClaimRows, func(c notebook.ClaimRow) bool { return c.ID == id })
		c := l.ClaimRows[k]
		v, _ := page.FindVerdict(c.Verdict) // check has seen it
		shown := "p-" + p
		if l == first && p != first.Profile {
			shown = "p-" + first.Profile + " p-" + p
		}
		out = append(out, claimFound{Shown: shown, Found: words(c.Found), Interval: words(c.Interval), Verdict: v})
	}
	return out
}

// words sets a text of a claim in both languages.
func words(b notebook.Both) template.HTML {
	return notebook.Both{typeset.Pretty(b[0]), typeset.Pretty(b[1])}.HTML()
}
