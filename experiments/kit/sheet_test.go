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

func TestFactsInPairs(t *testing.T) {
	one := 1
	want := []result.Fact{{Key: "rows", Value: 3}, {Key: "share", Value: 12.5, Unit: "%", Digits: &one}, {Key: "right", Value: true, Enum: "bool"},
		{Key: "gain", Value: "none", Enum: "gain"}, {Key: "least", Value: nil}}
	if got := Facts("rows", 3, "share/%.1", 12.5, "right", true, "gain:gain", "none", "least", math.Inf(1)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// Estimates bring their bounds as Half and Interval do, and a plain column their number alone.
func TestSheetOfEstimates(t *testing.T) {
	type row struct{ e Estimate }
	rows := []row{{Sample{1, 2, 3}.Mean()}, {Sample{4}.Mean()}, {}}
	of := func(r row) Estimate { return r.e }
	s := NewSheet("f", "mean/s half±/s.1 interval~/%.2 last")
	for _, r := range rows {
		s.Add(r.e, r.e, r.e, 7)
	}
	want := Frame("f", rows, Mean("mean", "s", AsIs, of), Half("half", "s", 1, of), Interval("interval", "%", 2, of), Count("last", "", func(row) int { return 7 }))
	if !reflect.DeepEqual(s.Frame, want) {
		t.Errorf("%+v, want %+v", s.Frame, want)
	}
	f := Facts("gap/%.1", rows[0].e, "none", Estimate{})
	if f[0].CI95 == nil || f[0].N != 3 || len(f[0].Samples) != 3 || *f[0].Digits != 1 || f[1].Value != nil {
		t.Errorf("%+v", f)
	}
}
