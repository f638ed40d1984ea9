package claims

import (
	"math"

	"gradsync/experiments/result"
)

// A document leaves much open, and every way to fill it is a reading of it. A claim that is judged
// over many readings takes its verdict from the shares of them that find what the document states.

// Tally counts readings by what each found of a claim: the same side of the null as stated, the
// opposite side, neither, or no case. Each reading counts by its weight.
type Tally struct {
	Same, Opposite, Undecided, NoCase float64
	ofCases, ofOthers                 float64 // Σw² of the readings that have a case, and of the others
}

// Add counts a reading of a weight by its finding: Holds, Differs, Undecided or NoCase.
func (t *Tally) Add(finding string, weight float64) {
	if finding == NoCase {
		t.ofOthers += float64(weight * weight)
	} else {
		t.ofCases += float64(weight * weight)
	}
	switch finding {
	case Holds:
		t.Same += weight
	case Differs:
		t.Opposite += weight
	case Undecided:
		t.Undecided += weight
	case NoCase:
		t.NoCase += weight
	default:
		panic("claims: " + finding + " is no finding of a reading")
	}
}

// Effective returns how many readings of equal weight those are worth that have a case, and all,
// those without one too: (Σw)²/Σw² (Kish). It is 0 of none.
func (t Tally) Effective() (cases, all float64) {
	worth := func(sum, squares float64) float64 {
		if squares == 0 {
			return 0
		}
		return float64(sum*sum) / squares
	}
	return worth(t.Cases(), t.ofCases), worth(t.Cases()+t.NoCase, t.ofCases+t.ofOthers)
}

// Wilson returns the 95 % interval of a share among n independent readings, n being an effective
// number where they have weights (Wilson 1927):
//
//	(p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n)
//
// It is 0 to 1 of none. Readings are a balanced design and no sample, so it says how far a share
// hangs on which readings were drawn, and nothing of laboratories.
func Wilson(share, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	zz := z * z / n
	middle := share + zz/2
	half := z * math.Sqrt((float64(share*(1-share))+zz/4)/n)
	return math.Max(0, (middle-half)/(1+zz)), math.Min(1, (middle+half)/(1+zz))
}

// Cases returns the weight of the readings that have a case.
func (t Tally) Cases() float64 { return t.Same + t.Opposite + t.Undecided }

// Shares returns, of the readings that have a case, the shares that found the same, the opposite and
// neither, and of all readings the share without a case. A share of nothing is 0.
func (t Tally) Shares() (same, opposite, undecided, noCase float64) {
	share := func(x, of float64) float64 {
		if of == 0 {
			return 0
		}
		return x / of
	}
	n := t.Cases()
	return share(t.Same, n), share(t.Opposite, n), share(t.Undecided, n), share(t.NoCase, n+t.NoCase)
}

// ReadingRule holds the shares that decide a claim over readings.
type ReadingRule struct {
	NoCase    float64 `json:"no_case"`   // without a case, of all: more is NoCase
	Same      float64 `json:"same"`      // the same as stated: at least so much is SameSign,
	Opposite  float64 `json:"opposite"`  // if at most so much is opposite
	Undecided float64 `json:"undecided"` // neither: more is Undecided
	Differs   float64 `json:"differs"`   // the same as stated: at most so much is Differs
	Least     int     `json:"least"`     // readings, by their number and their effective one: fewer are Undecided
}

// OverReadings is the rule of every claim. Its numbers were fixed before the first run. Least is asked of the effective
// number too, and a verdict that one weighting gives and the other leaves open is open.
var OverReadings = ReadingRule{NoCase: 0.50, Same: 0.90, Opposite: 0.05, Undecided: 0.50, Differs: 0.10, Least: 8}

// Enough reports whether tallies rest on Least readings, by the effective number of each; where they
// do not, no share is judged.
func (r ReadingRule) Enough(tallies ...Tally) bool {
	for _, t := range tallies {
		if cases, all := t.Effective(); all < float64(r.Least) || cases < float64(r.Least) && r.one(t) != NoCase {
			return false
		}
	}
	return len(tallies) > 0
}

// Judge returns the verdict that tallies of the same readings give, each under its own weights:
// SameSign, Differs, Undecided or NoCase if all agree, Undecided if there are not Enough or one is
// open beside SameSign or Differs, else dependsOnReading.
func (r ReadingRule) Judge(tallies ...Tally) string {
	if !r.Enough(tallies...) {
		return Undecided
	}
	verdict := r.one(tallies[0])
	for _, t := range tallies {
		if next := r.one(t); verdict == Undecided {
			verdict = next
		} else if next != Undecided && next != verdict {
			return dependsOnReading
		}
	}
	for _, t := range tallies {
		if r.one(t) != verdict {
			if verdict == SameSign || verdict == Differs {
				return Undecided // the other leaves it open
			}
			return dependsOnReading
		}
	}
	return verdict
}

func (r ReadingRule) one(t Tally) string {
	same, opposite, undecided, noCase := t.Shares()
	switch {
	case noCase > r.NoCase:
		return NoCase
	case same >= r.Same && opposite <= r.Opposite:
		return SameSign
	case undecided > r.Undecided:
		return Undecided
	case same <= r.Differs:
		return Differs
	}
	return dependsOnReading
}

// Deciding returns the place of the axis that explains most of whether a claim holds, and its share
// of the variance, or −1 if no axis explains more than chance would. levels has a row per reading
// with its level on each axis, holds the readings' answers. The share is the first-order one without
// what chance adds (ε²): with L levels among n readings, sums of squares between levels and within,
//
//	(SSB − (L − 1)·SSW/(n − L)) / (SSB + SSW)
//
// so that axes of many levels have no advantage. Ties go to the first axis.
func Deciding(levels [][]int, holds []bool) (axis int, share float64) {
	axis = -1
	for a := 0; len(levels) > 0 && a < len(levels[0]); a++ {
		if x := explained(levels, holds, a); x > share {
			axis, share = a, x
		}
	}
	return axis, share
}

// explained returns the share of variance that one axis explains.
func explained(levels [][]int, holds []bool, a int) float64 {
	var count, same []float64 // by level
	of := 0.0
	for i, r := range levels {
		for len(count) <= r[a] {
			count, same = append(count, 0), append(same, 0)
		}
		count[r[a]]++
		if holds[i] {
			same[r[a]]++
			of++
		}
	}
	n, groups := float64(len(levels)), 0.0
	total := of - float64(of*of)/n // of squares of 0 and 1 around their mean
	between := -float64(of*of) / n
	for l := range count {
		if count[l] > 0 {
			groups++
			between += float64(same[l]*same[l]) / count[l]
		}
	}
	if total <= 0 || n <= groups {
		return 0
	}
	return (between - float64((groups-1)*(total-between))/(n-groups)) / total
}

// Readings holds what many readings found of a claim, for Found.Readings.
type Readings struct {
	Verdict string        // of OverReadings
	Why     result.Reason // the shares, and what decides
}

// over returns the verdict of readings: a claim in words holds where a number has the same sign.
func (c Claim) over(r Readings) (string, []result.Reason) {
	if r.Verdict == SameSign && c.Numbers() == nil {
		return Holds, []result.Reason{r.Why}
	}
	return r.Verdict, []result.Reason{r.Why}
}
