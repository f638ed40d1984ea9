package codec

import (
	"testing"
	"time"

	"gradsync/shared/tensor/vec"
)

// Every codec once in the order of IDs, then the passes; rates between a byte a
// nanosecond's thousandth and what no memory reaches; the budget is about kept.
func TestMeasure(t *testing.T) {
	begin := time.Now()
	got := Measure(0.1, 50*time.Millisecond)
	if took := time.Since(begin); took < 50*time.Millisecond || took > 20*time.Second {
		t.Errorf("measured for %v", took)
	}
	var want []string
	for _, c := range All() {
		want = append(want, c.Name())
	}
	want = append(want, Count, Convert, Copy)
	if len(got) != len(want) {
		t.Fatalf("%+v, want %v", got, want)
	}
	plausible := func(v float64) bool { return v > 1e6 && v < 1e13 }
	for i, r := range got {
		codec := i < len(want)-3
		if r.Name != want[i] || !plausible(r.Encode) || plausible(r.Decode) != codec || plausible(r.Accumulate) != codec || !codec && r.Decode+r.Accumulate != 0 {
			t.Errorf("%+v, want %s", r, want[i])
		}
	}
}

// What is measured does something: the density is that asked, and a conversion
// there and back gives the gradient.
func TestMeasuredWork(t *testing.T) {
	x := testVector(100_000, 0.1)
	if n := vec.CountNonzero(x); n < 9_700 || n > 10_300 {
		t.Errorf("%d of 100,000 elements are not +0, want about 10,000", n)
	}
	out := make([]float32, 2)
	if convert(out, []float32{1, 2}, []float32{4, 0}, 3, 0.5); out[0] != 1 || out[1] != 6 {
		t.Errorf("3·W0 − 0.5·g = %v, want 1 and 6", out)
	}
}
