package notebook

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// Value is a fact or a cell, with its interval if it has one.
type Value struct {
	V      any
	CI     *[2]float64
	Column result.Column
	page   *page // whose labels and units it is printed by; nil: the text's own
}

// fact returns the fact of a key; a key that is not there is an error.
func (p *page) fact(key string) (Value, error) {
	p.used["fact "+key] = true
	if f := p.Result.Fact(key); f != nil {
		return Value{f.Value, f.CI95, result.Column{Key: key, Enum: f.Enum, Unit: f.Unit, Digits: f.Digits}, p}, nil
	}
	return Value{}, fmt.Errorf("%s has no fact %q", p.Result.ID, key)
}

// row is one row of a frame.
type row struct {
	frame *result.Frame
	cells []any
	page  *page
}

// Get returns the cell of a column, with its interval.
func (r row) Get(key string) (Value, error) {
	r.page.used[r.frame.ID+"."+key] = true
	i := r.frame.At(key)
	if i < 0 {
		return Value{}, fmt.Errorf("%s: frame %s has no column %q", r.page.Result.ID, r.frame.ID, key)
	}
	return r.at(i), nil
}

// at returns the cell of column i, with its interval.
func (r row) at(i int) Value {
	v := Value{V: r.cells[i], Column: r.frame.Columns[i], page: r.page}
	if v.Column.Bound != "" {
		return v
	}
	x, _ := float(v.V)
	bounds := map[string]float64{}
	for j := i + 1; j < len(r.cells) && r.frame.Columns[j].Bound != ""; j++ {
		if b, ok := float(r.cells[j]); ok {
			bounds[r.frame.Columns[j].Bound] = b
		}
	}
	if half, ok := bounds[result.Half]; ok {
		v.CI = &[2]float64{x - half, x + half}
	}
	lo, ok := bounds[result.Low]
	if hi, both := bounds[result.High]; ok && both {
		v.CI = &[2]float64{lo, hi}
	}
	return v
}

// rows returns the rows of a frame in which each column named has the value beside it.
func (p *page) rows(frame string, sel ...any) (out []row, err error) {
	p.used["frame "+frame] = true
	f := p.Result.Frame(frame)
	if f == nil {
		return nil, fmt.Errorf("%s has no frame %q", p.Result.ID, frame)
	}
	if len(sel)%2 != 0 {
		return nil, fmt.Errorf("rows %s: columns and values in turn, not %d words", frame, len(sel))
	}
	for k := 0; k < len(sel); k += 2 {
		if key, ok := sel[k].(string); !ok || f.At(key) < 0 {
			return nil, fmt.Errorf("%s: frame %s has no column %v", p.Result.ID, frame, sel[k])
		}
	}
	for _, cells := range f.Rows {
		r, keep := row{f, cells, p}, true
		for k := 0; k < len(sel); k += 2 {
			v, err := r.Get(sel[k].(string))
			if err != nil {
				return nil, err
			}
			keep = keep && plainText(v) == plainText(sel[k+1])
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}

// cell returns the cell of the one row in which the columns named have the values.
func (p *page) cell(frame, key string, sel ...any) (Value, error) {
	rs, err := p.rows(frame, sel...)
	if err == nil && len(rs) != 1 {
		err = fmt.Errorf("%s: %d rows of %s at %v, want one", p.Result.ID, len(rs), frame, sel)
	}
	if err != nil {
		return Value{}, err
	}
	return rs[0].Get(key)
}

// has tells whether a frame is there and has such a row.
func (p *page) has(frame string, sel ...any) (bool, error) {
	if p.Result.Frame(frame) == nil {
		p.used["frame "+frame] = true
		return false, nil
	}
	rs, err := p.rows(frame, sel...)
	return len(rs) > 0, err
}

// where returns the rows whose number, or key, in a column stands in a relation to a value
// or to another column: =, ≠, <, >. An empty cell is unequal to every value and neither
// less nor greater.
func where(key, op string, to any, rs []row) (out []row, err error) {
	for _, r := range rs {
		v, err := r.Get(key)
		if err != nil {
			return nil, err
		}
		other := to
		if s, ok := to.(string); ok && r.frame.At(s) >= 0 { // a column beside another
			if other, err = r.Get(s); err != nil {
				return nil, err
			}
		}
		a, okA := float(v)
		b, okB := float(other)
		holds := false
		switch op {
		case "=":
			holds = plainText(v) == plainText(other)
		case "≠":
			holds = plainText(v) != plainText(other)
		case ">":
			holds = okA && okB && a > b
		case "<":
			holds = okA && okB && a < b
		default:
			return nil, fmt.Errorf("where: no relation %q: = ≠ < >", op)
		}
		if holds {
			out = append(out, r)
		}
	}
	return out, nil
}

// plainValue returns what a Value holds.
func plainValue(v any) any {
	if x, ok := v.(Value); ok {
		return x.V
	}
	return v
}

func float(v any) (float64, bool) {
	switch x := plainValue(v).(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	}
	return 0, false
}

// plainText returns what two values that are the same have alike.
func plainText(v any) string {
	if x, ok := float(v); ok {
		return fmt.Sprintf("%.9g", x)
	}
	return fmt.Sprint(plainValue(v))
}

// num prints a value with its unit, to its own digits or to others.
func (p *page) num(v any, digits ...int) (string, error) {
	x, ok := v.(Value)
	if !ok {
		x = Value{V: v}
	}
	if len(digits) > 0 {
		x.Column.Digits = &digits[0]
	}
	s, err := p.bare(x)
	if u := p.of(x).unit(x.Column.Unit); err == nil && x.V != nil {
		s = withUnit(s, u)
	}
	return s, err
}

// span prints two numbers as a range, or as one where both print alike.
func (p *page) span(least, most any, digits ...int) (string, error) {
	from, err := p.num(least, digits...)
	if err != nil {
		return "", err
	}
	to, err := p.num(most, digits...)
	if err != nil || from == to {
		return to, err
	}
	return from + [2]string{" to ", " 至 "}[p.at] + to, nil
}

// of returns the page whose words a value has: its own result's.
func (p *page) of(v Value) *page {
	if v.page != nil {
		return v.page
	}
	return p
}

// bare prints a value without its unit; of a key its label.
func (p *page) bare(v any) (string, error) {
	value, ok := v.(Value)
	if !ok {
		value = Value{V: v}
	}
	switch x := value.V.(type) {
	case nil:
		return "–", nil
	case string:
		return p.of(value).label(value.Column.Enum, x)
	case bool:
		return p.label("bool", strconv.FormatBool(x))
	case []any:
		var out []string
		for _, e := range x {
			s, err := p.bare(Value{V: e, Column: value.Column, page: value.page})
			if err != nil {
				return "", err
			}
			out = append(out, s)
		}
		return strings.Join(out, p.comma(out)), nil
	}
	if value.Column.Enum != "" { // a number that has a name: "link.10"
		return p.of(value).label(value.Column.Enum, plainText(value))
	}
	x, _ := float(value)
	return Number(x, value.Column.Digits), nil
}

// ci prints the interval after its number, with the space before it; "" where there is none.
func ci(v Value) string {
	if v.CI == nil {
		return ""
	}
	return " " + bracketed(*v.CI, v.Column.Digits)
}

// is tells whether a finding is a key.
func is(v Value, key string) bool { return plainText(v) == key }

// yes tells whether a finding is yes.
func yes(v Value) (bool, error) {
	b, ok := v.V.(bool)
	if !ok && v.V != nil {
		return false, fmt.Errorf("yes: %s is %v, neither yes nor no", v.Column.Key, v.V)
	}
	return b, nil
}

// known tells whether a value is there.
func known(v any) bool { return plainValue(v) != nil }

// sum adds values of one unit.
func sum(vs ...Value) (Value, error) {
	if len(vs) == 0 {
		return Value{}, errors.New("sum: of nothing")
	}
	total := 0.0
	for _, v := range vs {
		x, ok := float(v)
		if !ok || v.Column.Unit != vs[0].Column.Unit {
			return Value{}, fmt.Errorf("sum: %s is no number in %q", v.Column.Key, vs[0].Column.Unit)
		}
		total += x
	}
	return Value{total, nil, vs[0].Column, vs[0].page}, nil
}

var hole = regexp.MustCompile(`\{[\w.-]+(:\w+)?\}`)

// list says each row in words, "{case} ({share} of all)", and joins them; none stands for
// no row. A hole is {column}, {column:bare}, {column:ci} or {column:2} with two decimals, or
// {least..most}, a range, which is one number where both print alike.
func (p *page) list(rs []row, format string, none ...string) (string, error) {
	var items []string
	for _, r := range rs {
		s, err := p.say(r, format)
		if err != nil {
			return "", err
		}
		items = append(items, s)
	}
	switch {
	case len(items) > 0:
		return p.join(items), nil
	case len(none) > 0:
		return none[0], nil
	}
	return p.label("words", "none")
}

// ranged prints a value and the one of another column as a range.
func (p *page) ranged(least Value, to string, r row) (string, error) {
	most, err := r.Get(to)
	if err != nil {
		return "", err
	}
	a, err := p.num(least)
	if err != nil {
		return "", err
	}
	b, err := p.num(most)
	if a == b || err != nil {
		return a, err
	}
	return a + p.labels["words.to"] + b, nil
}

// say fills the holes of a format with the cells of a row.
func (p *page) say(r row, format string) (string, error) {
	var failed error
	out := hole.ReplaceAllStringFunc(format, func(m string) string {
		key, how, _ := strings.Cut(strings.Trim(m, "{}"), ":")
		from, to, ranged := strings.Cut(key, "..")
		v, err := r.Get(from)
		var s string
		switch {
		case err != nil:
		case ranged:
			s, err = p.ranged(v, to, r)
		case how == "ci":
			s = ci(v)
		case strings.HasPrefix(how, "ci"): // "ci2": with two decimals
			var d int
			if d, err = strconv.Atoi(how[2:]); err == nil {
				v.Column.Digits = &d
				s = ci(v)
			}
		case how == "bare":
			s, err = p.bare(v)
		case how == "":
			s, err = p.num(v)
		default:
			var d int
			if d, err = strconv.Atoi(how); err == nil {
				s, err = p.num(v, d)
			}
		}
		if err != nil {
			failed = err
		}
		return s
	})
	return out, failed
}

// first and last return one row of several, for a sentence about the ends of a sweep.
func first(rs []row) (row, error) { return oneOf(rs, 0) }
func last(rs []row) (row, error)  { return oneOf(rs, len(rs)-1) }

func oneOf(rs []row, i int) (row, error) {
	if i < 0 || i >= len(rs) {
		return row{}, errors.New("first, last: of no row")
	}
	return rs[i], nil
}

// sorted returns rows by a column, the smallest number first; without numbers last.
func sorted(key string, rs []row) ([]row, error) {
	out := slices.Clone(rs)
	var failed error
	slices.SortStableFunc(out, func(a, b row) int {
		x, errX := a.Get(key)
		y, errY := b.Get(key)
		failed = errors.Join(failed, errX, errY)
		u, okU := float(x)
		v, okV := float(y)
		switch {
		case okU && (!okV || u < v):
			return -1
		case okV && (!okU || v < u):
			return 1
		}
		return 0
	})
	return out, failed
}
