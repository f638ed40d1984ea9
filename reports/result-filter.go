package reports

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// ask is a question about the rows of a table, which a script answers: report.js hides the rows that lack the
// key of a choice. A row has the keys of its attribute data-k, of its tbody's, and of the parts of it that the
// profile shows.
type ask struct {
	Title notebook.Both
	Any   notebook.Both // the choice of all rows
	Of    []choice
}

// choice is one answer.
type choice struct {
	Key  string
	Word notebook.Both
}

// askable is a table whose rows readers choose. Without a script all of them are shown.
type askable struct {
	Asks   []ask
	Groups []askedGroup
}

// askedGroup is rows that share what the leading columns name.
type askedGroup struct {
	Title template.HTML // "" where no column leads
	Keys  string
	Rows  []askedRow
}

type askedRow struct {
	Keys  string
	Cells []gridCell
}

// manyAsked is how many rows a table has at most whose rows readers choose: a page of a result has room for no more.
const manyAsked = 80

// asked arranges a table for readers who choose among its rows, nil where they do not or it has too many: columns
// of names that come first head groups of rows, the others stay. It returns the number of columns that lead.
func asked(t *notebook.Table) (out *askable, lead int) {
	if len(t.Rows) > manyAsked || !slices.ContainsFunc(t.Head, func(h notebook.Head) bool { return h.Asked }) {
		return nil, 0
	}
	for lead < len(t.Head)-1 && t.Head[lead].Asked && !t.Head[lead].Number {
		lead++
	}
	out = &askable{}
	keys := 0
	at := map[int]map[notebook.Both]string{} // by column
	for i, h := range t.Head {
		if !h.Asked {
			continue
		}
		a := ask{Title: h.Title, Any: said{"any", "不限"}}
		at[i] = map[notebook.Both]string{}
		for _, row := range t.Rows {
			for _, word := range row[i].Items {
				if at[i][word] == "" {
					keys++
					at[i][word] = strconv.Itoa(keys)
					a.Of = append(a.Of, choice{at[i][word], withUnits(word, h.Unit)})
				}
			}
		}
		out.Asks = append(out.Asks, a)
	}
	of := func(row []notebook.Cell, from, to int) string {
		var all []string
		for i := from; i < to; i++ {
			for _, word := range row[i].Items {
				all = append(all, at[i][word])
			}
		}
		return strings.Join(all, " ")
	}
	for _, row := range t.Rows {
		k := of(row, 0, lead)
		if n := len(out.Groups); n == 0 || out.Groups[n-1].Keys != k {
			var parts []template.HTML
			for _, c := range row[:lead] {
				parts = append(parts, c.Text.HTML())
			}
			out.Groups = append(out.Groups, askedGroup{Title: joined(parts, " · "), Keys: k})
		}
		g := &out.Groups[len(out.Groups)-1]
		line := askedRow{Keys: of(row, lead, len(row))}
		for i, c := range row[lead:] {
			line.Cells = append(line.Cells, gridCell{HTML: listed(c).HTML(), Words: !t.Head[lead+i].Number, Empty: c.Empty})
		}
		g.Rows = append(g.Rows, line)
	}
	return out, lead
}

// listed returns the text of a cell; a list of numbers is written alike in both languages.
func listed(c notebook.Cell) notebook.Both {
	list, ok := c.V.([]any)
	if !ok || slices.ContainsFunc(list, func(x any) bool { _, number := x.(float64); return !number }) {
		return c.Text
	}
	var numbers []string
	for _, item := range c.Items {
		numbers = append(numbers, item[0])
	}
	return notebook.Alike(strings.Join(numbers, ", "))
}

// withUnits puts units behind a word.
func withUnits(word, unit notebook.Both) notebook.Both {
	return notebook.Both{typeset.WithUnit(word[0], unit[0]), typeset.WithUnit(word[1], unit[1])}
}

func joined(parts []template.HTML, between string) template.HTML {
	var all []string
	for _, p := range parts {
		all = append(all, string(p))
	}
	return template.HTML(strings.Join(all, between))
}
