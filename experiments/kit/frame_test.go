package kit

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
)

// fact returns the fact of an estimate as it stands in a file.
func fact(key, unit string, digits int, e Estimate) result.Fact {
	f := result.Fact{Key: key, Value: mean(e), Unit: unit, Digits: places(digits), N: e.N, CI95: e.CI}
	if len(e.Samples) > 1 {
		f.Samples = e.Samples
	}
	return f
}

type cell struct {
	method string
	sample Sample
}

// columnsOf lists keys with what they bound.
func columnsOf(f result.Frame) (out []string) {
	for _, c := range f.Columns {
		key := c.Key
		if c.Bound != "" {
			key += " " + c.Bound
		}
		out = append(out, key)
	}
	return out
}

// Every column brings its bounds and samples along; one seed has no interval and needs no
// samples, a missing number leaves all of it empty.
func TestFrame(t *testing.T) {
	rows := []cell{{"bsp", Sample{2, 4}}, {"asp", Sample{7}}, {"", nil}}
	of := func(c cell) Estimate { return c.sample.Mean() }
	f := Frame("times", rows,
		Word("method", "method", func(c cell) string { return c.method }),
		Count("runs", "", func(c cell) int { return len(c.sample) }),
		Flag("many", func(c cell) bool { return len(c.sample) > 1 }),
		Half("seconds", "s", 3, of),
		Mean("plain", "s", AsIs, of),
		Num("first", "s", 0, func(c cell) float64 {
			if len(c.sample) == 0 {
				return math.NaN()
			}
			return c.sample[0]
		}),
		Any("any", "", func(c cell) any { return nil }))
	half := 12.706204736174694
	wantColumns := []string{"method", "runs", "many", "seconds", "seconds_half half", "seconds_samples samples", "plain", "first", "any"}
	if diff := cmp.Diff(wantColumns, columnsOf(f)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	want := [][]any{{"bsp", 2, true, 3.0, half, []any{2.0, 4.0}, 3.0, 2.0, nil}, {"asp", 1, false, 7.0, nil, nil, 7.0, 7.0, nil},
		{nil, 0, false, nil, nil, nil, nil, nil, nil}}
	if diff := cmp.Diff(want, f.Rows, cmp.Comparer(near)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if d := f.Columns[3]; d.Unit != "s" || *d.Digits != 3 || f.Columns[6].Digits != nil ||
		*f.Columns[7].Digits != 0 || f.Columns[0].Enum != "method" || f.Columns[2].Enum != "bool" {
		t.Errorf("columns %+v", f.Columns)
	}
	empty := Frame("none", nil, Interval("x", "", 1, of))
	if empty.Rows == nil || len(empty.Columns) != 4 {
		t.Errorf("a frame without rows is %+v", empty)
	}
}

// Interval has both ends; Plain leaves out the samples, and nothing else.
func TestIntervalAndPlain(t *testing.T) {
	rows := []cell{{"bsp", Sample{2, 4}}, {"asp", Sample{7}}}
	of := func(c cell) Estimate { return c.sample.Mean() }
	f := Frame("x", rows, Interval("x", "%", 1, of), Interval("y", "%", 1, of).Plain())
	if diff := cmp.Diff([]string{"x", "x_lo lo", "x_hi hi", "x_samples samples", "y", "y_lo lo", "y_hi hi"}, columnsOf(f)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	lo, hi := 3-12.706204736174694, 3+12.706204736174694
	want := [][]any{{3.0, lo, hi, []any{2.0, 4.0}, 3.0, lo, hi}, {7.0, nil, nil, nil, 7.0, nil, nil}}
	if diff := cmp.Diff(want, f.Rows, cmp.Comparer(near)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if word := Word("w", "e", func(c cell) string { return c.method }).Plain(); len(word.head) != 1 || word.cells(rows[0])[0] != "bsp" {
		t.Error("Plain takes more than samples away")
	}
}

func TestFacts(t *testing.T) {
	many := fact("ratio", "", 3, Sample{1, 3}.Mean())
	if many.Value != 2.0 || many.N != 2 || many.CI95 == nil || len(many.Samples) != 2 || *many.Digits != 3 {
		t.Errorf("two seeds: %+v", many)
	}
	if one := fact("ratio", "s", AsIs, Sample{1}.Mean()); one.Value != 1.0 || one.N != 1 || one.CI95 != nil ||
		one.Samples != nil || one.Digits != nil || one.Unit != "s" {
		t.Errorf("one seed: %+v", one)
	}
	if none := fact("ratio", "s", 1, Estimate{}); none.Value != nil || none.N != 0 {
		t.Errorf("no number: %+v", none)
	}
	if x := Number("x", "s", 0, math.Inf(1)); x.Value != nil || *x.Digits != 0 {
		t.Errorf("an infinite number: %+v", x)
	}
	if x := Counted("n", "rank", 5); x.Value != 5 || x.Digits != nil || x.Unit != "rank" {
		t.Errorf("a count: %+v", x)
	}
	if x := Finding("side", "against", "above"); x.Value != "above" || x.Enum != "against" {
		t.Errorf("a finding: %+v", x)
	}
	if x := Whether("missed", false); x.Value != false || x.Enum != "bool" {
		t.Errorf("a yes or no: %+v", x)
	}
}

// A sheet reads its columns off their spelling, and no number is an empty cell.
func TestSheet(t *testing.T) {
	s := NewSheet("wins", "n rival:method speed/GFLOP/s.1 factor/.2 time/µs same")
	s.Add(8, "ring", 5.25, math.NaN(), nil, true)
	s.Add(10, "", 1.0, 2.0, 3, false)
	two, one := 2, 1
	want := []result.Column{{Key: "n"}, {Key: "rival", Enum: "method"}, {Key: "speed", Unit: "GFLOP/s", Digits: &one},
		{Key: "factor", Digits: &two}, {Key: "time", Unit: "µs"}, {Key: "same", Enum: "bool"}}
	if !reflect.DeepEqual(s.Columns, want) {
		t.Errorf("%+v", s.Columns)
	}
	if rows := [][]any{{8, "ring", 5.25, nil, nil, true}, {10, nil, 1.0, 2.0, 3, false}}; !reflect.DeepEqual(s.Rows, rows) {
		t.Errorf("%v", s.Rows)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row of one cell was taken")
		}
	}()
	s.Add(1)
}

// Estimates bring their bounds and samples along as they do in a frame of columns, and
// stand by their means in a plain column.
func TestSheetOfEstimates(t *testing.T) {
	s := NewSheet("times", "method:method seconds±/s.3 ratio~/.2 mean/%_of_time.1 same")
	rows := []cell{{"bsp", Sample{2, 4}}, {"asp", Sample{7}}, {"", nil}}
	of := func(c cell) Estimate { return c.sample.Mean() }
	for _, c := range rows {
		s.Add(c.method, of(c), of(c), of(c), len(c.sample) > 1)
	}
	want := Frame("times", rows, Word("method", "method", func(c cell) string { return c.method }), Half("seconds", "s", 3, of),
		Interval("ratio", "", 2, of), Mean("mean", "% of time", 1, of), Flag("same", func(c cell) bool { return len(c.sample) > 1 }))
	if !reflect.DeepEqual(s.Frame, want) {
		t.Errorf("%+v, want %+v", s.Frame, want)
	}
	curve := NewSheet("curve", "seed accuracy~/%.1").Plain()
	curve.Add(1, Sample{2, 4}.Mean())
	if len(curve.Columns) != 4 || curve.Columns[3].Bound != result.High || len(curve.Rows[0]) != 4 {
		t.Errorf("%+v", curve.Frame)
	}
}

func TestFactsInPairs(t *testing.T) {
	one := 1
	want := []result.Fact{{Key: "rows", Value: 3}, {Key: "share", Value: 12.5, Unit: "%", Digits: &one}, {Key: "right", Value: true, Enum: "bool"},
		{Key: "gain", Value: "none", Enum: "gain"}, {Key: "least", Value: nil}}
	if got := Facts("rows", 3, "share/%.1", 12.5, "right", true, "gain:gain", "none", "least", math.Inf(1)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

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
	if wanted := []result.Fact{Counted("n.least", "", 3), fact("half", "s", 2, of(rows[0])), Whether("yes", true), Finding("who", "case", "a"),
		fact("none", "", AsIs, of(rows[2]))}; !reflect.DeepEqual(facts, wanted) {
		t.Errorf("got\n%+v\nwant\n%+v", facts, wanted)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row with too few cells passes")
		}
	}()
	Rows("f", "a b", rows, func(row) []any { return []any{1} })
}
