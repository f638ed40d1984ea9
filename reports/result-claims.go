package reports

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/compare"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// claimLine is a claim beside what one profile found.
type claimLine struct {
	ID, Anchor              string
	Statement, Source       template.HTML
	Stated, Tolerance       template.HTML
	Found, Interval         template.HTML
	Criterion, Note         template.HTML
	Verdict                 page.Verdict
	Remark                  page.Remark
	Reasons, Differs        template.HTML
	WordsStated, WordsFound bool
	Several                 bool
}

// lineOf words one claim.
func lineOf(l loaded, c notebook.ClaimRow) claimLine {
	text := func(b notebook.Both) template.HTML {
		return notebook.Pair(typeset.Escape(typeset.Pretty(b[0])), !b.Same(), typeset.Escape(typeset.Pretty(b[1])))
	}
	reasons := func(list [2][]string) template.HTML {
		if len(list[0]) == 0 {
			return ""
		}
		return text(notebook.Both{strings.Join(list[0], "; ") + ".", strings.Join(list[1], "；") + "。"})
	}
	line := claimLine{ID: c.ID, Anchor: l.Anchor() + "-" + typeset.Slug(c.ID), Statement: text(c.Statement), Source: text(c.Source), Stated: text(c.Stated),
		Tolerance: text(c.Tolerance), Found: text(c.Found), Interval: text(c.Interval), Criterion: text(c.Criterion), Note: text(c.Note),
		Reasons: reasons(c.Reasons), Differs: reasons(c.Differs)}
	line.Verdict, _ = page.FindVerdict(c.Verdict) // check has seen it
	stated, _ := claims.Get(c.ID)
	several := len(stated.Numbers()) > 1 // numbers with their names
	line.WordsStated, line.WordsFound, line.Several = several || stated.Numbers() == nil, several || c.Measured == nil, several
	if i := slices.IndexFunc(page.Remarks, func(x page.Remark) bool { return x.Key == c.Remark }); i >= 0 {
		line.Remark = page.Remarks[i]
	}
	return line
}

// whyLine is a reason with the claims that have it.
type whyLine struct {
	Kind said
	IDs  []string
	Text template.HTML
}

// judged fills in the claims of one profile: rows of what is judged, rows apart of what is no finding,
// and the reasons. Anchors of the first profile of a page are the claims' own names.
func (r *renderer) judged(p *cited.Document, s *resultSide, l loaded, first bool) error {
	anchor := func(id string) string {
		if first {
			return id
		}
		return id + "-" + l.Profile
	}
	table := compare.Table{Label: said{"Stated beside found", "原文与所测对照"}, Noun: p.Noun()}
	aside := table
	var rows, apart []notebook.ClaimRow
	var counted []result.Claim
	for _, c := range l.ClaimRows {
		if isAside(c) {
			apart = append(apart, c)
			continue
		}
		rows, counted = append(rows, c), append(counted, c.Claim)
	}
	s.Counts = page.Count(counted)
	var err error
	if table.Groups, err = groupsOf(l, rows, anchor); err != nil || len(rows) == 0 && len(apart) == 0 {
		return err
	}
	if len(rows) > 0 {
		if s.Claims, err = table.HTML(); err != nil {
			return err
		}
	}
	if aside.Groups = []compare.Group{{}}; len(apart) > 0 {
		for _, c := range apart {
			row := rowOf(l, c, anchor(c.ID))
			row.Words = true
			row.Name = c.Statement
			aside.Groups[0].Rows = append(aside.Groups[0].Rows, row)
		}
		if s.Aside, err = aside.HTML(); err != nil {
			return err
		}
	}
	s.Why = whys(l.ClaimRows)
	return nil
}

// isAside reports whether a claim is none that is judged here: put in, restated, not run or not stated.
func isAside(c notebook.ClaimRow) bool {
	return claims.OutOfScope(c.ID) != "" || c.Remark == claims.DerivedRemark ||
		slices.Contains([]string{claims.Input, claims.NotRun, claims.NotStated}, c.Verdict)
}

// groupsOf puts claims into groups that share a scale: one network, rivals below one another; else one
// quantity. Claims in words come last.
func groupsOf(l loaded, rows []notebook.ClaimRow, anchor func(string) string) (out []compare.Group, err error) {
	type key struct{ network, cluster, quantity, unit string }
	at := map[key]int{}
	nulls := map[int]*float64{}
	var units []notebook.Both
	words := compare.Group{}
	for _, c := range rows {
		row := rowOf(l, c, anchor(c.ID))
		if !row.Drawn() {
			words.Rows = append(words.Rows, row)
			continue
		}
		stated, _ := claims.Get(c.ID)
		k := key{quantity: stated.Quantity, unit: stated.Unit}
		if c.Rival != "" {
			k.network, k.cluster = c.Network, c.Cluster
			if row.Name, err = l.Page.Label("method", c.Rival); err != nil {
				return nil, err
			}
		}
		i, ok := at[k]
		if !ok {
			i = len(out)
			g := compare.Group{}
			if g.Title, err = groupTitle(l, c, k.network != "" || k.cluster != ""); err != nil {
				return nil, err
			}
			at[k], out = i, append(out, g)
			units = append(units, l.Page.Unit(unitOf(stated)))
		}
		if stated.Null != nil {
			nulls[i] = stated.Null
		}
		out[i].Rows = append(out[i].Rows, row)
	}
	for i := range out {
		out[i].Scale = compare.NewScale(marksOf(out[i]), nulls[i], units[i])
	}
	shareScales(out, units, nulls)
	if len(words.Rows) > 0 {
		out = append(out, words)
	}
	return out, nil
}

func marksOf(groups ...compare.Group) (out []compare.Mark) {
	for _, g := range groups {
		for _, r := range g.Rows {
			out = append(out, r.Mark)
		}
	}
	return out
}

// shareScales gives groups of one unit and null one scale, with one axis below the last, if their
// ranges are alike: eyes compare what stands below one another.
func shareScales(groups []compare.Group, units []notebook.Both, nulls map[int]*float64) {
	for i := 0; i < len(groups); {
		j := i + 1
		for j < len(groups) && units[j] == units[i] && sameNull(nulls[i], nulls[j]) && alike(groups[i].Scale, groups[j].Scale) {
			j++
		}
		if j > i+1 {
			s := compare.NewScale(marksOf(groups[i:j]...), nulls[i], units[i])
			for k := i; k < j; k++ {
				groups[k].Scale, groups[k].NoAxis = s, k < j-1
			}
		}
		i = j
	}
}

func sameNull(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// alike reports whether two ranges differ by no more than a factor of four.
func alike(a, b compare.Scale) bool {
	x, y := a.Hi-a.Lo, b.Hi-b.Lo
	return a.Log == b.Log && max(x, y) <= 4*min(x, y) && a.Lo < b.Hi && b.Lo < a.Hi
}

func unitOf(c claims.Claim) string {
	switch c.Unit {
	case "-", "count", "ratio":
		return ""
	}
	return c.Unit
}

// groupTitle says what the numbers of a group are: "ResNet-18: convergence time reduction".
func groupTitle(l loaded, c notebook.ClaimRow, named bool) (notebook.Both, error) {
	title := c.Quantity
	if !named || c.Network == "" {
		return title, nil
	}
	network, err := l.Page.Label("model", c.Network)
	if err != nil {
		return title, err
	}
	return notebook.Bothf("%s · %s", "%s · %s", network, title), nil
}

// rowOf makes the row of a claim.
func rowOf(l loaded, c notebook.ClaimRow, anchor string) compare.Row {
	v, _ := page.FindVerdict(c.Verdict) // check has seen it
	pretty := func(b notebook.Both) notebook.Both { return notebook.Both{typeset.Pretty(b[0]), typeset.Pretty(b[1])} }
	row := compare.Row{ID: c.ID, Anchor: anchor, Name: pretty(c.Statement), Stated: pretty(c.Stated), Found: pretty(c.Found), Interval: pretty(c.Interval), Verdict: v}
	if c.Remark != "" {
		row.Remark = page.RemarkOn(c.Claim).Word
	}
	stated, _ := claims.Get(c.ID)
	numbers := stated.Numbers()
	found, ok := c.Measured.(float64)
	if len(numbers) != 1 || !ok && c.Measured != nil || c.Found.En() == "" {
		row.Words = true
		return row
	}
	row.Mark.Stated = &numbers[0]
	if ok {
		row.Mark.Found = &found
		row.Mark.Same = c.Verdict == claims.NoCase
		if len(c.CI95) == 1 && c.CI95[0] != nil && c.CI95[0][1] > c.CI95[0][0] {
			row.Mark.CI = c.CI95[0]
			row.Found, row.Interval = spread(found, *c.CI95[0], l.Page.Unit(unitOf(stated)))
		}
	}
	return row
}

// spread prints a number and its interval with the digits that the interval leaves: two of its width.
func spread(x float64, ci [2]float64, unit notebook.Both) (found, interval notebook.Both) {
	digits := max(0, 1-int(math.Floor(math.Log10(ci[1]-ci[0]))))
	if digits > 4 || math.Abs(x) >= 1e5 {
		digits = 0
	}
	number := func(v float64) string { return notebook.Number(v, &digits) }
	if digits == 0 && ci[1]-ci[0] < 1 {
		number = func(v float64) string { return typeset.Number(v, 0) }
	}
	for i := range found {
		found[i] = typeset.WithUnit(number(x), unit[i])
	}
	return found, notebook.Both{fmt.Sprintf("(%s to %s)", number(ci[0]), number(ci[1])), fmt.Sprintf("（%s 至 %s）", number(ci[0]), number(ci[1]))}
}

// whys lists each reason once, with the claims that have it.
func whys(rows []notebook.ClaimRow) (out []whyLine) {
	at := map[said]int{}
	add := func(kind said, id string, text said) {
		if text.En() == "" {
			return
		}
		i, ok := at[said{kind[0], text[0]}]
		if !ok {
			i = len(out)
			at[said{kind[0], text[0]}] = i
			text = said{typeset.Pretty(text[0]), typeset.Pretty(text[1])}
			out = append(out, whyLine{Kind: kind, Text: text.HTML()})
		}
		out[i].IDs = append(out[i].IDs, id)
	}
	for _, c := range rows {
		add(said{"criterion", "判据"}, c.ID, c.Criterion)
		add(said{"the text", "原文"}, c.ID, c.Note)
		for i, text := range c.Reasons[0] {
			add(said{"why", "原因"}, c.ID, said{text, c.Reasons[1][i]})
		}
		for i, text := range c.Differs[0] {
			add(said{"differs", "不同"}, c.ID, said{text, c.Differs[1][i]})
		}
	}
	order := []string{"why", "differs", "criterion", "the text"}
	slices.SortStableFunc(out, func(a, b whyLine) int {
		return cmp.Compare(slices.Index(order, a.Kind[0]), slices.Index(order, b.Kind[0]))
	})
	return out
}
