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

// req is an operation in flight. Sends and computations know when they will
// end as soon as they are posted and cost an event only if someone waits.
type req struct {
	e      *engine
	rank   *rank
	kind   kind
	known  bool // at is decided
	at     int64
	seq    uint64
	err    error
	into   *cluster.Msg
	peer   int
	tag    cluster.Tag
	work   *computation // of a computation; nil once joined
	stage  int
	thread *thread // of a Go
	first  waiter
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

// slabSize requests are allocated at once.
const slabSize = 64

func (e *engine) newReq(r *rank, k kind) *req {
	if len(e.reqs) == 0 {
		e.reqs = make([]req, slabSize)
	}
	q := &e.reqs[0]
	e.reqs = e.reqs[1:]
	q.e, q.rank, q.kind, q.peer = e, r, k, -1
	return q
}

// failed completes a request that never began.
func (e *engine) failed(r *req, err error) *req {
	r.known, r.at, r.err = true, e.now, err
	return r
}

// finishAt decides when r completes.
func (e *engine) finishAt(r *req, at int64) {
	r.known, r.at, r.seq = true, at, e.nextSeq()
}

// complete ends r now and schedules every thread that waits for it.
func (e *engine) complete(r *req) {
	e.finishAt(r, e.now)
	first, others := r.first, r.others
	r.first, r.others = waiter{}, nil
	for _, w := range append([]waiter{first}, others...) {
		if w.t != nil && w.t.gen == w.gen {
			e.wakeAt(w.t, e.now)
		}
	}
}

// completeNow does complete from the engine's loop: a single waiter takes its
// turn at once, which spares an event.
func (e *engine) completeNow(r *req) {
	w := r.first
	if len(r.others) > 0 || w.t == nil || w.t.gen != w.gen {
		e.complete(r)
		return
	}
	e.finishAt(r, e.now)
	r.first = waiter{}
	e.resume(w.t)
}

// due reports whether r's time has come; join makes that real.
func (r *req) due() bool { return r.known && r.at <= r.e.now }

// join waits until a due computation was really made and takes its error.
func (r *req) join() {
	if r.work == nil {
		return
	}
	if err := r.work.Wait(r.stage, r.e.ctx.Done()); err != nil {
		if r.err = err; r.e.cancelled() {
			r.err = r.e.abort
		}
	} else {
		r.work = nil
	}
}

// take returns r's error to someone.
func (r *req) take() error {
	r.join()
	if r.work != nil {
		r.work.seen = true
	}
	if r.thread != nil {
		r.thread.seen = true
	}
	return r.err
}

// Done reports whether the operation has completed at the present instant.
func (r *req) Done() bool { return r.due() }

// Err returns the operation's error, nil until it is done.
func (r *req) Err() error {
	if !r.due() {
		return nil
	}
	return r.take()
}
