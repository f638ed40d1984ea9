// Package faults lets hosts crash, pause and be slow by a schedule, on any runtime: a wrapper of
// cluster.Proc is a cluster.Proc, so that no algorithm and no runtime knows of it. The schedule of a
// rank follows from (seed, rank) alone (Mix.Draw); in virtual time the whole run does.
//
//   - A crashed rank calls nothing more. An elastic run loses it (cluster.ErrCrashed); in any other it returns
//     no error, and to the others it is silent for ever. What it has sent before still arrives there.
//   - A paused rank does nothing from its next call on until the pause is over. Its messages on the wire,
//     its device and what is sent to it go on.
//   - A slow rank's computations take a multiple of their time, where a runtime makes time of work: in
//     virtual time, and on real clocks that emulate the platform's.
//
// Loss, duplication and reordering of messages are no faults of a Proc, whose contract forbids them: they
// belong to frames.
package faults

import (
	"context"
	"errors"
	"time"

	"gradsync/shared/cluster"
)

// On returns rt with the faults of each rank's host. A crashed rank leaves no result and no error.
//
// Source: ours: one algorithm text and one runtime, with and without faults
func On(rt cluster.Runtime, host func(rank int) Host) cluster.Runtime { return runtime{rt, host} }

// runtime is a Runtime whose hosts have faults.
type runtime struct {
	cluster.Runtime
	host func(rank int) Host
}

// Run runs body on every rank until it returns or its host crashes.
func (r runtime) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	return r.Runtime.Run(ctx, func(p cluster.Proc) (result []byte, err error) {
		err = mortal(p, func() (err error) {
			result, err = body(wrap(p, r.host(p.Rank())))
			return err
		})
		return result, err
	})
}

// crash ends a rank's thread; the thread's first function takes it back.
type crash struct{}

// mortal calls f, in which the rank of p may crash: then it returns how that is told, on an elastic run by an
// error, else not at all.
func mortal(p cluster.Proc, f func() error) (err error) {
	defer func() {
		r := recover()
		if _, crashed := r.(crash); !crashed {
			if r != nil {
				panic(r)
			}
			return
		}
		if _, elastic := p.(cluster.Survivor); elastic {
			err = cluster.ErrCrashed
		}
	}()
	return f()
}

// wrap returns p with a host's faults. What algorithms may find in p by assertion they find in it.
func wrap(p cluster.Proc, h Host) cluster.Proc {
	q := &proc{p, h}
	if s, ok := p.(cluster.Survivor); ok {
		return &surviving{q, s}
	}
	return q
}

// surviving is a proc that is told of lost ranks.
type surviving struct {
	*proc
	survivor cluster.Survivor
}

func (s *surviving) Lost() cluster.Req {
	s.gate()
	return s.survivor.Lost()
}

func (s *surviving) Alive() []int {
	s.gate()
	return s.survivor.Alive()
}

var _ cluster.Survivor = (*surviving)(nil)

// proc is one thread's Proc on a host with faults. Rank, Size, Now and Rand are no operations: they pass.
type proc struct {
	cluster.Proc
	host Host
}

// dead reports whether the host has crashed.
func (p *proc) dead() bool { return p.host.Crash > 0 && p.Now() >= p.host.Crash }

// gate lets the host's pauses pass and ends a crashed rank's thread. A run that has failed meanwhile says so in
// the call that follows.
func (p *proc) gate() {
	for again := true; again; { // one pause may end within another
		again = false
		for _, w := range p.host.Pauses {
			if p.dead() || !w.holds(p.Now()) {
				continue
			}
			until := w.To
			if p.host.Crash > 0 {
				until = min(until, p.host.Crash)
			}
			if err := cluster.Sleep(p.Proc, until-p.Now()); err != nil {
				return
			}
			again = true
		}
	}
	if p.dead() {
		panic(crash{})
	}
}

func (p *proc) Start(f func(done func(stage int)) error, stages ...cluster.Work) []cluster.Req {
	p.gate()
	factor, now := 1.0, p.Now()
	for _, s := range p.host.Slow {
		if s.holds(now) {
			factor *= s.Factor
		}
	}
	if factor == 1 {
		return p.Proc.Start(f, stages...)
	}
	slow := make([]cluster.Work, len(stages))
	for i, w := range stages {
		slow[i] = cluster.Work{FLOP: w.FLOP * factor, Bytes: w.Bytes * factor, Fixed: time.Duration(float64(w.Fixed) * factor)}
	}
	return p.Proc.Start(f, slow...)
}

func (p *proc) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	p.gate()
	return p.Proc.Isend(to, tag, m)
}

func (p *proc) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	p.gate()
	return p.Proc.Irecv(from, tag, into)
}

func (p *proc) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	p.gate()
	return p.Proc.Ibcast(group, root, tag, m)
}

func (p *proc) Cancel(r cluster.Req) {
	p.gate()
	p.Proc.Cancel(r)
}

// WaitAny waits as p does, and no longer than the host lives.
func (p *proc) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	p.gate()
	dies := p.host.Crash > 0 && (until == 0 || p.host.Crash < until)
	if dies {
		until = p.host.Crash
	}
	i, err := p.Proc.WaitAny(until, reqs...)
	if dies && i < 0 && errors.Is(err, cluster.ErrDeadline) {
		panic(crash{}) // also where a real clock is a tick early
	}
	p.gate()
	return i, err
}

func (p *proc) Go(name string, body func(cluster.Proc) error) cluster.Req {
	p.gate()
	return p.Proc.Go(name, func(q cluster.Proc) error {
		return mortal(q, func() error { return body(wrap(q, p.host)) })
	})
}
