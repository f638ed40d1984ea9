package train

import (
	"slices"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// iterationsShown is how many times the slowest worker pushes, or ends an update, in a time line.
const iterationsShown = 5

// Stretch is a part of a worker's time: an iteration (pull, computation, push), or the wait for the
// server's answer.
type Stretch struct {
	Worker                     int
	From, To                   float64 // ms
	State                      string
	Step, Pulled, Applied, Gap int64
	Answer                     string // the state of its push
}

// Stretches returns the parts of all workers' time up to end.
func Stretches(method string, l *dasp.Log, end time.Duration) (all []Stretch) {
	for _, p := range l.Pushes {
		if p.Received > end || p.Abandoned {
			continue
		}
		s := Stretch{p.Worker, milliseconds(p.Sent), milliseconds(p.Received), "compute", p.Step, p.Pulled, p.Applied, p.Gap,
			Answer(method, p)}
		all = append(all, s)
		if to := min(p.Replied, end); to > p.Received {
			s.From, s.To, s.State = s.To, milliseconds(to), s.Answer
			all = append(all, s)
		}
	}
	return all
}

// Answer names how a push was answered: under DASP its state, under a method without states whether
// others held it up.
func Answer(method string, p dasp.Push) string {
	switch {
	case method == "dasp":
		return p.State.String()
	case p.State == 0:
		return "barrier"
	}
	return "at-once"
}

// ShownUntil returns the end of a time line: the instant at which every worker has pushed at least
// iterationsShown times.
func ShownUntil(l *dasp.Log) time.Duration {
	n := make([]int, l.Workers)
	for _, p := range l.Pushes {
		n[p.Worker]++
		if slices.Min(n) >= iterationsShown {
			return p.Received
		}
	}
	return l.End
}

// Exchanges returns the parts of all ranks' time in the first updates of a run without a server: from its spans
// those in which a rank computes, and what is between them, in which it sends and receives. ends are those of
// Outcome.Ends.
func Exchanges(t *cluster.Trace, ends []time.Duration) (all []Stretch) {
	if len(ends) == 0 {
		return nil
	}
	end := ends[min(iterationsShown, len(ends))-1]
	spans := slices.DeleteFunc(slices.Clone(t.Spans), func(s cluster.Span) bool { return s.Kind != cluster.SpanCompute || s.From >= end || s.To == s.From })
	slices.SortStableFunc(spans, func(a, b cluster.Span) int { return int(a.From - b.From) })
	ranks := 0
	for _, s := range spans {
		ranks = max(ranks, s.Rank+1)
	}
	for rank := range ranks {
		var open Stretch // the computation under way
		for _, s := range spans {
			from, to := milliseconds(s.From), milliseconds(min(s.To, end))
			switch {
			case s.Rank != rank:
			case open.To == from && open.State != "", from < open.To:
				open.To = max(open.To, to)
			default:
				all = appendStretch(all, open)
				all = appendStretch(all, Stretch{Worker: rank, From: open.To, To: from, State: exchanging})
				open = Stretch{Worker: rank, From: from, To: to, State: computing}
			}
		}
		all = appendStretch(all, open)
		all = appendStretch(all, Stretch{Worker: rank, From: open.To, To: milliseconds(end), State: exchanging})
	}
	return all
}

// The states of a rank without a server.
const (
	computing  = "compute"
	exchanging = "all-reduce"
)

// appendStretch appends s unless it is empty.
func appendStretch(all []Stretch, s Stretch) []Stretch {
	if s.To <= s.From {
		return all
	}
	return append(all, s)
}

func milliseconds(d time.Duration) float64 { return 1e3 * d.Seconds() }
