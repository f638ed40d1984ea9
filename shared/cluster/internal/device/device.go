// Package device runs the functions that ranks Start: off the process, one
// rank's in order, several ranks' at once.
package device

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"gradsync/shared/cluster"
)

// Call runs f, which must call done once per stage in [0, stages). It passes
// each call on to stageDone and returns f's error, the *cluster.PanicError of
// its panic, or an error if it returned with stages open.
func Call(f func(done func(int)) error, stages int, stageDone func(int)) (err error) {
	called := make([]bool, stages)
	open := stages
	defer func() {
		if v := recover(); v != nil {
			err = &cluster.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	err = f(func(i int) {
		if i < 0 || i >= stages || called[i] {
			panic(fmt.Sprintf("cluster: done(%d) of a computation of %d stages, each once", i, stages))
		}
		called[i] = true
		open--
		stageDone(i)
	})
	if err == nil && open > 0 {
		err = fmt.Errorf("cluster: computation returned with %d of %d stages open", open, stages)
	}
	return err
}

// Pool runs computations on at most limit goroutines, which exist while there is work.
type Pool struct {
	mu      sync.Mutex
	limit   int
	workers int
	ready   []*Queue
	running atomic.Int32
}

// NewPool returns a pool of at most limit goroutines.
func NewPool(limit int) *Pool { return &Pool{limit: max(limit, 1)} }

// Busy reports whether any computation is queued or running.
func (p *Pool) Busy() bool { return p.running.Load() > 0 }

// Queue is one rank's computations: they run in order, never two at once.
type Queue struct {
	pool    *Pool
	waiting []*Computation
	active  bool // in pool.ready or held by a worker
}

// Queue returns a new queue of the pool.
func (p *Pool) Queue() *Queue { return &Queue{pool: p} }

// Computation is one started function.
type Computation struct {
	f        func(done func(int)) error
	stages   []chan struct{} // closed when the stage was really done
	finished chan struct{}
	err      error // set before finished closes
}

// Submit queues f behind the queue's earlier computations.
func (q *Queue) Submit(f func(done func(int)) error, stages int) *Computation {
	j := &Computation{f: f, stages: make([]chan struct{}, stages), finished: make(chan struct{})}
	for i := range j.stages {
		j.stages[i] = make(chan struct{})
	}
	p := q.pool
	p.running.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	q.waiting = append(q.waiting, j)
	if !q.active {
		q.active = true
		p.ready = append(p.ready, q)
		if p.workers < p.limit {
			p.workers++
			go p.work()
		}
	}
	return j
}

// work runs computations until no queue is ready.
func (p *Pool) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.ready) > 0 {
		q := p.ready[0]
		p.ready = p.ready[1:]
		j := q.waiting[0]
		q.waiting = q.waiting[1:]
		p.mu.Unlock()
		j.err = Call(j.f, len(j.stages), func(i int) { close(j.stages[i]) })
		p.running.Add(-1)
		close(j.finished)
		p.mu.Lock()
		if q.active = len(q.waiting) > 0; q.active {
			p.ready = append(p.ready, q)
		}
	}
	p.workers--
}

// Wait blocks until stage i was done or the computation has finished, and returns nil
// in the first case, the computation's error in the second. A closed stop ends the
// wait with cluster.ErrCancelled.
func (j *Computation) Wait(i int, stop <-chan struct{}) error {
	select {
	case <-j.stages[i]:
		return nil
	default:
	}
	select {
	case <-j.stages[i]:
		return nil
	case <-j.finished:
		select {
		case <-j.stages[i]: // both were ready: the stage was done
			return nil
		default:
			return j.err
		}
	case <-stop:
		return cluster.ErrCancelled
	}
}

// Finish blocks until the computation has finished and returns its error. A closed
// stop ends the wait with cluster.ErrCancelled.
func (j *Computation) Finish(stop <-chan struct{}) error {
	select {
	case <-j.finished:
		return j.err
	case <-stop:
		return cluster.ErrCancelled
	}
}

// Succeeded reports whether the computation has finished without an error.
func (j *Computation) Succeeded() bool {
	select {
	case <-j.finished:
		return j.err == nil
	default:
		return false
	}
}
