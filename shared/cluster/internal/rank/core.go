// Package rank runs ranks on a real clock: their threads, what these wait for,
// their devices, how messages find their receives, and what a run leaves. The
// runtimes local and tcp add a Network that carries messages, and decide when a
// run has failed.
package rank

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// Config says what the ranks of a Core have in common.
type Config struct {
	Seed    uint64
	Size    int  // ranks of the run, whichever Core they belong to
	Trace   bool // record spans
	Emulate bool // a computation lasts at least its host's modelled time
	// Fail is called, with Mu held, when a thread failed. The run ends for this
	// Core when Stop is called: at once, or when all ranks agree.
	Fail func(rank int, op string, err error)
	// Stalled is called, with Mu held, when this Core has become Idle. nil: nobody
	// needs to know.
	Stalled func()
	// Lose is called, with Mu held, when a thread ended with cluster.ErrCrashed: its rank is lost. Each
	// Proc is a cluster.Survivor then; nil: the run is not elastic.
	Lose func(rank int)
}

// Core holds what ranks under one lock share: all ranks of a run in local, one
// rank in tcp. Mu guards the Core, its ranks, its threads and their requests.
type Core struct {
	Mu    sync.Mutex
	Group sync.WaitGroup      // threads and devices
	Begin time.Time           // of the run
	Abort *cluster.AbortError // of the run; Stop sets it
	Epoch uint64              // counts threads that became runnable
	// Poll moves what moves without waiting between this rank and others, above all peers, and reports whether anything did.
	// Threads call it, without the lock, for a moment before they sleep: to wake one costs more than a message takes from
	// process to process. It is set before there are threads; nil: they sleep at once.
	Poll func(peers []int) bool

	cfg       Config
	elapsed   time.Duration // until the last return of a body
	spans     []cluster.Span
	ranks     []*Rank
	threads   []*Thread
	seq       uint64        // counts completed requests
	aborted   chan struct{} // closed with Abort
	running   int           // threads that do not wait
	timers    int           // threads that wait until an instant at most
	computing int           // computations queued or running
	procs     int           // processors of this process
}

// New returns a Core without ranks whose run begins now.
func New(cfg Config) *Core {
	return &Core{cfg: cfg, Begin: time.Now(), aborted: make(chan struct{}), procs: runtime.GOMAXPROCS(0)}
}

// Now returns the time since the run began.
func (c *Core) Now() time.Duration { return time.Since(c.Begin) }

// Stop ends the run: every later call of a Proc returns err, and whoever waits
// wakes. Only the first Stop counts.
func (c *Core) Stop(err *cluster.AbortError) {
	if c.Abort != nil {
		return
	}
	c.Abort = err
	close(c.aborted)
	for _, t := range c.threads {
		t.unblock()
	}
}

// Idle reports whether nothing here can go on by itself: no thread runs, no
// deadline is set and no computation is left.
func (c *Core) Idle() bool { return c.running == 0 && c.timers == 0 && c.computing == 0 }

// stall tells Stalled if nothing here can go on by itself.
func (c *Core) stall() {
	if c.cfg.Stalled != nil && c.Abort == nil && c.Idle() {
		c.cfg.Stalled()
	}
}

// Waiters lists what each blocked thread waits for.
func (c *Core) Waiters() (all []cluster.Waiter) {
	for _, t := range c.threads {
		if t.blocked {
			all = append(all, t.waiters()...)
		}
	}
	return all
}

// Unseen returns the first error of a computation or thread that nobody waited
// for: it must not get lost.
func (c *Core) Unseen() (rank int, op string, err error) {
	for _, r := range c.ranks {
		for _, j := range r.failed {
			if !j.seen && !r.gone {
				return r.id, "computation", j.err
			}
		}
	}
	for _, t := range c.threads {
		if t.err != nil && !t.seen && t.done != nil && !t.rank.gone {
			return t.rank.id, "thread " + t.name, t.err
		}
	}
	return -1, "", nil
}

// span records one operation of t.
func (c *Core) span(t *Thread, kind cluster.SpanKind, from, to time.Duration) {
	if c.cfg.Trace {
		c.spans = append(c.spans, cluster.Span{Rank: t.rank.id, Thread: t.name, Kind: kind, Peer: -1, From: from, To: to})
	}
}

// Outcome gathers what this Core's ranks leave, and nothing for the others; the
// error is Abort.
func (c *Core) Outcome() (cluster.Outcome, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	out := cluster.Outcome{
		Results: make([][]byte, c.cfg.Size),
		Elapsed: c.elapsed,
		Trace:   &cluster.Trace{Ranks: c.cfg.Size, Sent: make([]cluster.Traffic, c.cfg.Size), Spans: c.spans},
	}
	for _, r := range c.ranks {
		if out.Trace.Sent[r.id] = r.sent; !r.gone {
			out.Results[r.id] = r.result
		}
	}
	out.Trace.Sort()
	if c.Abort != nil {
		return out, c.Abort
	}
	return out, nil
}

// Rank is one rank: its host, its messages and its device.
type Rank struct {
	core   *Core
	id     int
	host   cluster.Host
	net    Network
	jitter *rand.Rand
	box    match.Box[*Req, *Packet]
	sent   cluster.Traffic
	result []byte // of its body

	queue   []*computation
	working bool           // a goroutine serves queue
	failed  []*computation // those that ended with an error

	posts  uint64 // receives posted
	gone   bool   // it is lost
	told   []bool // by rank: this rank was told that it is lost; nil: of none
	heard  int    // losses it was told of
	alarms []*Req // open requests of Lost
}

// Join adds rank id, which computes as host does and sends through net.
func (c *Core) Join(id int, host cluster.Host, net Network) *Rank {
	r := &Rank{core: c, id: id, host: host, net: net, jitter: cluster.Stream(c.cfg.Seed, id, "", "cluster/jitter")}
	c.ranks = append(c.ranks, r)
	return r
}

// Req is an operation in flight.
type Req struct {
	Peer int
	Tag  cluster.Tag
	Into *cluster.Msg // of a receive
	Left int          // of a send: pieces still to be written from the caller's buffer
	Body []byte       // of a send: what was given away and is still to be written

	rank    *Rank
	order   uint64 // of a receive: how many were posted before it
	seq     uint64
	err     error
	work    *computation
	thread  *Thread    // of a Go
	one     [1]*Thread // memory of waiting: almost always one thread waits
	waiting []*Thread
	kind    Kind
	bound   bool // of a receive: its message has begun to arrive
	unasked bool // of a receive that is bound: Cancel waits for its end
	done    bool
}

// Kind names the operation of a request. It is a byte, for small messages allocate little else than requests.
type Kind uint8

// Kinds of requests.
const (
	Sending Kind = iota
	Receiving
	broadcasting
	computing
	running // a thread
	losing  // a rank
)

// String returns the word of cluster.Waiter.
func (k Kind) String() string {
	return [...]string{"send", "recv", "bcast", "compute", "thread", "lost"}[k]
}

// NewReq returns an open request of r.
func (r *Rank) NewReq(kind Kind) *Req { return &Req{rank: r, kind: kind, Peer: -1} }

// Complete ends q, unless it has ended, and wakes every thread that waits for
// it. The caller holds the lock.
func (q *Req) Complete(err error) {
	if q.done {
		return
	}
	c := q.rank.core
	c.seq++
	q.done, q.seq, q.err = true, c.seq, err
	for _, t := range q.waiting {
		t.unblock()
	}
	q.waiting = nil
}

// take returns q's error to the algorithm, which has seen it then.
func (q *Req) take() error {
	if q.work != nil && q.err != nil {
		q.work.seen = true
	}
	if q.thread != nil {
		q.thread.seen = true
	}
	return q.err
}

// Done reports whether the operation has completed.
func (q *Req) Done() bool {
	q.rank.core.Mu.Lock()
	defer q.rank.core.Mu.Unlock()
	return q.done
}

// Err returns the operation's error, nil until it has completed.
func (q *Req) Err() error {
	q.rank.core.Mu.Lock()
	defer q.rank.core.Mu.Unlock()
	if !q.done {
		return nil
	}
	return q.take()
}
