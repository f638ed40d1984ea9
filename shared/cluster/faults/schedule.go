package faults

import (
	"fmt"
	"strings"
	"time"

	"gradsync/shared/cluster"
)

// Window is the span from From to just before To on the run's clock.
type Window struct {
	From time.Duration `json:"from"`
	To   time.Duration `json:"to"`
}

// holds reports whether at lies in w.
func (w Window) holds(at time.Duration) bool { return w.From <= at && at < w.To }

// Meets reports whether w and the closed span from `from` to `to` have an instant in common.
//
// Source: ours: who asks why a rank was silent asks for its faults
func (w Window) Meets(from, to time.Duration) bool { return w.From <= to && from < w.To }

// Slowness lets a computation that begins in its window take Factor times as long.
type Slowness struct {
	Window
	Factor float64 `json:"factor"`
}

// Host lists what happens to one rank's host; the zero value is nothing.
type Host struct {
	Crash  time.Duration `json:"crash,omitempty"` // from here on the rank does nothing more; 0: never
	Pauses []Window      `json:"pauses,omitempty"`
	Slow   []Slowness    `json:"slow,omitempty"`
}

// None reports whether nothing happens to the host.
//
// Source: ours: schedules are printed without the hosts that have none
func (h Host) None() bool { return h.Crash == 0 && len(h.Pauses) == 0 && len(h.Slow) == 0 }

// String lists the host's faults in order of kind: "crash 120ms, pause 30ms–80ms, ×2.5 0s–90ms".
func (h Host) String() string {
	var all []string
	if h.Crash > 0 {
		all = append(all, fmt.Sprintf("crash %v", h.Crash))
	}
	for _, w := range h.Pauses {
		all = append(all, fmt.Sprintf("pause %v–%v", w.From, w.To))
	}
	for _, s := range h.Slow {
		all = append(all, fmt.Sprintf("×%g %v–%v", s.Factor, s.From, s.To))
	}
	if all == nil {
		return "no fault"
	}
	return strings.Join(all, ", ")
}

// Mix says how often which fault happens to a rank.
type Mix struct {
	Within  time.Duration // all faults begin before this instant
	Crash   float64       // probability that the rank crashes
	Pause   float64       // probability of each further pause: Pause/(1−Pause) on average, at most 8
	Longest time.Duration // a pause's bound
	Late    float64       // probability that the rank begins with a pause
	Slow    float64       // probability that the rank is slow for a while
	Factor  float64       // a slowness' bound, from 1
}

// maxPauses bounds a rank's pauses.
const maxPauses = 8

// Draw returns the faults of a rank in the schedule named by seed, to the microsecond. They depend on
// nothing but mix, seed and rank.
//
// Source: ours: a seed and a rank name a schedule, so that one command replays it
func (m Mix) Draw(seed uint64, rank int) (h Host) {
	r := cluster.Stream(seed, rank, "", "faults")
	span := func(from time.Duration, most time.Duration) time.Duration {
		return from + time.Duration(r.Int64N(max(int64(most-from)/int64(time.Microsecond), 1)))*time.Microsecond
	}
	if r.Float64() < m.Crash {
		h.Crash = span(time.Microsecond, m.Within)
	}
	if r.Float64() < m.Late {
		h.Pauses = append(h.Pauses, Window{0, span(time.Microsecond, m.Longest)})
	}
	for len(h.Pauses) < maxPauses && r.Float64() < m.Pause {
		at := span(0, m.Within)
		h.Pauses = append(h.Pauses, Window{at, at + span(time.Microsecond, m.Longest)})
	}
	if r.Float64() < m.Slow {
		at := span(0, m.Within)
		tenths := r.Int64N(max(int64(10*(m.Factor-1)), 0) + 1)
		h.Slow = append(h.Slow, Slowness{Window{at, at + span(time.Microsecond, m.Within)}, 1 + float64(tenths)/10})
	}
	return h
}
