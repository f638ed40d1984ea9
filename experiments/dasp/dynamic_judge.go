package dasp

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/kit"
	"gradsync/papers/dasp"
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

// dynWait is a gradient that others held up, from its arrival to its answer.
type dynWait struct {
	worker   int
	from, to float64 // seconds
}

// dynWaits returns the waits for other workers; in QIS nobody waits for anyone.
func dynWaits(l *dasp.Log) (out []dynWait) {
	for _, p := range l.Pushes {
		if !p.Abandoned && p.State != dasp.QIS && p.Replied > p.Received {
			out = append(out, dynWait{p.Worker, p.Received.Seconds(), p.Replied.Seconds()})
		}
	}
	return out
}

// dynWaited returns the worker-seconds of waits in [from, to), without those of the worker
// but (−1: all count).
func dynWaited(waits []dynWait, from, to float64, but int) (sum float64) {
	for _, w := range waits {
		if w.worker != but {
			sum += max(min(w.to, to)-max(w.from, from), 0)
		}
	}
	return sum
}

// The windows of the figures, in iterations from an event.
const dynBefore, dynAfter = 5, 25

// dynAround averages over the events how many workers wait, window by window of one unit, from
// dynBefore before the event to dynAfter after it. Events whose windows are not wholly in the
// run's measured part do not count; n is how many do.
func dynAround(waits []dynWait, events []dynEvent, unit, from, end float64) (mean []float64, n int) {
	mean = make([]float64, dynBefore+dynAfter)
	for _, e := range events {
		if !dynWithin(e, unit, from, end) {
			continue
		}
		n++
		for b := range mean {
			at := e.At + float64(float64(b-dynBefore)*unit)
			mean[b] += dynWaited(waits, at, at+unit, -1) / unit
		}
	}
	for b := range mean {
		mean[b] /= float64(max(n, 1))
	}
	return mean, n
}

func dynWithin(e dynEvent, unit, from, end float64) bool {
	return e.At-float64(dynBefore*unit) >= from && e.At+float64(dynAfter*unit) <= end
}

// dynStatesAround counts DASP's pushes by state and window of arrival.
func dynStatesAround(l *dasp.Log, events []dynEvent, unit, from, end float64) [3][]int64 {
	var out [3][]int64
	for i := range out {
		out[i] = make([]int64, dynBefore+dynAfter)
	}
	for _, e := range events {
		if !dynWithin(e, unit, from, end) {
			continue
		}
		for _, p := range l.Pushes {
			x := (p.Received.Seconds()-e.At)/unit + dynBefore
			if s := int(p.State) - 1; s >= 0 && !p.Abandoned && x >= 0 && x < dynBefore+dynAfter {
				out[s][int(x)]++
			}
		}
	}
	return out
}

// dynRelease says how long a worker's slow past was held against it: from the instant at which
// it became faster until it was no longer the oldest, alone or with others. Pushes and Versions
// count its own gradients and the global updates meanwhile, Units the time in iterations,
// Waited the iterations that the other workers waited in that time.
type dynRelease struct {
	Pushes, Versions int
	Units, Waited    float64
	Seen             bool // false: it still was the oldest when the search ended; the numbers are least ones
}

// dynAge is one change of what a method judges age by.
type dynAge struct {
	at     float64
	worker int
	value  int64
	own    bool // a gradient arrived
}

// dynAges lists the changes in order of time. A method with clocks counts the
// gradients that arrived; DASP takes the version that a worker was last handed.
func dynAges(l *dasp.Log, versions bool) (out []dynAge) {
	clock := make([]int64, l.Workers)
	for _, p := range l.Pushes {
		clock[p.Worker]++
		if versions {
			out = append(out, dynAge{p.Sent.Seconds(), p.Worker, p.Pulled, false}, dynAge{p.Received.Seconds(), p.Worker, p.Pulled, true})
		} else {
			out = append(out, dynAge{p.Received.Seconds(), p.Worker, clock[p.Worker], true})
		}
	}
	slices.SortStableFunc(out, func(a, b dynAge) int { return cmp.Compare(a.at, b.at) })
	return out
}

// dynReleases measures the endings after `from` at which the worker was the oldest.
func dynReleases(l *dasp.Log, versions bool, endings []dynEvent, unit, from float64) (out []dynRelease) {
	ages, waits := dynAges(l, versions), dynWaits(l)
	for _, e := range endings {
		until := min(e.Until, l.End.Seconds())
		if e.Worker < 0 || e.At < from || e.At >= until {
			continue
		}
		value := make([]int64, l.Workers)
		i := 0
		for ; i < len(ages) && ages[i].at <= e.At; i++ {
			value[ages[i].worker] = ages[i].value
		}
		if value[e.Worker] > slices.Min(value) {
			continue
		}
		rel, at := dynRelease{}, until
		for ; i < len(ages) && ages[i].at < until; i++ {
			value[ages[i].worker] = ages[i].value
			if ages[i].own && ages[i].worker == e.Worker {
				rel.Pushes++
			}
			together := i+1 < len(ages) && ages[i+1].at == ages[i].at // a group is answered at one instant
			if !together && value[e.Worker] > slices.Min(value) {
				rel.Seen, at = true, ages[i].at
				break
			}
		}
		for _, u := range l.Updates {
			if s := u.At.Seconds(); s > e.At && s <= at {
				rel.Versions++
			}
		}
		rel.Units = (at - e.At) / unit
		rel.Waited = dynWaited(waits, e.At, at, e.Worker) / unit
		out = append(out, rel)
	}
	return out
}

// The time lines' window, in iterations from the first burst after the warm-up.
const dynLineBefore, dynLineAfter = 2, 14

// dynLine is a stretch of a run; times in milliseconds.
type dynLine struct {
	Method   string
	From, To float64
	Bands    []dynBand
	Slowed   []dynBand // State is empty
	Arrived  int       // gradients
	Waited   float64   // for others, all workers together
}

// dynBand is what a worker does, or how it is answered, from an instant to another.
type dynBand struct {
	Method                       string
	Worker                       int // from 1
	From, To                     float64
	State                        string
	Step, Pulled, Applied, Clock int64
}

// dynFirst returns the earliest onset from an instant on.
func dynFirst(onsets []dynEvent, from float64) (first dynEvent) {
	found := false
	for _, e := range onsets {
		if e.At >= from && (!found || e.At < first.At) {
			first, found = e, true
		}
	}
	return first
}

// dynLineOf cuts a run to [from, to) seconds.
func dynLineOf(method string, l *dasp.Log, plan dynSchedule, from, to float64) dynLine {
	out := dynLine{Method: method, From: 1e3 * from, To: 1e3 * to}
	for _, e := range plan.Onsets {
		if e.At < to && e.Until > from {
			out.Slowed = append(out.Slowed, dynBand{Method: method, Worker: e.Worker + 1, From: 1e3 * e.At, To: 1e3 * e.Until})
		}
	}
	for _, p := range l.Pushes {
		if p.Abandoned || p.Replied.Seconds() <= from || p.Sent.Seconds() >= to {
			continue
		}
		band := func(a, b float64, state string) {
			if a, b = max(a, from), min(b, to); b > a {
				out.Bands = append(out.Bands, dynBand{method, p.Worker + 1, 1e3 * a, 1e3 * b, state, p.Step, p.Pulled, p.Applied, p.Clock})
				if state == "WSS" || state == "FSS" || state == "barrier" {
					out.Waited += float64(1e3 * (b - a))
				}
			}
		}
		band(p.Sent.Seconds(), p.Received.Seconds(), "compute")
		band(p.Received.Seconds(), p.Replied.Seconds(), answer(method, p))
		if at := p.Received.Seconds(); at >= from && at < to {
			out.Arrived++
		}
	}
	return out
}
