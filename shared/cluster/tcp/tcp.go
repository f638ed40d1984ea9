package tcp

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"

	"gradsync/shared/cluster"
)

// processes is one rank of a job of several processes, or all ranks of one.
type processes struct {
	cfg  Config
	err  error  // of the configuration, reported by Run
	loop bool   // all ranks in this process
	over Fabric // in place of TCP; nil: TCP

	mu   sync.Mutex
	runs int
}

// New returns a runtime whose Run is rank cfg.Rank's part of a run of
// cfg.Size processes. Rank 0's Outcome, or that of the first rank that is not lost, has
// every living rank's result and traffic; another rank's has its own, and nil for the others. An invalid configuration
// is the error of every Run.
//
// Source: ours: "one algorithm text, several runtimes"
func New(cfg Config) cluster.Runtime {
	c, err := cfg.checked()
	return &processes{cfg: c, err: err}
}

// Loopback returns a runtime of n ranks in this process, each with its own
// sockets on 127.0.0.1. Of cfg it ignores Rank, Size, Rendezvous, Host and Listen.
//
// Source: ours: bytes on real sockets, counted without a cluster
func Loopback(n int, cfg Config) cluster.Runtime {
	cfg.Rank, cfg.Size, cfg.Rendezvous, cfg.Host, cfg.Listen = 0, n, "127.0.0.1:0", true, ""
	c, err := cfg.checked()
	return &processes{cfg: c, err: err, loop: true}
}

// Size returns the number of ranks, 0 if the configuration is invalid.
func (r *processes) Size() int {
	if r.err != nil {
		return 0
	}
	return r.cfg.Size
}

// Run runs body on this process's rank, or on all ranks of a Loopback. It
// returns when the whole job has ended or failed, and every thread and every
// function that this process started has returned.
func (r *processes) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	if r.err != nil {
		return cluster.Outcome{}, r.err
	}
	r.mu.Lock()
	r.runs++
	run := r.runs
	r.mu.Unlock()
	if r.loop {
		return r.loopback(ctx, run, body)
	}
	if r.over != nil {
		return r.across(ctx, run, body)
	}
	cfg := r.cfg
	if err := cfg.unlock(); err != nil {
		return cluster.Outcome{}, err
	}
	var ln net.Listener
	if r.cfg.Host {
		var err error
		if ln, err = listenTCP("tcp", r.cfg.Rendezvous); err != nil {
			return cluster.Outcome{}, &cluster.AbortError{Rank: r.cfg.Rank, Addr: r.cfg.name(r.cfg.Rank, r.cfg.Rendezvous), Op: "rendezvous", Err: err}
		}
		if err := cfg.allowed(ln.Addr()); err != nil {
			_ = ln.Close()
			return cluster.Outcome{}, err
		}
	}
	return newNode(cfg, run, nil).process(ctx, ln, body)
}

// loopback runs all ranks in this process.
func (r *processes) loopback(ctx context.Context, run int, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	ln, err := listenTCP("tcp", r.cfg.Rendezvous)
	if err != nil {
		return cluster.Outcome{}, fmt.Errorf("tcp: %w", err)
	}
	outs, errs := make([]cluster.Outcome, r.cfg.Size), make([]error, r.cfg.Size)
	shared := &siblings{}
	nodes := make([]*node, r.cfg.Size)
	for rank := range r.cfg.Size {
		cfg := r.cfg
		cfg.Rank, cfg.Host, cfg.Rendezvous = rank, rank == 0 && !r.cfg.Elastic, ln.Addr().String()
		if err := cfg.unlock(); err != nil {
			_ = ln.Close()
			return cluster.Outcome{}, err
		}
		nodes[rank] = newNode(cfg, run, shared)
	}
	var group, host sync.WaitGroup
	alone, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var ended Verdict
	var verdict error
	if r.cfg.Elastic { // any rank may be lost, so none has the rendezvous
		cfg := r.cfg
		cfg.Rendezvous = ln.Addr().String()
		if err := cfg.unlockRendezvous(); err != nil {
			_ = ln.Close()
			return cluster.Outcome{}, err
		}
		host.Add(1)
		go func() {
			defer host.Done()
			ended, verdict = newCoordinator(&cfg, run, ln).alone(alone)
		}()
	}
	for rank, n := range nodes {
		at := net.Listener(nil)
		if n.cfg.Host {
			at = ln
		}
		group.Add(1)
		go func() {
			defer group.Done()
			outs[rank], errs[rank] = n.process(ctx, at, body)
		}()
	}
	group.Wait()
	if !slices.ContainsFunc(nodes, (*node).gone) { // else all have met, and it hears how each ends
		cancel()
	}
	host.Wait()
	lost := ended.Ranks()
	if len(lost) == r.cfg.Size {
		return outs[0], verdict
	}
	first := 0
	for slices.Contains(lost, first) {
		first++
	}
	for _, rank := range lost {
		errs[rank] = nil // it counts for nothing
	}
	out := outs[first]
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return out, nil
	}
	return known(outs, first), errs[i]
}

// known returns the outcome of a run that failed: what each rank knows of itself, in that of the first.
func known(outs []cluster.Outcome, first int) cluster.Outcome {
	out := outs[first]
	out.Results = nil
	for rank := range outs {
		if t := outs[rank].Trace; rank != first && t != nil && out.Trace != nil {
			out.Trace.Sent[rank] = t.Sent[rank]
			out.Trace.Spans = append(out.Trace.Spans, t.Spans...)
			out.Elapsed = max(out.Elapsed, outs[rank].Elapsed)
		}
	}
	if out.Trace != nil {
		out.Trace.Sort()
	}
	return out
}
