package kit

import (
	"reflect"
	"testing"

	"gradsync/experiments/result"
)

// A head of words makes the columns that the functions of columns make.
func TestRows(t *testing.T) {
	type row struct {
		name string
		s    Sample
	}
	rows := []row{{"a", Sample{1, 2, 3}}, {"b", Sample{4}}, {"", nil}}
	of := func(r row) Estimate { return r.s.Mean() }
	want := Frame("f", rows, Word("name", "case", func(r row) string { return r.name }), Count("n", "", func(r row) int { return len(r.s) }),
		Num("share", "%", 1, func(r row) float64 { return of(r).Half() }), Half("half", "s", 2, of), Interval("ends", "", AsIs, of), Mean("mean", "Gb/s", AsIs, of))
	got := Rows("f", "name:case n share/%.1 half±/s.2 ends~ mean/Gb/s", rows, func(r row) []any {
		return []any{r.name, len(r.s), of(r).Half(), of(r), of(r), of(r)}
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	facts := Facts("n.least", 3, "half/s.2", of(rows[0]), "yes", true, "who:case", "a", "none", of(rows[2]))
	if wanted := []result.Fact{Counted("n.least", "", 3), Fact("half", "s", 2, of(rows[0])), Whether("yes", true), Finding("who", "case", "a"),
		Fact("none", "", AsIs, of(rows[2]))}; !reflect.DeepEqual(facts, wanted) {
		t.Errorf("got\n%+v\nwant\n%+v", facts, wanted)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row with too few cells passes")
		}
	}()
	Rows("f", "a b", rows, func(row) []any { return []any{1} })
}
