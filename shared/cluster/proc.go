// Package cluster is the world as an algorithm sees it: ranks, messages,
// computation and time, on runtimes that are virtual or real.
package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Tag matches sends with receives. Algorithms use tags below MaxTag, the
// smallest upper bound that MPI implementations grant.
//
// Source: ours: MPI's tag_ub is at least 2²²−1 on every implementation we met
type Tag int32

// MaxTag bounds every Tag from above: 0 ≤ tag < MaxTag.
const MaxTag Tag = 1 << 22

// Any, as the source of Irecv, matches a message of any rank.
const Any = -1

// ErrDeadline is returned by WaitAny when its deadline passes first.
var ErrDeadline = errors.New("cluster: deadline reached")

// Msg is one message. Meta are four words of the frame header: what they mean
// (version, contributors, block type …) belongs to the algorithm.
type Msg struct {
	From int
	Tag  Tag
	Meta [4]int64
	Body []byte // on Irecv: received in place if its capacity suffices, else allocated
	// Declared is the number of body bytes on the wire when Body is nil: a
	// timing-only run sends the same events without the arithmetic.
	Declared int
	// Given says that Isend gives Body away and takes it out of the Msg: its memory, up to its capacity, is
	// the runtime's and then the receiver's, and the sender never touches it again. A receive whose own
	// buffer is too small may get that very memory. Irecv and Ibcast ignore it.
	Given bool
}

// Size returns the body's bytes on the wire.
func (m *Msg) Size() int {
	if m.Body == nil {
		return m.Declared
	}
	return len(m.Body)
}

// Work is an amount of computation; a Platform turns it into time.
type Work struct {
	FLOP  float64       // floating-point operations
	Bytes float64       // memory traffic
	Fixed time.Duration // what does not depend on the device
}

// Req is an operation in flight.
type Req interface {
	Done() bool
	Err() error // nil until Done
}

// Proc is one rank's view of the world: all that algorithm code may see. One
// algorithm text over Proc runs on every Runtime.
//
// Package clustertest checks this contract on each runtime, sentence by sentence.
// A Proc belongs to the thread it was handed to; a foreign thread's call panics.
type Proc interface {
	Rank() int
	Size() int
	// Now returns the time since the run began: virtual or wall.
	Now() time.Duration
	// Rand returns the stream named by (seed, rank, thread, stream); asking for
	// one more stream changes no other.
	Rand(stream string) *rand.Rand
	// Start queues f on this rank's one compute device (FIFO, also between
	// threads). Stage i's Req completes at its modelled time, after f really
	// called done(i). f runs off the process, in order with this rank's earlier
	// work, may not use a Proc, and owns what it touches until its last Req is
	// done. If f returns early its open stages complete with its error. A nil f
	// is a timing-only computation. A backward pass with one stage per layer is
	// how overlap is written.
	Start(f func(done func(stage int)) error, stages ...Work) []Req
	// Isend sends m, which stays unchanged until the Req is done; a body that m
	// gives away (Given) is no longer in it when Isend returns. A send to oneself
	// is free. Messages of one (from, to, tag) never overtake.
	Isend(to int, tag Tag, m *Msg) Req
	// Irecv receives into `into`, from a rank or Any; matched in posting order.
	Irecv(from int, tag Tag, into *Msg) Req
	// Ibcast broadcasts root's m to group; every member calls it, in the same
	// order.
	Ibcast(group []int, root int, tag Tag, m *Msg) Req
	// Cancel withdraws a receive. It is harmless on a receive that is done.
	Cancel(Req)
	// WaitAny returns the index of the request completed first, by (time,
	// sequence), with that request's error. until is absolute; 0 means no
	// deadline; expiry is (-1, ErrDeadline).
	WaitAny(until time.Duration, reqs ...Req) (int, error)
	// Go runs body as another thread of this rank, with its own Proc. The Req
	// is done when body has returned.
	Go(name string, body func(Proc) error) Req
}

// Wait waits for all of reqs and returns the first error in argument order.
func Wait(p Proc, reqs ...Req) error {
	var first error
	single, ok := p.(waiter)
	if !ok {
		single = anyWaiter{p}
	}
	for _, r := range reqs {
		if err := single.WaitOne(r); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// waiter is a Proc that waits for one request without a list of it on the heap: WaitAny(0, r).
type waiter interface{ WaitOne(r Req) error }

// anyWaiter makes a waiter of any Proc.
type anyWaiter struct{ Proc }

func (p anyWaiter) WaitOne(r Req) error {
	_, err := p.WaitAny(0, r)
	return err
}

// Free gives completed sends and receives back to p, which may use their memory for later ones: nobody may use them any more. A
// Proc need not take them. A small message costs its ranks more for the memory of its requests than for its bytes.
func Free(p Proc, reqs ...Req) {
	if f, ok := p.(interface{ Free(...Req) }); ok {
		f.Free(reqs...)
	}
}

// Sleep lets d of p's time pass.
func Sleep(p Proc, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if _, err := p.WaitAny(p.Now() + d); !errors.Is(err, ErrDeadline) {
		return err
	}
	return nil
}

// Compute runs f as one stage of w on the rank's device and waits for it.
func Compute(p Proc, w Work, f func() error) error {
	if f == nil {
		return Wait(p, p.Start(nil, w)...)
	}
	return Wait(p, p.Start(func(done func(int)) error {
		if err := f(); err != nil {
			return err
		}
		done(0)
		return nil
	}, w)...)
}

// Runtime runs one body per rank. Its size, platform and seed are its own.
type Runtime interface {
	Size() int
	Run(ctx context.Context, body func(Proc) ([]byte, error)) (Outcome, error)
}

// Outcome holds what a run leaves: each rank's result and the trace.
type Outcome struct {
	Results [][]byte
	Trace   *Trace
	Elapsed time.Duration // the last body's return, on the run's clock
}
