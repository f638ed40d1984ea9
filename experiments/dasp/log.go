package dasp

import (
	"cmp"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

// holding is a stretch in which a worker computes on one version: from the
// server's answer to the arrival of the gradient.
type holding struct {
	at      time.Duration
	begins  bool
	worker  int
	version int64
}

// holdings returns the begins and ends in order of time, ends first. The last
// stretch of each worker is missing: its gradient never arrived.
func holdings(l *dasp.Log) []holding {
	var out []holding
	for _, p := range l.Pushes {
		out = append(out, holding{p.Sent, true, p.Worker, p.Pulled}, holding{p.Received, false, p.Worker, p.Pulled})
	}
	slices.SortStableFunc(out, func(a, b holding) int {
		order := 0
		if a.begins != b.begins {
			order = 1
			if b.begins {
				order = -1
			}
		}
		return cmp.Or(cmp.Compare(a.at, b.at), order)
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

// spread is the largest difference between two versions that workers compute on
// at the same time: what §2.2 promises to stay within Smax. Workers that wait
// for an answer compute on nothing.
func spread(l *dasp.Log) int64 {
	v := make([]int64, l.Workers)
	for i := range v {
		v[i] = -1
	}
	var widest int64
	for _, h := range holdings(l) {
		v[h.worker] = -1
		if !h.begins {
			continue
		}
		v[h.worker] = h.version
		oldest := h.version
		for _, x := range v {
			if x >= 0 {
				oldest = min(oldest, x)
			}
		}
		widest = max(widest, slices.Max(v)-oldest)
	}
	return widest
}
