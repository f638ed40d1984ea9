package main

import (
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/result"
	"gradsync/internal/oracle/before"
)

// numbers returns the numbers of a row, as a list and with their counts.
type numbers struct {
	list  []float64
	times map[string]int
}

func newNumbers(xs []float64) numbers {
	n := numbers{xs, map[string]int{}}
	for _, x := range xs {
		n.times[canon(x)]++
	}
	return n
}

// holds tells whether n has all of o, each as often.
func (n numbers) holds(o numbers) bool {
	for k, times := range o.times {
		if n.times[k] < times {
			return false
		}
	}
	return true
}

// without returns the numbers of n that o lacks.
func (n numbers) without(o numbers) (out []float64) {
	for _, x := range n.list {
		if o.times[canon(x)] == 0 {
			out = append(out, x)
		}
	}
	return out
}

// sheet is a place where a table may be found: a frame, the facts or the claims.
type sheet struct {
	id   string
	rows []numbers
	all  numbers
	at   map[string][]int // rows of a number
}

func newSheet(id string, rows [][]float64) *sheet {
	s := &sheet{id: id, at: map[string][]int{}}
	var all []float64
	for i, xs := range rows {
		row := newNumbers(xs)
		s.rows = append(s.rows, row)
		for k := range row.times {
			s.at[k] = append(s.at[k], i)
		}
		all = append(all, xs...)
	}
	s.all = newNumbers(all)
	return s
}

// among returns the rows of s that may hold row: those of its rarest number.
func (s *sheet) among(row numbers) (out []int) {
	for i, x := range row.list {
		if rows := s.at[canon(x)]; i == 0 || len(rows) < len(out) {
			out = rows
		}
	}
	return out
}

func facts(r *result.Result) *sheet {
	var rows [][]float64
	for _, f := range r.Facts {
		xs := append(flatten(f.Value), flatten(f.CI95)...)
		rows = append(rows, append(xs, f.Samples...))
	}
	return newSheet("facts", rows)
}

func frames(r *result.Result) (out []*sheet) {
	for _, f := range r.Frames {
		var rows [][]float64
		for _, row := range f.Rows {
			var xs []float64
			for _, x := range row {
				if _, word := x.(string); !word {
					xs = append(xs, flatten(x)...)
				}
			}
			rows = append(rows, xs)
		}
		out = append(out, newSheet("frame "+f.ID, rows))
	}
	return out
}

// judged are the numbers of claims, a row for each and for each of its parts.
func judged(r *result.Result) *sheet {
	var rows [][]float64
	for _, c := range r.Claims {
		rows = append(rows, claimNumbers(c))
		for _, p := range c.Parts {
			rows = append(rows, append(flatten(p.Value), flatten(p.CI95)...))
		}
	}
	return newSheet("claims", rows)
}

// tables looks for the rows of every table, and for the numbers in its words.
func tables(rep *report, old *before.Result, r *result.Result, pages *pool) {
	sheets := append(frames(r), facts(r), judged(r))
	data := newPool(everything(r))
	for _, t := range old.Tables {
		rows, labels := make([]numbers, len(t.Rows)), make([]string, len(t.Rows))
		for i, row := range t.Rows {
			var xs []float64
			for j, x := range row {
				if s, word := x.(string); !word {
					xs = append(xs, flatten(x)...)
				} else if labels[i] == "" || j == 1 {
					labels[i] += s + " "
				}
			}
			rows[i] = newNumbers(xs)
			rep.cells += len(xs)
		}
		left := matched(sheets, rows)
		left = rep.loosely(sheets, rows, left)
		for _, i := range left {
			missing(rep, t, i, labels[i], rows[i], sheets)
		}
		for i, row := range t.Rows {
			for j, x := range row {
				s, _ := x.(string)
				for _, n := range numbersIn(s) {
					rep.texts++
					if data.has(n) || pages.has(n) {
						continue
					}
					rep.differ("table "+t.ID, n.text, "row %q, column %s, words %q", labels[i], t.Columns[j].Key, s)
				}
			}
		}
	}
}

// matched finds rows in sheets, each in a row of its own of one sheet, and returns the
// places of those that it did not find. The sheet that holds most of them comes first.
func matched(sheets []*sheet, rows []numbers) []int {
	var left []int
	for i, row := range rows {
		if len(row.list) > 0 {
			left = append(left, i)
		}
	}
	rest := append([]*sheet{}, sheets...)
	for len(rest) > 0 && len(left) > 0 {
		best, missed := 0, []int(nil)
		for k, s := range rest {
			if m := pairs(s, rows, left); k == 0 || len(m) < len(missed) {
				best, missed = k, m
			}
		}
		if len(missed) == len(left) {
			break
		}
		left, rest = missed, append(rest[:best:best], rest[best+1:]...)
	}
	return left
}

// pairs gives as many rows as it can a row of their own in s and returns the others.
func pairs(s *sheet, rows []numbers, wanted []int) (missed []int) {
	taken := map[int]int{} // row of s → row
	var place func(i int, seen map[int]bool) bool
	place = func(i int, seen map[int]bool) bool {
		for _, j := range s.among(rows[i]) {
			if seen[j] || !s.rows[j].holds(rows[i]) {
				continue
			}
			seen[j] = true
			if other, ok := taken[j]; !ok || place(other, seen) {
				taken[j] = i
				return true
			}
		}
		return false
	}
	for _, i := range wanted {
		if !place(i, map[int]bool{}) {
			missed = append(missed, i)
		}
	}
	return missed
}

// loosely accepts what stands otherwise than in a row of its own: a row whose numbers are
// in one row of a sheet that others use too, in a row each of two sheets, or, if that is
// so of all rows that are left, anywhere in one sheet.
func (r *report) loosely(sheets []*sheet, rows []numbers, left []int) (out []int) {
	for _, i := range left {
		if !twinless(sheets, rows, i) && (inOneRow(sheets, rows[i].list) || inTwo(sheets, rows[i])) {
			r.loose += len(rows[i].list)
		} else {
			out = append(out, i)
		}
	}
	for _, s := range sheets {
		whole := len(out) > 0
		for _, i := range out {
			whole = whole && len(rows[i].without(s.all)) == 0 && !twinless(sheets, rows, i)
		}
		if whole {
			for _, i := range out {
				r.loose += len(rows[i].list)
			}
			return nil
		}
	}
	return out
}

// twinless tells whether rows equal to row i, itself one of them, are more than any sheet
// has its fractions: a row that equals another is easily lost. Whole numbers may be keys.
func twinless(sheets []*sheet, rows []numbers, i int) bool {
	same := 0
	for _, row := range rows {
		if slices.Equal(row.list, rows[i].list) {
			same++
		}
	}
	for _, x := range rows[i].list {
		if x != math.Trunc(x) && same > 1 && !slices.ContainsFunc(sheets, func(s *sheet) bool { return s.all.times[canon(x)] >= same }) {
			return true
		}
	}
	return false
}

func inOneRow(sheets []*sheet, xs []float64) bool {
	want := newNumbers(xs)
	for k := range want.times {
		want.times[k] = 1
	}
	for _, s := range sheets {
		for _, j := range s.among(want) {
			if s.rows[j].holds(want) {
				return true
			}
		}
	}
	return false
}

// inTwo tells whether one row of a sheet holds at least half of the numbers and one row of
// another the rest.
func inTwo(sheets []*sheet, row numbers) bool {
	for k, s := range sheets {
		others := append(append([]*sheet{}, sheets[:k]...), sheets[k+1:]...)
		for _, x := range row.list {
			for _, j := range s.at[canon(x)] {
				rest := row.without(s.rows[j])
				if 2*len(rest) <= len(row.list) && (len(rest) == 0 || inOneRow(others, rest)) {
					return true
				}
			}
		}
	}
	return false
}

// missing reports the numbers of a row that its nearest row lacks.
func missing(rep *report, t before.Table, i int, label string, row numbers, sheets []*sheet) {
	var near numbers
	where, fewest := "", len(row.list)+1
	for _, s := range sheets {
		for _, candidate := range s.rows {
			if n := len(row.without(candidate)); n < fewest {
				near, where, fewest = candidate, s.id, n
			}
		}
	}
	said := false
	for j, x := range t.Rows[i] {
		if _, word := x.(string); word {
			continue
		}
		for _, v := range flatten(x) {
			if near.times[canon(v)] > 0 {
				continue
			}
			said = true
			rep.differ("table "+t.ID, canon(v), "row %d %q, column %s: not in the nearest row (%s)%s",
				i, label, t.Columns[j].Key, where, elsewhere(sheets, v))
		}
	}
	if !said {
		rep.differ("table "+t.ID, fmt.Sprintf("row %d", i), "%q: no row has all its numbers, each as often", label)
	}
}

// elsewhere says where else a number stands, or what is nearest.
func elsewhere(sheets []*sheet, v float64) string {
	best, gap := 0.0, math.Inf(1)
	for _, s := range sheets {
		if s.all.times[canon(v)] > 0 {
			return ", but in " + s.id
		}
		for _, x := range s.all.list {
			if g := math.Abs(x - v); g < gap {
				best, gap = x, g
			}
		}
	}
	return fmt.Sprintf("; the nearest number is %s", canon(best))
}
