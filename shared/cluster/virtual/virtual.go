// Package virtual runs a cluster in virtual time: one discrete-event engine,
// one coroutine per thread, real arithmetic if the ranks do any. The same
// platform, seed and body give the same bits, bytes and picoseconds on every
// run and for every GOMAXPROCS.
package virtual

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// Config chooses a run on a platform.
type Config struct {
	Seed       uint64
	WithServer bool // rank 0 is the platform's server, rank n+1 worker n
	Workers    int  // how many of the platform's workers run, the first ones; 0: all
	Trace      bool // record spans; traffic is always counted
	// Headerless drops the frame header's cluster.HeaderBytes from the wire, to
	// compare with models and simulators that have none.
	Headerless bool
	Cores      int // ranks' functions that run at once; 0: GOMAXPROCS
	// Whole makes all stages of a computation without a function end with its last, unless Trace
	// is set: the same picosecond for whoever waits for the last alone, and one request for many.
	Whole bool
	// Elastic lets a run go on without the ranks it loses: each Proc is a cluster.Survivor.
	Elastic bool
	// Notice is the longest time until a survivor is told of a loss, drawn for each loss and survivor; 0: told at
	// once. What a lost rank had sent as a whole arrives until then.
	Notice time.Duration
}

// simulated is a cluster.Runtime in virtual time.
type simulated struct {
	hosts     []cluster.Host
	nodes     []cluster.Node
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
	if cfg.Cores == 0 {
		cfg.Cores = runtime.GOMAXPROCS(0)
	}
	r := &simulated{hosts: hosts, cfg: cfg, err: err}
	if err == nil {
		r.multicast, r.nodes = p.Multicast, slices.Clone(p.Nodes)
	}
	return r
}

// Size returns the number of ranks, 0 if the configuration is invalid.
func (r *simulated) Size() int { return len(r.hosts) }

// Run runs body on every rank. It does not return before every function that a
// rank started has returned, unless ctx is cancelled.
func (r *simulated) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	if r.err != nil {
		return cluster.Outcome{}, fmt.Errorf("virtual: %w", r.err)
	}
	e := newEngine(ctx, r)
	e.body = body
	defer e.close()
	for i := range e.ranks {
		e.wakeAt(e.newThread(&e.ranks[i], "", nil), 0)
	}
	e.loop()
	err := e.finish()
	return e.outcome(), err
}
