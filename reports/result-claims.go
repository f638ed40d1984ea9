package reports

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/compare"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// whyLine is a reason with the claims that have it.
type whyLine struct {
	Kind said
	IDs  []string
	Said said
	Text template.HTML // what is said
}

// judged fills in the claims of one profile: rows of what is judged, rows apart of what is no finding,
// and the reasons. A page of a table that the document numbers shows its claims also where another
// experiment judges them. Anchors of the first profile of a page are the claims' own names.
func (r *renderer) judged(p *cited.Document, s *resultSide, l loaded, all []loaded, first bool) error {
	anchor := func(id string) string {
		if first {
			return id
		}
		return id + "-" + l.Profile
	}
	table := compare.Table{Label: said{"Stated beside found", "原文与所测对照"}, Noun: p.Noun()}
	aside := table
	table.Median = len(bandsOf(l)) > 0
	var rows, apart []notebook.ClaimRow
	var counted []result.Claim
	list, from := l.ClaimRows, l
	if far := elsewhere(l, all); far != nil && len(list) == 0 {
		from, list = *far, slices.DeleteFunc(slices.Clone(far.ClaimRows), func(c notebook.ClaimRow) bool { return !judges(c, l) })
		s.Elsewhere, table.Median = &neighbour{"../" + far.ID + ".html", far.Page.Title}, len(bandsOf(*far)) > 0
		if n := paperNumber(far.Source); n != "" {
			s.Elsewhere.Title = notebook.Bothf("%s: %s", "%s：%s", page.SourceOf(n), far.Page.Title)
		}
	}
	for _, c := range list {
		if isAside(c) {
			apart = append(apart, c)
			continue
		}
		rows, counted = append(rows, c), append(counted, c.Claim)
	}
	s.Counts = page.Count(counted)
	var err error
	if table.Groups, table.Head, err = groupsOf(from, rows, anchor); err != nil || len(rows) == 0 && len(apart) == 0 {
		return err
	}
	if len(rows) > 0 {
		if s.Claims, err = table.HTML(); err != nil {
			return err
		}
	}
	if aside.Groups = []compare.Group{{}}; len(apart) > 0 {
		for _, c := range apart {
			row := rowOf(from, c, anchor(c.ID))
			row.Words = true
			aside.Groups[0].Rows = append(aside.Groups[0].Rows, row)
		}
		if s.Aside, err = aside.HTML(); err != nil {
			return err
		}
	}
	s.Why = whys(list)
	return nil
}

// tableOf returns the number of the document's table that a result is of, "" of others.
func tableOf(l loaded) string {
	n, ok := strings.CutPrefix(paperNumber(l.Source), "Table ")
	if !ok {
		return ""
	}
	return n
}

// judges reports whether a claim is of the table or of the figure that l is of.
func judges(c notebook.ClaimRow, l loaded) bool {
	if table := tableOf(l); table != "" {
		return c.Table == table
	}
	figure, ok := strings.CutPrefix(paperNumber(l.Source), "Fig. ")
	stated, _ := claims.Get(c.ID)
	return ok && slices.ContainsFunc(figuresOf.FindAllStringSubmatch(stated.Section, -1), func(m []string) bool { return m[1] == figure })
}

// figuresOf finds the figures in a claim's place.
var figuresOf = regexp.MustCompile(`Fig\.? (\d+)`)

// elsewhere returns the result that judges claims of l's table or figure, of l's profile if there is one; nil: none.
func elsewhere(l loaded, all []loaded) (out *loaded) {
	for i, o := range all {
		if o.ID == l.ID || out != nil && o.Profile != l.Profile {
			continue
		}
		if slices.ContainsFunc(o.ClaimRows, func(c notebook.ClaimRow) bool { return judges(c, l) }) {
			out = &all[i]
		}
	}
	return out
}

// bandsOf returns what other readings give for a claim: the columns low and high of a frame that has
// a row per claim.
func bandsOf(l loaded) map[string][2]float64 {
	out := map[string][2]float64{}
	for _, f := range l.Frames {
		id, lo, hi := f.At("claim"), f.At("low"), f.At("high")
		if id < 0 || lo < 0 || hi < 0 {
			continue
		}
		for _, row := range f.Rows {
			a, okA := row[lo].(float64)
			b, okB := row[hi].(float64)
			if name, ok := row[id].(string); ok && okA && okB {
				out[name] = [2]float64{a, b}
			}
		}
	}
	return out
}

// isAside reports whether a claim is none that is judged here: put in, restated, not run or not stated.
func isAside(c notebook.ClaimRow) bool {
	return claims.OutOfScope(c.ID) != "" || c.Remark == claims.DerivedRemark ||
		slices.Contains([]string{claims.Input, claims.NotRun, claims.NotStated}, c.Verdict)
}

// groupsOf puts claims into groups that share a scale: one network, rivals below one another; else one
// quantity. Claims in words come last.
func groupsOf(l loaded, rows []notebook.ClaimRow, anchor func(string) string) (out []compare.Group, head notebook.Both, err error) {
	type key struct{ network, cluster, quantity, unit string }
	at := map[key]int{}
	nulls := map[int]*float64{}
	var units []notebook.Both
	var named []titles
	words := compare.Group{}
	bands := bandsOf(l)
	longer := slices.ContainsFunc(rows, isLonger)
	for _, c := range rows {
		row := rowOf(l, c, anchor(c.ID))
		if b, ok := bands[c.ID]; ok {
			row.Mark.Band = &b
			if row.Mark.Found != nil && row.Mark.CI == nil && b[1] > b[0] {
				row.Found, _ = spread(*row.Mark.Found, b, unitLabel(l, c.ID))
			}
		}
		if !row.Drawn() {
			words.Rows = append(words.Rows, row)
			continue
		}
		stated, _ := claims.Get(c.ID)
		k := key{quantity: stated.Quantity, unit: stated.Unit}
		if c.Rival != "" {
			k.network, k.cluster = c.Network, c.Cluster
			if row.Name, err = l.Page.Label("method", c.Rival); err != nil {
				return nil, head, err
			}
		}
		i, ok := at[k]
		if !ok {
			i = len(out)
			title, err := titleOf(l, c, c.Rival != "")
			if err != nil {
				return nil, head, err
			}
			if longer && reduces(stated) {
				title.quantity[0] += "; below zero it is longer"
				title.quantity[1] += "；低于零则更长"
			}
			at[k], out, named = i, append(out, compare.Group{}), append(named, title)
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
	head = name(out, named)
	if len(words.Rows) > 0 {
		out = append(out, words)
	}
	return out, head, nil
}

// reduces reports whether a claim states by how much a time is reduced.
func reduces(c claims.Claim) bool { return strings.Contains(c.Quantity, "time reduction") }

// isLonger reports whether a time that a claim says is reduced was found to be longer.
func isLonger(c notebook.ClaimRow) bool {
	stated, _ := claims.Get(c.ID)
	x, ok := c.Measured.(float64)
	return ok && x < 0 && reduces(stated)
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

// unitLabel returns the name of a claim's unit.
func unitLabel(l loaded, id string) notebook.Both {
	stated, _ := claims.Get(id)
	return l.Page.Unit(unitOf(stated))
}

func unitOf(c claims.Claim) string {
	switch c.Unit {
	case "-", "count", "ratio":
		return ""
	}
	return c.Unit
}

// titles says what the numbers of each group are. What all share is said once, as the head of the table.
type titles struct {
	network, cluster, quantity notebook.Both
	rival                      bool // rows are named by what the numbers are against
}

// against says so behind the words that stand right above the rows.
func against(b notebook.Both) notebook.Both { return notebook.Bothf("%s, against", "%s，对比", b) }

func titleOf(l loaded, c notebook.ClaimRow, rival bool) (t titles, err error) {
	t.quantity, t.rival = c.Quantity, rival
	if rival && c.Network != "" {
		if t.network, err = l.Page.Label("model", c.Network); err != nil {
			return t, err
		}
	}
	if rival && c.Cluster != "" {
		t.cluster, err = l.Page.Label("platform", c.Cluster)
	}
	return t, err
}

// name titles the groups and returns what is common to all of them.
func name(groups []compare.Group, of []titles) (head notebook.Both) {
	common := func(part func(titles) notebook.Both) bool {
		return !slices.ContainsFunc(of, func(t titles) bool { return part(t) != part(of[0]) })
	}
	quantity := len(of) > 0 && common(func(t titles) notebook.Both { return t.quantity })
	bare := 0 // groups without a title of their own
	cluster := len(of) > 0 && common(func(t titles) notebook.Both { return t.cluster })
	if quantity {
		head = of[0].quantity
	}
	for i, t := range of {
		var en, zh []string
		add := func(b notebook.Both) {
			if b.En() != "" {
				en, zh = append(en, b.En()), append(zh, b.Zh())
			}
		}
		add(t.network)
		if !cluster {
			add(t.cluster)
		}
		if !quantity {
			add(t.quantity)
		}
		groups[i].Title = notebook.Both{strings.Join(en, " · "), strings.Join(zh, " · ")}
		switch {
		case len(en) == 0:
			bare++
		case t.rival:
			groups[i].Title = against(groups[i].Title)
		}
	}
	if bare > 0 && of[0].rival {
		return against(head)
	}
	return head
}

// rangeOf is a stated value that is a range of numbers.
var rangeOf = regexp.MustCompile(`^([0-9.]+)-([0-9.]+)$`)

// rowOf makes the row of a claim.
func rowOf(l loaded, c notebook.ClaimRow, anchor string) compare.Row {
	v, _ := page.FindVerdict(c.Verdict) // check has seen it
	pretty := func(b notebook.Both) notebook.Both { return notebook.Both{typeset.Pretty(b[0]), typeset.Pretty(b[1])} }
	row := compare.Row{ID: c.ID, Anchor: anchor, Name: pretty(c.Statement), Stated: pretty(c.Stated), Found: pretty(c.Found),
		Interval: pretty(c.Interval), Verdict: v}
	if c.Remark != "" {
		row.Remark = page.RemarkOn(c.Claim).Word
	}
	if row.Stated.En() != "" && row.Stated == row.Found && len(c.CI95) == 0 {
		row.Found = notebook.Both{"the same", "相同"}
	}
	if v.Key == claims.WordDirection && row.Stated == row.Found && len(c.Differs[0]) > 0 { // why it is not more
		for l, sep := range [2]string{": ", "："} {
			row.Interval[l] = strings.TrimPrefix(row.Interval[l]+sep+c.Differs[l][0], sep)
		}
	}
	if strings.HasPrefix(c.Stated.En(), "qualitative") { // the statement says it
		row.Stated = notebook.Both{}
	}
	stated, _ := claims.Get(c.ID)
	numbers := stated.Numbers()
	found, ok := c.Measured.(float64)
	if m := rangeOf.FindStringSubmatch(stated.Value); m != nil && ok {
		lo, _ := strconv.ParseFloat(m[1], 64) // the expression's own
		hi, _ := strconv.ParseFloat(m[2], 64)
		row.Mark.Range = &[2]float64{lo, hi}
	} else if len(numbers) != 1 || !ok && c.Measured != nil || c.Found.En() == "" {
		row.Words = true
		return row
	}
	if len(numbers) == 1 {
		row.Mark.Stated = &numbers[0]
	}
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
			out = append(out, whyLine{Kind: kind, Said: text, Text: text.HTML()})
		}
		out[i].IDs = append(out[i].IDs, id)
	}
	for _, c := range rows {
		if c.Remark == claims.DerivedRemark { // its reasons are those of what it restates
			continue
		}
		add(said{"criterion", "判据"}, c.ID, c.Criterion)
		add(said{"tolerance", "容差"}, c.ID, c.Tolerance)
		add(said{"the text", "原文"}, c.ID, c.Note)
		for i, text := range c.Reasons[0] {
			add(said{"why", "原因"}, c.ID, said{text, c.Reasons[1][i]})
		}
		for i, text := range c.Differs[0] {
			add(said{"differs", "不同"}, c.ID, said{text, c.Differs[1][i]})
		}
	}
	order := []string{"why", "differs", "tolerance", "criterion", "the text"}
	slices.SortStableFunc(out, func(a, b whyLine) int {
		return cmp.Compare(slices.Index(order, a.Kind[0]), slices.Index(order, b.Kind[0]))
	})
	return out
}
