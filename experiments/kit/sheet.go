package kit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// Sheet is a frame under way whose rows are given cell by cell: for what an inquiry
// counts, where columns of functions would only take a row apart.
type Sheet struct {
	result.Frame
	bounds []string // of the columns given: "", result.Half or result.Low
}

// NewSheet begins a frame. A column is "key", "key:enum" or "key/unit", and may end in
// the decimals to print: "n rival:method share/%.1 factor/.2". "±key" is a column of
// estimates with half the width of their intervals and their samples, as Half; "~key" one
// with the ends of their intervals, as Interval.
func NewSheet(id, columns string) *Sheet {
	s := &Sheet{Frame: result.Frame{ID: id, Rows: [][]any{}}}
	for _, spec := range strings.Fields(columns) {
		bare := strings.TrimLeft(spec, "±~")
		key, enum, unit, digits := parse(bare)
		head := []string{""}
		switch strings.TrimSuffix(spec, bare) {
		case "±":
			head = []string{"", result.Half, result.Samples}
		case "~":
			head = []string{"", result.Low, result.High, result.Samples}
		}
		for _, bound := range head {
			name := key
			if bound != "" {
				name += "_" + bound
			}
			s.Columns = append(s.Columns, result.Column{Key: name, Enum: enum, Unit: unit, Digits: digits, Bound: bound})
		}
		s.bounds = append(s.bounds, append(head, "")[1])
	}
	return s
}

// Add appends a row: numbers, estimates, keys, findings (the enumeration "bool"), or nil,
// NaN and "" for no value. Another number of cells than of columns is a programmer's
// mistake.
func (s *Sheet) Add(cells ...any) {
	if len(cells) != len(s.bounds) {
		panic(fmt.Sprintf("kit: sheet %s: %d cells in %d columns", s.ID, len(cells), len(s.bounds)))
	}
	var row []any
	for i, x := range cells {
		e, estimate := x.(Estimate)
		switch s.bounds[i] {
		case result.Half:
			row = append(row, withBounds(e, orNone(e.Half()))...)
			continue
		case result.Low:
			lo, hi := e.ends()
			row = append(row, withBounds(e, lo, hi)...)
			continue
		}
		if _, yes := x.(bool); yes {
			s.Columns[len(row)].Enum = "bool"
		}
		if estimate {
			x = mean(e)
		}
		row = append(row, known(x))
	}
	s.Rows = append(s.Rows, row)
}

// Facts names values: a column as NewSheet writes it, and its value, in turn. An estimate
// brings its interval and its samples.
func Facts(pairs ...any) []result.Fact {
	var out []result.Fact
	for i := 0; i+1 < len(pairs); i += 2 {
		key, enum, unit, digits := parse(pairs[i].(string))
		if _, yes := pairs[i+1].(bool); yes {
			enum = "bool"
		}
		f := result.Fact{Value: known(pairs[i+1])}
		if e, estimate := pairs[i+1].(Estimate); estimate {
			f = Fact("", "", AsIs, e)
		}
		f.Key, f.Enum, f.Unit, f.Digits = key, enum, unit, digits
		out = append(out, f)
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
	return key, "", unit, digits
}

func known(x any) any {
	switch v := x.(type) {
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
