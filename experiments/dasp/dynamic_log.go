package dasp

import (
	"cmp"
	"slices"

	"gradsync/papers/dasp"
)

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

// dynAround averages over the events how many workers wait, window by window
// of one unit, from dynBefore before the event to dynAfter after it. Events
// whose windows are not wholly in the run's measured part do not count; n is
// how many do.
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

// dynRelease says how long a worker's slow past was held against it: from the
// instant at which it became faster until it was no longer the oldest, alone or
// with others. Pushes and Versions count its own gradients and the global
// updates meanwhile, Units the time in iterations, Waited the iterations that
// the other workers waited in that time.
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

// dynReleases measures the endings after `from` at which the worker was the
// oldest.
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
