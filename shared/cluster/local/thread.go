package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/goid"
)

// thread is one goroutine of a rank and its Proc.
type thread struct {
	w    *world
	rank *rank
	name string
	done *req // of the Go that made it; nil for the first
	goid uint64
	err  error
	seen bool // err was returned to someone

	blocked bool
	timed   bool // blocked with a deadline
	wake    chan struct{}
	waiting []cluster.Req

	streams map[string]*rand.Rand
	named   map[string]int
}

var _ cluster.Proc = (*thread)(nil)

var errExit = errors.New("local: body ended by runtime.Goexit")

// spawn starts a thread. The caller holds the lock.
func (w *world) spawn(r *rank, name string, done *req, body func(cluster.Proc) error) *thread {
	t := &thread{w: w, rank: r, name: name, done: done, wake: make(chan struct{}, 1)}
	w.threads = append(w.threads, t)
	w.running++
	w.group.Add(1)
	go t.run(body)
	return t
}

func (t *thread) run(body func(cluster.Proc) error) {
	defer t.w.group.Done()
	err := errExit
	defer func() {
		if v := recover(); v != nil {
			err = &cluster.PanicError{Value: v, Stack: debug.Stack()}
		}
		t.end(err)
	}()
	t.goid = goid.Get()
	err = body(t)
}

// end takes the thread out of the run.
func (t *thread) end(err error) {
	w := t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	t.err = err
	w.running--
	if w.abort == nil {
		w.elapsed = w.now()
	}
	_, panicked := err.(*cluster.PanicError)
	switch {
	case panicked:
		w.fail(t.rank.id, "panic", err)
	case t.done != nil:
		w.complete(t.done, err)
	case err != nil:
		w.fail(t.rank.id, "body", err)
	}
	w.checkDeadlock()
}

// unblock makes a waiting thread runnable. The caller holds the lock.
func (t *thread) unblock() {
	if !t.blocked {
		return
	}
	t.blocked = false
	t.w.running++
	if t.timed {
		t.w.timers--
	}
	t.wake <- struct{}{}
}

// enter takes the lock for one call of the Proc, after checking that the
// caller owns it, and returns the run's failure if there is one.
func (t *thread) enter() error {
	if goid.Get() != t.goid {
		panic(fmt.Sprintf("cluster: Proc of rank %d thread %q used by another thread", t.rank.id, t.name))
	}
	t.w.mu.Lock()
	if t.w.abort != nil {
		return t.w.abort
	}
	return nil
}

func (t *thread) Rank() int { return t.rank.id }

func (t *thread) Size() int { return len(t.w.ranks) }

func (t *thread) Now() time.Duration {
	_ = t.enter()
	defer t.w.mu.Unlock()
	return t.w.now()
}

func (t *thread) Rand(stream string) *rand.Rand {
	_ = t.enter()
	defer t.w.mu.Unlock()
	r := t.streams[stream]
	if r == nil {
		if t.streams == nil {
			t.streams = map[string]*rand.Rand{}
		}
		r = cluster.Stream(t.w.cfg.Seed, t.rank.id, t.name, stream)
		t.streams[stream] = r
	}
	return r
}

func (t *thread) Go(name string, body func(cluster.Proc) error) cluster.Req {
	r := t.w.newReq(t.rank, "thread")
	err := t.enter()
	defer t.w.mu.Unlock()
	if err != nil {
		t.w.complete(r, err)
		return r
	}
	if t.named == nil {
		t.named = map[string]int{}
	}
	t.named[name]++
	r.thread = t.w.spawn(t.rank, cluster.ThreadName(t.name, name, t.named[name]), r, body)
	return r
}
