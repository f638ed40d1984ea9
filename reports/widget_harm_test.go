package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// numeric are the columns of each widget's tables in which words are no number.
var numeric = []struct{ id, table, of, columns string }{
	{"dasp/walk", "events", "events", "time worker by held min oldest gap twait staleness group sent newest v1 v2 v3 v4 v5 v6"},
	{"dasp/walk", "events", "walk", "to"},
	{"ring/steps", "transfers", "transfers", "step gpu receives from"},
	{"ringsparse/decisions", "hops", "hops", "m1 m2 m3 m4 m5 m6 m7 m8"},
	{"ringsparse/decisions", "hops", "kinds", "n sparser tied gradients ratio"},
	{"codedsgd/accounting", "loads", "loads", "n r"},
	{"codedsgd/fig2", "packets-4-2", "packets-4-2", "from to"},
}

// Text where a number is gives one clear error that names the result and its table, in
// the whole of a column and in a single row; a table without its columns does too.
func TestTextIsNoNumber(t *testing.T) {
	for _, x := range numeric {
		for _, key := range append(strings.Fields(x.columns), "") {
			for _, whole := range []bool{true, false} {
				r, _ := committedTable(t, x.id, x.table)
				tb := tableOf(r, x.of)
				at := column(tb, key)
				if key != "" && at < 0 {
					t.Fatalf("%s, %s: no column %s", x.id, x.of, key)
				}
				for i := range tb.Columns {
					if key == "" {
						tb.Columns[i].Key = fmt.Sprint("c", i)
					}
				}
				for i, row := range tb.Rows {
					if key != "" && (whole || i == len(tb.Rows)/2 && x.of == x.table) {
						row[at] = "oops"
					}
				}
				if !whole && x.of != x.table {
					continue // of these tables a widget shows some rows alone
				}
				of := tableOf(r, x.table)
				w, err := widgetOf(r, of, viewTable(loaded{Result: r}, of))
				if err == nil || w != nil || !strings.HasPrefix(err.Error(), "reports: "+x.id+", table "+x.table+": ") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s, column %q, the whole of it %t: error %v", x.id, x.of, key, whole, err)
				}
			}
		}
	}
}

// tableOf is a table of r by its id; its columns and rows are r's own.
func tableOf(r *result.Result, id string) result.Table {
	return r.Tables[slices.IndexFunc(r.Tables, func(o result.Table) bool { return o.ID == id })]
}

// A table without rows is refused by every widget.
func TestNoRowsAreNoWidget(t *testing.T) {
	for _, x := range numeric {
		r, _ := committedTable(t, x.id, x.table)
		of := tableOf(r, x.table)
		of.Rows = nil
		if w, err := widgetOf(r, of, viewTable(loaded{Result: r}, of)); err == nil || w != nil {
			t.Errorf("%s, %s without rows: widget %v, error %v", x.id, x.table, w, err)
		}
	}
}

// Nothing in any one cell makes a widget panic or leaves it without data.
func TestNoCellBreaksAWidget(t *testing.T) {
	tables := map[string]string{}
	for _, x := range numeric {
		tables[x.id] = x.table
	}
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		clean, _ := committedTable(t, id, tables[id])
		for i, tb := range clean.Tables {
			for at := range tb.Columns {
				row := len(tb.Rows) / 2
				if len(tb.Rows) == 0 || at >= len(tb.Rows[row]) {
					continue
				}
				was := tb.Rows[row][at]
				for _, x := range []any{nil, "", "oops", strings.Repeat("W", 300), -1.0, 0.5, 1e9, 1e300, true, "9, 9", "{}[9]", "</script>"} {
					tb.Rows[row][at] = x
					of := tableOf(clean, tables[id])
					w, err := widgetOf(clean, of, viewTable(loaded{Result: clean}, of))
					if (err == nil) == (w == nil) || w != nil && (len(w.Data) < 100 || strings.Contains(string(w.Data), "</")) {
						t.Errorf("%s, table %d, column %d with %.20v: widget %v, error %v", id, i, at, x, w != nil, err)
					}
				}
				tb.Rows[row][at] = was
			}
		}
	}
}
