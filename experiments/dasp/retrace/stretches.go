package retrace

import (
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/papers/dasp"
)

// Stretch is a part of a worker's time: an iteration (pull, computation, push), or the wait
// for the server's answer in its state.
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
		s := Stretch{p.Worker, setup.Milliseconds(p.Sent), setup.Milliseconds(p.Received), "compute", p.Step, p.Pulled, p.Applied, p.Gap, Answer(method, p)}
		all = append(all, s)
		if to := min(p.Replied, end); to > p.Received {
			s.From, s.To, s.State = s.To, setup.Milliseconds(to), s.Answer
			all = append(all, s)
		}
	}
	return all
}

// Answer is the state of a push under DASP, and under a method without states whether
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
