package codedsgd_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gradsync/papers/codedsgd"
)

// "0x7FFFFFFF is 10, 0x80000001 is −10, equal intervals": the ends, the step, and half
// a step of error for every float32 in range, exactly in rational terms: 2.33e-9.
func TestSection31FixedPointOnTheRange(t *testing.T) {
	src := []float32{10, -10, 0, float32(math.Copysign(0, -1)), 5}
	got := make([]int32, len(src))
	saturated, notFinite := codedsgd.Quantise(got, src, 10)
	if want := []int32{0x7FFFFFFF, -0x7FFFFFFF, 0, 0, 1 << 30}; !slices.Equal(got, want) || saturated+notFinite != 0 {
		t.Errorf("%v became %v, want %v; %d saturated, %d not finite", src, got, want, saturated, notFinite)
	}
	check := func(t interface{ Errorf(string, ...any) }, v float32, limit float64) {
		var q [1]int32
		if s, bad := codedsgd.Quantise(q[:], []float32{v}, limit); s+bad > 0 {
			t.Errorf("%g at %g: saturated", v, limit)
		}
		back := codedsgd.Dequantise(int64(q[0]), limit)
		if d := math.Abs(back - float64(v)); d > limit/codedsgd.Top/2*(1+1e-6) {
			t.Errorf("%g at range %g became %d, which is %g: off by %g", v, limit, q[0], back, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]float64{10, 1, 0.3, 160}).Draw(t, "limit")
		check(t, float32(rapid.Float64Range(-limit*0.9999999, limit*0.9999999).Draw(t, "v")), limit)
	})
	if half := 10. / codedsgd.Top / 2; half > 2.33e-9 || half < 2.32e-9 {
		t.Errorf("half a step is %g", half)
	}
}

// Out of range is the range's end, and counted; NaN is 0, infinities the ends, and counted apart.
func TestSection31SaturatesAndCounts(t *testing.T) {
	inf := float32(math.Inf(1))
	src := []float32{10.000001, -11, 3e38, inf, -inf, float32(math.NaN()), 1}
	got := make([]int32, len(src))
	saturated, notFinite := codedsgd.Quantise(got, src, 10)
	want := []int32{codedsgd.Top, -codedsgd.Top, codedsgd.Top, codedsgd.Top, -codedsgd.Top, 0, 214748365}
	if !slices.Equal(got, want) || saturated != 3 || notFinite != 3 {
		t.Errorf("%v became %v, want %v; %d saturated, %d not finite", src, got, want, saturated, notFinite)
	}
}

// Six blocks of 2.0 are 12.0; in int32 they would be −8.0.
func TestEquation17SumsAreWide(t *testing.T) {
	fixed, sum, narrow := make([]int32, 1), make([]int64, 1), int32(0)
	codedsgd.Quantise(fixed, []float32{2}, 10)
	for range 6 {
		codedsgd.Accumulate(sum, fixed)
		narrow += fixed[0]
	}
	if v := codedsgd.Dequantise(sum[0], 10); math.Abs(v-12) > 1e-7 {
		t.Errorf("the sum is %g", v)
	}
	if v := codedsgd.Dequantise(int64(narrow), 10); math.Abs(v+8) > 1e-7 {
		t.Errorf("in int32 the sum is %g, and the test shows nothing", v)
	}
}

// w ← w − η·(Σ/|F_j| + λ·w), of exact numbers exactly, else of the float64 value the nearest float32.
func TestEquation4StepOfDescent(t *testing.T) {
	w := []float32{1, -0.5}
	codedsgd.Update(w, []int64{codedsgd.Top, -3 * codedsgd.Top}, 8, 16, 0.5, 0.25)
	// gradients 8/16 and −24/16, decay 0.25 and −0.125, half of that off
	if want := []float32{1 - 0.5*(0.5+0.25), -0.5 + 0.5*(1.5+0.125)}; !slices.Equal(w, want) {
		t.Errorf("%v, want %v", w, want)
	}
	before := []float32{0.1, 0.1}
	w = slices.Clone(before)
	codedsgd.Update(w, []int64{0, 1}, 10, 1, 0.3, 0)
	if !slices.Equal(w, before) {
		t.Errorf("a step of 1.4e-9 moved %v to %v", before, w)
	}
}
