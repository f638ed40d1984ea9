package virtual

import (
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
)

// own returns r as this rank's request, and as a req if it is one; nil stays nil and is never done.
func (t *thread) own(r cluster.Req) (o *op, q *req) {
	switch r := r.(type) {
	case *req:
		o, q = &r.op, r
	case *op:
		o = r
	case nil:
		return nil, nil
	}
	if o == nil || o.rank != t.rank {
		panic(fmt.Sprintf("cluster: rank %d waits for a request (%T) that is not its own", t.rank.id, r))
	}
	return o, q
}

// ready returns the index of the first completed request by (time, sequence),
// −1 if none has.
func (t *thread) ready(reqs []cluster.Req) (int, *req) {
	best, at, first := -1, (*op)(nil), (*req)(nil)
	for i := range reqs {
		o, q := t.own(reqs[i])
		if o == nil || !o.due() {
			continue
		}
		if best < 0 || o.at < at.at || o.at == at.at && o.seq < at.seq {
			best, at, first = i, o, q
		}
	}
	return best, first
}

func (t *thread) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	if err := t.enter(); err != nil {
		return -1, err
	}
	e := t.e
	var limit int64
	if until != 0 {
		limit = max(e.now, perNano*int64(min(until, math.MaxInt64/perNano)))
	}
	from := e.now
	for {
		if i, q := t.ready(reqs); i >= 0 {
			return i, q.take()
		}
		if until != 0 && e.now >= limit {
			return -1, cluster.ErrDeadline
		}
		for i := range reqs {
			if o, q := t.own(reqs[i]); o != nil {
				t.register(o, q)
			}
		}
		if until != 0 {
			e.wakeAt(t, limit)
		}
		t.waiting = reqs
		e.turn = e.run()
		e.pass(t)
		t.waiting = nil
		if e.cfg.Trace && e.now > from {
			t.span(cluster.SpanWait, "", -1, 0, 0, from, e.now)
			from = e.now
		}
		if err := t.failure(); err != nil {
			return -1, err
		}
	}
}

// WaitOne is WaitAny of one request without a deadline. cluster.Wait calls it: no list on the heap, and
// few frames on the stacks of threads that wait.
func (t *thread) WaitOne(r cluster.Req) error {
	if err := t.enter(); err != nil {
		return err
	}
	e := t.e
	from := e.now
	o, q := t.own(r)
	for o == nil || !o.due() {
		if o != nil {
			t.register(o, q)
		}
		t.one[0] = r
		t.waiting = t.one[:]
		e.turn = e.run()
		e.pass(t)
		t.waiting = nil
		if e.cfg.Trace && e.now > from {
			t.span(cluster.SpanWait, "", -1, 0, 0, from, e.now)
			from = e.now
		}
		if err := t.failure(); err != nil {
			return err
		}
	}
	return q.take()
}

// register asks for a wake-up by o, or q: at its instant where that is
// known, on completion otherwise.
func (t *thread) register(o *op, q *req) {
	switch {
	case o.at >= 0:
		t.e.events.push(event{at: o.at, seq: o.seq, gen: t.gen, who: t.id})
	case q.first == nil || q.first.gen != q.gen:
		q.first, q.gen = t, t.gen
	default:
		m := q.rest()
		m.others = append(m.others, waiter{t, t.gen})
	}
}

// waiters describes t's wait for a deadlock's list.
func (t *thread) waiters() []cluster.Waiter {
	base := cluster.Waiter{Rank: t.rank.id, Thread: t.name, Op: "sleep", Peer: -1}
	var ws []cluster.Waiter
	for _, r := range t.waiting {
		if o, q := t.own(r); o != nil {
			w := base
			w.Op, w.Peer, w.Tag = o.waiter(q)
			ws = append(ws, w)
		}
	}
	if ws == nil {
		ws = append(ws, base)
	}
	return ws
}

func (t *thread) Cancel(r cluster.Req) {
	if t.enter() != nil {
		return
	}
	o, q := t.own(r)
	if o == nil {
		return
	}
	if name, _, _ := o.waiter(q); name != kindNames[kindRecv] {
		panic(fmt.Sprintf("cluster: rank %d cancels a %s; only receives can be", t.rank.id, name))
	}
	if t.rank.box.Cancel(q) {
		q.rest().err = cluster.ErrCancelled
		t.e.complete(q)
	}
}

// span records one operation. It is no part of its callers' frames, which are on the stack of each thread that waits.
//
//go:noinline
func (t *thread) span(k cluster.SpanKind, name string, peer int, tag cluster.Tag, bytes int, from, to int64) {
	t.e.spans = append(t.e.spans, cluster.Span{
		Rank: t.rank.id, Thread: t.name, Kind: k, Name: name, Peer: peer, Tag: tag, Bytes: bytes,
		From: time.Duration(from / perNano), To: time.Duration(to / perNano),
	})
}
