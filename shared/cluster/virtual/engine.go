package virtual

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/device"
	"gradsync/shared/cluster/internal/match"
)

// picosecond is the engine's resolution; int64 reaches 106 days.
const picosecond = 1e-12

const (
	perNano = 1000
	maxTime = math.MaxInt64 / 2 // so that two times never overflow when added
)

// engine is one run. Only the goroutine whose turn it is touches it: Run's own or a thread's coroutine.
type engine struct {
	ctx       context.Context
	body      func(cluster.Proc) ([]byte, error) // of each rank's first thread
	cfg       Config
	multicast bool
	header    int

	now    int64
	seq    uint64
	events queue
	steps  uint

	ranks   []rank
	threads []*thread
	live    int
	main    thread  // Run's own goroutine, which is in no coroutine
	turn    *thread // whose turn it is; nil: events are handled
	fault   error   // an event's, for Run to panic with
	exiting bool    // a body left by runtime.Goexit, so does Run
	closing bool
	current atomic.Pointer[thread] // of runs where goid.Get is slow; atomic only to catch foreign goroutines
	abort   *cluster.AbortError
	elapsed int64

	pool    *device.Pool
	started []*computation // whose error nobody has seen yet
	reqs    []req          // slabs to cut requests from
	sends   []op
	packets []*packet // by id
	free    []*packet
	buffers buffers
	spans   []cluster.Span
	lost    []int // ranks, in the order in which they were lost
}

// rank is one host's state: when its NIC and its device are free again. What each message
// needs comes first: large runs wait for memory.
type rank struct {
	e      *engine
	id     int
	gone   bool   // it is lost
	told   []bool // by rank: this rank was told that it is lost; nil: of none
	nic    nic
	far    *port   // to other machines
	latest *thread // that gave its turn on
	box    match.Box[*req, *packet]
	sent   cluster.Traffic
	near   *port // within its node
	device int64
	host   *cluster.Host
	jitter *rand.Rand    // nil until something is computed
	queue  *device.Queue // nil until a function is
	result []byte

	goneAt int64      // since when it is lost, if it is
	heard  int        // losses it was told of
	toldAt int64      // the last of them, which no later one may come before
	notice *rand.Rand // draws when it is told; nil until it is
	alarms []*req     // open requests of Lost
}

func newEngine(ctx context.Context, r *simulated) *engine {
	e := &engine{
		ctx: ctx, cfg: r.cfg, multicast: r.multicast, header: cluster.HeaderBytes,
		ranks: make([]rank, len(r.hosts)), pool: device.NewPool(r.cfg.Cores), events: newQueue(),
	}
	if r.cfg.Headerless {
		e.header = 0
	}
	nodes := machines(r.nodes)
	for i := range e.ranks {
		e.ranks[i].e, e.ranks[i].id, e.ranks[i].host = e, i, &r.hosts[i]
		e.ranks[i].attach(nodes[r.hosts[i].Node], &e.ranks[max(i-1, 0)])
	}
	return e
}

// nextSeq orders what happens at one instant.
func (e *engine) nextSeq() uint64 {
	e.seq++
	return e.seq
}

// loop runs until every thread has returned.
func (e *engine) loop() {
	e.turn = e.run()
	e.pass(&e.main)
	if e.fault != nil {
		panic(e.fault)
	}
	if e.abort == nil && len(e.lost) == len(e.ranks) {
		e.fail(e.lost[0], "lost", errors.New("every rank of the run is lost"))
	}
	// After a failure no call blocks, so one turn each ends every thread. What
	// never began need not.
	for _, t := range e.threads {
		if !t.ended && t.began {
			e.turn = t
			e.pass(&e.main)
		}
	}
}

// run handles events until a thread's turn comes, which it returns; main's at the end of the run. Whoever has to
// wait calls it.
func (e *engine) run() *thread {
	e.turn = nil
	for e.live > 0 && e.abort == nil && e.fault == nil {
		ev, ok := e.events.pop()
		if len(e.ranks) >= manyRanks && e.events.least < lanes {
			e.ahead()
		}
		if !ok {
			e.fail(-1, "deadlock", e.deadlock())
			break
		}
		if e.steps++; e.steps%64 == 0 && e.cancelled() {
			break
		}
		var t *thread
		if ev.who < 0 {
			e.now = ev.at
			t = e.advance(e.packets[^ev.who])
		} else if next := e.threads[ev.who]; next.gen == ev.gen { // a stale timer does not move the clock
			e.now = ev.at
			t = next
		}
		if t != nil {
			t.gen++
			t.began = true
			return t
		}
	}
	return &e.main
}

// fail ends the run: every later call returns the first failure.
func (e *engine) fail(rank int, op string, err error) {
	if e.abort != nil {
		return
	}
	e.abort = &cluster.AbortError{Rank: rank, Op: op, Err: err}
	if rank >= 0 {
		e.abort.Addr = e.ranks[rank].host.Name
	}
}

// cancelled reports whether the run's context has ended, which ends the run.
func (e *engine) cancelled() bool {
	if e.ctx.Err() == nil {
		return false
	}
	e.fail(-1, "context", context.Cause(e.ctx))
	return true
}

// deadlock lists what each live thread waits for.
func (e *engine) deadlock() error {
	d := &cluster.DeadlockError{}
	for _, t := range e.threads {
		if !t.ended {
			d.Waiters = append(d.Waiters, t.waiters()...)
		}
	}
	slices.SortStableFunc(d.Waiters, func(a, b cluster.Waiter) int { return a.Rank - b.Rank })
	return d
}

// finish waits for the functions still running and returns the run's error. An
// error that no one waited for fails the run too: it must not get lost.
func (e *engine) finish() error {
	for _, j := range e.started {
		if err := j.Finish(e.ctx.Done()); err != nil && !j.seen && !e.ranks[j.rank].gone {
			if !e.cancelled() {
				e.fail(j.rank, "computation", err)
			}
		}
	}
	for _, t := range e.threads {
		if t.err != nil && !t.seen && t.done != nil && !t.rank.gone {
			e.fail(t.rank.id, "thread "+t.name, t.err)
		}
	}
	if e.abort != nil {
		return e.abort
	}
	return nil
}

func (e *engine) outcome() cluster.Outcome {
	out := cluster.Outcome{
		Results: make([][]byte, len(e.ranks)),
		Elapsed: time.Duration(e.elapsed / perNano),
		Trace:   &cluster.Trace{Ranks: len(e.ranks), Sent: make([]cluster.Traffic, len(e.ranks)), Spans: e.spans, Lost: e.lost},
	}
	for i := range e.ranks {
		if !e.ranks[i].gone {
			out.Results[i] = e.ranks[i].result
		}
		out.Trace.Sent[i] = e.ranks[i].sent
	}
	out.Trace.Sort()
	return out
}

// later returns base plus seconds, rounded half up.
func (e *engine) later(base int64, seconds float64) int64 {
	ps := seconds / picosecond
	if !(ps > -0.5 && ps < maxTime) {
		e.tooLate(seconds)
		return base
	}
	whole := int64(ps)
	if ps-float64(whole) >= 0.5 { // exact; math.Round is slower
		whole++
	}
	if base+whole > maxTime {
		e.tooLate(seconds)
		return base
	}
	return base + whole
}

// exact bounds the durations whose seconds, divided by a picosecond, are off by less than half of one.
const exact = 1000 * time.Second

// after is later by d.Seconds().
func (e *engine) after(base int64, d time.Duration) int64 {
	if at := base + perNano*int64(d); 0 <= d && d < exact && at <= maxTime {
		return at
	}
	return e.later(base, d.Seconds())
}

// tooLate panics, or lets Run if no thread is to blame.
func (e *engine) tooLate(seconds float64) {
	err := fmt.Errorf("virtual: %g s of work or transfer at %v: want ≥ 0 and a run under 53 days",
		seconds, time.Duration(e.now/perNano))
	if e.turn != nil {
		panic(err)
	}
	e.fault = err
}

// errStopped unwinds a coroutine that is not to go on.
var errStopped = errors.New("virtual: thread stopped")
