package kit

import (
	"math"
	"reflect"
	"testing"

	"gradsync/experiments/result"
)

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
