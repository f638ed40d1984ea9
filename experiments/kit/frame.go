package kit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// AsIs, in place of a number of decimals, prints up to four significant digits.
const AsIs = -1

// Col makes a column of a frame, and the columns of its bounds, from rows of type R.
type Col[R any] struct {
	head  []result.Column
	cells func(R) []any
}

func column[R any](c result.Column, of func(R) any) Col[R] {
	return Col[R]{[]result.Column{c}, func(r R) []any { return []any{of(r)} }}
}

// Word returns a column of keys of the enumeration enum; "" is an empty cell.
func Word[R any](key, enum string, of func(R) string) Col[R] {
	return column(result.Column{Key: key, Enum: enum}, func(r R) any {
		if s := of(r); s != "" {
			return s
		}
		return nil
	})
}

// Flag returns a column of yes and no.
func Flag[R any](key string, of func(R) bool) Col[R] {
	return column(result.Column{Key: key, Enum: "bool"}, func(r R) any { return of(r) })
}

// Any returns a column of values as of returns them; nil is an empty cell.
func Any[R any](key, unit string, of func(R) any) Col[R] {
	return column(result.Column{Key: key, Unit: unit}, of)
}

// Num returns a column of numbers with the given decimals; NaN is an empty cell.
func Num[R any](key, unit string, digits int, of func(R) float64) Col[R] {
	return column(result.Column{Key: key, Unit: unit, Digits: places(digits)}, func(r R) any { return orNone(of(r)) })
}

// Count returns a column of whole numbers.
func Count[R any, N ~int | ~int64 | ~uint64](key, unit string, of func(R) N) Col[R] {
	return column(result.Column{Key: key, Unit: unit}, func(r R) any { return of(r) })
}

// Mean returns a column of means, without intervals and samples.
func Mean[R any](key, unit string, digits int, of func(R) Estimate) Col[R] {
	return column(result.Column{Key: key, Unit: unit, Digits: places(digits)}, func(r R) any { return mean(of(r)) })
}

// Half returns columns of means, of half the width of their intervals, and of their samples.
func Half[R any](key, unit string, digits int, of func(R) Estimate) Col[R] {
	return bounded(key, unit, digits, of, []string{result.Half}, func(e Estimate) []any { return []any{orNone(e.Half())} })
}

// Interval returns columns of means, of the two ends of their intervals, and of their samples.
func Interval[R any](key, unit string, digits int, of func(R) Estimate) Col[R] {
	return bounded(key, unit, digits, of, []string{result.Low, result.High}, func(e Estimate) []any {
		lo, hi := e.ends()
		return []any{lo, hi}
	})
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

// Plain returns c without its column of samples, for frames that have a row for each seed.
func (c Col[R]) Plain() Col[R] {
	n := len(c.head)
	for n > 0 && c.head[n-1].Bound == result.Samples {
		n--
	}
	cells := c.cells
	return Col[R]{c.head[:n], func(r R) []any { return cells(r)[:n] }}
}

func bounded[R any](key, unit string, digits int, of func(R) Estimate, bounds []string, cells func(Estimate) []any) Col[R] {
	head := []result.Column{{Key: key, Unit: unit, Digits: places(digits)}}
	for _, b := range append(bounds, result.Samples) {
		head = append(head, result.Column{Key: key + "_" + b, Unit: unit, Digits: places(digits), Bound: b})
	}
	return Col[R]{head, func(r R) []any {
		e := of(r)
		return withBounds(e, cells(e)...)
	}}
}

// Frame returns the frame with one row per R.
func Frame[R any](id string, rows []R, cols ...Col[R]) result.Frame {
	f := result.Frame{ID: id, Rows: [][]any{}}
	for _, c := range cols {
		f.Columns = append(f.Columns, c.head...)
	}
	for _, r := range rows {
		var row []any
		for _, c := range cols {
			row = append(row, c.cells(r)...)
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// Number returns a fact that is a number; NaN becomes null.
func Number(key, unit string, digits int, x float64) result.Fact {
	return result.Fact{Key: key, Value: orNone(x), Unit: unit, Digits: places(digits)}
}

// Counted returns a fact that is a whole number.
func Counted[N ~int | ~int64](key, unit string, n N) result.Fact {
	return result.Fact{Key: key, Value: n, Unit: unit}
}

// Finding returns a fact that is a key of the enumeration enum, for a text to tell.
func Finding(key, enum, word string) result.Fact {
	return result.Fact{Key: key, Value: word, Enum: enum}
}

// Whether returns a fact that is yes or no.
func Whether(key string, yes bool) result.Fact {
	return result.Fact{Key: key, Value: yes, Enum: "bool"}
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

func places(digits int) *int {
	if digits < 0 {
		return nil
	}
	return &digits
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

// Words returns a column of lists of keys of the enumeration enum; an empty list is an empty cell.
func Words[R any](key, enum string, of func(R) []string) Col[R] {
	return column(result.Column{Key: key, Enum: enum}, func(r R) any {
		var out []any
		for _, s := range of(r) {
			out = append(out, s)
		}
		if out == nil {
			return nil
		}
		return out
	})
}

// Sheet builds a frame row by row, from cells. It suits rows that are computed as a whole; Frame
// suits rows of a type with a function for each column.
type Sheet struct {
	result.Frame
	cols []Col[any]
}

// NewSheet begins a frame with columns, which are separated by spaces. A column is "key",
// "key:enum" or "key/unit", where "_" stands for a space of the unit and ".2" behind it for two
// decimals: "n rival:method late/%_of_time.1 factor/.2". A key that ends in "±" makes the columns of
// Half, one that ends in "~" those of Interval: "seconds±/s.3 ratio~/.2".
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

// Plain removes the columns of samples from s and returns s, for frames that have a row for each
// seed. It must be called before the first Add.
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
