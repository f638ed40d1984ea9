package kit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// col is a column of a sheet with those of its bounds.
type col struct {
	head  []result.Column
	cells func(x any) []any
}

// ends returns the cells of an interval, empty where there is none.
func (e Estimate) ends() (lo, hi any) {
	if e.CI == nil {
		return nil, nil
	}
	return e.CI[0], e.CI[1]
}

// withBounds returns the cells of an estimate: its number, the bounds ends, and its samples if there
// are several. Without a number all are empty.
func withBounds(e Estimate, ends ...any) []any {
	if e.N == 0 {
		return make([]any, len(ends)+2)
	}
	row := append([]any{mean(e)}, ends...)
	if len(e.Samples) < 2 {
		return append(row, nil) // one seed is its own mean
	}
	return append(row, samples(e.Samples))
}

// bounded returns a column of means with its bounds and samples: half the width of intervals, or both ends.
func bounded(c result.Column, ends bool) col {
	bounds := []string{result.Half, result.Samples}
	if ends {
		bounds = []string{result.Low, result.High, result.Samples}
	}
	head := []result.Column{c}
	for _, b := range bounds {
		head = append(head, result.Column{Key: c.Key + "_" + b, Unit: c.Unit, Digits: c.Digits, Bound: b})
	}
	return col{head, func(x any) []any {
		e, _ := x.(Estimate)
		if lo, hi := e.ends(); ends {
			return withBounds(e, lo, hi)
		}
		return withBounds(e, orNone(e.Half()))
	}}
}

// Part returns one comparison that a claim rests on; of holds enumerations and keys in turn:
// Part(0.7, true, "model", "mlp").
func Part(value float64, holds bool, of ...string) result.Part {
	out := result.Part{Of: map[string]string{}, Value: value, Holds: &holds}
	for i := 0; i+1 < len(of); i += 2 {
		out.Of[of[i]] = of[i+1]
	}
	return out
}

func mean(e Estimate) any {
	if e.N == 0 {
		return nil
	}
	return orNone(e.Value)
}

func samples(s Sample) []any {
	out := make([]any, len(s))
	for i, x := range s {
		out[i] = x
	}
	return out
}

func orNone(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// As returns f marked as a frame of kind, where that is not its result's.
func As(kind string, f result.Frame) result.Frame {
	f.Kind = kind
	return f
}

// Keys returns a list as a cell has it, nothing for an empty one.
func Keys[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return Map(list, func(x T) any { return x })
}

// Sheet builds a frame row by row, from cells.
type Sheet struct {
	result.Frame
	cols []col
}

// NewSheet begins a frame with columns, which are separated by spaces. A column is "key",
// "key:enum" or "key/unit", where "_" stands for a space of the unit and ".2" behind it for two
// decimals: "n rival:method late/%_of_time.1 factor/.2". A key that ends in "±" makes columns of means,
// of half the width of their intervals and of their samples, one that ends in "~" has both ends in
// place of the half: "seconds±/s.3 ratio~/.2".
func NewSheet(id, columns string) *Sheet {
	s := &Sheet{Frame: result.Frame{ID: id, Rows: [][]any{}}}
	for _, spec := range strings.Fields(columns) {
		head := parse(spec)
		key, half := strings.CutSuffix(head.Key, "±")
		key, ends := strings.CutSuffix(key, "~")
		head.Key = key
		c := col{[]result.Column{head}, func(x any) []any { return []any{known(x)} }}
		if half || ends {
			c = bounded(head, ends)
		}
		s.cols, s.Columns = append(s.cols, c), append(s.Columns, c.head...)
	}
	return s
}

// Plain removes the columns of samples from s and returns s, for frames that have a row for each
// seed. It must be called before the first Add.
func (s *Sheet) Plain() *Sheet {
	s.Columns = nil
	for i, c := range s.cols {
		if n := len(c.head) - 1; c.head[n].Bound == result.Samples {
			s.cols[i] = col{c.head[:n], func(x any) []any { return c.cells(x)[:n] }}
		}
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

// Rows returns the frame with columns as NewSheet reads them and one row per member of rows, whose
// cells of returns.
func Rows[R any](id, columns string, rows []R, of func(R) []any) result.Frame {
	s := NewSheet(id, columns)
	for _, r := range rows {
		s.Add(of(r)...)
	}
	return s.Frame
}

// Facts returns facts from pairs, a column as NewSheet reads it and its value, in turn. The fact of
// an Estimate has its interval and its samples.
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
	key, unit, _ := strings.Cut(spec, "/")
	c := result.Column{Key: key}
	if dot := strings.LastIndexByte(unit, '.'); dot >= 0 {
		if d, err := strconv.Atoi(unit[dot+1:]); err == nil {
			unit, c.Digits = unit[:dot], &d
		}
	}
	c.Unit = strings.ReplaceAll(unit, "_", " ")
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
