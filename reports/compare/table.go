package compare

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// Table is rows of what a document states beside what was found.
type Table struct {
	Label  notebook.Both // says what the table is to whoever hears the page
	Head   notebook.Both // what all numbers are; may be empty
	Noun   notebook.Both // heads the column of the document: "paper"
	Groups []Group
	Plain  bool // without the column of verdicts
	Median bool // what was found is the median of several readings, which the band shows
}

// Group is rows that share a scale.
type Group struct {
	Title notebook.Both // may be empty
	Scale Scale
	Rows  []Row

	NoAxis bool // the next group has the same scale, and the axis below it
}

// Row is one comparison: a number with its mark, or a statement in words.
type Row struct {
	ID, Anchor    string // "D19", and what a link to it ends in; both may be empty
	Name          notebook.Both
	Mark          Mark
	Words         bool // the claim is a sentence: Stated and Found are too
	Stated, Found notebook.Both
	Interval      notebook.Both
	Verdict       page.Verdict
	Remark        notebook.Both
}

// Drawn reports whether the row has a place on the scale.
func (r Row) Drawn() bool {
	return !r.Words && (r.Mark.Stated != nil || r.Mark.Found != nil || r.Mark.Range != nil)
}

// Drawn reports whether a row of the group is drawn, so that the group needs an axis.
func (g Group) Drawn() bool { return slices.ContainsFunc(g.Rows, Row.Drawn) }

// Drawn reports whether the table draws anything.
func (t Table) Drawn() bool { return slices.ContainsFunc(t.Groups, Group.Drawn) }

func (t Table) any(has func(Row) bool) bool {
	return slices.ContainsFunc(t.Groups, func(g Group) bool { return slices.ContainsFunc(g.Rows, has) })
}

// Told reports whether a row has what the document states.
func (t Table) Told() bool {
	return t.any(func(r Row) bool { return r.Words || r.Mark.Stated != nil || r.Mark.Range != nil })
}

// One reports whether a row draws one number of the document, a diamond.
func (t Table) One() bool {
	return t.any(func(r Row) bool { return r.Drawn() && r.Mark.Stated != nil })
}

// Between reports whether a row draws a range of the document, a box.
func (t Table) Between() bool {
	return t.any(func(r Row) bool { return r.Drawn() && r.Mark.Range != nil })
}

// Log reports whether a scale is logarithmic.
func (t Table) Log() bool {
	return slices.ContainsFunc(t.Groups, func(g Group) bool { return g.Drawn() && g.Scale.Log })
}

// Cut reports whether an interval or a band goes on beyond its scale.
func (t Table) Cut() bool {
	return slices.ContainsFunc(t.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Rows, func(r Row) bool {
			return r.Drawn() && (r.Mark.CI != nil && !r.Mark.Same && g.Scale.Cut(*r.Mark.CI) != "" || r.Mark.Band != nil && g.Scale.Cut(*r.Mark.Band) != "")
		})
	})
}

// Same reports whether a row of the table has a hollow dot, which the key then explains.
func (t Table) Same() bool { return t.any(func(r Row) bool { return r.Drawn() && r.Mark.Same }) }

// Banded reports whether a row has a band.
func (t Table) Banded() bool {
	return t.any(func(r Row) bool { return r.Drawn() && r.Mark.Band != nil })
}

// Spread reports whether a row has an interval.
func (t Table) Spread() bool {
	return t.any(func(r Row) bool { return r.Drawn() && r.Mark.CI != nil && !r.Mark.Same })
}

// Bare reports whether a row draws our number without an interval.
func (t Table) Bare() bool {
	return t.any(func(r Row) bool { return r.Drawn() && r.Mark.Found != nil && r.Mark.CI == nil && !r.Mark.Same })
}

//go:embed table.html
var source string

var tables = template.Must(template.New("table").Funcs(page.Funcs()).Parse(source))

// HTML returns the key and the table.
func (t Table) HTML() (template.HTML, error) {
	var b bytes.Buffer
	if err := tables.Execute(&b, t); err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	return template.HTML(b.String()), nil
}
