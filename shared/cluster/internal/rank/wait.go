package rank

import (
	"fmt"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// own returns r as this rank's request; nil stays nil and is never done.
func (t *Thread) own(r cluster.Req) *Req {
	if r == nil {
		return nil
	}
	q, ok := r.(*Req)
	if !ok || q.rank != t.rank {
		panic(fmt.Sprintf("cluster: rank %d waits for a request (%T) that is not its own", t.rank.id, r))
	}
	return q
}

// ready returns the first completed request, −1 if none has.
func (t *Thread) ready(reqs []cluster.Req) (int, *Req) {
	best, first := -1, (*Req)(nil)
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil && q.done && (best < 0 || q.seq < first.seq) {
			best, first = i, q
		}
	}
	return best, first
}

func (t *Thread) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	err := t.Enter()
	c := t.core
	defer c.Mu.Unlock()
	for {
		if err != nil {
			return -1, err
		}
		if i, q := t.ready(reqs); i >= 0 {
			return i, q.take()
		}
		var from time.Duration
		if until != 0 || c.cfg.Trace {
			from = c.Now()
		}
		if until != 0 && from >= until {
			return -1, cluster.ErrDeadline
		}
		t.block(until-from, until != 0, reqs)
		if c.cfg.Trace {
			c.span(t, cluster.SpanWait, from, c.Now())
		}
		err = t.failure()
	}
}

// block gives up the lock until a request completes, the run fails or, if
// timed, d has passed. It returns with the lock.
func (t *Thread) block(d time.Duration, timed bool, reqs []cluster.Req) {
	c := t.core
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil {
			if q.waiting == nil {
				q.waiting = q.one[:0]
			}
			q.waiting = append(q.waiting, t)
		}
	}
	t.blocked, t.timed, t.waiting = true, timed, reqs
	c.running--
	var expired <-chan time.Time
	if timed {
		c.timers++
		timer := time.NewTimer(d)
		defer timer.Stop()
		expired = timer.C
	}
	c.stall()
	polls := t.polls(reqs)
	c.Mu.Unlock()
	if !polls || !t.poll(d, timed) {
		t.sleep(expired)
	} else {
		<-t.wake
		c.Mu.Lock()
	}
	t.waiting = nil
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil && !q.done {
			q.forget(t)
		}
	}
}

// sleep waits until t is woken or its time has expired, and takes the lock.
func (t *Thread) sleep(expired <-chan time.Time) {
	from := time.Now()
	select {
	case <-t.wake:
		t.core.Mu.Lock()
	case <-expired:
		t.core.Mu.Lock()
		t.unblock() // does nothing if a completion came in between
		<-t.wake
	}
	t.slept(time.Since(from))
}

// forget removes t once from the threads that wait for q.
func (q *Req) forget(t *Thread) {
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
}

// waiters describes t's wait for a deadlock's list.
func (t *Thread) waiters() (all []cluster.Waiter) {
	for _, r := range t.waiting {
		if q := t.own(r); q != nil {
			all = append(all, cluster.Waiter{Rank: t.rank.id, Thread: t.name, Op: q.kind.String(), Peer: q.Peer, Tag: q.Tag})
		}
	}
	if all == nil {
		all = []cluster.Waiter{{Rank: t.rank.id, Thread: t.name, Op: "sleep", Peer: -1}}
	}
	return all
}

func (t *Thread) Cancel(r cluster.Req) {
	err := t.Enter()
	defer t.core.Mu.Unlock()
	q := t.own(r)
	if err != nil || q == nil {
		return
	}
	if q.kind != Receiving {
		panic(fmt.Sprintf("cluster: rank %d cancels a %s; only receives can be", t.rank.id, q.kind))
	}
	if t.rank.box.Cancel(q) {
		q.Complete(cluster.ErrCancelled)
	}
	// A message that has begun to fill the buffer comes to its end first.
	for q.bound && !q.done && t.failure() == nil {
		q.unasked = true
		t.block(0, false, []cluster.Req{q})
	}
}
