package widget

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// Widget lets a reader with scripts work with the numbers of a table: the page
// holds the table as well, and the widget shows nothing that is not in it.
type Widget struct {
	Kind string        // loads, exchange, ring …: which of assets/widgets-*.js draws it
	Name notebook.Both // for a reader who cannot see it
	Data template.JS   // JSON; its <, > and & are escaped
	Fold bool          // the table is long: closed where the widget works
}

// frame is one of a result's.
type frame = result.Frame

// worded is a result with its words.
type worded struct {
	*result.Result
	Page *notebook.Page
}

// Of returns the widget that a frame of a result feeds, nil for most. A frame that should
// feed one and lacks what it needs is an error; words belong to the result.
func Of(r *result.Result, words *notebook.Page, id string) (*Widget, error) {
	return widgetOf(worded{r, words}, id)
}

func widgetOf(l worded, id string) (*Widget, error) {
	f := l.Frame(id)
	if f == nil {
		return nil, nil
	}
	var w *Widget
	var data any
	var err error
	switch {
	case l.ID == "codedsgd/accounting" && id == "loads":
		w = &Widget{Kind: "loads", Name: notebook.Both{"Loads for any n and r", "任意 n 与 r 的负载"}, Fold: true}
		data, err = loadsOf(l, f)
	case l.ID == "codedsgd/fig2" && strings.HasPrefix(id, "packets-"):
		w = &Widget{Kind: "exchange", Name: notebook.Both{"One exchange, packet by packet", "一次交换，逐个数据包"}}
		data, err = exchangeOf(l.Result, f)
	case l.ID == "ring/steps" && id == "transfers":
		w = &Widget{Kind: "ring", Name: notebook.Both{"The ring, step by step", "逐步演示环"}, Fold: true}
		data, err = ringOf(l.Result, f)
	case l.ID == "dasp/walk" && id == "events":
		w = &Widget{Kind: "walk", Name: notebook.Both{"DASP, event by event", "DASP，逐个事件"}, Fold: true}
		data, err = walkOf(l.Result, f)
	case l.ID == "ringsparse/decisions" && id == "hops":
		w = &Widget{Kind: "sparse", Name: notebook.Both{"What is sent: kind, form, bytes", "发送什么：种类、形式、字节"}}
		data, err = sparseOf(l, f)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("frame %s: %w", id, err)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("frame %s: %w", id, err)
	}
	w.Data = template.JS(raw)
	return w, nil
}

// Opening returns the step at which a picture of frame id begins to tell something: after the first event that makes a
// worker of DASP wait for the oldest, or else wait at all; after the first step where there is none.
func Opening(r *result.Result, id string) int {
	f := r.Frame(id)
	if f == nil || r.ID != "dasp/walk" || f.At("what") < 0 || f.At("state") < 0 {
		return 1
	}
	for _, states := range [][]string{{"FSS"}, {"FSS", "WSS"}} {
		for i, row := range f.Rows {
			if state, _ := row[f.At("state")].(string); row[f.At("what")] == "push" && slices.Contains(states, state) {
				return i + 1
			}
		}
	}
	return 1
}

// printed returns a cell as a table prints it, without its unit.
func printed(c result.Column, x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case float64:
		return notebook.Number(x, c.Digits)
	}
	return fmt.Sprint(x)
}

// loads are the rows of a table of loads, one per n and r.
type loads struct {
	Unit  notebook.Both   `json:"unit"`
	Names []notebook.Both `json:"names"` // of the bars
	Rows  []loadRow       `json:"rows"`
}

// loadRow has a bar for each name: its length, null for none, and its number as the table
// prints it.
type loadRow struct {
	N      int        `json:"n"`
	R      int        `json:"r"`
	Values []*float64 `json:"values"`
	Texts  []string   `json:"texts"`
}

// loadsOf takes the columns that share the unit of the first behind n and r.
func loadsOf(l worded, f *frame) (*loads, error) {
	n, r := f.At("n"), f.At("r")
	if n < 0 || r < 0 {
		return nil, fmt.Errorf("no columns n and r")
	}
	var bars []int
	for i, c := range f.Columns {
		if i != n && i != r && c.Bound == "" && (len(bars) == 0 || c.Unit == f.Columns[bars[0]].Unit) {
			bars = append(bars, i)
		}
	}
	if len(bars) == 0 || len(f.Rows) == 0 {
		return nil, fmt.Errorf("%d columns of loads, %d rows", len(bars), len(f.Rows))
	}
	out := &loads{Unit: l.Page.Unit(f.Columns[bars[0]].Unit)}
	for _, i := range bars {
		title, err := l.Page.Column(f.ID, f.Columns[i].Key)
		if err != nil {
			return nil, err
		}
		out.Names = append(out.Names, title)
	}
	for k, row := range f.Rows {
		x := loadRow{N: int(exact(row[n])), R: int(exact(row[r]))}
		if x.N < 1 || x.R < 1 {
			return nil, fmt.Errorf("row %d: n = %v, r = %v", k, row[n], row[r])
		}
		for _, i := range bars {
			x.Texts = append(x.Texts, printed(f.Columns[i], row[i]))
			if row[i] == nil {
				x.Values = append(x.Values, nil)
				continue
			}
			v := exact(row[i])
			if v < 0 {
				return nil, fmt.Errorf("row %d, %s: %v is no load", k, f.Columns[i].Key, row[i])
			}
			x.Values = append(x.Values, &v)
		}
		out.Rows = append(out.Rows, x)
	}
	return out, nil
}

// exact returns the number that a cell holds, -1 for what is none.
func exact(x any) float64 {
	switch x := x.(type) {
	case int:
		return float64(x)
	case float64:
		return x
	}
	return -1
}
