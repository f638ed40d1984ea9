package rank

import (
	"time"

	"gradsync/shared/cluster"
)

// Bounds of polling: how long a thread polls while nothing moves, and after how many polls for nothing it lets other processes
// run before each.
const (
	patience = 100 * time.Microsecond
	alone    = 2
)

// polls reports whether t may poll while it waits for reqs: that takes a processor from nobody. The caller holds the lock.
func (t *Thread) polls(reqs []cluster.Req) bool {
	c := t.core
	if c.Poll == nil || c.running+min(c.computing, 1) >= c.procs || c.Abort != nil {
		return false
	}
	t.peers = t.peers[:0]
	some := false
	for _, r := range reqs {
		if q := t.own(r); q != nil {
			some = true
			if q.Peer >= 0 && q.Peer != t.rank.id {
				t.peers = append(t.peers, q.Peer)
			}
		}
	}
	return some
}

// poll drives the network until t is woken or its patience is over, and reports whether it is woken. A thread that has
// polled in vain has half the patience, until a wait was short again.
func (t *Thread) poll(d time.Duration, timed bool) bool {
	var begin, last time.Duration // since the run began; untimed, a clock is read once something has been waited for
	if timed {
		begin = t.core.Now()
		last = begin
	}
	for idle := 0; len(t.wake) == 0; idle++ {
		moved := t.core.Poll(t.peers)
		if len(t.wake) > 0 {
			break
		}
		now := t.core.Now()
		if moved || last == 0 {
			last, idle = now, 0
		}
		switch {
		case timed && now-begin > d, now-last > patience>>t.hurry:
			t.hurry = min(t.hurry+1, 4)
			return len(t.wake) > 0
		case idle >= alone:
			yieldProcessor()
		}
	}
	t.hurry = 0
	return true
}

// slept notes how long t slept after it had polled in vain.
func (t *Thread) slept(d time.Duration) {
	if d < patience {
		t.hurry = 0
	}
}
