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
	estimate := func(x any) Estimate { return x.(Estimate) }
	for _, spec := range strings.Fields(columns) {
		key, enum, unit, digits := parse(spec)
		key, half := strings.CutSuffix(key, "±")
		key, ends := strings.CutSuffix(key, "~")
		c := column(result.Column{Key: key, Enum: enum, Unit: unit, Digits: digits}, known)
		if shown := AsIs; half || ends {
			if digits != nil {
				shown = *digits
			}
			if c = Half(key, unit, shown, estimate); ends {
				c = Interval(key, unit, shown, estimate)
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

// Facts names values: a column as NewSheet writes it, and its value, in turn.
func Facts(pairs ...any) []result.Fact {
	var out []result.Fact
	for i := 0; i+1 < len(pairs); i += 2 {
		key, enum, unit, digits := parse(pairs[i].(string))
		if _, yes := pairs[i+1].(bool); yes {
			enum = "bool"
		}
		out = append(out, result.Fact{Key: key, Value: known(pairs[i+1]), Enum: enum, Unit: unit, Digits: digits})
	}
	return out
}

func parse(spec string) (key, enum, unit string, digits *int) {
	if key, enum, ok := strings.Cut(spec, ":"); ok {
		return key, enum, "", nil
	}
	key, unit, ok := strings.Cut(spec, "/")
	if dot := strings.LastIndexByte(unit, '.'); ok && dot >= 0 {
		if d, err := strconv.Atoi(unit[dot+1:]); err == nil {
			unit, digits = unit[:dot], &d
		}
	}
	return key, "", strings.ReplaceAll(unit, "_", " "), digits
}

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
