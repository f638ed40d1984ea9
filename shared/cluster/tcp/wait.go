package tcp

import (
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

func (t *thread) own(r cluster.Req) *req {
	if r == nil {
		return nil
	}
	q, ok := r.(*req)
	if !ok || q.n != t.n {
		panic(fmt.Sprintf("cluster: rank %d waits for a request (%T) that is not its own", t.n.cfg.Rank, r))
	}
	return q
}

// ready returns the first completed request, −1 if none has.
func (t *thread) ready(reqs []cluster.Req) (int, *req) {
	best, first := -1, (*req)(nil)
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil && q.done && (best < 0 || q.seq < first.seq) {
			best, first = i, q
		}
	}
	return best, first
}

func (t *thread) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	err := t.enter()
	n := t.n
	defer n.mu.Unlock()
	for {
		if err != nil {
			return -1, err
		}
		if i, q := t.ready(reqs); i >= 0 {
			return i, q.take()
		}
		from := n.now()
		if until != 0 && from >= until {
			return -1, cluster.ErrDeadline
		}
		t.block(until-from, until != 0, reqs)
		n.span(t, cluster.Span{Kind: cluster.SpanWait, Peer: -1, From: from, To: n.now()})
		if n.abort != nil {
			err = n.abort
		}
	}
}

// block gives up the lock until a request completes, the run fails or, if
// timed, d has passed. It returns with the lock.
func (t *thread) block(d time.Duration, timed bool, reqs []cluster.Req) {
	n := t.n
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil {
			q.waiting = append(q.waiting, t)
		}
	}
	t.blocked, t.timed, t.waiting = true, timed, reqs
	n.running--
	var expired <-chan time.Time
	if timed {
		n.timers++
		timer := time.NewTimer(d)
		defer timer.Stop()
		expired = timer.C
	}
	n.mu.Unlock()
	select {
	case <-t.wake:
		n.mu.Lock()
	case <-expired:
		n.mu.Lock()
		t.unblock() // no more than a completion in between has done
		<-t.wake
	}
	t.waiting = nil
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil && !q.done {
			q.forget(t)
		}
	}
}

// forget removes t from those that wait for r.
func (r *req) forget(t *thread) {
	for i, w := range r.waiting {
		if w == t {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			return
		}
	}
}

// waiters describes t's wait for a deadlock's list.
func (t *thread) waiters() []cluster.Waiter {
	base := cluster.Waiter{Rank: t.n.cfg.Rank, Thread: t.name, Op: "sleep", Peer: -1}
	var ws []cluster.Waiter
	for _, r := range t.waiting {
		if q := t.own(r); q != nil {
			x := base
			x.Op, x.Peer, x.Tag = q.kind, q.peer, q.tag
			ws = append(ws, x)
		}
	}
	if ws == nil {
		ws = append(ws, base)
	}
	return ws
}

func (t *thread) Cancel(r cluster.Req) {
	err := t.enter()
	defer t.n.mu.Unlock()
	q := t.own(r)
	if err != nil || q == nil {
		return
	}
	if q.kind != "recv" {
		panic(fmt.Sprintf("cluster: rank %d cancels a %s; only receives can be", t.n.cfg.Rank, q.kind))
	}
	if t.n.box.Cancel(q) {
		t.n.complete(q, cluster.ErrCancelled)
	}
	// Its message is on its way into its buffer: that comes to an end, then the
	// receive is one that is done.
	for q.bound && !q.done && t.n.abort == nil {
		t.block(0, false, []cluster.Req{q})
	}
}
