package dasp

import (
	"cmp"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

// reply is one hand-out of weights.
type reply struct {
	at      time.Duration
	worker  int
	version int64
}

// byReply returns the hand-outs that a gradient came back from, in order of
// time (ties: worker). The last one of each worker is missing: its gradient
// never arrived.
func byReply(l *dasp.Log) []reply {
	out := make([]reply, 0, len(l.Pushes))
	for _, p := range l.Pushes {
		out = append(out, reply{p.Sent, p.Worker, p.Pulled})
	}
	slices.SortStableFunc(out, func(a, b reply) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.worker, b.worker))
	})
	return out
}

// shown is the end of a time line: when the slowest worker has pushed
// iterationsShown times.
func shown(l *dasp.Log) time.Duration {
	n := make([]int, l.Workers)
	for _, p := range l.Pushes {
		n[p.Worker]++
		least := slices.Min(n)
		if least >= iterationsShown {
			return p.Received
		}
	}
	return l.End
}
