package rank

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/goid"
	"gradsync/shared/cluster/internal/match"
)

// Thread is one goroutine of a rank and its Proc.
type Thread struct {
	core *Core
	rank *Rank
	name string // "" for the rank's first thread; unique within the rank
	done *Req   // of the Go that made it; nil for the first
	goid uint64
	err  error
	seen bool // err was returned to someone

	blocked bool
	timed   bool // blocked with a deadline
	wake    chan struct{}
	waiting []cluster.Req
	peers   []int // that it polls
	hurry   int   // halves its patience so often
	listed  int   // losses that Alive has left out
	alarm   *Req  // the last that Lost returned
	spare   []*Req

	streams map[string]*rand.Rand
	named   map[string]int // threads made so far, by name
}

var _ cluster.Proc = (*Thread)(nil)

var errExit = errors.New("cluster: body ended by runtime.Goexit")

// Run starts the rank's first thread, which leaves body's result. The caller
// holds the lock.
func (r *Rank) Run(body func(cluster.Proc) ([]byte, error)) {
	r.spawn("", nil, func(p cluster.Proc) (err error) {
		r.result, err = body(p)
		return err
	})
}

// spawn starts a thread. The caller holds the lock.
func (r *Rank) spawn(name string, done *Req, body func(cluster.Proc) error) *Thread {
	c := r.core
	t := &Thread{core: c, rank: r, name: name, done: done, wake: make(chan struct{}, 1)}
	c.threads = append(c.threads, t)
	c.running++
	c.Epoch++
	c.Group.Add(1)
	var p cluster.Proc = t
	if c.cfg.Lose != nil {
		p = survivor{t}
	}
	go t.run(body, p)
	return t
}

// run calls body; a panic becomes an error that carries its stack.
func (t *Thread) run(body func(cluster.Proc) error, p cluster.Proc) {
	defer t.core.Group.Done()
	err := errExit
	defer func() {
		if v := recover(); v != nil {
			err = &cluster.PanicError{Value: v, Stack: debug.Stack()}
		}
		t.end(err)
	}()
	t.goid = goid.Get()
	err = body(p)
}

// end takes the thread out of the run.
func (t *Thread) end(err error) {
	c := t.core
	c.Mu.Lock()
	defer c.Mu.Unlock()
	t.err = err
	c.running--
	if c.Abort != nil {
		if t.done != nil {
			t.done.Complete(err)
		}
		return
	}
	c.elapsed = c.Now()
	_, panicked := err.(*cluster.PanicError)
	switch {
	case t.rank.gone:
	case c.cfg.Lose != nil && errors.Is(err, cluster.ErrCrashed):
		c.cfg.Lose(t.rank.id)
	case panicked:
		c.cfg.Fail(t.rank.id, "panic", err)
	case t.done != nil:
		t.done.Complete(err)
	case err != nil:
		c.cfg.Fail(t.rank.id, "body", err)
	}
	c.stall()
}

// unblock makes a waiting thread runnable. The caller holds the lock.
func (t *Thread) unblock() {
	if !t.blocked {
		return
	}
	t.blocked = false
	t.core.running++
	t.core.Epoch++
	if t.timed {
		t.core.timers--
	}
	t.wake <- struct{}{}
}

// Enter takes the lock for one call of the Proc, after checking that the caller
// owns it, and returns the run's failure if there is one.
func (t *Thread) Enter() error {
	if goid.Get() != t.goid {
		panic(fmt.Sprintf("cluster: Proc of rank %d thread %q used by another thread", t.rank.id, t.name))
	}
	t.core.Mu.Lock()
	return t.failure()
}

// Rank implements cluster.Proc, as the other exported methods below do.
func (t *Thread) Rank() int { return t.rank.id }

func (t *Thread) Size() int { return t.core.cfg.Size }

func (t *Thread) Now() time.Duration {
	_ = t.Enter()
	defer t.core.Mu.Unlock()
	return t.core.Now()
}

func (t *Thread) Rand(stream string) *rand.Rand {
	_ = t.Enter()
	defer t.core.Mu.Unlock()
	r := t.streams[stream]
	if r == nil {
		if t.streams == nil {
			t.streams = map[string]*rand.Rand{}
		}
		r = cluster.Stream(t.core.cfg.Seed, t.rank.id, t.name, stream)
		t.streams[stream] = r
	}
	return r
}

func (t *Thread) Go(name string, body func(cluster.Proc) error) cluster.Req {
	q := t.rank.NewReq(running)
	err := t.Enter()
	defer t.core.Mu.Unlock()
	if err != nil {
		q.Complete(err)
		return q
	}
	if t.named == nil {
		t.named = map[string]int{}
	}
	t.named[name]++
	q.thread = t.rank.spawn(cluster.ThreadName(t.name, name, t.named[name]), q, body)
	return q
}

func (t *Thread) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	match.CheckMessage("send", t.rank.id, t.Size(), to, tag, m)
	q := t.req(Sending)
	q.Peer, q.Tag = to, tag
	t.rank.net.Send(t, q, m)
	if m.Given {
		m.Body = nil
	}
	return q
}

func (t *Thread) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	peer := from
	if from == cluster.Any {
		peer = 0
	}
	match.CheckMessage("receive", t.rank.id, t.Size(), peer, tag, into)
	q := t.req(Receiving)
	t.receive(q, match.Key{From: from, Tag: tag}, into)
	return q
}

func (t *Thread) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	match.CheckGroup(t.rank.id, t.Size(), group, root, tag, m)
	q := t.rank.NewReq(broadcasting)
	q.Peer, q.Tag = root, tag
	if t.rank.id == root {
		t.rank.net.Broadcast(t, q, match.Others(group, root), m)
	} else {
		t.receive(q, match.Key{From: root, Tag: tag, Bcast: true}, m)
	}
	return q
}

// mostSpare is how many requests a thread keeps.
const mostSpare = 64

// req returns an open request: one that was freed, or a new one.
func (t *Thread) req(kind Kind) *Req {
	last := len(t.spare) - 1
	if last < 0 {
		return t.rank.NewReq(kind)
	}
	q := t.spare[last]
	t.spare = t.spare[:last]
	q.kind = kind
	return q
}

// Free keeps completed sends and receives for later ones: see cluster.Free.
func (t *Thread) Free(reqs ...cluster.Req) {
	_ = t.Enter()
	defer t.core.Mu.Unlock()
	for _, r := range reqs {
		if q := t.own(r); q != nil && q.done && (q.kind == Sending || q.kind == Receiving) && len(t.spare) < mostSpare {
			*q = Req{rank: t.rank, Peer: -1}
			t.spare = append(t.spare, q)
		}
	}
}

// receive posts q for a message that key accepts.
func (t *Thread) receive(q *Req, key match.Key, into *cluster.Msg) {
	q.Peer, q.Tag, q.Into = key.From, key.Tag, into
	err := t.Enter()
	defer t.core.Mu.Unlock()
	if err != nil {
		q.Complete(err)
		return
	}
	t.rank.Receive(q, key)
}
