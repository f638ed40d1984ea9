package result

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// Read loads a result file. An unknown field or another schema is an error.
func Read(path string) (*Result, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var r Result
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("result: %s: schema is %q, want %q", path, r.Schema, Schema)
	}
	if err := checkSets(&r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	return &r, nil
}

// checkSets demands that the list of data sets is absent or has at least two of
// different names, the first being Data.
func checkSets(r *Result) error {
	if r.Datasets == nil {
		return nil
	}
	if len(r.Datasets) < 2 {
		return fmt.Errorf("datasets lists %d sets: one set stands in data", len(r.Datasets))
	}
	if r.Data == nil || *r.Data != r.Datasets[0] {
		return fmt.Errorf("data is not the first of datasets, %s", r.Datasets[0].Name)
	}
	seen := map[string]bool{}
	for _, d := range r.Datasets {
		if seen[d.Name] {
			return fmt.Errorf("datasets lists %s twice", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// ReadRun loads the sidecar beside the result file at path.
func ReadRun(path string) (*Run, error) {
	raw, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".run.json")
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	var run Run
	if err := json.Unmarshal(raw, &run); err != nil {
		return nil, fmt.Errorf("result: sidecar of %s: %w", path, err)
	}
	return &run, nil
}

// Difference is one place where two results do not agree. A and B are nil where
// the place is missing.
type Difference struct {
	Path string `json:"path"` // claims[3].measured
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// Diff lists where a and b differ, in the order of their paths. No difference
// means the same bytes on disk.
func Diff(a, b *Result) ([]Difference, error) {
	var trees [2]any
	for i, r := range []*Result{a, b} {
		raw, err := Encode(r)
		if err != nil {
			return nil, err
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // a seed of 64 bits must not pass through a float
		if err := dec.Decode(&trees[i]); err != nil {
			return nil, fmt.Errorf("result: %s: %w", r.ID, err)
		}
	}
	var out []Difference
	walk("", trees[0], trees[1], &out)
	return out, nil
}

func walk(path string, a, b any, out *[]Difference) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			for _, k := range keys(x, y) {
				walk(strings.TrimPrefix(path+"."+k, "."), x[k], y[k], out)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := 0; i < max(len(x), len(y)); i++ {
				walk(fmt.Sprintf("%s[%d]", path, i), at(x, i), at(y, i), out)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, Difference{Path: path, A: a, B: b})
	}
}

func at(s []any, i int) any {
	if i < len(s) {
		return s[i]
	}
	return nil
}

func keys(a, b map[string]any) []string {
	var out []string
	for k := range a {
		out = append(out, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

// tidy is the result as a long table: one row, one observation. label is what a
// row of a table begins with, or a series' name.
func tidy(r *Result) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	put := func(part, id string, row int, label, key, unit string, v any) {
		_ = w.Write([]string{part, id, strconv.Itoa(row), label, key, unit, cell(v)}) // w.Error below
	}
	put2 := func(id string, row int, label string, f Figure, x, y float64) {
		put("figure", id, row, label, "x", f.X.Unit, x)
		put("figure", id, row, label, "y", f.Y.Unit, y)
	}
	_ = w.Write([]string{"part", "id", "row", "label", "key", "unit", "value"})
	for i, c := range r.Claims {
		put("claim", c.ID, i, c.Statement, "paper", c.Unit, c.Paper)
		put("claim", c.ID, i, c.Statement, "measured", c.Unit, c.Measured)
		put("claim", c.ID, i, c.Statement, "verdict", "", c.Verdict)
	}
	for _, t := range r.Tables {
		for i, row := range t.Rows {
			for j, v := range row {
				if j < len(t.Columns) {
					put("table", t.ID, i, cell(row[0]), t.Columns[j].Key, t.Columns[j].Unit, v)
				}
			}
		}
	}
	for _, f := range r.Figures {
		for _, s := range f.Series {
			name := s.Name
			if s.Seed != nil {
				name += fmt.Sprintf(" (seed %d)", *s.Seed)
			}
			for i := range s.X {
				if i < len(s.Y) {
					put2(f.ID, i, name, f, s.X[i], s.Y[i])
				}
			}
		}
		for i, b := range f.Bands {
			label := fmt.Sprintf("lane %d %s", b.Lane, b.State)
			put("figure", f.ID, i, label, "from", f.X.Unit, b.From)
			put("figure", f.ID, i, label, "to", f.X.Unit, b.To)
		}
	}
	w.Flush()
	return buf.Bytes(), w.Error()
}

func cell(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case float64:
		return round(strconv.FormatFloat(x, 'e', -1, 64))
	}
	return fmt.Sprint(v)
}
