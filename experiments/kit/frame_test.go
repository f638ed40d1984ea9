package kit

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
)

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
	columns := "method:method runs many:bool seconds±/s.3 plain/%_of_time first/%_of_time.0 any"
	f := Rows("times", columns, rows, func(c cell) []any {
		first := math.NaN()
		if len(c.sample) > 0 {
			first = c.sample[0]
		}
		return []any{c.method, len(c.sample), len(c.sample) > 1, c.sample.Mean(), c.sample.Mean(), first, nil}
	})
	half := 12.706204736174694
	wantColumns := []string{"method", "runs", "many", "seconds", "seconds_half half", "seconds_samples samples",
		"plain", "first", "any"}
	if diff := cmp.Diff(wantColumns, columnsOf(f)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	want := [][]any{{"bsp", 2, true, 3.0, half, []any{2.0, 4.0}, 3.0, 2.0, nil}, {"asp", 1, false, 7.0, nil, nil, 7.0, 7.0, nil},
		{nil, 0, false, nil, nil, nil, nil, nil, nil}}
	if diff := cmp.Diff(want, f.Rows, cmp.Comparer(near)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, d := range f.Columns[3:6] {
		if d.Unit != "s" || d.Digits == nil || *d.Digits != 3 {
			t.Errorf("column %+v, want seconds of three decimals", d)
		}
	}
	if c, d := f.Columns[6], f.Columns[7]; c.Digits != nil || c.Unit != "% of time" ||
		*d.Digits != 0 || d.Unit != "% of time" || f.Columns[0].Enum != "method" || f.Columns[2].Enum != "bool" {
		t.Errorf("columns %+v", f.Columns)
	}
	empty := Rows[cell]("none", "x~/.1", nil, nil)
	if empty.Rows == nil || len(empty.Columns) != 4 {
		t.Errorf("a frame without rows is %+v", empty)
	}
}

// A key that ends in "~" has both ends; Plain leaves out the samples, and nothing else.
func TestIntervalAndPlain(t *testing.T) {
	rows := []cell{{"bsp", Sample{2, 4}}, {"asp", Sample{7}}}
	f, plain := NewSheet("x", "x~/%.1 w:e"), NewSheet("x", "x~/%.1 w:e").Plain()
	for _, c := range rows {
		f.Add(c.sample.Mean(), c.method)
		plain.Add(c.sample.Mean(), c.method)
	}
	wantColumns := []string{"x", "x_lo lo", "x_hi hi", "x_samples samples", "w"}
	if diff := cmp.Diff(wantColumns, columnsOf(f.Frame)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"x", "x_lo lo", "x_hi hi", "w"}, columnsOf(plain.Frame)); diff != "" {
		t.Errorf("plain columns (-want +got):\n%s", diff)
	}
	lo, hi := 3-12.706204736174694, 3+12.706204736174694
	want := [][]any{{3.0, lo, hi, []any{2.0, 4.0}, "bsp"}, {7.0, nil, nil, nil, "asp"}}
	if diff := cmp.Diff(want, f.Rows, cmp.Comparer(near)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	want = [][]any{{3.0, lo, hi, "bsp"}, {7.0, nil, nil, "asp"}}
	if diff := cmp.Diff(want, plain.Rows, cmp.Comparer(near)); diff != "" {
		t.Errorf("plain rows (-want +got):\n%s", diff)
	}
}

func TestFacts(t *testing.T) {
	fact := func(column string, x any) result.Fact { return Facts(column, x)[0] }
	many := fact("ratio/.3", Sample{1, 3}.Mean())
	if many.Value != 2.0 || many.N != 2 || many.CI95 == nil || len(many.Samples) != 2 || *many.Digits != 3 {
		t.Errorf("two seeds: %+v", many)
	}
	if one := fact("ratio/s", Sample{1}.Mean()); one.Value != 1.0 || one.N != 1 || one.CI95 != nil ||
		one.Samples != nil || one.Digits != nil || one.Unit != "s" {
		t.Errorf("one seed: %+v", one)
	}
	if none := fact("ratio/s.1", Estimate{}); none.Value != nil || none.N != 0 {
		t.Errorf("no number: %+v", none)
	}
	if x := fact("x/s.0", math.Inf(1)); x.Value != nil || *x.Digits != 0 {
		t.Errorf("an infinite number: %+v", x)
	}
	if x := fact("n/rank", 5); x.Value != 5 || x.Digits != nil || x.Unit != "rank" {
		t.Errorf("a count: %+v", x)
	}
	if x := fact("side:against", "above"); x.Value != "above" || x.Enum != "against" {
		t.Errorf("a finding: %+v", x)
	}
	if x := fact("missed", false); x.Value != false || x.Enum != "bool" {
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

func TestFactsInPairs(t *testing.T) {
	one := 1
	want := []result.Fact{{Key: "rows", Value: 3}, {Key: "share", Value: 12.5, Unit: "%", Digits: &one}, {Key: "right", Value: true, Enum: "bool"},
		{Key: "gain", Value: "none", Enum: "gain"}, {Key: "least", Value: nil}}
	if got := Facts("rows", 3, "share/%.1", 12.5, "right", true, "gain:gain", "none", "least", math.Inf(1)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
