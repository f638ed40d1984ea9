package reports

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// claimGroup is the claims of one experiment, judged by one profile or, beside
// one another, by several.
type claimGroup struct {
	Anchor, Title, Source string
	Judges                []judge
	Same                  []judge     // other profiles that say the very same of every claim
	Common                []commonWhy // what would repeat in the rows
	Rows                  []claimRow
}

// Span is how many columns the group has where several profiles judge it.
func (g claimGroup) Span() int { return 3 + 2*len(g.Judges) }

// judge is a profile whose result judges claims of a group.
type judge struct {
	Profile, Anchor string
	Who             said
	Tally           []tally
}

// claimRow is one claim in words.
type claimRow struct {
	ID, Anchor, Statement, Source string
	Paper, Tolerance              string
	Found                         []found // one per judge of the group
	Reasons                       []reason
	Disagree                      bool // two profiles that ran it differ in their verdict
	Class                         string
}

// found is what one profile says of a claim. Its Verdict has no Key where the
// profile's result does not judge the claim.
type found struct {
	Profile, Anchor string
	Ours, Interval  string
	Verdict         verdict
	Remark          remark
	Differs         []string
	Why             string
	Above           bool // what the verdict follows from is said above the rows, with their ids
	Words           bool // paper or ours is words, not a number
}

// claimTable is groups of one layout: any number that one profile judges each,
// or a single one that several judge.
type claimTable struct {
	Several bool
	Groups  []claimGroup
}

// claimTables puts neighbours of one profile into one table.
func claimTables(groups []claimGroup) []claimTable {
	var out []claimTable
	for _, g := range groups {
		several := len(g.Judges) > 1
		if n := len(out); n > 0 && !several && !out[n-1].Several {
			out[n-1].Groups = append(out[n-1].Groups, g)
			continue
		}
		out = append(out, claimTable{several, []claimGroup{g}})
	}
	return out
}

// groupClaims words the claims of one experiment, rs being its profiles.
func groupClaims(rs []loaded) claimGroup {
	rs = slices.DeleteFunc(slices.Clone(rs), func(r loaded) bool { return len(r.Claims) == 0 })
	if len(rs) == 0 {
		return claimGroup{}
	}
	g := claimGroup{Anchor: rs[0].Anchor(), Title: rs[0].Title, Source: rs[0].Source}
	if !slices.ContainsFunc(rs, func(r loaded) bool { return !reflect.DeepEqual(r.Claims, rs[0].Claims) }) {
		for _, r := range rs[1:] {
			g.Same = append(g.Same, newJudge(r))
		}
		rs = rs[:1]
	}
	at := map[string]int{} // claim to its row
	for i, r := range rs {
		g.Judges = append(g.Judges, newJudge(r))
		for _, c := range r.Claims {
			j, ok := at[c.ID]
			if !ok {
				j = len(g.Rows)
				at[c.ID] = j
				g.Rows = append(g.Rows, newRow(rs, c))
			}
			g.Rows[j].judged(i, c)
		}
	}
	g.Common = slices.Concat(hoistTerms(g.Rows), hoistSources(g.Rows), hoistFound(g.Rows, g.Judges))
	g.Common = oneLineEach(g.Common)
	for i := range g.Rows {
		g.Rows[i].settle(g.Judges)
	}
	return g
}

func newJudge(r loaded) judge {
	return judge{r.Profile, r.Anchor(), who(r.Result), count(r.Claims)}
}

// newRow is a claim that no profile has judged yet.
func newRow(rs []loaded, c result.Claim) claimRow {
	row := claimRow{ID: c.ID, Anchor: rs[0].Anchor() + "-" + slug(c.ID), Statement: c.Statement, Source: c.Source}
	row.Paper, row.Tolerance = claimValue(labelled(c.ID, c.Paper), c.Unit), tolerance(c)
	if why := criterion(c); why != "" {
		row.Reasons = append(row.Reasons, reason{"Criterion", why})
	}
	for i, r := range rs {
		f := found{Profile: r.Profile}
		if i > 0 {
			f.Anchor = r.Anchor() + "-" + slug(c.ID)
		}
		row.Found = append(row.Found, f)
	}
	return row
}

// judged enters what profile i says of the claim. A profile whose result was
// made when the claim read otherwise says so, lest its number be set beside
// what it was not judged by.
func (row *claimRow) judged(i int, c result.Claim) {
	f := &row.Found[i]
	f.Verdict, _ = findVerdict(c.Verdict) // check has seen it
	f.Remark = remarkOn(c)
	f.Interval, f.Differs, f.Why = interval(c.CI95, c.Unit), slices.Clone(c.Differs), labelWhy(c.ID, c.Why)
	var paper string
	paper, f.Ours = claimValues(c)
	_, words := c.Paper.(string)
	_, also := c.Measured.(string)
	f.Words = words || also
	if paper != row.Paper || tolerance(c) != row.Tolerance || c.Statement != row.Statement {
		was := fmt.Sprintf("judged when the claim read otherwise (%s: paper %s, tolerance %s)", c.Statement, paper, tolerance(c))
		f.Why = strings.TrimSuffix(was+"; "+f.Why, "; ")
	}
}

// criterion is the rule in words by which a claim in words is judged, "" for
// none. It was fixed with the tolerances.
func criterion(c result.Claim) string {
	if _, words := c.Paper.(string); !words {
		return ""
	}
	fixed, _ := claims.Get(c.ID)
	if fixed.Numbers() != nil {
		return ""
	}
	return fixed.ToleranceWhy
}

// tolerance prints the tolerance of a claim, "" for none and for one that a
// criterion in words stands for.
func tolerance(c result.Claim) string {
	if c.Tolerance == nil || criterion(c) != "" {
		return ""
	}
	if *c.Tolerance == 0 {
		return "±0" // of whatever it is
	}
	return "±" + withUnit(number(*c.Tolerance, 0), points(c.Unit))
}

// points is the unit of a difference: two percentages differ by points.
func points(unit string) string {
	if unit == "%" {
		return "points"
	}
	return unit
}

// count tallies claims by verdict, best first, without the verdicts nobody got.
func count(claims []result.Claim) []tally {
	var ts []tally
	for _, v := range verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v.Key {
				n++
			}
		}
		if n > 0 {
			ts = append(ts, tally{v, n, shares(claims, v.Key)})
		}
	}
	return ts
}

// total is how many claims a tally counts.
func total(ts []tally) int {
	n := 0
	for _, t := range ts {
		n += t.N
	}
	return n
}
