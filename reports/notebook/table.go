package notebook

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// Table holds rows of a frame as a page shows them.
type Table struct {
	Frame   string
	Kind    string // of the frame; "": the result's
	Caption [2]template.HTML
	Head    []Head
	Rows    [][]Cell
	Printed bool  // in the shape of a document's table, which its page shows first
	From    []int // where the frame has the rows, those too that were merged; nil: they are no rows of a frame
}

// Head is the heading of a column; Bound tells which bound its cells show beside their number.
type Head struct {
	Key         string
	Title, Unit Both
	Number      bool
	Bound       string // "", result.Half or result.Low (an interval)
	Asked       bool   // readers choose rows by it
}

// Cell is one cell of a Table: its text, and V, its value with every digit.
type Cell struct {
	Text  Both
	V     any
	Empty bool
	Items []Both // of a column that is asked for: each value of its list, or its one
}

// table places rows of a frame: columns by key, "seconds bsp dasp", each with its bounds. A
// column with a plus, "+tie", is merged where nothing else of two rows differs; by one with a
// question mark, "?link", readers choose rows; keys that begin with "!" are of a table
// as the document has it. A label empty.<frame>.<key> says what an empty
// cell means. No row is no table.
func (p *page) table(keys string, rs []row) (string, error) {
	if len(rs) == 0 {
		return p.block(Part{Nothing: true}), nil
	}
	frame, merged := rs[0].frame, -1
	t := &Table{Frame: frame.ID, Kind: frame.Kind}
	keys, t.Printed = strings.CutPrefix(keys, "!")
	var at []int
	for _, key := range strings.Fields(keys) {
		if strings.HasPrefix(key, "+") {
			merged, key = len(at), key[1:]
		}
		asked := strings.HasPrefix(key, "?")
		key = strings.TrimPrefix(key, "?")
		i := frame.At(key)
		if i < 0 {
			return "", fmt.Errorf("%s: frame %s has no column %q", p.Result.ID, frame.ID, key)
		}
		p.used[frame.ID+"."+key] = true
		h := Head{Key: key, Number: frame.Columns[i].Enum == "", Asked: asked}
		title, err := p.column(frame.ID, key)
		if err != nil {
			return "", err
		}
		h.Title[p.at], h.Unit[p.at] = title, p.unit(frame.Columns[i].Unit)
		for j := i + 1; j < len(frame.Columns) && frame.Columns[j].Bound != ""; j++ {
			if b := frame.Columns[j].Bound; b == result.Half || b == result.Low {
				h.Bound = b
			}
		}
		t.Head, at = append(t.Head, h), append(at, i)
	}
	t.From = placesOf(rs)
	for _, r := range rs {
		var line []Cell
		for k, i := range at {
			c, err := p.shown(r.at(i), t.Head[k].Bound)
			if err != nil {
				return "", err
			}
			if meaning, ok := p.words.find("empty." + frame.ID + "." + t.Head[k].Key); ok && c.Empty {
				c.Text[p.at], c.Empty = meaning, false
			}
			if t.Head[k].Asked {
				if c.Items, err = p.items(r.at(i), c); err != nil {
					return "", err
				}
			}
			line = append(line, c)
		}
		if n := len(t.Rows); n > 0 && merged >= 0 && p.sameBut(t.Rows[n-1], line, merged) {
			t.Rows[n-1][merged].Text[p.at], t.Rows[n-1][merged].V = p.labels["words.either"], "either"
			continue
		}
		t.Rows = append(t.Rows, line)
	}
	for k := range t.Head {
		t.Head[k].Number = t.Head[k].Number && !slices.ContainsFunc(rs, func(r row) bool { return named(r.at(at[k]).V) })
		if t.Head[k].Bound != "" && !slices.ContainsFunc(rs, func(r row) bool { return r.at(at[k]).CI != nil }) {
			t.Head[k].Bound = "" // one seed has no interval
		}
	}
	return p.block(Part{Table: t}), nil
}

// placesOf returns where their frame has rows; nil where it has not all of them.
func placesOf(rs []row) []int {
	at := map[*any]int{}
	for i, cells := range rs[0].frame.Rows {
		if len(cells) > 0 {
			at[&cells[0]] = i
		}
	}
	out := make([]int, len(rs))
	for k, r := range rs {
		i, ok := at[&r.cells[0]]
		if !ok || r.frame != rs[0].frame {
			return nil
		}
		out[k] = i
	}
	return out
}

// shown returns a value with its interval as a cell.
func (p *page) shown(v Value, bound string) (c Cell, err error) {
	c.V, c.Empty = v.V, v.V == nil
	if c.Text[p.at], err = p.bare(v); err != nil || v.CI == nil {
		return c, err
	}
	switch bound {
	case result.Half:
		c.Text[p.at] += " ± " + Number((v.CI[1]-v.CI[0])/2, v.Column.Digits)
	case result.Low:
		c.Text[p.at] += ci(v)
	}
	return c, nil
}

// items returns the values of a list by themselves; of another value, its cell's text.
func (p *page) items(v Value, c Cell) (out []Both, err error) {
	list, ok := v.V.([]any)
	if !ok {
		return []Both{c.Text}, nil
	}
	for _, x := range list {
		var item Both
		if item[p.at], err = p.bare(Value{V: x, Column: v.Column, page: v.page}); err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// named tells whether a value is a name or a list of names.
func named(v any) bool {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	_, is := v.(string)
	return is
}

// sameBut tells whether two rows differ in one column alone.
func (p *page) sameBut(a, b []Cell, column int) bool {
	for i := range a {
		if same := a[i].Text[p.at] == b[i].Text[p.at]; same == (i == column) {
			return false
		}
	}
	return true
}
