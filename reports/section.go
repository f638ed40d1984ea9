package reports

import (
	"fmt"
	"regexp"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
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
	Tally               []page.Tally
	Prov                []fact
	InCommon            bool // the rest of it is said once for the profile
}

// numbered is a source that is a table or figure of the paper.
var numbered = regexp.MustCompile(`^[^,:]+, ((?:Table|Fig\.) \d+)$`)

// paperNumber is "Table 4" of the source "DASP, Table 4", "" of others.
func paperNumber(source string) string {
	if m := numbered.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}

// program is the command line as it is typed in the root of the repository, where
// `make build` puts it: what a page offers to copy must run.
const program = "bin/gradsync"

// sideOf says what holds for all of a result.
func sideOf(l loaded) side {
	kinds := page.KindsOf(l.Result)
	return side{Anchor: l.Anchor(), Title: l.Page.Title, Profile: l.Profile, ID: l.ID, Who: who(l.Result), Kinds: kinds, KindMeans: page.KindMeans(kinds),
		Incomplete: l.Status == result.Incomplete, OneSeed: len(l.Seeds) == 1 && !seedless(l.Result), Command: fmt.Sprintf("%s run %s --profile %s", program, l.ID, l.Profile), Tally: page.Count(l.Claims), Prov: provenance(l)}
}
