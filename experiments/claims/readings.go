package claims

import "gradsync/experiments/result"

// A document leaves much open, and every way to fill it is a reading of it. A claim that is judged
// over many readings takes its verdict from the shares of them that find what the document states.

// Tally counts readings by what each found of a claim: the same side of the null as stated, the
// opposite side, neither, or no case. Each reading counts by its weight.
type Tally struct{ Same, Opposite, Undecided, NoCase float64 }

// Add counts a reading of a weight by its finding: Holds, Differs, Undecided or NoCase.
func (t *Tally) Add(finding string, weight float64) {
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
	Least     int     `json:"least"`     // readings, or their seeds decide nothing: Undecided
}

// OverReadings is the rule of every claim, fixed before the first run.
var OverReadings = ReadingRule{NoCase: 0.50, Same: 0.90, Opposite: 0.05, Undecided: 0.50, Differs: 0.10, Least: 8}

// Judge returns the verdict that tallies of the same n readings give, each under its own weights:
// SameSign, Differs, Undecided or NoCase if all agree, else Depends.
func (r ReadingRule) Judge(n int, tallies ...Tally) string {
	if n < r.Least || len(tallies) == 0 {
		return Undecided
	}
	verdict := r.one(tallies[0])
	for _, t := range tallies[1:] {
		if r.one(t) != verdict {
			return Depends
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
	return Depends
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
