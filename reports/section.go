package reports

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// section is one experiment: what its profiles found, side by side.
type section struct {
	Anchor, Title, Source, ID string
	Number                    string // "Table 4": what the paper calls it; "" for ours
	Sides                     []side // one per profile
	OneNotes                  bool   // the sides' notes are the same
	Figures                   []item
	Tables                    []item
	Judged                    *claimGroup // its claims in words; nil for none
	Linked                    *linkedView // it has a page of its own
}

// side is one result: what holds for all its tables and figures.
type side struct {
	Anchor, Title, Profile, ID string
	Who                        said
	OwnTitle                   bool     // another than its section's
	Kinds                      []string // of the result, its tables and figures
	KindMeans                  said
	Incomplete                 bool
	Command                    string
	Notes                      []template.HTML
	Tally                      []tally
	Prov                       []fact
	InCommon                   bool // the rest of it is said once for the profile
}

// numbered is a source that is a table or figure of the paper.
var numbered = regexp.MustCompile(`^[^,:]+, ((?:Table|Fig\.) \d+)$`)

// inChinese puts the few words of a source that are not names into Chinese.
var inChinese = strings.NewReplacer("the blog, ", "博客，", "the patent, ", "专利，", "Tables ", "表 ", "Table ", "表 ", "Figs. ", "图 ", "Figs ", "图 ", "Fig. ", "图 ", "Fig ", "图 ",
	"Algorithms ", "算法 ", "Algorithm ", "算法 ", "equations ", "式 ", "equation ", "式 ", "Section ", "", "abstracts", "摘要", "abstract", "摘要", "benefits", "有益效果",
	"derived", "推导", "conclusion", "结论", "embodiment", "实施例", " and ", "和", " to ", "至 ", " against ", "对照", "ours", "我们的", ", ", "，")

// sourceOf is where a result or a claim stands in its document, in both languages.
func sourceOf(s string) said { return said{s, inChinese.Replace(s)} }

// paperNumber is "Table 4" of the source "DASP, Table 4", "" of others.
func paperNumber(source string) string {
	if m := numbered.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}

// kindOrder is every kind, in the order in which a badge names them.
var kindOrder = []string{result.TimingOnly, result.Trained, result.Shared, result.Modelled, result.Counted, result.Stated}

// kindsOf lists how r, its tables and its figures came to be, in one order.
func kindsOf(r *result.Result) []string {
	has := map[string]bool{r.Kind: true}
	for _, t := range r.Tables {
		has[kindOr(t.Kind, r.Kind)] = true
	}
	for _, f := range r.Figures {
		has[kindOr(f.Kind, r.Kind)] = true
	}
	return slices.DeleteFunc(slices.Clone(kindOrder), func(k string) bool { return !has[k] })
}

// kindMeans explains one kind, and leaves several to their tables and figures.
func kindMeans(list []string) said {
	if len(list) == 1 {
		return kinds[list[0]]
	}
	return said{"each table and figure says which", "每张表和图各自注明"}
}

// program is the command line as it is typed in the root of the repository, where
// `make build` puts it: what a page offers to copy must run.
const program = "bin/gradsync"

// Answered reports whether a table answers the section's question: the sentences follow it.
func (s section) Answered() bool { return slices.ContainsFunc(s.Tables, item.Answers) }

// buildSection turns the results of one experiment into its section and the data
// files beside it.
func buildSection(key string, rs []loaded, at places, s *scripts, single bool) (section, []csvFile, error) {
	sec := section{Anchor: rs[0].Anchor(), Title: rs[0].Title, Source: rs[0].Source, ID: rs[0].ID, Number: paperNumber(rs[0].Source), OneNotes: len(rs) > 1}
	for _, r := range rs {
		sec.Sides = append(sec.Sides, side{
			Anchor: r.Anchor(), Title: r.Title, Profile: r.Profile, ID: r.ID, Who: who(r.Result), OwnTitle: r.Title != sec.Title,
			Kinds: kindsOf(r.Result), KindMeans: kindMeans(kindsOf(r.Result)), Incomplete: r.Status == "incomplete",
			Command: fmt.Sprintf("%s run %s --profile %s", program, r.ID, r.Profile),
			Notes:   at.notes(key, r.Notes), Tally: count(r.Claims), Prov: provenance(r),
		})
		sec.OneNotes = sec.OneNotes && fmt.Sprint(r.Notes) == fmt.Sprint(rs[0].Notes)
	}
	var files []csvFile
	file := func(r loaded, id, text string) csvFile {
		c := csvFile{Name: fmt.Sprintf("data/%s/%s-%s.csv", key, r.Anchor(), slug(id)), Text: text}
		c.Inline(single)
		files = append(files, c)
		return c
	}
	tables := func(r loaded) []result.Table { return r.Tables }
	for _, set := range align(rs, tables, func(t result.Table) string { return t.ID }) {
		it := item{}
		for _, sm := range same(rs, set) {
			v := viewTable(sm.loaded, sm.of)
			var err error
			if v.Widget, err = widgetOf(sm.Result, sm.of, v); err != nil {
				return section{}, nil, err
			}
			v.CSV = file(sm.loaded, sm.of.ID, tableCSV(sm.of))
			v.within = sm.within.at(sm.of.ID)
			it.Tables = append(it.Tables, v)
		}
		if len(rs) > 1 {
			it.shareTables()
		}
		sec.Tables = append(sec.Tables, it)
	}
	figures := func(r loaded) []result.Figure { return r.Figures }
	for _, set := range align(rs, figures, func(f result.Figure) string { return f.ID }) {
		it := item{}
		for _, sm := range same(rs, set) {
			v, err := viewFigure(sm.loaded, sm.of, s)
			if err != nil {
				return section{}, nil, fmt.Errorf("%w (%s)", err, sm.ID)
			}
			v.CSV = file(sm.loaded, sm.of.ID, figureCSV(sm.of))
			v.within = sm.within.at(sm.of.ID)
			it.Figures = append(it.Figures, v)
		}
		if len(rs) > 1 {
			it.shareFigures()
		}
		sec.Figures = append(sec.Figures, it)
	}
	sec.freshen()
	return sec, files, nil
}
