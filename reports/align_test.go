package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// Things are matched by id; what only a later profile has follows what stands
// before it there.
func TestAlign(t *testing.T) {
	rs := []loaded{{Result: &result.Result{Notes: []string{"a", "b", "c"}}}, {Result: &result.Result{Notes: []string{"x", "a", "y", "c", "z"}}}}
	var got []string
	for _, set := range align(rs, func(r loaded) []string { return r.Notes }, func(s string) string { return s }) {
		word := ""
		for _, s := range set {
			if s == nil {
				word += "-"
				continue
			}
			word += *s
		}
		got = append(got, word)
	}
	if want := []string{"-x", "aa", "-y", "b-", "cc", "-z"}; !slices.Equal(got, want) {
		t.Errorf("aligned as %v, want %v", got, want)
	}
}

// Of three profiles two may have the same, in any places.
func TestSameNamesEveryProfile(t *testing.T) {
	var rs []loaded
	for _, p := range []string{"quick", "standard", "paper"} {
		rs = append(rs, loaded{Result: &result.Result{Profile: p}, Stem: "s"})
	}
	a, b := "a", "b"
	for _, c := range []struct {
		set  []*string
		want string
	}{
		{[]*string{&a, &a, &a}, "a of quick, the same in profiles standard and paper [s-standard s-paper]"},
		{[]*string{&a, &b, &a}, "a of quick, the same in profile paper [s-paper]; b of standard,  []"},
		{[]*string{nil, &b, nil}, "b of standard,  []"},
	} {
		var got []string
		for _, x := range same(rs, c.set) {
			got = append(got, fmt.Sprintf("%s of %s, %s %v", x.of, x.within.Profile, x.Same, x.Aliases))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s, want %s", g, c.want)
		}
	}
	if alone := same(rs[:1], []*string{&a}); alone[0].within.Profile != "" {
		t.Error("an experiment of one profile is labelled")
	}
}

// Only words that all profiles use stand once for all.
func TestSharedWords(t *testing.T) {
	for _, c := range []struct {
		a, b           words
		title, caption bool
	}{
		{words{"t", "k", "c"}, words{"t", "k", "c"}, true, true}, {words{"t", "k", "c"}, words{"u", "k", "c"}, false, true},
		{words{"t", "k", "c"}, words{"t", "j", "c"}, false, true}, {words{"t", "k", "c"}, words{"t", "k", "d"}, true, false},
	} {
		view := func(w words) tableView { return tableView{Title: w.title, Kind: w.kind, Caption: w.caption} }
		it := item{Tables: []tableView{view(c.a), view(c.b)}}
		it.shareTables()
		if got := it.Tables[1]; got.SharedTitle != c.title || got.SharedNote != c.caption || (it.Title == "t") != c.title || (it.Caption == "c") != c.caption {
			t.Errorf("%v beside %v: said once: title %v, caption %v; want %v, %v", c.a, c.b, got.SharedTitle, got.SharedNote, c.title, c.caption)
		}
	}
}

// Narrow tables stand beside one another, wide ones below.
func TestWideTablesAreStacked(t *testing.T) {
	wide := func(columns int) bool {
		r := exampleStated()
		r.Tables[0].Columns = nil
		row := []any{}
		for i := range columns {
			r.Tables[0].Columns = append(r.Tables[0].Columns, result.Column{Title: fmt.Sprint("column ", i)})
			row = append(row, 1234.5)
		}
		r.Tables[0].Rows = [][]any{row}
		v := viewTable(loaded{Result: r}, r.Tables[0])
		it := item{Tables: []tableView{v, v}}
		it.shareTables()
		return !it.Columns
	}
	if wide(4) || !wide(12) {
		t.Errorf("stacked: 4 columns %v, 12 columns %v", wide(4), wide(12))
	}
}
