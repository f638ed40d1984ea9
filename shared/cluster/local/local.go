// Package local runs a cluster as goroutines of one process on the wall clock.
// It keeps the same contract as every runtime: where the algorithm fixes the
// order of summation it gives the same bits as virtual time does.
package local

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// Config chooses a run on a platform.
type Config struct {
	Seed       uint64
	WithServer bool // rank 0 is the platform's server, rank n+1 worker n
	Workers    int  // how many of the platform's workers run, the first ones; 0: all
	Trace      bool // record spans; traffic is always counted
	// Emulate makes a computation last at least the platform's time for its
	// work, jitter included, by sleeping. Messages are never slowed down.
	Emulate bool
	// Elastic lets a run go on without the ranks it loses: each Proc is a cluster.Survivor.
	Elastic bool
}

// runtime is a cluster.Runtime on the wall clock.
type runtime struct {
	hosts     []cluster.Host
	multicast bool
	cfg       Config
	err       error // of the configuration, reported by Run
}

// New returns a runtime of p's hosts. An invalid platform or configuration is
// the error of every Run.
//
// Source: ours: "one algorithm text, several runtimes"
func New(p *cluster.Platform, cfg Config) cluster.Runtime {
	hosts, err := cluster.SelectHosts(p, cfg.WithServer, cfg.Workers)
	r := &runtime{hosts: hosts, cfg: cfg, err: err}
	if err == nil {
		r.multicast = p.Multicast
	}
	return r
}

// Size returns the number of ranks, 0 if the configuration is invalid.
func (r *runtime) Size() int { return len(r.hosts) }

// Run runs body on every rank and returns when every thread and every function
// that a rank started has returned.
func (r *runtime) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	if r.err != nil {
		return cluster.Outcome{}, fmt.Errorf("local: %w", r.err)
	}
	w := newWorld(r)
	stop := context.AfterFunc(ctx, func() {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.fail(-1, "context", context.Cause(ctx))
	})
	defer stop()
	w.Mu.Lock()
	for _, r := range w.ranks {
		r.Run(body)
	}
	w.Mu.Unlock()
	w.Group.Wait()
	w.Mu.Lock()
	if rank, op, err := w.Unseen(); err != nil {
		w.fail(rank, op, err)
	}
	if len(w.lost) == len(w.ranks) {
		w.fail(w.lost[0], "lost", errors.New("every rank of the run is lost"))
	}
	w.Mu.Unlock()
	out, err := w.Outcome()
	out.Trace.Lost = w.lost
	return out, err
}

// world is one run: all its ranks share one Core, and it is their rank.Network.
type world struct {
	*rank.Core
	hosts     []cluster.Host
	multicast bool
	ranks     []*rank.Rank
	lost      []int // ranks, in the order in which they were lost
}

func newWorld(r *runtime) *world {
	w := &world{hosts: r.hosts, multicast: r.multicast}
	cfg := rank.Config{
		Seed: r.cfg.Seed, Size: len(r.hosts), Trace: r.cfg.Trace, Emulate: r.cfg.Emulate, Fail: w.fail, Stalled: w.deadlock,
	}
	if r.cfg.Elastic {
		cfg.Lose = w.lose
	}
	w.Core = rank.New(cfg)
	for i, h := range r.hosts {
		w.ranks = append(w.ranks, w.Join(i, h, w))
	}
	return w
}

// fail ends the run with its first failure. The caller holds the lock.
func (w *world) fail(rank int, op string, err error) {
	abort := &cluster.AbortError{Rank: rank, Op: op, Err: err}
	if rank >= 0 {
		abort.Addr = w.hosts[rank].Name
	}
	w.Stop(abort)
}

// lose ends a rank's part in the run and tells the others. The caller holds the lock.
func (w *world) lose(rank int) {
	w.lost = append(w.lost, rank)
	w.ranks[rank].Die()
	for _, r := range w.ranks {
		r.Tell(rank)
	}
}

// deadlock fails the run, in which nothing can wake any thread any more, if a
// thread waits. The caller holds the lock.
func (w *world) deadlock() {
	if d := (&cluster.DeadlockError{Waiters: w.Waiters()}); len(d.Waiters) > 0 {
		slices.SortStableFunc(d.Waiters, func(a, b cluster.Waiter) int { return a.Rank - b.Rank })
		w.fail(-1, "deadlock", d)
	}
}

// Send implements rank.Network.
func (w *world) Send(t *rank.Thread, q *rank.Req, m *cluster.Msg) {
	body := m.Body
	if !m.Given {
		body = slices.Clone(body) // outside the lock
	}
	err := t.Enter()
	defer w.Mu.Unlock()
	if err == nil && !w.ranks[t.Rank()].Told(q.Peer) {
		w.ranks[q.Peer].Hand(match.Key{From: t.Rank(), Tag: q.Tag}, m, body)
		if q.Peer != t.Rank() {
			w.ranks[t.Rank()].Count(m, 1)
		}
	}
	q.Complete(err)
}

// Broadcast implements rank.Network.
func (w *world) Broadcast(t *rank.Thread, q *rank.Req, others []int, m *cluster.Msg) {
	err := t.Enter()
	defer w.Mu.Unlock()
	if err == nil {
		counted := false
		for _, member := range others {
			if w.ranks[t.Rank()].Told(member) {
				continue
			}
			w.ranks[member].Hand(match.Key{From: t.Rank(), Tag: q.Tag, Bcast: true}, m, slices.Clone(m.Body))
			if !counted || !w.multicast {
				w.ranks[t.Rank()].Count(m, 1)
				counted = true
			}
		}
	}
	q.Complete(err)
}

// Recycle implements rank.Network: buffers are not used twice.
func (w *world) Recycle(*rank.Packet) {}
