package virtual

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/goid"
)

// thread is one coroutine of a rank and its Proc.
type thread struct {
	e    *engine
	rank *rank
	name string // "" for the rank's first thread; unique within the rank
	done *req   // of the Go that made it; nil for the first

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	goid  uint64
	began bool
	ended bool
	err   error
	seen  bool // err was returned to someone

	gen     uint32 // counts waits
	waiting []cluster.Req
	until   int64 // of the wait, 0: none
	ignored int   // calls since the run failed or the rank was lost
	listed  int   // losses that Alive has left out
	alarm   *req  // the last that Lost returned

	streams map[string]*rand.Rand
	named   map[string]int // threads made so far, by name
}

var _ cluster.Proc = (*thread)(nil)

// maxIgnored bounds how long a body may go on calling after the run failed.
const maxIgnored = 1 << 20

func (e *engine) newThread(r *rank, name string, body func(cluster.Proc) error) *thread {
	t := &thread{e: e, rank: r, name: name}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield, t.goid = yield, goid.Get()
		t.err = t.call(body, t.proc())
	})
	e.threads = append(e.threads, t)
	e.live++
	return t
}

// call runs body; a panic becomes an error that carries its stack.
func (t *thread) call(body func(cluster.Proc) error, p cluster.Proc) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case errStopped:
			if err = cluster.ErrCrashed; t.e.abort != nil {
				err = t.e.abort
			}
		default:
			err = &cluster.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return body(p)
}

// wakeAt resumes t at an instant unless its wait has ended by then.
func (e *engine) wakeAt(t *thread, at int64) {
	e.events.push(event{at: at, seq: e.nextSeq(), gen: t.gen, t: t})
}

// resume gives t its turn: until it waits again or returns.
func (e *engine) resume(t *thread) {
	t.gen++
	t.began = true
	e.current.Store(t)
	_, more := t.next()
	e.current.Store(nil)
	if more {
		return
	}
	t.ended = true
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
		t.done.err = t.err
		e.complete(t.done)
	case t.err != nil:
		e.fail(t.rank.id, "body", t.err)
	}
}

// block hands the turn back to the engine.
func (t *thread) block() {
	if !t.yield(struct{}{}) {
		panic(errStopped)
	}
}

// close unwinds threads that are still suspended: any that never began, and
// all others if a body left by runtime.Goexit.
func (e *engine) close() {
	if e.abort == nil {
		e.fail(-1, "body", errStopped)
	}
	for _, t := range e.threads {
		if !t.ended {
			e.current.Store(t)
			t.stop()
		}
	}
	e.current.Store(nil)
}

// enter checks that the caller owns t and returns the run's failure, if any.
func (t *thread) enter() error {
	if t.e.current.Load() != t || t.e.pool.Busy() && goid.Get() != t.goid {
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
	child.done, r.thread = r, child
	t.e.wakeAt(child, t.e.now)
	return r
}
