package tcp

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// node is one rank of one run. mu guards what follows it.
type node struct {
	cfg   Config
	run   int
	local *origins // errors of ranks of this process
	ctl   *wire    // to the rendezvous

	group   sync.WaitGroup // threads and the device
	links   sync.WaitGroup // whoever uses data connections and messages' buffers
	control sync.WaitGroup // who talks to the rendezvous

	life      context.Context // ends when the links must stop
	cancel    context.CancelFunc
	hostRank  int           // of the process that runs the rendezvous
	inbox     chan event    // the book, then begin
	concluded chan struct{} // closed when the run has ended for this rank

	mu       sync.Mutex
	cond     *sync.Cond // pending is 0, a message was announced, or stopping
	stopping bool       // no more goroutines for links
	open     []io.Closer
	book     book
	chunk    int
	begin    time.Time
	seq      uint64
	threads  []*thread
	box      match.Box[*req, *packet]
	peers    []*peer // by rank, nil: this one
	free     [][]byte
	sent     cluster.Traffic
	spans    []cluster.Span
	elapsed  time.Duration
	result   []byte
	probed   chan struct{}
	acked    int64 // bytes of messages, says the kernel; −1: it does not

	queue    []*job
	working  bool // a goroutine serves queue
	finished []*job
	jitter   *rand.Rand

	abort   *cluster.AbortError
	aborted chan struct{} // closed with abort
	end     *ending
	reports []*event // of the other ranks, at rank 0

	// A rank in which no thread runs, no deadline is set, no computation and no
	// frame is left is idle.
	running int
	timers  int
	jobs    int
	pending int
	epoch   uint64       // counts threads that became runnable
	read    atomic.Int64 // bytes of bodies
}

func newNode(cfg Config, run int, local *origins) *node {
	n := &node{
		cfg: cfg, run: run, local: local, inbox: make(chan event, 2), concluded: make(chan struct{}),
		aborted: make(chan struct{}), probed: make(chan struct{}, 1), begin: time.Now(),
		jitter: cluster.Stream(cfg.Seed, cfg.Rank, "", "cluster/jitter"), peers: make([]*peer, cfg.Size),
	}
	n.cond = sync.NewCond(&n.mu)
	n.life, n.cancel = context.WithCancel(context.Background())
	return n
}

// start runs f as one of those that use the links, unless the run has ended.
func (n *node) start(f func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopping {
		return false
	}
	n.links.Add(1)
	go func() {
		defer n.links.Done()
		f()
	}()
	return true
}

// keep has c closed when the run ends, at once if it has.
func (n *node) keep(c io.Closer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopping {
		_ = c.Close()
		return
	}
	n.open = append(n.open, c)
}

// conclude ends the run for this rank: with f if it failed. It first stops
// whoever touches messages, so that no buffer is used after a call has
// returned the failure. Only listen calls it, once.
func (n *node) conclude(f *failure) {
	n.mu.Lock()
	n.stopping = true
	open := n.open
	n.open = nil
	n.cond.Broadcast()
	n.mu.Unlock()
	n.cancel()
	for _, c := range open {
		_ = c.Close()
	}
	n.links.Wait()
	_ = n.ctl.conn.Close()
	n.ctl.finish()
	n.mu.Lock()
	defer n.mu.Unlock()
	if f != nil {
		n.abort = f.restore(n.local)
		close(n.aborted)
		for _, t := range n.threads {
			t.unblock()
		}
	}
	n.cond.Broadcast()
	close(n.concluded)
}

// report tells the rendezvous that this rank failed; its verdict ends the run.
func (n *node) report(rank int, op string, err error) {
	n.local.put(n.cfg.Rank, err)
	f := describe(rank, op, err)
	f.Origin = n.cfg.Rank
	_ = n.ctl.send(kindFail, f)
}

// blame tells the rendezvous that a peer's data connection failed.
func (n *node) blame(rank int, err error) {
	addr := ""
	if rank < len(n.book.Addrs) {
		addr = n.book.Addrs[rank]
	}
	_ = n.ctl.send(kindFail, &failure{Rank: rank, Op: lossOp(err), Origin: -1,
		Lost: &RankLost{Rank: rank, Addr: addr, NoticedBy: n.cfg.Rank, Cause: err.Error()}})
}

// state is this rank's part in the detection of deadlock. The caller holds mu.
func (n *node) state(full bool) state {
	s := state{Idle: n.running == 0 && n.timers == 0 && n.jobs == 0 && n.pending == 0, Epoch: n.epoch, Read: n.read.Load()}
	for _, p := range n.peers {
		to, from := int64(0), int64(0)
		if p != nil {
			to, from = p.count, p.arrived
		}
		s.Sent += to
		s.Arrived += from
		if full {
			s.To, s.From = append(s.To, to), append(s.From, from)
		}
	}
	for _, t := range n.threads {
		if full && t.blocked {
			s.Waiters = append(s.Waiters, t.waiters()...)
		}
	}
	return s
}

// span records one operation under the lock.
func (n *node) span(t *thread, s cluster.Span) {
	if n.cfg.Trace {
		s.Rank, s.Thread = n.cfg.Rank, t.name
		n.spans = append(n.spans, s)
	}
}

func (n *node) now() time.Duration { return time.Since(n.begin) }

// req is an operation in flight.
type req struct {
	n       *node
	kind    string
	done    bool
	seq     uint64
	err     error
	into    *cluster.Msg
	peer    int
	tag     cluster.Tag
	frames  int  // of a send, still to be written
	bound   bool // of a receive: its message has begun to arrive
	job     *job
	thread  *thread // of a Go
	waiting []*thread
}

func (n *node) newReq(kind string) *req { return &req{n: n, kind: kind, peer: -1} }

// complete ends r and wakes every thread that waits for it.
func (n *node) complete(r *req, err error) {
	if r.done {
		return
	}
	n.seq++
	r.done, r.seq, r.err = true, n.seq, err
	for _, t := range r.waiting {
		t.unblock()
	}
	r.waiting = nil
}

// take returns r's error to someone.
func (r *req) take() error {
	if r.job != nil && r.err != nil {
		r.job.seen = true
	}
	if r.thread != nil {
		r.thread.seen = true
	}
	return r.err
}

// Done says whether the operation has completed.
func (r *req) Done() bool {
	r.n.mu.Lock()
	defer r.n.mu.Unlock()
	return r.done
}

// Err is nil until Done.
func (r *req) Err() error {
	r.n.mu.Lock()
	defer r.n.mu.Unlock()
	if !r.done {
		return nil
	}
	return r.take()
}
