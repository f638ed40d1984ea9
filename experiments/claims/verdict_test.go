package claims

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/experiments/result"
)

func ci(lo, hi float64) []*[2]float64 { return []*[2]float64{{lo, hi}} }

var data = []result.Reason{result.Because("data", "used", "fashion-mnist")}

// rule is one row: what was found of a claim, the verdict, and the codes of its reasons.
type rule struct {
	name, id string
	f        Found
	want     string
	codes    []string
}

var stated, other, reading = result.Because(AsStated), result.Because("tie", "to", "gradients"), result.Because("axis")

var tight, wide, high = &[2]float64{0.825, 0.8805}, &[2]float64{0.5, 1.5}, &[2]float64{1.1, 1.3}

func one(x float64) Found { return Found{Values: []float64{x}} }

func over(x float64, ci []*[2]float64, differs ...result.Reason) Found {
	return Found{Values: []float64{x}, CI95: ci, Seeds: 3, Differs: differs}
}

func ratios(xs []float64, noCase []bool, ci ...*[2]float64) Found {
	return Found{Values: xs, CI95: ci, NoCase: noCase, Seeds: 3}
}

func with(f Found, change func(*Found)) Found { change(&f); return f }

func missing(f *Found) { f.Missing = []result.Reason{result.Because("untrained")} }
func input(f *Found)   { f.Input = true }
func noCase(f *Found)  { f.NoCase = []bool{true} }
func depends(f *Found) { f.Readings = &Readings{dependsOnReading, reading} }

func ends(f *Found) { f.Range = &[2]float64{650, 700} }

func signs(s ...string) func(*Found) { return func(f *Found) { f.Signs = s } }

func sign(s string) func(*Found) { return func(f *Found) { f.Signs = []string{s} } }

// firstRules returns the order of judging, and what stands before undecided.
func firstRules() []rule {
	all := with(with(with(with(over(82.1, ci(-1, 90)), missing), input), noCase), depends)
	return []rule{
		// The order: each rule stands before all below it.
		{"1 not run is first", "D13", all, NotRun, []string{"untrained"}},
		{"2 then input", "D13", with(all, func(f *Found) { f.Missing = nil }), Input, nil},
		{"3 then no case", "D13", with(all, func(f *Found) { f.Missing, f.Input = nil, false }), NoCase, []string{"same-run"}},
		{"4 then depends", "D13", with(over(82.1, ci(-1, 90)), depends), dependsOnReading, []string{"axis"}},
		{"5 then undecided, though it is equal", "D13", over(82.1, ci(-1, 90)), Undecided, []string{"ci-contains-null"}},
		{"6 then equal", "D13", over(82.1, ci(80, 84)), Equal, nil},
		{"7 then within", "D13", over(77.2, ci(77.15, 80)), Within, nil},
		{"8 then the same sign, though it is within: its interval leaves the tolerance", "D13", over(77.2, ci(70, 80)), SameSign,
			[]string{"ci-over-margin"}},
		{"8 then the same sign", "D13", over(12, ci(3, 20)), SameSign, []string{"gap"}},
		{"9 then what differs", "D13", over(-12, ci(-20, -3)), Differs, []string{"other-side"}},

		{"nothing measured", "D13", Found{}, NotRun, []string{"no-value-measured"}},
		{"not finite", "D13", one(math.NaN()), NotRun, []string{"not-finite"}},

		{"input that is the stated number", "D41", with(one(6), input), Input, nil},
		{"input that is another number", "D41", with(one(7), input), Input, []string{"gap"}},
		{"input in words", "P05", Found{Words: &stated, Input: true}, Input, nil},
		{"input in other words", "P05", Found{Words: &other, Input: true}, Input, []string{"other-words"}},

		{"the same run, whatever the seeds", "D13", with(over(0, ci(0, 0)), noCase), NoCase, []string{"same-run"}},
		{"a list without a case", "D42", ratios([]float64{1, 1, 1}, []bool{true, true, true}, wide, wide, wide), NoCase, []string{"same-run"}},
		{"one number without a case counts neither way", "D42", ratios([]float64{0.84, 1, 0.88}, []bool{false, true, false}, tight, wide, tight), Within, nil},
		{"nor does it save the others", "D42", ratios([]float64{1.2, 1, 0.88}, []bool{false, true, false}, high, wide, tight), Differs, []string{"other-side"}},
		{"words without a case", "D38", Found{Finding: NoCase, Seeds: 3}, NoCase, []string{"same-run"}},
	}
}

// openRules returns what seeds leave undecided.
func openRules() []rule {
	return []rule{
		{"undecided, the stated side", "D13", over(12, ci(-1, 20)), Undecided, []string{"ci-contains-null"}},
		{"undecided, the other side", "D13", over(-12, ci(-30, 1)), Undecided, []string{"ci-contains-null"}},
		{"undecided, on the null", "D13", over(0, ci(-3, 3)), Undecided, []string{"ci-contains-null"}},
		{"undecided inside the tolerance", "D13", over(80, ci(-5, 90)), Undecided, []string{"ci-contains-null"}},
		{"an interval that ends at the null", "D13", over(12, ci(0, 20)), Undecided, []string{"ci-contains-null"}},
		{"an interval of no width at the null decides", "D13", over(0, ci(0, 0)), Differs, []string{"no-difference"}},
		{"one seed has no interval", "D13", Found{Values: []float64{12}, Seeds: 1}, Undecided, []string{"one-seed"}},
		{"nor on the other side", "D13", Found{Values: []float64{-12}, Seeds: 1}, Undecided, []string{"one-seed"}},
		{"several seeds without an interval", "D13", over(12, nil), Undecided, []string{"no-interval"}},
		{"one seed of a number without a null", "C07", Found{Values: []float64{81}, Seeds: 1}, Undecided, []string{"one-seed"}},
		{"several seeds of it without an interval", "C07", over(82, nil), Undecided, []string{"no-interval"}},
		{"its interval inside the tolerance", "C07", over(81, ci(80, 82)), Within, nil},
		{"to both ends", "C07", over(82, ci(79, 85)), Equal, nil},
		{"over an end, the estimate inside", "C07", over(81, ci(78, 84)), Undecided, []string{"ci-over-margin"}},
		{"over an end, the estimate outside", "C07", over(78, ci(74, 82)), Undecided, []string{"ci-over-margin"}},
		{"around the tolerance", "C07", over(82, ci(60, 99)), Undecided, []string{"ci-over-margin"}},
		{"its interval outside", "C07", over(70, ci(66, 74)), Differs, []string{"gap"}},
		{"inside, on other data", "C07", over(81, ci(80, 82), data...), SameSign, []string{"capped"}},
		{"outside, on other data", "C07", over(70, ci(66, 74), data...), Differs, []string{"gap"}},
		{"over an end, on other data", "C07", over(81, ci(78, 84), data...), Undecided, []string{"ci-over-margin"}},
		{"a whole number in every seed", "C10", over(3, ci(3, 3)), Equal, nil},
		{"a whole number in most seeds", "C10", over(3, ci(2.2, 3.6)), Undecided, []string{"ci-over-margin"}},
		{"another whole number", "C10", over(2, ci(2, 2)), Differs, []string{"gap"}},
		{"a number without seeds needs none", "D13", one(12), SameSign, []string{"gap", "deterministic"}},
		{"undecided before capped", "D11", over(5, ci(-1, 11), data...), Undecided, []string{"ci-contains-null"}},
		{"a sign test that is open", "D13", with(over(12, ci(3, 20)), sign(Undecided)), Undecided, []string{"sign-test-open"}},
		{"a sign test in place of the interval", "D13", with(over(12, ci(-1, 20)), sign(Above)), SameSign, []string{"sign-test"}},
		{"a sign test leaves the size open", "D13", with(over(82.1, ci(80, 84)), sign(Above)), SameSign, []string{"sign-test"}},
		{"a sign test against the estimate", "D13", with(over(12, ci(3, 20)), sign(Below)), Differs, []string{"other-side"}},
	}
}

// lastRules returns the rules of numbers that are decided, of lists and of words.
func lastRules() []rule {
	return []rule{
		{"equal", "D13", one(82.1), Equal, []string{"deterministic"}},
		{"equal to 1e-9", "D13", one(82.1 * (1 + 0.9e-9)), Equal, []string{"deterministic"}},
		{"no longer equal", "D13", one(82.1 * (1 + 2e-9)), Within, []string{"deterministic"}},
		{"a count", "D41", one(6), Equal, []string{"deterministic"}},
		{"wrong count", "D41", one(7), Differs, []string{"gap", "deterministic"}},
		{"beyond the tolerance", "D13", one(77), SameSign, []string{"gap", "deterministic"}},
		{"other side", "D13", one(-12), Differs, []string{"other-side", "deterministic"}},
		{"on the null", "D13", one(0), Differs, []string{"no-difference", "deterministic"}},
		{"cap of equal", "D13", over(82.1, ci(80, 84), data...), SameSign, []string{"capped"}},
		{"cap of within", "D11", over(5, ci(4, 6), data...), SameSign, []string{"capped"}},
		{"worse than its cap", "D21", with(over(-0.1, nil, data...), func(f *Found) { f.Seeds = 0 }), Differs, []string{"other-side", "deterministic"}},
		{"cap of a count", "D41", with(over(6, nil, data...), func(f *Found) { f.Seeds = 0 }), SameSign, []string{"capped", "deterministic"}},

		// A claim that lists numbers has the worst verdict among them.
		{"list within", "D42", ratios([]float64{0.84, 0.85, 0.88}, nil, tight, tight, tight), Within, nil},
		{"undecided beside what holds", "D42", ratios([]float64{0.831, 0.8437, 0.95}, nil, tight, tight, wide), Undecided, []string{"ci-contains-null"}},
		{"what differs beside undecided", "D42", ratios([]float64{0.831, 1.2, 0.95}, nil, tight, high, wide), Differs, []string{"other-side"}},
		{"its order does not matter", "D42", ratios([]float64{0.95, 1.2, 0.831}, nil, wide, high, tight), Differs, []string{"other-side"}},
		{"a sign test of one number, intervals of the others", "D42", with(ratios([]float64{0.831, 0.84, 0.872}, nil, tight, nil, tight), signs("", Below,
			"")), SameSign, []string{"sign-test"}},
		{"one sign test is open", "D42", with(ratios([]float64{0.831, 0.84, 0.872}, nil, tight, nil, tight), signs("", Undecided, "")), Undecided,
			[]string{"sign-test-open"}},
		{"one sign test is on the other side", "D42", with(ratios([]float64{0.831, 0.84, 0.872}, nil, tight, nil, wide), signs("", Above, "")), Differs,
			[]string{"other-side"}},
		{"list of another length", "D42", one(0.831), Differs, []string{"other-count"}},

		{"inside a stated range", "B14", with(over(680, ci(670, 690)), ends), Within, nil},
		{"to its ends", "B14", with(over(675, ci(650, 700)), ends), Within, nil},
		{"inside it, on other data", "B14", with(over(680, ci(670, 690), data...), ends), SameSign, []string{"capped"}},
		{"over an end of it", "B14", with(over(680, ci(640, 720)), ends), Undecided, []string{"ci-over-range"}},
		{"outside it", "B14", with(over(566, ci(560, 571)), ends), Differs, nil},
		{"one seed inside it", "B14", with(Found{Values: []float64{680}, CI95: []*[2]float64{nil}, Seeds: 1}, ends), Undecided, []string{"one-seed"}},

		{"words as stated", "P05", Found{Words: &stated}, Equal, nil},
		{"words capped", "P05", Found{Words: &stated, Differs: data}, SameSign, []string{"capped"}},
		{"other words", "P05", Found{Words: &other}, Differs, []string{"other-words"}},
		{"in words, holds", "D40", Holding(true, 3, nil), Holds, []string{"holds"}},
		{"in words, fails", "D40", Holding(false, 3, nil), Differs, []string{"does-not-hold"}},
		{"in words, open", "D40", Found{Finding: Undecided, Seeds: 3}, Undecided, []string{"open-parts"}},
		{"one seed contradicts", "D40", Holding(false, 1, &other), Differs, []string{"does-not-hold", "one-seed"}},
		{"one seed shows nothing", "D40", Holding(true, 1, &other), Undecided, []string{"one-seed"}},
		{"no seeds at all", "D40", Holding(true, 0, nil), Holds, []string{"holds"}},
		{"notes come last", "D13", with(over(82.1, ci(80, 84)), func(f *Found) { f.Notes = data }), Equal, []string{"data"}},
	}
}

// TestVerdict walks every rule, in the order of judging. The documents' numbers are rows of
// claims.csv: D13 states 82.1 % (tolerance 5, null 0), D15 1.5 % (0.75, 0), D21 5.9 % (2.95, 0),
// D41 6 workers, D42 the ratios 0.831; 0.8437; 0.8720 (0.05, 1).
func TestVerdict(t *testing.T) {
	for _, test := range slices.Concat(firstRules(), openRules(), lastRules()) {
		got := Verdict(test.id, test.f)
		var codes []string
		for _, r := range got.Reasons {
			codes = append(codes, r.Code)
		}
		if got.Verdict != test.want || !slices.Equal(codes, test.codes) {
			t.Errorf("%s: %s because %v, want %s because %v", test.name, got.Verdict, codes, test.want, test.codes)
		}
	}
}

// Numbers drawn at random are judged the same with all signs turned round; no verdict is stronger
// than the interval; and the worst number of a list is the claim's.
func TestRulesHoldForAnyNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	count := map[string]int{}
	for range 20000 {
		tolerance, null := rng.Float64()*3, 0.0
		c := Claim{ID: "D13", Unit: "%", Tolerance: &tolerance, Null: &null}
		stated, x, half := rng.Float64()*10-5, rng.Float64()*10-5, rng.Float64()*4
		f := found{x: x, ci: &[2]float64{x - half, x + half}, seeds: 3, capped: rng.IntN(2) == 0}
		v, _ := c.number(f, stated)
		count[v]++
		flipped := f
		flipped.x, flipped.ci = -x, &[2]float64{-f.ci[1], -f.ci[0]}
		if w, _ := c.number(flipped, -stated); w != v {
			t.Fatalf("%g beside %g is %s, and %s with both signs turned round", x, stated, v, w)
		}
		open := f.ci[0] <= 0 && 0 <= f.ci[1]
		if open != (v == Undecided) {
			t.Fatalf("%g in [%g, %g] is %s", x, f.ci[0], f.ci[1], v)
		}
		if v == SameSign && (x > 0) != (stated > 0) || v == Differs && (x > 0) == (stated > 0) && math.Abs(x-stated) <= tolerance {
			t.Fatalf("%g beside %g ± %g is %s", x, stated, tolerance, v)
		}
		if (v == Equal || v == Within) && (f.capped || math.Abs(x-stated)+half > tolerance+1e-12) {
			t.Fatalf("%g beside %g ± %g, capped %v, is %s", x, stated, tolerance, f.capped, v)
		}
		f.sign = []string{Above, Below}[rng.IntN(2)]
		if w, _ := c.number(f, stated); (w == SameSign) != ((f.sign == Above) == (stated > 0)) {
			t.Fatalf("the sign %s of a stated %g is %s", f.sign, stated, w)
		}
	}
	for _, v := range []string{Within, SameSign, Differs, Undecided} {
		if count[v] < 100 {
			t.Errorf("%s was drawn %d times", v, count[v])
		}
	}
}

// Every verdict stands once in the order, and only these are given.
func TestOneOrder(t *testing.T) {
	if len(Verdicts) != 11 || len(badness) != 7 {
		t.Errorf("%d verdicts, %d ranks of numbers", len(Verdicts), len(badness))
	}
	for v := range badness {
		if v != "" && !slices.Contains(Verdicts, v) {
			t.Errorf("%q has a rank and is no verdict", v)
		}
	}
}

// A claim for which the document leaves the value blank cannot fail.
func TestNotStated(t *testing.T) {
	if v, why := (Claim{ID: "T", Value: "-"}).decide(Found{Values: []float64{3}}); v != NotStated || why[0].Code != "no-value-stated" {
		t.Errorf("a blank value is judged %q because %v", v, why)
	}
}

func TestUnknownIDsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"an id that no row has":  func() { Verdict("Z99", Found{}) },
		"a finding that is none": func() { Verdict("D40", Found{Finding: "maybe"}) },
		"two estimators":         func() { Verdict("C07", over(78, ci(80, 82))) },
		"cases of other numbers": func() { Verdict("D13", Found{Values: []float64{1}, NoCase: []bool{true, false}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

// What was found goes into the claim: numbers that can be stored, intervals and samples
// where there are any, and where in the document it stands.
func TestWhatAClaimHolds(t *testing.T) {
	c := Verdict("D42", Found{Values: []float64{1, 2, 3}, CI95: []*[2]float64{nil, {1, 3}, nil}, Samples: [][]float64{{1, 1}, {2, 2}, {3, 3}},
		Seeds: 2, Table: "4", Network: "lenet5"})
	if v, ok := c.Measured.([]float64); !ok || len(v) != 3 || len(c.CI95) != 3 || len(c.Samples) != 3 || c.Table != "4" || c.Network != "lenet5" {
		t.Errorf("%+v", c)
	}
	c = Verdict("D13", Found{Values: []float64{math.Inf(1)}, CI95: []*[2]float64{nil}, Samples: [][]float64{{1}}})
	if c.Measured != nil || c.CI95 != nil || c.Samples != nil {
		t.Errorf("what is no number stands in %+v", c)
	}
	if c = Verdict("D13", Number(3, nil, []float64{3}, 1)); c.Measured != 3.0 || c.CI95 != nil || c.Samples != nil {
		t.Errorf("one seed has an interval or samples of its own: %+v", c)
	}
}

// A remark says that the number only follows from the document, whatever the verdict.
func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		id   string
		f    Found
		want string
	}{
		{"D01", Found{Values: []float64{30}, CI95: ci(-5, 65), Seeds: 3}, ""},
		{"D42", Found{Missing: data}, DerivedRemark},
		{"C27", Found{Values: []float64{8680}}, DerivedRemark},
		{"D41", Found{Values: []float64{6}, Input: true}, ""},
	} {
		if c := Verdict(test.id, test.f); c.Remark != test.want {
			t.Errorf("%s of %v: remark %q, want %q", test.id, test.f.Values, c.Remark, test.want)
		}
	}
}
