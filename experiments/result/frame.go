package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"gradsync/internal/strict"
)

// column is a Column as a file has it. Cells lists every cell; Runs, if it is shorter, lists each
// run of equal cells once, with its length.
type column struct {
	Column
	Cells []any `json:"cells,omitempty"`
	Runs  []any `json:"runs,omitempty"` // value, times, value, times …
}

// columns is a Frame as a file has it.
type columns struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind,omitempty"`
	Columns []column `json:"columns"`
}

// MarshalJSON writes f by column. Cells repeat where their bytes in the file do, so that a
// frame that was read is written as it was.
func (f Frame) MarshalJSON() ([]byte, error) {
	out := columns{f.ID, f.Kind, make([]column, len(f.Columns))}
	for i, c := range f.Columns {
		cells, runs, last := make([]any, len(f.Rows)), []any(nil), []byte(nil)
		for j, row := range f.Rows {
			if len(row) != len(f.Columns) {
				return nil, fmt.Errorf("frame %s: row %d has %d cells, want %d", f.ID, j, len(row), len(f.Columns))
			}
			cells[j] = row[i]
			raw, err := Canonical(row[i])
			if err != nil {
				return nil, fmt.Errorf("frame %s: row %d, column %s: %w", f.ID, j, c.Key, err)
			}
			if j > 0 && bytes.Equal(raw, last) {
				runs[len(runs)-1] = runs[len(runs)-1].(int) + 1
			} else {
				runs = append(runs, row[i], 1)
			}
			last = raw
		}
		if out.Columns[i] = (column{c, cells, nil}); len(runs) < len(cells) {
			out.Columns[i] = column{c, nil, runs}
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. Columns of unequal length are an error.
func (f *Frame) UnmarshalJSON(raw []byte) error {
	var in columns
	if err := strict.JSON(raw, &in); err != nil {
		return err
	}
	*f = Frame{ID: in.ID, Kind: in.Kind, Rows: [][]any{}}
	for i, c := range in.Columns {
		cells := c.Cells
		if len(c.Runs)%2 != 0 {
			return fmt.Errorf("frame %s, column %s: a run has no length", f.ID, c.Key)
		}
		for k := 0; k < len(c.Runs); k += 2 {
			times, ok := c.Runs[k+1].(float64)
			if !ok || times < 1 || times > 1<<24 || times != float64(int(times)) {
				return fmt.Errorf("frame %s, column %s: a run of length %v", f.ID, c.Key, c.Runs[k+1])
			}
			cells = append(cells, slices.Repeat([]any{c.Runs[k]}, int(times))...)
		}
		if i == 0 {
			f.Rows = make([][]any, len(cells))
			for j := range f.Rows {
				f.Rows[j] = make([]any, len(in.Columns))
			}
		}
		if len(cells) != len(f.Rows) {
			return fmt.Errorf("frame %s: column %s has %d cells, the first has %d", f.ID, c.Key, len(cells), len(f.Rows))
		}
		f.Columns = append(f.Columns, c.Column)
		for j, x := range cells {
			f.Rows[j][i] = x
		}
	}
	return nil
}

// At returns the index of the column called key, -1 if there is none.
func (f *Frame) At(key string) int {
	return slices.IndexFunc(f.Columns, func(c Column) bool { return c.Key == key })
}

// Frame returns the frame called id, nil if there is none.
func (r *Result) Frame(id string) *Frame {
	for i := range r.Frames {
		if r.Frames[i].ID == id {
			return &r.Frames[i]
		}
	}
	return nil
}

// Fact returns the fact called key, nil if there is none.
func (r *Result) Fact(key string) *Fact {
	for i := range r.Facts {
		if r.Facts[i].Key == key {
			return &r.Facts[i]
		}
	}
	return nil
}

// Claim returns the claim id, nil if r does not judge it.
func (r *Result) Claim(id string) *Claim {
	for i := range r.Claims {
		if r.Claims[i].ID == id {
			return &r.Claims[i]
		}
	}
	return nil
}
