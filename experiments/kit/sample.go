package kit

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gradsync/experiments/exp"
)

// Sample is one number per seed; it is empty where a seed has none.
type Sample []float64

// Each returns of(c) for every c of cells, or an empty sample if one of them is not finite.
func Each[C any](cells []C, of func(C) float64) Sample {
	out := make(Sample, len(cells))
	for i, c := range cells {
		if out[i] = of(c); math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return nil
		}
	}
	return out
}

// Map returns f(x) for every x of s.
func (s Sample) Map(f func(float64) float64) Sample {
	return Each(s, f)
}

// Estimate is a mean over N seeds with its 95 % Student interval; CI is nil for one seed. The zero
// Estimate (N = 0) stands for no number.
type Estimate struct {
	Value   float64
	CI      *[2]float64
	N       int
	Samples Sample // what Value is the mean of, per seed: ratios, in a paired ratio
}

// Mean returns the mean of s.
func (s Sample) Mean() (e Estimate) {
	if len(s) == 0 {
		return e
	}
	mean, half := exp.MeanAndHalf(s)
	return Estimate{mean, exp.Interval(mean, half), len(s), s}
}

// Over returns the geometric mean of s/base, paired by seed, with the interval of the
// mean of their logarithms.
func (s Sample) Over(base Sample) Estimate { return s.OverOf(base, 1) }

// OverOf is Over with an interval of one of several comparisons that hold at once; see exp.MeanAndHalfOf.
func (s Sample) OverOf(base Sample, comparisons int) (e Estimate) {
	if len(s) == 0 || len(s) != len(base) {
		return e
	}
	logs, ratios := make([]float64, len(s)), make(Sample, len(s))
	for i := range logs {
		ratios[i] = s[i] / base[i]
		logs[i] = math.Log(ratios[i])
	}
	m, half := exp.MeanAndHalfOf(logs, comparisons)
	e = Estimate{Value: math.Exp(m), N: len(s), Samples: ratios}
	if !math.IsNaN(half) {
		e.CI = &[2]float64{math.Exp(m - half), math.Exp(m + half)}
	}
	return e
}

// Ratio returns the arithmetic mean of s/base, paired by seed.
func (s Sample) Ratio(base Sample) (e Estimate) {
	if len(s) == 0 || len(s) != len(base) {
		return e
	}
	return s.Over(base).Samples.Mean()
}

// Minus returns the mean of s − base, paired by seed.
func (s Sample) Minus(base Sample) (e Estimate) {
	if len(s) == 0 || len(s) != len(base) {
		return e
	}
	d := make(Sample, len(s))
	for i := range d {
		d[i] = s[i] - base[i]
	}
	return d.Mean()
}

// Saved turns a ratio e of times into the time saved in per cent, 100·(1 − e).
func (e Estimate) Saved() Estimate {
	return e.through(func(x float64) float64 { return 100 * (1 - x) })
}

// Times returns e in a unit that is x times smaller: seconds.Times(1e3) are milliseconds.
func (e Estimate) Times(x float64) Estimate {
	return e.through(func(v float64) float64 { return x * v })
}

// Clamp returns e with the ends of its interval moved into [lo, hi].
func (e Estimate) Clamp(lo, hi float64) Estimate {
	if e.CI != nil {
		e.CI = &[2]float64{max(e.CI[0], lo), min(e.CI[1], hi)}
	}
	return e
}

// through applies a monotone f to the value, the interval and the samples of e.
func (e Estimate) through(f func(float64) float64) Estimate {
	out := Estimate{Value: f(e.Value), N: e.N, Samples: e.Samples.Map(f)}
	if e.CI != nil {
		a, b := f(e.CI[0]), f(e.CI[1])
		out.CI = &[2]float64{min(a, b), max(a, b)}
	}
	return out
}

// Half returns half the width of a symmetric interval, NaN where there is none.
func (e Estimate) Half() float64 {
	if e.CI == nil {
		return math.NaN()
	}
	return (e.CI[1] - e.CI[0]) / 2
}

// Excludes reports whether the number, and its interval if it has one, lie on one side of null.
func (e Estimate) Excludes(null float64) bool {
	if e.CI == nil {
		return e.N > 0 && e.Value != null
	}
	return e.CI[0] > null || e.CI[1] < null
}

// Against reports on which side of null an estimate lies: "above" or "below" if its whole interval
// does, "undecided" if the interval holds null, "alone" if one seed has no interval, "none" if
// there is no number. It is the key of an enumeration for facts and columns: a finding is made
// here, not in a text.
func (e Estimate) Against(null float64) string {
	switch {
	case e.N == 0:
		return "none"
	case e.CI == nil:
		return "alone"
	case e.CI[0] > null:
		return "above"
	case e.CI[1] < null:
		return "below"
	}
	return "undecided"
}

// mostSeeds is the number above which SeedsToDecide gives up.
const mostSeeds = 10_000

// SeedsToDecide returns how many seeds a paired t-test at 5 % needs to find e, a geometric mean of
// ratios, on its side of 1 in four of five runs, if effect and spread are those of e's samples:
//
//	min n: |m|·√n/s ≥ t(0.975, n−1) + t(0.8, n−1)
//
// with m and s the mean and the standard deviation of the samples' logarithms. It returns 0 where
// that is no number up to 10,000, where there is no effect, or where e has fewer than two samples. Source: ours; the rule of
// claims' seeds.csv.
func (e Estimate) SeedsToDecide() int {
	logs := e.Samples.Map(math.Log)
	if len(logs) < 2 {
		return 0
	}
	return seedsFor(math.Abs(stat.Mean(logs, nil)), stat.StdDev(logs, nil))
}

// seedsFor is SeedsToDecide for a mean and a standard deviation.
func seedsFor(mean, sd float64) int {
	for n := 2; n <= mostSeeds && mean > 0; n++ {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
		if float64(mean*math.Sqrt(float64(n))) >= float64(sd*(t.Quantile(0.975)+t.Quantile(0.8))) {
			return n
		}
	}
	return 0
}

// Must returns x and panics on an error, where that is a programmer's mistake: names are constants,
// files are embedded.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// OnlyIf returns x if meant, else NaN.
func OnlyIf(meant bool, x float64) float64 {
	if meant {
		return x
	}
	return math.NaN()
}

// ShareOf returns 100·part/of, NaN if of is 0.
func ShareOf(part, of int) float64 { return OnlyIf(of > 0, 100*float64(part)/float64(of)) }

// Map returns of(c) for every c of a list, in its order.
func Map[C, D any](list []C, of func(C) D) (out []D) {
	for _, c := range list {
		out = append(out, of(c))
	}
	return out
}

// Extent returns the smallest and the largest of(x) for x of list.
func Extent[T any](list []T, of func(T) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range list {
		lo, hi = min(lo, of(x)), max(hi, of(x))
	}
	return lo, hi
}

// Largest returns the largest of(x) for x of list, at least 0.
func Largest[T any](list []T, of func(T) int64) (largest int64) {
	for _, x := range list {
		largest = max(largest, of(x))
	}
	return largest
}

// CountIf counts the members x of list for which is(x).
func CountIf[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// Find returns the first member x of list for which is(x). It panics if there is none, since keys
// are constants.
func Find[T any](list []T, is func(T) bool) T {
	for _, x := range list {
		if is(x) {
			return x
		}
	}
	panic("kit: nothing found in a list that should have it")
}
