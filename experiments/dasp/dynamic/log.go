package dynamic

import (
	"cmp"
	"slices"

	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// wait is the time for which others held up a gradient, from its arrival to its answer.
type wait struct {
	worker   int
	from, to float64 // seconds
}

// waitsOf returns the waits for other workers; in QIS nobody waits for anyone.
func waitsOf(l *dasp.Log) (out []wait) {
	for _, p := range l.Pushes {
		if !p.Abandoned && p.State != dasp.QIS && p.Replied > p.Received {
			out = append(out, wait{p.Worker, p.Received.Seconds(), p.Replied.Seconds()})
		}
	}
	return out
}

// waitedIn returns the worker-seconds of waits in [from, to), without the waits of worker but (−1:
// all count).
func waitedIn(waits []wait, from, to float64, but int) (sum float64) {
	for _, w := range waits {
		if w.worker != but {
			sum += max(min(w.to, to)-max(w.from, from), 0)
		}
	}
	return sum
}

// The windows of the figures: iterations before and after an event.
const windowsBefore, windowsAfter = 5, 25

// waitingAround averages over the events how many workers wait in each window of one unit, from
// windowsBefore before the event to windowsAfter after it. An event counts if its windows are wholly
// in the measured part of the run; n is how many do.
func waitingAround(waits []wait, events []speedChange, unit, from, end float64) (mean []float64, n int) {
	mean = make([]float64, windowsBefore+windowsAfter)
	for _, e := range events {
		if !within(e, unit, from, end) {
			continue
		}
		n++
		for b := range mean {
			at := e.At + float64(float64(b-windowsBefore)*unit)
			mean[b] += waitedIn(waits, at, at+unit, -1) / unit
		}
	}
	for b := range mean {
		mean[b] /= float64(max(n, 1))
	}
	return mean, n
}

// within reports whether all windows of e lie in [from, end].
func within(e speedChange, unit, from, end float64) bool {
	return e.At-float64(windowsBefore*unit) >= from && e.At+float64(windowsAfter*unit) <= end
}

// statesAround counts DASP's pushes by state and window of arrival.
func statesAround(l *dasp.Log, events []speedChange, unit, from, end float64) [3][]int64 {
	var out [3][]int64
	for i := range out {
		out[i] = make([]int64, windowsBefore+windowsAfter)
	}
	for _, e := range events {
		if !within(e, unit, from, end) {
			continue
		}
		for _, p := range l.Pushes {
			x := (p.Received.Seconds()-e.At)/unit + windowsBefore
			if s := int(p.State) - 1; s >= 0 && !p.Abandoned && x >= 0 && x < windowsBefore+windowsAfter {
				out[s][int(x)]++
			}
		}
	}
	return out
}

// release says how long a worker's slow past was held against it: from the instant at which it
// became faster until it was no longer the oldest, alone or with others. Pushes and Versions count
// its own gradients and the global updates in that time. Units is the time in iterations, Waited the
// iterations that the other workers waited.
type release struct {
	Pushes, Versions int
	Units, Waited    float64
	Seen             bool // false: it still was the oldest at the end, and the numbers are lower bounds
}

// ageChange is one change of the number by which a method judges age.
type ageChange struct {
	at     float64
	worker int
	value  int64
	own    bool // because a gradient of the worker arrived
}

// ageChanges lists the changes in order of time. A method with clocks counts the gradients that
// arrived; DASP takes the version that a worker was last handed.
func ageChanges(l *dasp.Log, versions bool) (out []ageChange) {
	clock := make([]int64, l.Workers)
	for _, p := range l.Pushes {
		clock[p.Worker]++
		if versions {
			out = append(out, ageChange{p.Sent.Seconds(), p.Worker, p.Pulled, false}, ageChange{p.Received.Seconds(), p.Worker, p.Pulled, true})
		} else {
			out = append(out, ageChange{p.Received.Seconds(), p.Worker, clock[p.Worker], true})
		}
	}
	slices.SortStableFunc(out, func(a, b ageChange) int { return cmp.Compare(a.at, b.at) })
	return out
}

// releasesOf measures the endings from an instant on at which the worker was the oldest.
func releasesOf(l *dasp.Log, versions bool, endings []speedChange, unit, from float64) (out []release) {
	ages, waits := ageChanges(l, versions), waitsOf(l)
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
		rel, at := release{}, until
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
		rel.Waited = waitedIn(waits, e.At, at, e.Worker) / unit
		out = append(out, rel)
	}
	return out
}

// The length of time lines: iterations before and after the first burst after the warm-up.
const lineBefore, lineAfter = 2, 14

// timeLine is a part of a run; times are in milliseconds.
type timeLine struct {
	Method   string
	From, To float64
	Bands    []lineBand
	Slowed   []lineBand // State is empty
	Arrived  int        // gradients
	Waited   float64    // for others, all workers together
}

// lineBand says what a worker does, or how it is answered, from one instant to another.
type lineBand struct {
	Method                       string
	Worker                       int // from 1
	From, To                     float64
	State                        string
	Step, Pulled, Applied, Clock int64
}

// firstAfter returns the earliest onset from an instant on.
func firstAfter(onsets []speedChange, from float64) (first speedChange) {
	found := false
	for _, e := range onsets {
		if e.At >= from && (!found || e.At < first.At) {
			first, found = e, true
		}
	}
	return first
}

// timeLineOf cuts a run to [from, to) seconds.
func timeLineOf(method string, l *dasp.Log, plan speedPlan, from, to float64) timeLine {
	out := timeLine{Method: method, From: 1e3 * from, To: 1e3 * to}
	for _, e := range plan.Onsets {
		if e.At < to && e.Until > from {
			out.Slowed = append(out.Slowed, lineBand{Method: method, Worker: e.Worker + 1, From: 1e3 * e.At, To: 1e3 * e.Until})
		}
	}
	for _, p := range l.Pushes {
		if p.Abandoned || p.Replied.Seconds() <= from || p.Sent.Seconds() >= to {
			continue
		}
		band := func(a, b float64, state string) {
			if a, b = max(a, from), min(b, to); b > a {
				out.Bands = append(out.Bands, lineBand{method, p.Worker + 1, 1e3 * a, 1e3 * b, state, p.Step, p.Pulled, p.Applied, p.Clock})
				if state == "WSS" || state == "FSS" || state == "barrier" {
					out.Waited += float64(1e3 * (b - a))
				}
			}
		}
		band(p.Sent.Seconds(), p.Received.Seconds(), "compute")
		band(p.Received.Seconds(), p.Replied.Seconds(), train.Answer(method, p))
		if at := p.Received.Seconds(); at >= from && at < to {
			out.Arrived++
		}
	}
	return out
}
