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
type Sheet struct{ result.Frame }

// NewSheet begins a frame. A column is "key", "key:enum" or "key/unit", and may end in
// the decimals to print: "n rival:method share/%.1 factor/.2".
func NewSheet(id, columns string) *Sheet {
	s := &Sheet{result.Frame{ID: id, Rows: [][]any{}}}
	for _, spec := range strings.Fields(columns) {
		key, enum, unit, digits := parse(spec)
		s.Columns = append(s.Columns, result.Column{Key: key, Enum: enum, Unit: unit, Digits: digits})
	}
	return s
}

// Add appends a row: numbers, keys, findings (the enumeration "bool"), or nil, NaN and ""
// for no value. Another number of cells than of columns is a programmer's mistake.
func (s *Sheet) Add(cells ...any) {
	if len(cells) != len(s.Columns) {
		panic(fmt.Sprintf("kit: sheet %s: %d cells in %d columns", s.ID, len(cells), len(s.Columns)))
	}
	row := make([]any, len(cells))
	for i, x := range cells {
		if _, yes := x.(bool); yes {
			s.Columns[i].Enum = "bool"
		}
		row[i] = known(x)
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
