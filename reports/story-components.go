package reports

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/compare"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// component draws what a story or a notebook places: "verdicts" (how many claims of the document have which), "legend",
// "anchors ID…" (places of the document that other texts name), "rows ID TABLE… ID …" (the claims of
// results with these tables of the document, or of these ids, on strips), "rest" (the counted claims that no
// row above has shown), "shares ID FRAME LABEL PART,PART [COLUMN VALUE,VALUE]" (rows of a frame as stacked bars
// that add up to a hundred per cent at most), "strip ID FRAME …" (rows of a frame on one axis, as frameStrip says),
// and "plot ID PROFILE …" (a figure that the text defines, of any frame).
func (r *renderer) component(name string, args []string, t teller) (template.HTML, error) {
	var b strings.Builder
	var err error
	switch {
	case name == "verdicts":
		err = r.pages.ExecuteTemplate(&b, "counted", counted(t.told))
	case name == "rest":
		rest, wrong := unshown(counted(t.told), t.judged)
		if wrong != nil {
			return "", wrong
		}
		err = r.pages.ExecuteTemplate(&b, "rest", struct {
			Rest     []page.VerdictCount
			Document string
		}{rest, documentOf(t).Key})
	case name == "legend":
		err = r.pages.ExecuteTemplate(&b, "legend", page.Verdicts)
	case name == "anchors":
		for _, id := range args {
			b.WriteString(`<span id="` + id + `"></span>`)
		}
	case name == "rows" && len(args) > 1:
		return r.claimStrips(t, args)
	case name == "plot" && len(args) >= 5:
		return r.plotOf(args)
	case name == "strip" && len(args) >= 4:
		return r.frameStrip(t, args)
	case name == "shares" && len(args) >= 4:
		return r.shares(t, args)
	default:
		return "", fmt.Errorf("no component %q of %q", name, args)
	}
	return template.HTML(b.String()), err
}

// documentOf returns the document that a text tells of.
func documentOf(t teller) *cited.Document {
	key, _, _ := strings.Cut(t.key, ".")
	return cited.Find(key)
}

// unshown returns what remains of counts when rows have shown some of it. A row that shows what is not counted, or a
// claim that two rows show, is an error: the rows would not add up to the count.
func unshown(counts []page.VerdictCount, shown map[string]int) (rest []page.VerdictCount, err error) {
	left := maps.Clone(shown)
	for _, c := range counts {
		c.N -= left[c.Key]
		delete(left, c.Key)
		if c.N < 0 {
			return nil, fmt.Errorf("the rows show %d claims more of verdict %q than are counted", -c.N, c.Key)
		}
		if c.N > 0 {
			rest = append(rest, c)
		}
	}
	for key, n := range left {
		if n > 0 {
			return nil, fmt.Errorf("the rows show %d claims of verdict %q, and none is counted", n, key)
		}
	}
	return rest, nil
}

// resultNamed returns the result that a text speaks of: the one whose page it is, else of the first profile that a
// story tells of; nil where it is not there.
func (r *renderer) resultNamed(t teller, id string) *loaded {
	if t.own != nil && t.own.ID == id {
		return t.own
	}
	for _, e := range byExperiment(r.all[paperOf(id)]) {
		if e[0].ID == id {
			return firstTold(e)
		}
	}
	return nil
}

// plotOf draws a figure that a story defines: the result and its profile, then the words of notebook.Page.Plot.
func (r *renderer) plotOf(words []string) (template.HTML, error) {
	for _, l := range r.all[paperOf(words[0])] {
		if l.ID != words[0] || l.Profile != words[1] {
			continue
		}
		f, err := l.Page.Plot(words[2], words[3], words[4], words[5:]...)
		if err != nil {
			return "", err
		}
		plot, err := chart.NewPlot(f, "plot-"+typeset.Slug(f.ID))
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = r.pages.ExecuteTemplate(&b, "plot", plot)
		return template.HTML(b.String()), err
	}
	return "", nil
}

// claimStrips draws claims on strips of one scale: words name a result, then tables of its document or ids of
// its claims, and so on. A table stands beside another for each table of the document, else for each result,
// and in it a group per network.
func (r *renderer) claimStrips(t teller, words []string) (template.HTML, error) {
	var marks []compare.Mark
	var null *float64
	var unit string
	var tables [][]compare.Group
	var l *loaded
	for _, w := range words {
		if strings.Contains(w, "/") {
			l = r.resultNamed(t, w)
			tables = append(tables, nil)
			continue
		}
		if l == nil {
			continue
		}
		for _, c := range l.ClaimRows {
			if c.ID != w && (c.Table != w || c.Remark == claims.DerivedRemark) {
				continue
			}
			row, ok, err := stripOf(l, c)
			if err != nil {
				return "", err
			}
			if !ok {
				continue
			}
			title, err := stripTitle(l, c.Claim)
			if err != nil {
				return "", err
			}
			k := len(tables) - 1
			if n := len(tables[k]); n > 0 && c.Table == w && !strings.HasPrefix(tables[k][n-1].Title.En(), "Table "+w) {
				tables, k = append(tables, nil), k+1
			}
			if n := len(tables[k]); n == 0 || tables[k][n-1].Title != title {
				tables[k] = append(tables[k], compare.Group{Title: title})
			}
			g := &tables[k][len(tables[k])-1]
			g.Rows = append(g.Rows, row)
			marks = append(marks, compare.Mark{Stated: row.Mark.Stated, Found: row.Mark.Found})
			stated, _ := claims.Get(c.ID)
			null, unit = stated.Null, stated.Unit
		}
	}
	if len(marks) == 0 {
		return "", nil
	}
	scale := compare.NewScale(marks, null, notebook.Alike(unit))
	var b strings.Builder
	b.WriteString(`<figure class="twocols">`)
	for _, groups := range tables {
		if len(groups) == 0 {
			continue
		}
		for i := range groups {
			groups[i].Scale, groups[i].NoAxis = scale, i+1 < len(groups)
		}
		table := compare.Table{Label: notebook.Both{"Stated beside found", "原文与我们的发现"}, Noun: documentOf(t).Noun(), Plain: true, Groups: groups}
		html, err := table.HTML()
		if err != nil {
			return "", err
		}
		b.WriteString("<div>" + string(html) + "</div>")
	}
	return template.HTML(b.String() + "</figure>"), nil
}

// stripOf returns one claim that states one number as a row; ok is false of others.
func stripOf(l *loaded, c notebook.ClaimRow) (row compare.Row, ok bool, err error) {
	row = rowOf(*l, c, "")
	if !row.Drawn() || row.Mark.Found == nil {
		return row, false, nil
	}
	row.ID, row.Interval = "", notebook.Both{}
	stated, _ := claims.Get(c.ID)
	printed := typeset.WithUnit(notebook.Number(*row.Mark.Found, &zeroDigits), stated.Unit)
	row.Found, row.Mark.Band = notebook.Alike(printed), bandOf(l.Result, c.ID)
	row.Name = notebook.Alike(stated.Baseline)
	if c.Rival != "" {
		row.Name, err = l.Page.Label("method", c.Rival)
	}
	return row, true, err
}

// bandOf returns what other readings of the document give for a claim: the columns low and high of the frame
// of sizes, nil where the result has none.
func bandOf(r *result.Result, id string) *[2]float64 {
	f := r.Frame("sizes")
	if f == nil || f.At("claim") < 0 || f.At("low") < 0 || f.At("high") < 0 {
		return nil
	}
	for _, row := range f.Rows {
		lo, okLo := row[f.At("low")].(float64)
		hi, okHi := row[f.At("high")].(float64)
		if row[f.At("claim")] == id && okLo && okHi {
			return &[2]float64{lo, hi}
		}
	}
	return nil
}

// stripTitle names the table, the cluster and the network of a claim, of which any may be missing.
func stripTitle(l *loaded, c result.Claim) (title notebook.Both, err error) {
	var parts []notebook.Both
	if c.Table != "" {
		parts = append(parts, notebook.Both{"Table " + c.Table, "表 " + c.Table})
	}
	for _, of := range [][2]string{{"platform", c.Cluster}, {"model", c.Network}} {
		if of[1] == "" {
			continue
		}
		name, err := l.Page.Label(of[0], of[1])
		if err != nil {
			return title, err
		}
		parts = append(parts, name)
	}
	if len(parts) == 0 {
		return l.Page.Title, nil
	}
	for k := range title {
		var words []string
		for _, p := range parts {
			words = append(words, p[k])
		}
		title[k] = strings.Join(words, [2]string{", ", "，"}[k])
	}
	return title, nil
}

// shares draws rows of a frame as stacked bars.
func (r *renderer) shares(t teller, args []string) (template.HTML, error) {
	l := r.resultNamed(t, args[0])
	if l == nil {
		return "", nil
	}
	f := l.Frame(args[1])
	if f == nil {
		return "", fmt.Errorf("%s has no frame %s", l.ID, args[1])
	}
	label, parts := f.At(args[2]), strings.Split(args[3], ",")
	at := make([]int, len(parts))
	for i, p := range parts {
		if at[i] = f.At(p); at[i] < 0 || label < 0 {
			return "", fmt.Errorf("%s: frame %s has no column %s or %s", l.ID, f.ID, p, args[2])
		}
	}
	var b strings.Builder
	b.WriteString(`<figure class="shares">`)
	for _, row := range f.Rows {
		keep := true
		for k := 4; k+1 < len(args); k += 2 {
			i := f.At(args[k])
			keep = keep && i >= 0 && slices.Contains(strings.Split(args[k+1], ","), fmt.Sprint(row[i]))
		}
		if !keep {
			continue
		}
		total := 0.0
		b.WriteString(`<span class="n">` + string(cellOf(l, f.Columns[label], row[label])) + `</span><span class="bar">`)
		for i, p := range parts {
			x, _ := row[at[i]].(float64)
			total += x
			fmt.Fprintf(&b, `<i class="k-%s" style="--w:%.4g"></i>`, typeset.Slug(p), x)
		}
		b.WriteString(`</span><span>` + notebook.Number(total, &zeroDigits) + typeset.NBSP + `%</span>`)
	}
	b.WriteString(`</figure>`)
	return template.HTML(b.String()), nil
}

var zeroDigits = 0

// cellOf prints a cell as the label of a row: a key by its label, a number with its unit.
func cellOf(l *loaded, c result.Column, x any) template.HTML { return printed(l, c, x).HTML() }

// printed returns a cell in words: a key by its label, a number with its unit.
func printed(l *loaded, c result.Column, x any) notebook.Both {
	if s, ok := x.(string); ok {
		if name, err := l.Page.Label(c.Enum, s); err == nil {
			return name
		}
		return notebook.Alike(s)
	}
	v, ok := x.(float64)
	if !ok {
		return notebook.Both{}
	}
	unit := l.Page.Unit(c.Unit)
	return notebook.Both{typeset.WithUnit(notebook.Number(v, c.Digits), unit[0]), typeset.WithUnit(notebook.Number(v, c.Digits), unit[1])}
}
