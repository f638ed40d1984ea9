package kit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// Sheet is a frame under way whose rows are given cell by cell, where columns of functions
// would only take a row apart.
type Sheet struct {
	result.Frame
	cols []Col[any]
}

// NewSheet begins a frame. A column is "key", "key:enum" or "key/unit", a space in the unit
// written "_", and may end in the decimals to print: "n rival:method late/%_of_time.1
// factor/.2". A column of estimates is as Half makes it if its key ends in "±", as Interval
// does if it ends in "~": "seconds±/s.3 ratio~/.2".
func NewSheet(id, columns string) *Sheet {
	s := &Sheet{Frame: result.Frame{ID: id, Rows: [][]any{}}}
	estimate := func(x any) Estimate { e, _ := x.(Estimate); return e }
	for _, spec := range strings.Fields(columns) {
		head := parse(spec)
		key, half := strings.CutSuffix(head.Key, "±")
		key, ends := strings.CutSuffix(key, "~")
		head.Key = key
		c := column(head, known)
		if half || ends {
			digits := AsIs
			if head.Digits != nil {
				digits = *head.Digits
			}
			if c = Half(key, head.Unit, digits, estimate); ends {
				c = Interval(key, head.Unit, digits, estimate)
			}
		}
		s.cols, s.Columns = append(s.cols, c), append(s.Columns, c.head...)
	}
	return s
}

// Plain returns s without columns of samples, before its first row: of curves, whose seeds
// are rows.
func (s *Sheet) Plain() *Sheet {
	s.Columns = nil
	for i, c := range s.cols {
		s.cols[i] = c.Plain()
		s.Columns = append(s.Columns, s.cols[i].head...)
	}
	return s
}

// Add appends a row: numbers, keys, findings (the enumeration "bool"), estimates, or nil,
// NaN and "" for no value. Another number of cells than of columns is a programmer's mistake.
func (s *Sheet) Add(cells ...any) {
	if len(cells) != len(s.cols) {
		panic(fmt.Sprintf("kit: sheet %s: %d cells in %d columns", s.ID, len(cells), len(s.cols)))
	}
	var row []any
	for i, x := range cells {
		if _, yes := x.(bool); yes {
			s.Columns[len(row)].Enum = "bool"
		}
		row = append(row, s.cols[i].cells(x)...)
	}
	s.Rows = append(s.Rows, row)
}

// Rows returns the frame with columns as NewSheet writes them and what of gives of each row
// in its cells.
func Rows[R any](id, columns string, rows []R, of func(R) []any) result.Frame {
	s := NewSheet(id, columns)
	for _, r := range rows {
		s.Add(of(r)...)
	}
	return s.Frame
}

// Facts names values: a column as NewSheet writes it, and its value, in turn. An estimate
// brings its interval and its samples.
func Facts(pairs ...any) []result.Fact {
	var out []result.Fact
	for i := 0; i+1 < len(pairs); i += 2 {
		c := parse(pairs[i].(string))
		f := result.Fact{Key: c.Key, Value: known(pairs[i+1]), Enum: c.Enum, Unit: c.Unit, Digits: c.Digits}
		switch x := pairs[i+1].(type) {
		case Estimate:
			if f.N, f.CI95 = x.N, x.CI; len(x.Samples) > 1 {
				f.Samples = x.Samples
			}
		case bool:
			f.Enum = "bool"
		}
		out = append(out, f)
	}
	return out
}

// parse reads a column as NewSheet writes it.
func parse(spec string) result.Column {
	if key, enum, ok := strings.Cut(spec, ":"); ok {
		return result.Column{Key: key, Enum: enum}
	}
	key, unit, ok := strings.Cut(spec, "/")
	c := result.Column{Key: key, Unit: strings.ReplaceAll(unit, "_", " ")}
	if dot := strings.LastIndexByte(unit, '.'); ok && dot >= 0 {
		if d, err := strconv.Atoi(unit[dot+1:]); err == nil {
			c.Unit, c.Digits = strings.ReplaceAll(unit[:dot], "_", " "), &d
		}
	}
	return c
}

// known returns the cell of a value: nil for what is no number and for an empty key.
func known(x any) any {
	switch v := x.(type) {
	case Estimate:
		return mean(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return x
}
