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

// engine is one run. Only its loop's goroutine and the coroutine it has
// resumed touch it.
type engine struct {
	ctx       context.Context
	cfg       Config
	multicast bool
	header    int

	now    int64
	seq    uint64
	events heap
	steps  uint

	ranks   []rank
	threads []*thread
	live    int
	current atomic.Pointer[thread] // atomic only to catch foreign goroutines
	abort   *cluster.AbortError
	elapsed int64

	pool    *device.Pool
	started []*computation // whose error nobody has seen yet
	reqs    []req          // slab to cut requests from
	packets []*packet
	buffers buffers
	spans   []cluster.Span
	lost    []int // ranks, in the order in which they were lost
}

// rank is one host's state: when its NIC and its device are free again.
type rank struct {
	id     int
	host   cluster.Host
	nic    nic
	near   port // within its node
	far    port // to other machines
	device int64
	box    match.Box[*req, *packet]
	jitter *rand.Rand
	queue  *device.Queue
	sent   cluster.Traffic
	result []byte

	gone   bool       // it is lost
	goneAt int64      // since when, if it is
	told   []bool     // by rank: this rank was told that it is lost; nil: of none
	heard  int        // losses it was told of
	toldAt int64      // the last of them, which no later one may come before
	notice *rand.Rand // draws when it is told; nil until it is
	alarms []*req     // open requests of Lost
}

func newEngine(ctx context.Context, r *Runtime) *engine {
	e := &engine{
		ctx: ctx, cfg: r.cfg, multicast: r.multicast, header: cluster.HeaderBytes,
		ranks: make([]rank, len(r.hosts)), pool: device.NewPool(r.cfg.Cores),
	}
	if r.cfg.Headerless {
		e.header = 0
	}
	nodes := machines(r.nodes)
	for i := range e.ranks {
		e.ranks[i] = rank{
			id: i, host: r.hosts[i], queue: e.pool.Queue(),
			jitter: cluster.Stream(r.cfg.Seed, i, "", "cluster/jitter"),
		}
		e.ranks[i].attach(nodes[r.hosts[i].Node])
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
	for e.live > 0 && e.abort == nil {
		ev, ok := e.events.pop()
		if !ok {
			e.fail(-1, "deadlock", e.deadlock())
			break
		}
		if e.steps++; e.steps%64 == 0 && e.cancelled() {
			break
		}
		if ev.p != nil {
			e.now = ev.at
			e.advance(ev.p)
		} else if ev.t.gen == ev.gen { // a stale timer does not move the clock
			e.now = ev.at
			e.resume(ev.t)
		}
	}
	if e.abort == nil && len(e.lost) == len(e.ranks) {
		e.fail(e.lost[0], "lost", errors.New("every rank of the run is lost"))
	}
	// After a failure no call blocks, so one turn each ends every thread. What
	// never began need not.
	for _, t := range e.threads {
		if !t.ended && t.began {
			e.resume(t)
		}
	}
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

// later returns now or base, whichever is later, plus seconds.
func (e *engine) later(base int64, seconds float64) int64 {
	ps := math.Round(seconds / picosecond)
	if !(ps >= 0 && ps < maxTime) || base+int64(ps) > maxTime {
		panic(fmt.Errorf("virtual: %g s of work or transfer at %v: want ≥ 0 and a run under 53 days",
			seconds, time.Duration(e.now/perNano)))
	}
	return base + int64(ps)
}

// errStopped unwinds a coroutine that is not to go on.
var errStopped = errors.New("virtual: thread stopped")
