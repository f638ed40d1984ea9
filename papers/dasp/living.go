package dasp

import (
	"slices"
	"time"
)

// Who takes part: a worker leaves when its lease runs out or its rank is lost, and joins anew when it pushes after
// its lease. All of it is ours, and a run without leases on a runtime that is not elastic comes by here once a wait.

// bury takes out the workers whose ranks are lost, at once: no lease need run out. What such a worker had pushed and no
// update has used is dropped.
func (s *server) bury() {
	alive := s.living.Alive()
	s.alarm = s.living.Lost()
	for w := range s.nodes {
		n := &s.nodes[w]
		if n.lost || slices.Contains(alive, w+1) {
			continue
		}
		was := n.present
		n.lost, n.present, n.timer, n.lease, s.atLeast = true, false, 0, 0, 0
		s.log.Lost = append(s.log.Lost, w)
		if was && !s.stopped {
			s.step(Event{Kind: EventLeave, Worker: w, At: s.p.Now()})
		}
	}
}

// deadline returns the earliest timer or end of a lease and whose it is; 0
// means none. A timer comes before a lease of the same instant.
func (s *server) deadline() (at time.Duration, w int) {
	if !s.timed {
		return 0, 0
	}
	for i := range s.nodes {
		for _, t := range [2]time.Duration{s.nodes[i].timer, s.nodes[i].lease} {
			if t > 0 && (at == 0 || t < at) {
				at, w = t, i
			}
		}
	}
	s.timed = at > 0
	return at, w
}

// expire handles w's timer or the end of its lease; a node never has both,
// since the lease runs while it computes and the timer while it waits.
func (s *server) expire(w int, due time.Duration) {
	n := &s.nodes[w]
	kind := EventTimer
	if n.timer == 0 {
		kind, n.present, s.atLeast = EventLeave, false, 0
	}
	n.timer, n.lease = 0, 0
	s.step(Event{Kind: kind, Worker: w, At: max(s.p.Now(), due)}) // a wall clock may be a tick early
}

// empty reports whether all workers have left.
func (s *server) empty() bool {
	for i := range s.nodes {
		if s.nodes[i].present {
			return false
		}
	}
	return true
}

// awaited reports whether a worker that is present has not said Bye. None comes back, so
// that it begins where it stopped.
func (s *server) awaited() bool {
	for ; s.heard < len(s.nodes); s.heard++ {
		if n := &s.nodes[s.heard]; n.present && !n.ended {
			return true
		}
	}
	return false
}
