package virtual

import (
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/device"
)

type kind uint8

const (
	kindSend kind = iota + 1
	kindRecv
	kindBcast
	kindCompute
	kindThread
	kindLost
)

var kindNames = [...]string{"", "send", "recv", "bcast", "compute", "thread", "lost"}

// op is an operation in flight. Sends, of which it is all, and computations know when they will end as soon as
// they are posted and cost an event only if someone waits.
type op struct {
	rank *rank
	at   int64 // when it ends; −1: nobody knows yet
	seq  uint64
	peer int32
	tag  int32 // the kind, where it is not a req's, times cluster.MaxTag, plus the tag
}

// req is an op with what all but sends have. It fits a cache line; what few requests have is in more.
type req struct {
	op
	kind  kind
	gen   uint32  // of the wait of
	first *thread // that waits for it
	into  *cluster.Msg
	more  *rest
}

// rest is what few requests have.
type rest struct {
	err    error
	work   *computation // of a computation; nil once joined
	stage  int
	thread *thread // of a Go
	others []waiter
}

// waiter is a thread's wait number gen.
type waiter struct {
	t   *thread
	gen uint32
}

// computation is a started function whose stages are joined when they are due.
type computation struct {
	*device.Computation
	rank int
	seen bool // its error was returned to someone
}

// slabSize requests are allocated at once: 512 bytes, the most that lie on the bounds of cache lines.
const slabSize = 8

func (e *engine) newReq(r *rank, k kind) *req {
	if len(e.reqs) == 0 {
		e.reqs = make([]req, slabSize)
	}
	q := &e.reqs[0]
	e.reqs = e.reqs[1:]
	q.rank, q.kind, q.peer, q.at = r, k, -1, -1
	return q
}

// newSend returns the request of a transmission, which ends at an instant.
func (e *engine) newSend(r *rank, k kind, peer int, tag cluster.Tag, at int64) *op {
	if len(e.sends) == 0 {
		e.sends = make([]op, 2*slabSize)
	}
	o := &e.sends[0]
	e.sends = e.sends[1:]
	*o = op{rank: r, at: at, seq: e.nextSeq(), peer: int32(peer), tag: int32(k)*int32(cluster.MaxTag) + int32(tag)}
	return o
}

// rest returns what few requests have, for writing.
func (r *req) rest() *rest {
	if r.more == nil {
		r.more = &rest{}
	}
	return r.more
}

// failed completes a request that never began.
func (e *engine) failed(r *req, err error) *req {
	r.at, r.rest().err = e.now, err
	return r
}

// finishAt decides when r completes.
func (e *engine) finishAt(r *req, at int64) {
	r.at, r.seq = at, e.nextSeq()
}

// complete ends r now and schedules every thread that waits for it.
func (e *engine) complete(r *req) {
	e.finishAt(r, e.now)
	if t := r.first; t != nil && t.gen == r.gen {
		e.wakeAt(t, e.now)
	}
	r.first = nil
	if r.more == nil {
		return
	}
	for _, w := range r.more.others {
		if w.t.gen == w.gen {
			e.wakeAt(w.t, e.now)
		}
	}
	r.more.others = nil
}

// completeNow does complete for an event: a single waiter is returned to take its
// turn at once, which spares another.
func (e *engine) completeNow(r *req) *thread {
	t := r.first
	if t == nil || t.gen != r.gen || r.more != nil && len(r.more.others) > 0 {
		e.complete(r)
		return nil
	}
	e.finishAt(r, e.now)
	r.first = nil
	return t
}

// due reports whether o's time has come; join makes that real.
func (o *op) due() bool { return uint64(o.at) <= uint64(o.rank.e.now) }

// waiter describes a wait for o, a send, or q.
func (o *op) waiter(q *req) (op string, peer int, tag cluster.Tag) {
	if q != nil {
		return kindNames[q.kind], int(q.peer), cluster.Tag(q.tag)
	}
	return kindNames[o.tag/int32(cluster.MaxTag)], int(o.peer), cluster.Tag(o.tag % int32(cluster.MaxTag))
}

// join waits until a due computation was really made and takes its error.
func (m *rest) join(e *engine) {
	if m.work == nil {
		return
	}
	if err := m.work.Wait(m.stage, e.ctx.Done()); err != nil {
		if m.err = err; e.cancelled() {
			m.err = e.abort
		}
	} else {
		m.work = nil
	}
}

// take returns the error of r, nil for a send, to someone.
func (r *req) take() error {
	if r == nil || r.more == nil {
		return nil
	}
	m := r.more
	m.join(r.rank.e)
	if m.work != nil {
		m.work.seen = true
	}
	if m.thread != nil {
		m.thread.seen = true
	}
	return m.err
}

// Done reports whether the operation has completed at the present instant.
func (o *op) Done() bool { return o.due() }

// Err returns nil: no send fails that has begun.
func (o *op) Err() error { return nil }

// Err returns the operation's error, nil until it is done.
func (r *req) Err() error {
	if !r.due() {
		return nil
	}
	return r.take()
}
