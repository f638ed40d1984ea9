package local

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
	if !ok || q.rank != t.rank {
		panic(fmt.Sprintf("cluster: rank %d waits for a request (%T) that is not its own", t.rank.id, r))
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
	w := t.w
	defer w.mu.Unlock()
	for {
		if err != nil {
			return -1, err
		}
		if i, q := t.ready(reqs); i >= 0 {
			return i, q.take()
		}
		from := w.now()
		if until != 0 && from >= until {
			return -1, cluster.ErrDeadline
		}
		t.block(until-from, until != 0, reqs)
		w.span(t, cluster.Span{Kind: cluster.SpanWait, Peer: -1, From: from, To: w.now()})
		if w.abort != nil {
			err = w.abort
		}
	}
}

// block gives up the lock until a request completes, the run fails or, if
// timed, d has passed. It returns with the lock.
func (t *thread) block(d time.Duration, timed bool, reqs []cluster.Req) {
	w := t.w
	for i := range reqs {
		if q := t.own(reqs[i]); q != nil {
			q.waiting = append(q.waiting, t)
		}
	}
	t.blocked, t.timed, t.waiting = true, timed, reqs
	w.running--
	var expired <-chan time.Time
	if timed {
		w.timers++
		timer := time.NewTimer(d)
		defer timer.Stop()
		expired = timer.C
	}
	w.checkDeadlock()
	w.mu.Unlock()
	select {
	case <-t.wake:
		w.mu.Lock()
	case <-expired:
		w.mu.Lock()
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
	base := cluster.Waiter{Rank: t.rank.id, Thread: t.name, Op: "sleep", Peer: -1}
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
	defer t.w.mu.Unlock()
	q := t.own(r)
	if err != nil || q == nil {
		return
	}
	if q.kind != "recv" {
		panic(fmt.Sprintf("cluster: rank %d cancels a %s; only receives can be", t.rank.id, q.kind))
	}
	if t.rank.box.Cancel(q) {
		t.w.complete(q, cluster.ErrCancelled)
	}
}
