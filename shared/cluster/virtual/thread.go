package virtual

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/goid"
)

// thread is one coroutine of a rank and its Proc.
type thread struct {
	e     *engine
	rank  *rank
	goid  uint64
	stack uintptr // where it was when it gave its turn on: a hint
	id    int32   // its place in engine.threads
	gen   uint32  // counts waits

	in      *thread // in whose coroutine it is parked
	entered bool    // next was called last, so yield is to be
	next    func() (struct{}, bool)
	yield   func(struct{}) bool
	waiting []cluster.Req
	one     [1]cluster.Req // what WaitOne waits for
	began   bool
	ended   bool
	seen    bool // err was returned to someone

	returned bool // by a return of its body

	name    string // "" for the rank's first thread; unique within the rank
	done    *req   // of the Go that made it; nil for the first
	stop    func()
	err     error
	ignored int  // calls since the run failed or the rank was lost
	listed  int  // losses that Alive has left out
	alarm   *req // the last that Lost returned

	streams map[string]*rand.Rand
	named   map[string]int // threads made so far, by name
}

var _ cluster.Proc = (*thread)(nil)

// maxIgnored bounds how long a body may go on calling after the run failed.
const maxIgnored = 1 << 20

// newThread makes a thread that calls body, or what Run was asked to where that is nil.
func (e *engine) newThread(r *rank, name string, body func(cluster.Proc) error) *thread {
	t := &thread{e: e, rank: r, name: name, id: int32(len(e.threads))}
	t.in = t
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer t.leave()
		t.yield, t.goid = yield, goid.Get()
		e.hold(t)
		if body == nil {
			r.result, t.err = e.body(t.proc())
		} else {
			t.err = body(t.proc())
		}
		t.returned = true
	})
	e.threads = append(e.threads, t)
	e.live++
	return t
}

// leave takes t, whose body has returned or panicked, out of the run and gives the turn on: whoever is
// parked in t's coroutine passes it. A panic becomes an error that carries its stack.
func (t *thread) leave() {
	e, v := t.e, recover()
	t.goid = 0 // another goroutine may have the same later
	t.ended = true
	switch {
	case v == errStopped:
		if t.err = cluster.ErrCrashed; e.abort != nil {
			t.err = e.abort
		}
	case v != nil:
		t.err = &cluster.PanicError{Value: v, Stack: debug.Stack()}
	case !t.returned: // by runtime.Goexit
		e.exiting = true
		return
	}
	e.turn = nil
	t.end()
	e.turn = e.run()
}

// wakeAt resumes t at an instant unless its wait has ended by then.
func (e *engine) wakeAt(t *thread, at int64) {
	e.events.push(event{at: at, seq: e.nextSeq(), gen: t.gen, who: t.id})
}

// end does what follows from t's end.
func (t *thread) end() {
	e := t.e
	e.live--
	if e.abort == nil {
		e.elapsed = e.now
	}
	_, panicked := t.err.(*cluster.PanicError)
	switch {
	case t.rank.gone && e.abort == nil:
	case e.cfg.Elastic && e.abort == nil && errors.Is(t.err, cluster.ErrCrashed):
		e.lose(t.rank)
	case panicked:
		e.fail(t.rank.id, "panic", t.err)
	case t.done != nil:
		t.done.rest().err = t.err
		e.complete(t.done)
	case t.err != nil:
		e.fail(t.rank.id, "body", t.err)
	}
}

// pass lets the thread go on whose turn it is and returns when it is from's.
//
// A coroutine of iter.Pull holds one parked goroutine, first its own, and its next and yield, called in turns,
// swap that for the caller, whoever calls: so one switch leads from any thread to any other, without a way back
// to Run's goroutine in between. When a body returns, the goroutine parked in its coroutine goes on.
func (e *engine) pass(from *thread) {
	if from != &e.main {
		from.stack, from.rank.latest = uintptr(unsafe.Pointer(&from)), from
	}
	for e.turn != from {
		c := e.turn.in
		from.in = c
		if c.entered = !c.entered; c.entered {
			c.next()
		} else {
			c.yield(struct{}{})
		}
		if e.exiting {
			runtime.Goexit()
		}
	}
	e.hold(from)
	if e.closing && from != &e.main {
		panic(errStopped)
	}
}

// close unwinds threads that are still suspended: any that never began, and
// all others if a body left by runtime.Goexit or an event had a fault.
func (e *engine) close() {
	if e.abort == nil {
		e.fail(-1, "body", errStopped)
	}
	e.closing, e.exiting = true, false
	for _, t := range e.threads {
		switch {
		case t.ended:
		case t.began:
			e.turn = t
			e.pass(&e.main)
		default:
			t.stop()
		}
	}
}

// hold notes whose turn it is, where foreign asks for it.
func (e *engine) hold(t *thread) {
	if !goid.Cheap {
		e.current.Store(t)
	}
}

// foreign reports whether the caller is another goroutine than t's, or not even one of the run.
func (t *thread) foreign() bool {
	if goid.Cheap {
		return goid.Get() != t.goid
	}
	return t.e.current.Load() != t || t.e.pool.Busy() && goid.Get() != t.goid
}

// enter checks that the caller owns t and returns the run's failure, if any.
func (t *thread) enter() error {
	if t.foreign() {
		panic(fmt.Sprintf("cluster: Proc of rank %d thread %q used by another thread", t.rank.id, t.name))
	}
	if t.e.abort == nil && !t.rank.gone {
		return nil
	}
	if t.ignored++; t.ignored > maxIgnored {
		panic(errStopped)
	}
	return t.failure()
}

func (t *thread) Rank() int { return t.rank.id }

func (t *thread) Size() int { return len(t.e.ranks) }

func (t *thread) Now() time.Duration {
	_ = t.enter()
	return time.Duration(t.e.now / perNano)
}

func (t *thread) Rand(stream string) *rand.Rand {
	_ = t.enter()
	r := t.streams[stream]
	if r == nil {
		if t.streams == nil {
			t.streams = map[string]*rand.Rand{}
		}
		r = cluster.Stream(t.e.cfg.Seed, t.rank.id, t.name, stream)
		t.streams[stream] = r
	}
	return r
}

func (t *thread) Go(name string, body func(cluster.Proc) error) cluster.Req {
	r := t.e.newReq(t.rank, kindThread)
	if err := t.enter(); err != nil {
		return t.e.failed(r, err)
	}
	if t.named == nil {
		t.named = map[string]int{}
	}
	t.named[name]++
	child := t.e.newThread(t.rank, cluster.ThreadName(t.name, name, t.named[name]), body)
	child.done, r.rest().thread = r, child
	t.e.wakeAt(child, t.e.now)
	return r
}
