package local

import (
	"slices"
	"sync"
	"time"

	"math/rand/v2"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// world is one run. mu guards everything in it.
type world struct {
	mu        sync.Mutex
	group     sync.WaitGroup // threads and devices
	cfg       Config
	multicast bool
	begin     time.Time
	seq       uint64
	ranks     []*rank
	threads   []*thread
	elapsed   time.Duration
	spans     []cluster.Span

	abort   *cluster.AbortError
	aborted chan struct{} // closed with abort

	// A run in which no thread runs, no deadline is set and no computation is
	// left is in deadlock.
	running int
	timers  int
	jobs    int
}

type rank struct {
	id       int
	host     cluster.Host
	box      match.Box[*req, *packet]
	sent     cluster.Traffic
	result   []byte
	jitter   *rand.Rand
	queue    []*job
	working  bool // a goroutine serves queue
	finished []*job
}

type packet struct {
	from     int
	key      match.Key
	meta     [4]int64
	body     []byte
	declared int
}

func newWorld(r *Runtime) *world {
	w := &world{cfg: r.cfg, multicast: r.multicast, begin: time.Now(), aborted: make(chan struct{})}
	for i, h := range r.hosts {
		w.ranks = append(w.ranks, &rank{id: i, host: h, jitter: cluster.Stream(r.cfg.Seed, i, "", "cluster/jitter")})
	}
	return w
}

// fail ends the run: every later call returns the first failure, and whoever
// waits wakes.
func (w *world) fail(rank int, op string, err error) {
	if w.abort != nil {
		return
	}
	w.abort = &cluster.AbortError{Rank: rank, Op: op, Err: err}
	if rank >= 0 {
		w.abort.Addr = w.ranks[rank].host.Name
	}
	close(w.aborted)
	for _, t := range w.threads {
		t.unblock()
	}
}

// checkDeadlock fails the run if nothing can wake anyone any more.
func (w *world) checkDeadlock() {
	if w.running > 0 || w.timers > 0 || w.jobs > 0 || w.abort != nil {
		return
	}
	d := &cluster.DeadlockError{}
	for _, t := range w.threads {
		if t.blocked {
			d.Waiters = append(d.Waiters, t.waiters()...)
		}
	}
	if len(d.Waiters) > 0 {
		slices.SortStableFunc(d.Waiters, func(a, b cluster.Waiter) int { return a.Rank - b.Rank })
		w.fail(-1, "deadlock", d)
	}
}

// req is an operation in flight.
type req struct {
	w       *world
	rank    *rank
	kind    string
	done    bool
	seq     uint64
	err     error
	into    *cluster.Msg
	peer    int
	tag     cluster.Tag
	job     *job
	thread  *thread // of a Go
	waiting []*thread
}

func (w *world) newReq(r *rank, kind string) *req {
	return &req{w: w, rank: r, kind: kind, peer: -1}
}

// complete ends r and wakes every thread that waits for it.
func (w *world) complete(r *req, err error) {
	if r.done {
		return
	}
	w.seq++
	r.done, r.seq, r.err = true, w.seq, err
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
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.done
}

// Err is nil until Done.
func (r *req) Err() error {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if !r.done {
		return nil
	}
	return r.take()
}
