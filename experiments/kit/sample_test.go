package kit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/claims"
)

// near compares to 9 digits, as files do.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func wantEstimate(t *testing.T, what string, e Estimate, value, lo, hi float64, n int) {
	t.Helper()
	if e.CI == nil || !near(e.Value, value) || !near(e.CI[0], lo) || !near(e.CI[1], hi) || e.N != n {
		t.Errorf("%s: %+v %v, want %.10g [%.10g, %.10g] of %d", what, e, e.CI, value, lo, hi, n)
	}
}

// Of 1, 2, 3 the mean is 2, the deviation 1 and Student's quantile of two degrees of
// freedom 4.30265273, so that half of the interval is 4.30265273/√3.
func TestMean(t *testing.T) {
	half := 4.302652729911275 / math.Sqrt(3)
	e := Sample{1, 2, 3}.Mean()
	wantEstimate(t, "mean", e, 2, 2-half, 2+half, 3)
	if !near(e.Half(), half) || !slices.Equal(e.Samples, Sample{1, 2, 3}) {
		t.Errorf("half %g of samples %v, want %g", e.Half(), e.Samples, half)
	}
	wantEstimate(t, "a thousand times", e.Times(1e3), 2000, 1e3*(2-half), 1e3*(2+half), 3)
	wantEstimate(t, "clamped", e.Clamp(1, 4), 2, 1, 4, 3)
	wantEstimate(t, "not clamped twice", e, 2, 2-half, 2+half, 3)
	if got := e.Times(1e3).Samples; !slices.Equal(got, Sample{1000, 2000, 3000}) {
		t.Errorf("samples times 1000 are %v", got)
	}
	one := Sample{5}.Mean()
	if one.Value != 5 || one.CI != nil || one.N != 1 || !math.IsNaN(one.Half()) {
		t.Errorf("one seed: %+v", one)
	}
	if none := (Sample{}).Mean(); none.N != 0 || none.CI != nil || !math.IsNaN(none.Half()) {
		t.Errorf("no seed: %+v", none)
	}
}

// The ratios of 1, 8 to 2, 4 are 1/2 and 2: their geometric mean is 1, the logarithms are
// ∓ln 2, so half of their interval is Student's 12.7062047 of one degree times ln 2.
func TestOver(t *testing.T) {
	half := 12.706204736174694 * math.Ln2
	e := Sample{1, 8}.Over(Sample{2, 4})
	wantEstimate(t, "ratio", e, 1, math.Exp(-half), math.Exp(half), 2)
	if !slices.Equal(e.Samples, Sample{0.5, 2}) {
		t.Errorf("ratios %v", e.Samples)
	}
	saved := e.Saved()
	wantEstimate(t, "saved", saved, 0, 100*(1-math.Exp(half)), 100*(1-math.Exp(-half)), 2)
	if !slices.Equal(saved.Samples, Sample{50, -100}) {
		t.Errorf("saved per seed %v", saved.Samples)
	}
	wantEstimate(t, "of equal ratios", Sample{2, 4}.Over(Sample{1, 2}), 2, 2, 2, 2)
	wantEstimate(t, "arithmetic", Sample{1, 8}.Ratio(Sample{2, 4}), 1.25, 1.25-12.706204736174694*0.75, 1.25+12.706204736174694*0.75, 2)
	wantEstimate(t, "difference", Sample{3, 7}.Minus(Sample{1, 1}), 4, 4-12.706204736174694*2, 4+12.706204736174694*2, 2)
	if one := (Sample{1}).Over(Sample{4}); one.Value != 0.25 || one.CI != nil || one.N != 1 {
		t.Errorf("one seed: %+v", one)
	}
	for name, none := range map[string]Estimate{"unpaired": Sample{1, 2}.Over(Sample{1}), "nothing": Sample(nil).Over(nil),
		"unpaired difference": Sample{1, 2}.Minus(Sample{1}), "no difference": Sample(nil).Minus(nil), "unpaired mean": Sample{1, 2}.Ratio(Sample{1})} {
		if none.N != 0 || none.Value != 0 || none.CI != nil {
			t.Errorf("%s: %+v", name, none)
		}
	}
}

// A sample is empty where one of its seeds has no number.
func TestEach(t *testing.T) {
	double := func(x float64) float64 { return 2 * x }
	if got := Each([]float64{1, 2}, double); !slices.Equal(got, Sample{2, 4}) {
		t.Errorf("twice 1, 2 is %v", got)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := Each([]float64{1, bad}, double); len(got) != 0 {
			t.Errorf("with %g: %v", bad, got)
		}
	}
	if got := (Sample{4, 9}).Map(math.Sqrt); !slices.Equal(got, Sample{2, 3}) {
		t.Errorf("roots of 4 and 9 are %v", got)
	}
	if got := (Sample{1, 0}).Map(math.Log); len(got) != 0 {
		t.Errorf("the logarithm of 0 is a number: %v", got)
	}
}

func TestAgainst(t *testing.T) {
	for _, c := range []struct {
		e        Estimate
		want     string
		excludes bool
	}{
		{Estimate{}, "none", false},
		{Estimate{Value: 2, N: 1}, "alone", true},
		{Estimate{Value: 1, N: 1}, "alone", false},
		{Estimate{Value: 2, N: 3, CI: &[2]float64{1.5, 2.5}}, "above", true},
		{Estimate{Value: 0.5, N: 3, CI: &[2]float64{0.25, 0.75}}, "below", true},
		{Estimate{Value: 2, N: 3, CI: &[2]float64{0.5, 3.5}}, "undecided", false},
		{Estimate{Value: 2, N: 3, CI: &[2]float64{1, 3}}, "undecided", false},
		{Estimate{Value: 0.5, N: 3, CI: &[2]float64{0, 1}}, "undecided", false},
	} {
		if got := c.e.Against(1); got != c.want || c.e.Excludes(1) != c.excludes {
			t.Errorf("%+v %v against 1: %s, excludes %t", c.e, c.e.CI, got, c.e.Excludes(1))
		}
	}
}

func TestLists(t *testing.T) {
	list := []int{3, 1, 2}
	if got := Map(list, func(x int) string { return string(rune('a' + x)) }); !slices.Equal(got, []string{"d", "b", "c"}) {
		t.Errorf("mapped to %v", got)
	}
	if lo, hi := Extent(list, func(x int) float64 { return -float64(x) }); lo != -3 || hi != -1 {
		t.Errorf("from %g to %g, want −3 to −1", lo, hi)
	}
	if n := CountIf(list, func(x int) bool { return x > 1 }); n != 2 {
		t.Errorf("%d above 1, want 2", n)
	}
	if x, none := Largest(list, func(x int) int64 { return int64(x) }), Largest(nil, func(int) int64 { return 1 }); x != 3 || none != 0 {
		t.Errorf("the largest is %d, of none %d", x, none)
	}
}

func TestFind(t *testing.T) {
	if x := Find([]int{1, 4, 5}, func(x int) bool { return x > 3 }); x != 4 {
		t.Errorf("found %d, want 4", x)
	}
	defer func() {
		if recover() == nil {
			t.Error("nothing found, and nothing told")
		}
	}()
	Find([]int{1}, func(x int) bool { return x > 3 })
}

func TestNumbersThatAreNone(t *testing.T) {
	if x := ShareOf(1, 4); x != 25 || !math.IsNaN(ShareOf(1, 0)) || OnlyIf(true, 2) != 2 || !math.IsNaN(OnlyIf(false, 2)) {
		t.Errorf("1 of 4 is %g %%", x)
	}
	defer func() {
		if recover() == nil {
			t.Error("an error did not panic")
		}
	}()
	if Must(1, nil) != 1 {
		t.Error("Must changed its value")
	}
	Must(1, errors.New("broken"))
}

// The committed numbers of seeds were made by another program, from the effect and the standard deviation 0.17 that
// claims' seeds.csv states beside them, rounded.
func TestSeedsToDecide(t *testing.T) {
	for _, c := range []struct {
		id    string
		saved float64
	}{{"D21", 0.059}, {"D22", 0.035}, {"D25", 0.018}, {"D26", 0.049}} {
		if got, want := seedsFor(-math.Log(1-c.saved), 0.17), claims.SeedsFor(c.id); got < want-1 || got > want+1 {
			t.Errorf("%s: %d seeds, declared were %d", c.id, got, want)
		}
	}
	// By hand: samples e^0.1 and e^0.3 have m = 0.2 and s = 0.141421; n = 6 gives 0.2·√6/s = 3.464 ≥ 2.5706 + 0.9195 = 3.490? no; n = 7 does.
	if got := (Sample{math.Exp(0.1), math.Exp(0.3)}).Over(Sample{1, 1}).SeedsToDecide(); got != 7 {
		t.Errorf("%d seeds, want 7", got)
	}
	if got := (Sample{2}).Over(Sample{1}).SeedsToDecide(); got != 0 {
		t.Errorf("one seed: %d seeds", got)
	}
	if got := (Sample{1, 1}).Over(Sample{1, 1}).SeedsToDecide(); got != 0 {
		t.Errorf("no effect: %d seeds", got)
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		highest float64
		want    []float64
	}{{0.75, []float64{0.55, 0.6, 0.65, 0.7, 0.75}}, {0.2, []float64{0.12, 0.14, 0.16, 0.18, 0.2}}, {0.5, []float64{0.3, 0.35, 0.4, 0.45, 0.5}}} {
		if got := TargetsUpTo(c.highest); !slices.Equal(got, c.want) {
			t.Errorf("up to %g: %v, want %v", c.highest, got, c.want)
		}
	}
}
