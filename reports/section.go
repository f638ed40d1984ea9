package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// section is one experiment on the page of its document: a link to the page of its own.
type section struct {
	Anchor, Source, ID string
	Number             string // "Table 4": what the paper calls it; "" for ours
	Linked             linkedView
}

// side is one result: what holds for all its tables and figures.
type side struct {
	Anchor, Profile, ID string
	Title               notebook.Both
	Who                 said
	Kinds               []string // of the result and its frames
	KindMeans           said
	Incomplete          bool
	OneSeed             bool // one run: no interval, and no mean
	Command             string
	Tally               []tally
	Prov                []fact
	InCommon            bool // the rest of it is said once for the profile
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

// kindsOf lists how r and its frames came to be, in one order.
func kindsOf(r *result.Result) []string {
	has := map[string]bool{r.Kind: true}
	for _, f := range r.Frames {
		has[kindOr(f.Kind, r.Kind)] = true
	}
	return slices.DeleteFunc(slices.Clone(kindOrder), func(k string) bool { return !has[k] })
}

// kindOr is a frame's own kind or else its result's.
func kindOr(kind, otherwise string) string {
	if kind != "" {
		return kind
	}
	return otherwise
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

// sideOf says what holds for all of a result.
func sideOf(l loaded) side {
	kinds := kindsOf(l.Result)
	return side{Anchor: l.Anchor(), Title: l.Page.Title, Profile: l.Profile, ID: l.ID, Who: who(l.Result), Kinds: kinds, KindMeans: kindMeans(kinds),
		Incomplete: l.Status == result.Incomplete, OneSeed: len(l.Seeds) == 1 && !seedless(l.Result), Command: fmt.Sprintf("%s run %s --profile %s", program, l.ID, l.Profile), Tally: count(l.Claims), Prov: provenance(l)}
}
