package virtual

import (
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
)

// own returns r as this rank's request; nil stays nil and is never done.
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

// ready returns the index of the first completed request by (time, sequence),
// −1 if none has.
func (t *thread) ready(reqs []cluster.Req) (int, *req) {
	best, at := -1, (*req)(nil)
	for i := range reqs {
		q := t.own(reqs[i])
		if q == nil || !q.due() {
			continue
		}
		if best < 0 || q.at < at.at || q.at == at.at && q.seq < at.seq {
			best, at = i, q
		}
	}
	return best, at
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
		t.register(reqs)
		if until != 0 {
			e.wakeAt(t, limit)
		}
		t.waiting, t.until = reqs, limit
		t.block()
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

// register asks for a wake-up by each request: at its instant where that is
// known, on completion otherwise.
func (t *thread) register(reqs []cluster.Req) {
	for i := range reqs {
		q := t.own(reqs[i])
		switch {
		case q == nil:
		case q.known:
			t.e.events.push(event{at: q.at, seq: q.seq, gen: t.gen, t: t})
		case q.first.t == nil || q.first.t.gen != q.first.gen:
			q.first = waiter{t, t.gen}
		default:
			q.others = append(q.others, waiter{t, t.gen})
		}
	}
}

// waiters describes t's wait for a deadlock's list.
func (t *thread) waiters() []cluster.Waiter {
	base := cluster.Waiter{Rank: t.rank.id, Thread: t.name, Op: "sleep", Peer: -1}
	var ws []cluster.Waiter
	for _, r := range t.waiting {
		if q := t.own(r); q != nil {
			w := base
			w.Op, w.Peer, w.Tag = kindNames[q.kind], q.peer, q.tag
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
	q := t.own(r)
	if q == nil {
		return
	}
	if q.kind != kindRecv {
		panic(fmt.Sprintf("cluster: rank %d cancels a %s; only receives can be", t.rank.id, kindNames[q.kind]))
	}
	if t.rank.box.Cancel(q) {
		q.err = cluster.ErrCancelled
		t.e.complete(q)
	}
}

// span records one operation.
func (t *thread) span(k cluster.SpanKind, name string, peer int, tag cluster.Tag, bytes int, from, to int64) {
	t.e.spans = append(t.e.spans, cluster.Span{
		Rank: t.rank.id, Thread: t.name, Kind: k, Name: name, Peer: peer, Tag: tag, Bytes: bytes,
		From: time.Duration(from / perNano), To: time.Duration(to / perNano),
	})
}
