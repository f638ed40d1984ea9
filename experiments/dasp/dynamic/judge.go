package dynamic

import (
	"math"
	"slices"
	"strings"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
)

// The answers to a hypothesis in one case, keys of the enumeration "answer".
const (
	answerHeld    = "held"
	answerNotHeld = "not-held"
	answerNoCase  = "no-case" // nothing to judge: no worker waited, or none was seen
)

// answerOf returns the answer of a hypothesis that has a case.
func answerOf(held bool) string {
	if held {
		return answerHeld
	}
	return answerNotHeld
}

// visible is the relative change of a time below which a single seed shows none.
const visible = 0.02

// sideOf returns the side of 1 on which a ratio of times lies by its interval, as
// kit.Estimate.Against does. A single seed has no interval: then the ratio itself decides, beyond
// visible.
func sideOf(e kit.Estimate) string {
	side := e.Against(1)
	switch {
	case side != "alone":
		return side
	case e.Value*(1+visible) < 1:
		return "below"
	case e.Value*(1-visible) > 1:
		return "above"
	}
	return "undecided"
}

// view reads measured runs and fills the result.
type view struct {
	*kit.View[point, measured]
}

// each returns what of gives of each of p's runs, seed by seed.
func (d view) each(p point, of func(measured) float64) kit.Sample { return kit.Each(d.At(p), of) }

// perPush returns p's seconds per push, seed by seed.
func (d view) perPush(p point) kit.Sample {
	return d.each(p, func(c measured) float64 { return c.Iteration.PerPush })
}

// over returns the time per push of one method over another's, at the speeds of p.
func (d view) over(p point, ours, theirs string) kit.Estimate {
	return d.perPush(p.with(ours)).Over(d.perPush(p.with(theirs)))
}

// factor returns by what changing speeds multiply p's time.
func (d view) factor(p point, against string, of func(measured) float64) kit.Estimate {
	return d.each(p, of).Over(d.each(p.in(against), of))
}

// p99Staleness returns the 99th percentile of staleness, in versions.
func p99Staleness(c measured) float64 { return float64(c.Staleness.P99) }

func meanStaleness(c measured) float64 { return c.Staleness.Mean }

func timePerWorker(c measured) float64 { return setup.PerIteration(c.Summary) }

// nobodyWaits reports whether no worker waits for others at any of the points.
func (d view) nobodyWaits(points ...point) bool {
	return !slices.ContainsFunc(points, func(p point) bool {
		return slices.ContainsFunc(d.At(p), func(c measured) bool { return c.Waiting > 0 })
	})
}

// judgement is the answer to a hypothesis for a case and a change of speeds, with its numbers.
type judgement struct {
	point
	Answer string
	Of     []kit.Estimate
}

// h1 judges that DSSP's prediction from the last interval helps less when speeds change: DSSP/SSP
// when they do, over DSSP/SSP when they do not, is above 1, and so is its interval. Of holds before,
// after, and their ratio.
func (d view) h1(p point) judgement {
	after, before := d.over(p, "dssp", "ssp").Samples, d.over(p.before(), "dssp", "ssp").Samples
	x := after.Over(before)
	v := judgement{p, answerNoCase, []kit.Estimate{before.Mean(), after.Mean(), x}}
	if !d.nobodyWaits(p.with("ssp"), p.with("dssp"), p.before().with("ssp"), p.before().with("dssp")) {
		v.Answer = answerOf(x.Value > 1+setup.SameTime && (x.CI == nil || x.CI[0] > 1))
	}
	return v
}

// h2 judges that DASP's time changes by less than SSP's and DSSP's when the same speeds change
// hands: |ln factor| is below theirs, with the intervals of both differences above 0. Of holds the
// factors of DASP, SSP and DSSP.
func (d view) h2(p point) judgement {
	v := judgement{point: p, Answer: answerNoCase}
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
		held = held && further.Value > setup.SameTime && (further.CI == nil || further.CI[0] > 0)
	}
	if waits {
		v.Answer = answerOf(held)
	}
	return v
}

// h3 judges that versions forgive a slow past: DASP lets go of a formerly slow worker within N
// versions on average, and after fewer of that worker's own gradients than SSP, whose clocks must
// level first; the interval of the ratio agrees. Seeds in which both have releases count. Of holds
// the versions, the own gradients under DASP and under SSP, and their ratio.
func (d view) h3(p point) judgement {
	var ours, theirs, versions kit.Sample
	rivals := d.At(p.with("ssp"))
	for i, c := range d.At(p.with("dasp")) {
		a, b := forgivenOf(c.Releases), forgivenOf(rivals[i].Releases)
		if a.Pushes > 0 && b.Pushes > 0 {
			ours, theirs, versions = append(ours, a.Pushes), append(theirs, b.Pushes), append(versions, a.Versions)
		}
	}
	x, n := ours.Over(theirs), versions.Mean()
	v := judgement{p, answerNoCase, []kit.Estimate{n, ours.Mean(), theirs.Mean(), x}}
	if x.N > 0 {
		v.Answer = answerOf(n.Value <= setup.Workers && x.Value < 1-setup.SameTime && (x.CI == nil || x.CI[1] < 1))
	}
	return v
}

// forgiven holds the means of releases. A release that was not seen to its end counts with the part
// that was seen.
type forgiven struct {
	N, Unseen                       int
	Pushes, Versions, Units, Waited float64
}

// forgivenOf averages releases.
func forgivenOf(rs []release) (f forgiven) {
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

// tradeoff compares a setting of DASP, for LeNet-5 in a scenario, with the fastest SSP that is no
// staler: in Tail by the 99th percentile of staleness, by which H4 is judged, and in Mean by its
// mean.
type tradeoff struct {
	point
	Answer, Taken string
	Tail, Mean    kit.Estimate
}

// h4 judges that DASP takes less time than the fastest SSP that is no staler: by sideOf, the ratio
// lies below 1. Thresholds at which nobody waits make DASP ASP and are no case.
func (d view) h4(p point) tradeoff {
	t := tradeoff{point: p}
	if p.Method != "dasp" {
		return t
	}
	if t.Answer = answerNoCase; d.nobodyWaits(p) {
		return t
	}
	least, taken := d.noStaler(p, p99Staleness)
	if t.Tail = d.perPush(p).Over(least); t.Tail.N > 0 {
		t.Answer, t.Taken = answerOf(sideOf(t.Tail) == "below"), strings.Join(taken, ";")
	}
	least, _ = d.noStaler(p, meanStaleness)
	t.Mean = d.perPush(p).Over(least)
	return t
}

// noStaler returns, seed by seed, the least time per push among the SSPs whose staleness is at most
// p's, and the names of these settings; nothing if a seed has none.
func (d view) noStaler(p point, staleness func(measured) float64) (least kit.Sample, taken []string) {
	for i, c := range d.At(p) {
		best, name := math.Inf(1), ""
		for _, x := range boundedMethods(d.Profile) {
			if x.Method != "ssp" {
				continue
			}
			r := d.At(point{Case: p.Case, Scenario: p.Scenario, Method: x.Method, Setting: x.Name})[i]
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
