package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/compare"
	"gradsync/reports/notebook"
)

// strips says which columns of a frame a strip shows.
type strips struct {
	name, found, stated, group, low, high int // columns, -1: none
	null                                  *float64
	where                                 map[int]string // what a row has in other columns
}

// stripsOf reads the words of a strip: "name=method", "found=ratio" with its interval, and, if there are any,
// "stated=claimed", "band=low,high" (what other readings give), "group=model" and "null=1"; other words choose rows.
func stripsOf(f *result.Frame, words []string) (s strips, err error) {
	s = strips{-1, -1, -1, -1, -1, -1, nil, map[int]string{}}
	column := func(key string) int {
		i := f.At(key)
		if i < 0 && err == nil {
			err = fmt.Errorf("strip: frame %s has no column %q", f.ID, key)
		}
		return i
	}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || value == "" {
			return s, fmt.Errorf("strip: %q is no word and its value, such as name=method", w)
		}
		switch key {
		case "name":
			s.name = column(value)
		case "found":
			s.found = column(value)
		case "stated":
			s.stated = column(value)
		case "group":
			s.group = column(value)
		case "band":
			low, high, _ := strings.Cut(value, ",")
			s.low, s.high = column(low), column(high)
		case "null":
			x, wrong := strconv.ParseFloat(value, 64)
			if wrong != nil {
				return s, fmt.Errorf("strip: null %q is no number", value)
			}
			s.null = &x
		default:
			s.where[column(key)] = value
		}
	}
	if err == nil && (s.name < 0 || s.found < 0) {
		err = fmt.Errorf("strip: what are the rows called, and what was found: name=, found=")
	}
	return s, err
}

// frameStrip draws rows of a frame on one axis, in groups: what was found with its interval, and beside it what the
// document states and what other readings give, where the frame has them.
func (r *renderer) frameStrip(t teller, args []string) (template.HTML, error) {
	l := r.resultNamed(t, args[0])
	if l == nil {
		return "", nil
	}
	f := l.Frame(args[1])
	if f == nil {
		return "", fmt.Errorf("%s has no frame %s", l.ID, args[1])
	}
	s, err := stripsOf(f, args[2:])
	if err != nil {
		return "", fmt.Errorf("%s: %w", l.ID, err)
	}
	var groups []compare.Group
	var marks []compare.Mark
	for _, row := range f.Rows {
		mark := s.mark(f, row)
		if mark.Found == nil && mark.Stated == nil || !s.keeps(row) {
			continue
		}
		var title notebook.Both
		if s.group >= 0 {
			title = printed(l, f.Columns[s.group], row[s.group])
		}
		if n := len(groups); n == 0 || groups[n-1].Title != title {
			groups = append(groups, compare.Group{Title: title})
		}
		one := compare.Row{Name: printed(l, f.Columns[s.name], row[s.name]), Mark: mark}
		if mark.Found != nil {
			one.Found = printed(l, f.Columns[s.found], *mark.Found)
		}
		if mark.CI != nil {
			one.Found, one.Interval = spread(*mark.Found, *mark.CI, l.Page.Unit(f.Columns[s.found].Unit))
		}
		if mark.Stated != nil {
			one.Stated = printed(l, f.Columns[s.stated], *mark.Stated)
		}
		groups[len(groups)-1].Rows, marks = append(groups[len(groups)-1].Rows, one), append(marks, mark)
	}
	if len(marks) == 0 {
		return "", nil
	}
	scale := compare.NewScale(marks, s.null, l.Page.Unit(f.Columns[s.found].Unit))
	for i := range groups {
		groups[i].Scale, groups[i].NoAxis = scale, i+1 < len(groups)
	}
	head, err := l.Page.Column(f.ID, f.Columns[s.found].Key)
	if err != nil {
		return "", err
	}
	table := compare.Table{Label: head, Head: head, Noun: documentOf(t).Noun(), Plain: true, Groups: groups}
	html, err := table.HTML()
	return "<figure>" + html + "</figure>", err
}

// keeps reports whether a row has what the words ask for.
func (s strips) keeps(row []any) bool {
	for i, want := range s.where {
		if !slices.Contains(strings.Split(want, ","), fmt.Sprint(row[i])) {
			return false
		}
	}
	return true
}

// mark returns what a row shows.
func (s strips) mark(f *result.Frame, row []any) (m compare.Mark) {
	number := func(i int) *float64 {
		if i < 0 {
			return nil
		}
		if x, ok := row[i].(float64); ok {
			return &x
		}
		return nil
	}
	m.Found, m.Stated = number(s.found), number(s.stated)
	if low, high := number(s.low), number(s.high); low != nil && high != nil {
		m.Band = &[2]float64{*low, *high}
	}
	var low, high *float64
	for i := s.found + 1; i < len(row) && f.Columns[i].Bound != ""; i++ {
		x := number(i)
		switch {
		case x == nil || m.Found == nil:
		case f.Columns[i].Bound == result.Half:
			a, b := *m.Found-*x, *m.Found+*x
			low, high = &a, &b
		case f.Columns[i].Bound == result.Low:
			low = x
		case f.Columns[i].Bound == result.High:
			high = x
		}
	}
	if low != nil && high != nil && *low < *high {
		m.CI = &[2]float64{*low, *high}
	}
	return m
}
