package codec

import (
	"testing"
	"time"

	"gradsync/shared/tensor/vec"
)

// Every codec once in the order of IDs, then the passes, each at the rate of its fastest round: on a clock on which each
// look takes longer than the one before, that is the first round's. Rounds go on until the budget is over.
func TestMeasure(t *testing.T) {
	defer func() { now = time.Now }()
	const tick, passes = time.Microsecond, 15 // three of each codec, and three that are none
	looks, clock := 0, time.Time{}
	now = func() time.Time {
		looks++
		clock = clock.Add(time.Duration(looks) * tick)
		return clock
	}
	got := Measure(0.1, 50*time.Millisecond)
	// k looks take k(k+1)/2 µs, 50 ms are 316. One is the beginning, two a pass, one before each round but the first three, and
	// one ends them: after ten rounds 310 are too few.
	if want := 1 + 11*2*passes + 11 - 3 + 1; looks != want {
		t.Errorf("%d looks at the clock, want %d: rounds until 50 ms are over", looks, want)
	}
	var want []string
	for _, c := range All() {
		want = append(want, c.Name())
	}
	want = append(want, Count, Convert, Copy)
	if len(got) != len(want) {
		t.Fatalf("%+v, want %v", got, want)
	}
	pass := 0
	rate := func() float64 { // of the first round: looks 2, then 3 and 4, 5 and 6 …
		pass++
		return 4 * measured / (time.Duration(2+2*(pass-1)+1) * tick).Seconds()
	}
	for i, r := range got {
		w := Rate{Name: want[i], Encode: rate()}
		if i < len(want)-3 {
			w.Decode, w.Accumulate = rate(), rate()
		}
		if r != w {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	if pass != passes {
		t.Errorf("%d passes, want %d", pass, passes)
	}
}

// What is measured does something: the density is that asked, and a conversion there and back gives the gradient.
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
