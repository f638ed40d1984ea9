package reports

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// widget is what a reader with scripts can work beside a table of numbers: the page
// holds the table as well, and the widget shows nothing that is not in it.
type widget struct {
	Kind string      // loads, exchange, ring …: which of assets/widgets-*.js draws it
	Name said        // for a reader who cannot see it
	Data template.JS // JSON; its <, > and & are escaped
	Fold bool        // the table is long: closed where the widget works
}

// widgetOf is the widget of a table, nil of most. A table that should have one and
// lacks what it needs is an error.
func widgetOf(r *result.Result, t result.Table, v tableView) (*widget, error) {
	id := r.ID
	var w *widget
	var data any
	var err error
	switch {
	case id == "codedsgd/accounting" && t.ID == "loads":
		w = &widget{Kind: "loads", Name: said{"Loads for any n and r", "任意 n 与 r 的负载"}, Fold: true}
		data, err = loadsOf(t, v)
	case id == "codedsgd/fig2" && strings.HasPrefix(t.ID, "packets-"):
		w = &widget{Kind: "exchange", Name: said{"One exchange, packet by packet", "一次交换，逐包演示"}}
		data, err = exchangeOf(r, t, v)
	case id == "ring/steps" && t.ID == "transfers":
		w = &widget{Kind: "ring", Name: said{"The ring, step by step", "环，逐步演示"}, Fold: true}
		data, err = ringOf(r, t)
	case id == "dasp/walk" && t.ID == "events":
		w = &widget{Kind: "walk", Name: said{"DASP, event by event", "DASP，逐事件演示"}, Fold: true}
		data, err = walkOf(r, t, v)
	case id == "ringsparse/decisions" && t.ID == "hops":
		w = &widget{Kind: "sparse", Name: said{"What is sent: kind, form, bytes", "发送什么：种类、形式、字节数"}}
		data, err = sparseOf(r, t)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reports: %s, table %s: %w", id, t.ID, err)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("reports: %s, table %s: %w", id, t.ID, err)
	}
	w.Data = template.JS(raw)
	return w, nil
}

// loads are the rows of a table of loads, one per n and r.
type loads struct {
	Unit  string    `json:"unit"`
	Names []string  `json:"names"` // of the bars
	Rows  []loadRow `json:"rows"`
}

// loadRow has a bar for each name: its length, null for none, and the words that the
// table has for it, a fraction's value before them.
type loadRow struct {
	N      int        `json:"n"`
	R      int        `json:"r"`
	Values []*float64 `json:"values"`
	Texts  []string   `json:"texts"`
}

// loadsOf takes the columns that share the unit of the first behind n and r.
func loadsOf(t result.Table, v tableView) (*loads, error) {
	n, r := column(t, "n"), column(t, "r")
	if n < 0 || r < 0 || len(v.Columns) != len(t.Columns) {
		return nil, fmt.Errorf("no columns n and r, or one of them is folded into another")
	}
	var bars []int
	for i, c := range t.Columns {
		if i != n && i != r && (len(bars) == 0 || c.Unit == t.Columns[bars[0]].Unit) {
			bars = append(bars, i)
		}
	}
	if len(bars) == 0 || len(t.Rows) == 0 {
		return nil, fmt.Errorf("%d columns of loads, %d rows", len(bars), len(t.Rows))
	}
	out := &loads{Unit: t.Columns[bars[0]].Unit}
	for _, i := range bars {
		out.Names = append(out.Names, v.Columns[i].Title)
	}
	for k, row := range t.Rows {
		l := loadRow{N: int(exact(row[n])), R: int(exact(row[r]))}
		if l.N < 1 || l.R < 1 {
			return nil, fmt.Errorf("row %d: n = %v, r = %v", k, row[n], row[r])
		}
		for _, i := range bars {
			text := v.Rows[k][i].Text
			if row[i] == nil {
				l.Values, l.Texts = append(l.Values, nil), append(l.Texts, text)
				continue
			}
			x := exact(row[i])
			if x < 0 {
				return nil, fmt.Errorf("row %d, %s: %v is no load", k, t.Columns[i].Key, row[i])
			}
			if strings.Contains(text, "/") {
				text = number(x, 0) + " = " + text
			}
			l.Values, l.Texts = append(l.Values, &x), append(l.Texts, text)
		}
		out.Rows = append(out.Rows, l)
	}
	return out, nil
}

// column is the place of a column, -1 for none.
func column(t result.Table, key string) int {
	for i, c := range t.Columns {
		if c.Key == key {
			return i
		}
	}
	return -1
}

// exact is the number that a cell holds, as a number or as the words of a fraction;
// -1 for what is neither.
func exact(x any) float64 {
	switch x := x.(type) {
	case int:
		return float64(x)
	case float64:
		return x
	case string:
		if q, ok := new(big.Rat).SetString(x); ok {
			f, _ := q.Float64()
			return f
		}
	}
	return -1
}

// Answers reports whether the item is the table that answers a page's question: it
// stands above the sentences.
func (it item) Answers() bool {
	return slices.ContainsFunc(it.Tables, func(t tableView) bool { return t.Class == "advice" })
}

// Works reports whether a reader can work a widget of the item; such stand first.
func (it item) Works() bool {
	return slices.ContainsFunc(it.Tables, func(t tableView) bool { return t.Widget != nil })
}
