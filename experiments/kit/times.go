package kit

import (
	"math"
	"slices"
)

// Time is how long something took or, Beyond, a bound that it is known to exceed: it had not come
// about when the run ended, which is a right-censored observation.
type Time struct {
	At     float64
	Beyond bool
}

// Times is one time per seed.
type Times []Time

// Sample returns the times, nothing if one of them is only bounded.
func (t Times) Sample() Sample {
	if t.Missed() > 0 {
		return nil
	}
	return t.Bounds()
}

// Bounds returns the times, with the bound in place of each that is only bounded.
func (t Times) Bounds() Sample { return Each(t, func(x Time) float64 { return x.At }) }

// Missed counts the times that are only bounded.
func (t Times) Missed() int { return CountIf(t, func(x Time) bool { return x.Beyond }) }

// Signs counts the pairs of two Times by what is known of their order.
type Signs struct {
	Sooner, Later int // the first one of a pair is, for certain
	Tied          int // exactly equal
	Unknown       int // one is bounded too low to tell, or both are bounded
}

// Beside compares t with base, paired by seed. A pair with one bounded time has an order if the
// other was over by the bound; a pair with two has none.
func (t Times) Beside(base Times) (s Signs) {
	for i := range min(len(t), len(base)) {
		switch a, b := t[i], base[i]; {
		case a.Beyond && b.Beyond:
			s.Unknown++
		case a.Beyond && b.At <= a.At, !a.Beyond && !b.Beyond && a.At > b.At:
			s.Later++
		case b.Beyond && a.At <= b.At, !a.Beyond && !b.Beyond && a.At < b.At:
			s.Sooner++
		case a.Beyond || b.Beyond:
			s.Unknown++
		default:
			s.Tied++
		}
	}
	return s
}

// P returns the two-sided p-value of the exact sign test: twice the chance that, of as many fair
// coins as there are pairs with an order, the rarer side falls at most as often. Ties and unknown
// orders are left out; without any pair P is 1.
func (s Signs) P() float64 {
	n, k := s.Sooner+s.Later, min(s.Sooner, s.Later)
	sum, c := 0.0, 1.0 // c is n over i
	for i := range k + 1 {
		if i > 0 {
			c = c * float64(n-i+1) / float64(i)
		}
		sum += c
	}
	return min(1, 2*sum*math.Pow(0.5, float64(n)))
}

// Against reports what the sign test decides at 5 %, in Estimate.Against's words: "below" if the
// first is sooner, "above" if it is later, else "undecided", and "none" without a pair. It needs six
// pairs of one order to decide.
func (s Signs) Against() string { return s.AgainstOf(1) }

// AgainstOf is Against at 5 % for several comparisons at once (Bonferroni's bound).
func (s Signs) AgainstOf(comparisons int) string {
	switch {
	case s == Signs{}:
		return "none"
	case s.P() > 0.05/float64(comparisons):
		return "undecided"
	case s.Sooner > s.Later:
		return "below"
	}
	return "above"
}

// Together returns the geometric mean of several times per seed: it is bounded if one of them is.
// A factor that stretches every time by as much stretches it likewise.
func Together(each []Times) (out Times) {
	if len(each) == 0 {
		return nil
	}
	for i := range each[0] {
		logs, beyond := 0.0, false
		for _, t := range each {
			logs += math.Log(t[i].At)
			beyond = beyond || t[i].Beyond
		}
		out = append(out, Time{math.Exp(logs / float64(len(each))), beyond})
	}
	return slices.Clip(out)
}

// Over returns how t compares with base, paired by seed: the geometric mean of the ratios with its
// interval where every time is known. Else the bounds stand for what is bounded, there is no
// interval, and only the sign test says which is sooner.
func (t Times) Over(base Times) Estimate { return t.OverOf(base, 1) }

// OverOf is Over with an interval of one of several comparisons that hold at once; see exp.MeanAndHalfOf.
func (t Times) OverOf(base Times, comparisons int) Estimate {
	e := t.Bounds().OverOf(base.Bounds(), comparisons)
	if t.Missed()+base.Missed() > 0 {
		e.CI = nil
	}
	return e
}

// Against reports what t and base, paired by seed, say of their order: by the interval of their ratio
// where every time is known, else by the sign test.
func (t Times) Against(base Times) string {
	if t.Missed()+base.Missed() > 0 {
		return t.Beside(base).Against()
	}
	return t.Over(base).Against(1)
}
