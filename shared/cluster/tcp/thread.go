package tcp

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
	n    *node
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

var errExit = errors.New("tcp: body ended by runtime.Goexit")

// spawn starts a thread. The caller holds the lock.
func (n *node) spawn(name string, done *req, body func(cluster.Proc) error) *thread {
	t := &thread{n: n, name: name, done: done, wake: make(chan struct{}, 1)}
	n.threads = append(n.threads, t)
	n.running++
	n.epoch++
	n.group.Add(1)
	go t.run(body)
	return t
}

func (t *thread) run(body func(cluster.Proc) error) {
	defer t.n.group.Done()
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
	n := t.n
	n.mu.Lock()
	defer n.mu.Unlock()
	t.err = err
	n.running--
	if n.abort != nil {
		if t.done != nil {
			n.complete(t.done, err)
		}
		return
	}
	n.elapsed = n.now()
	_, panicked := err.(*cluster.PanicError)
	switch {
	case panicked:
		n.report(n.cfg.Rank, "panic", err)
	case t.done != nil:
		n.complete(t.done, err)
	case err != nil:
		n.report(n.cfg.Rank, "body", err)
	}
}

// unblock makes a waiting thread runnable. The caller holds the lock.
func (t *thread) unblock() {
	if !t.blocked {
		return
	}
	t.blocked = false
	t.n.running++
	t.n.epoch++
	if t.timed {
		t.n.timers--
	}
	t.wake <- struct{}{}
}

// enter takes the lock for one call of the Proc, after checking that the
// caller owns it, and returns the run's failure if there is one.
func (t *thread) enter() error {
	if goid.Get() != t.goid {
		panic(fmt.Sprintf("cluster: Proc of rank %d thread %q used by another thread", t.n.cfg.Rank, t.name))
	}
	t.n.mu.Lock()
	if t.n.abort != nil {
		return t.n.abort
	}
	return nil
}

func (t *thread) Rank() int { return t.n.cfg.Rank }

func (t *thread) Size() int { return t.n.cfg.Size }

func (t *thread) Now() time.Duration {
	_ = t.enter()
	defer t.n.mu.Unlock()
	return t.n.now()
}

func (t *thread) Rand(stream string) *rand.Rand {
	_ = t.enter()
	defer t.n.mu.Unlock()
	r := t.streams[stream]
	if r == nil {
		if t.streams == nil {
			t.streams = map[string]*rand.Rand{}
		}
		r = cluster.Stream(t.n.cfg.Seed, t.n.cfg.Rank, t.name, stream)
		t.streams[stream] = r
	}
	return r
}

func (t *thread) Go(name string, body func(cluster.Proc) error) cluster.Req {
	r := t.n.newReq("thread")
	err := t.enter()
	defer t.n.mu.Unlock()
	if err != nil {
		t.n.complete(r, err)
		return r
	}
	if t.named == nil {
		t.named = map[string]int{}
	}
	t.named[name]++
	r.thread = t.n.spawn(cluster.ThreadName(t.name, name, t.named[name]), r, body)
	return r
}
