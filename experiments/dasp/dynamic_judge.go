package dasp

import (
	"math"
	"slices"
	"strings"

	"gradsync/experiments/kit"
)

// Answers to a hypothesis in one case, keys of the enumeration "answer".
const (
	dynHeld    = "held"
	dynNotHeld = "not-held"
	dynNoCase  = "no-case" // nothing to judge: no worker waited, or none was seen
)

func dynAnswer(held bool) string {
	if held {
		return dynHeld
	}
	return dynNotHeld
}

// dynVisible is the change of a time below which one seed tells of none.
const dynVisible = 0.02

// dynSide returns the side of 1 on which a ratio of times lies by its interval, as
// kit.Estimate.Against does. One seed has none: then by the ratio itself, beyond dynVisible.
func dynSide(e kit.Estimate) string {
	side := e.Against(1)
	switch {
	case side != "alone":
		return side
	case e.Value*(1+dynVisible) < 1:
		return "below"
	case e.Value*(1-dynVisible) > 1:
		return "above"
	}
	return "undecided"
}

// dynRuns reads measured runs.
type dynRuns struct {
	*kit.View[dynPoint, dynCell]
}

func (d dynRuns) each(p dynPoint, of func(dynCell) float64) kit.Sample { return kit.Each(d.At(p), of) }

// perPush returns p's times per push.
func (d dynRuns) perPush(p dynPoint) kit.Sample {
	return d.each(p, func(c dynCell) float64 { return c.Iteration.PerPush })
}

// over returns p's time per push over that of a rival on the same speeds.
func (d dynRuns) over(p dynPoint, ours, theirs string) kit.Estimate {
	return d.perPush(p.with(ours)).Over(d.perPush(p.with(theirs)))
}

// factor returns how changing speeds change p's time.
func (d dynRuns) factor(p dynPoint, against string, of func(dynCell) float64) kit.Estimate {
	return d.each(p, of).Over(d.each(p.in(against), of))
}

func dynTail(c dynCell) float64 { return float64(c.Staleness.P99) }

func dynMeanStaleness(c dynCell) float64 { return c.Staleness.Mean }

func dynPerWorkerTime(c dynCell) float64 { return perIteration(c.cell) }

// nobodyWaits tells whether no worker waits for others at any of the points.
func (d dynRuns) nobodyWaits(points ...dynPoint) bool {
	return !slices.ContainsFunc(points, func(p dynPoint) bool {
		return slices.ContainsFunc(d.At(p), func(c dynCell) bool { return c.Waiting > 0 })
	})
}

// dynVerdict is the answer to a hypothesis for a case and a change of speeds, with the
// numbers that it rests on.
type dynVerdict struct {
	dynPoint
	Answer string
	Of     []kit.Estimate
}

// h1 judges that DSSP's prediction from the last interval helps less when speeds change: DSSP/SSP
// when they do, over DSSP/SSP when they do not, is above 1, its interval too. Of: before, after,
// their ratio.
func (d dynRuns) h1(p dynPoint) dynVerdict {
	after, before := d.over(p, "dssp", "ssp").Samples, d.over(p.before(), "dssp", "ssp").Samples
	x := after.Over(before)
	v := dynVerdict{p, dynNoCase, []kit.Estimate{before.Mean(), after.Mean(), x}}
	if !d.nobodyWaits(p.with("ssp"), p.with("dssp"), p.before().with("ssp"), p.before().with("dssp")) {
		v.Answer = dynAnswer(x.Value > 1+slack && (x.CI == nil || x.CI[0] > 1))
	}
	return v
}

// h2 judges that DASP's time changes by less than SSP's and DSSP's when the same speeds change
// hands: |ln factor| is below theirs, with both intervals of the differences above 0. Of: the
// factors of DASP, SSP and DSSP.
func (d dynRuns) h2(p dynPoint) dynVerdict {
	v := dynVerdict{dynPoint: p, Answer: dynNoCase}
	held, waits := true, false
	var ours kit.Sample
	for i, m := range []string{"dasp", "ssp", "dssp"} {
		x := d.perPush(p.with(m)).Over(d.perPush(p.before().with(m)))
		v.Of = append(v.Of, x)
		waits = waits || !d.nobodyWaits(p.with(m), p.before().with(m))
		moved := x.Samples.Map(func(r float64) float64 { return math.Abs(math.Log(r)) })
		if i == 0 {
			ours = moved
			continue
		}
		further := moved.Minus(ours)
		held = held && further.Value > slack && (further.CI == nil || further.CI[0] > 0)
	}
	if waits {
		v.Answer = dynAnswer(held)
	}
	return v
}

// h3 judges that versions forgive a slow past: DASP lets go of a formerly slow worker within N
// versions in the mean, and after fewer of that worker's own gradients than SSP, whose clocks
// must level first; the interval of the ratio too. Seeds in which both have releases count.
// Of: versions, own gradients under DASP and under SSP, their ratio.
func (d dynRuns) h3(p dynPoint) dynVerdict {
	var ours, theirs, versions kit.Sample
	rivals := d.At(p.with("ssp"))
	for i, c := range d.At(p.with("dasp")) {
		a, b := dynMeanRelease(c.Releases), dynMeanRelease(rivals[i].Releases)
		if a.Pushes > 0 && b.Pushes > 0 {
			ours, theirs, versions = append(ours, a.Pushes), append(theirs, b.Pushes), append(versions, a.Versions)
		}
	}
	x, n := ours.Over(theirs), versions.Mean()
	v := dynVerdict{p, dynNoCase, []kit.Estimate{n, ours.Mean(), theirs.Mean(), x}}
	if x.N > 0 {
		v.Answer = dynAnswer(n.Value <= workers && x.Value < 1-slack && (x.CI == nil || x.CI[1] < 1))
	}
	return v
}

// dynForgotten holds the mean of releases; one that was not seen to its end counts with what
// was seen of it.
type dynForgotten struct {
	N, Unseen                       int
	Pushes, Versions, Units, Waited float64
}

func dynMeanRelease(rs []dynRelease) (f dynForgotten) {
	for _, r := range rs {
		f.N++
		if !r.Seen {
			f.Unseen++
		}
		f.Pushes += float64(r.Pushes)
		f.Versions += float64(r.Versions)
		f.Units += r.Units
		f.Waited += r.Waited
	}
	n := float64(max(f.N, 1))
	f.Pushes, f.Versions, f.Units, f.Waited = f.Pushes/n, f.Versions/n, f.Units/n, f.Waited/n
	return f
}

// dynTrade is a setting of LeNet-5 in a scenario; DASP's stands beside the fastest SSP that is
// no staler: by the 99th percentile of staleness, which H4 goes by, and by its mean.
type dynTrade struct {
	dynPoint
	Answer, Taken string
	Tail, Mean    kit.Estimate
}

// h4 judges that DASP takes less time than the fastest SSP that is no staler: the ratio lies below 1
// by dynSide. A pair of thresholds at which nobody waits makes DASP ASP: no case.
func (d dynRuns) h4(p dynPoint) dynTrade {
	t := dynTrade{dynPoint: p}
	if p.Method != "dasp" {
		return t
	}
	if t.Answer = dynNoCase; d.nobodyWaits(p) {
		return t
	}
	least, taken := d.noStaler(p, dynTail)
	if t.Tail = d.perPush(p).Over(least); t.Tail.N > 0 {
		t.Answer, t.Taken = dynAnswer(dynSide(t.Tail) == "below"), strings.Join(taken, ";")
	}
	least, _ = d.noStaler(p, dynMeanStaleness)
	t.Mean = d.perPush(p).Over(least)
	return t
}

// noStaler returns, seed by seed, the least time per push among the SSPs whose staleness is at
// most p's, and the names of the settings it took; nothing if a seed has none.
func (d dynRuns) noStaler(p dynPoint, staleness func(dynCell) float64) (least kit.Sample, taken []string) {
	for i, c := range d.At(p) {
		best, name := math.Inf(1), ""
		for _, x := range dynSettings(d.Profile) {
			if x.Method != "ssp" {
				continue
			}
			r := d.At(dynPoint{Case: p.Case, Scenario: p.Scenario, Method: x.Method, Setting: x.Name})[i]
			if staleness(r) <= staleness(c) && r.Iteration.PerPush < best {
				best, name = r.Iteration.PerPush, x.Name
			}
		}
		if name == "" {
			return nil, nil
		}
		if least = append(least, best); !slices.Contains(taken, name) {
			taken = append(taken, name)
		}
	}
	return least, taken
}
