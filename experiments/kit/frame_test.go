package kit

import (
	"math"
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
	many := Fact("ratio", "", 3, Sample{1, 3}.Mean())
	if many.Value != 2.0 || many.N != 2 || many.CI95 == nil || len(many.Samples) != 2 || *many.Digits != 3 {
		t.Errorf("two seeds: %+v", many)
	}
	if one := Fact("ratio", "s", AsIs, Sample{1}.Mean()); one.Value != 1.0 || one.N != 1 || one.CI95 != nil ||
		one.Samples != nil || one.Digits != nil || one.Unit != "s" {
		t.Errorf("one seed: %+v", one)
	}
	if none := Fact("ratio", "s", 1, Estimate{}); none.Value != nil || none.N != 0 {
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
