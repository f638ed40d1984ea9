// Package local runs a cluster as goroutines of one process on the wall clock.
// It keeps the same contract as every runtime: where the algorithm fixes the
// order of summation it gives the same bits as virtual time does.
package local

import (
	"context"
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

// Config chooses a run on a platform.
type Config struct {
	Seed       uint64
	WithServer bool // rank 0 is the platform's server, rank n+1 worker n
	Workers    int  // the first so many of the platform's workers; 0: all
	Trace      bool // record spans; traffic is always counted
	// Emulate makes a computation last at least the platform's time for its
	// work, jitter included, by sleeping. Messages are never slowed down.
	Emulate bool
}

// Runtime is a cluster.Runtime on the wall clock.
type Runtime struct {
	hosts     []cluster.Host
	multicast bool
	cfg       Config
	err       error // of the configuration, reported by Run
}

// New returns a runtime of p's hosts. An invalid platform or configuration is
// the error of every Run.
//
// Source: ours: "one algorithm text, four runtimes"
func New(p *cluster.Platform, cfg Config) cluster.Runtime {
	hosts, err := cluster.SelectHosts(p, cfg.WithServer, cfg.Workers)
	r := &Runtime{hosts: hosts, cfg: cfg, err: err}
	if err == nil {
		r.multicast = p.Multicast
	}
	return r
}

// Size returns the number of ranks, 0 if the configuration is invalid.
func (r *Runtime) Size() int { return len(r.hosts) }

// Run runs body on every rank and returns when every thread and every function
// that a rank started has returned.
func (r *Runtime) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	if r.err != nil {
		return cluster.Outcome{}, fmt.Errorf("local: %w", r.err)
	}
	w := newWorld(r)
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fail(-1, "context", context.Cause(ctx))
	})
	defer stop()
	w.mu.Lock()
	for i := range w.ranks {
		rk := w.ranks[i]
		w.spawn(rk, "", nil, func(p cluster.Proc) (err error) {
			rk.result, err = body(p)
			return err
		})
	}
	w.mu.Unlock()
	w.group.Wait()
	return w.outcome()
}

func (w *world) outcome() (cluster.Outcome, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.ranks {
		for _, j := range r.finished {
			if j.err != nil && !j.seen {
				w.fail(r.id, "computation", j.err)
			}
		}
	}
	for _, t := range w.threads {
		if t.err != nil && !t.seen && t.done != nil {
			w.fail(t.rank.id, "thread "+t.name, t.err)
		}
	}
	out := cluster.Outcome{
		Results: make([][]byte, len(w.ranks)),
		Elapsed: w.elapsed,
		Trace:   &cluster.Trace{Ranks: len(w.ranks), Sent: make([]cluster.Traffic, len(w.ranks)), Spans: w.spans},
	}
	for i, r := range w.ranks {
		out.Results[i] = r.result
		out.Trace.Sent[i] = r.sent
	}
	out.Trace.Sort()
	if w.abort != nil {
		return out, w.abort
	}
	return out, nil
}

// span records one operation under the world's lock.
func (w *world) span(t *thread, s cluster.Span) {
	if w.cfg.Trace {
		s.Rank, s.Thread = t.rank.id, t.name
		w.spans = append(w.spans, s)
	}
}

func (w *world) now() time.Duration { return time.Since(w.begin) }
