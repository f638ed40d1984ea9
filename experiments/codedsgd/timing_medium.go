package codedsgd

import (
	"time"

	"gradsync/shared/cluster"
)

// medium is one that all nodes share, a bus or the air: it carries one transmission
// at a time, which every node hears, in the order in which they were handed over.
// Then, and only then, is "the time of communication linear in the amount of data"
// (§3.2.4): a multicast takes what a unicast takes, and no receiver is a bottleneck.
//
// A run in virtual time calls it from one coroutine at a time.
type medium struct {
	rate     float64 // bytes per second
	overhead float64 // seconds per transmission
	header   float64 // bytes per transmission
	free     float64 // when the last transmission that was handed over ends
}

// newMedium is p's nodes on one medium with the capacity of all their links
// together, time per message included, so that SSGD with unicasts takes there what
// it takes on a switch. The platform that it returns has NICs that never limit.
func newMedium(p *cluster.Platform, headerless bool) (*medium, *cluster.Platform) {
	m := &medium{header: cluster.HeaderBytes}
	if headerless {
		m.header = 0
	}
	for _, h := range p.Workers {
		m.rate += h.Bandwidth
		m.overhead = max(m.overhead, h.Overhead.Seconds())
	}
	m.overhead /= float64(len(p.Workers))
	return m, p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Overhead = 1e18, 0 })
}

// attach is p with its transmissions on m.
func (m *medium) attach(p cluster.Proc) cluster.Proc { return &station{Proc: p, medium: m} }

// station is a rank, or one of its threads, at a medium.
type station struct {
	cluster.Proc
	medium *medium
}

// turn waits for the end of a transmission of so many bytes that was handed over now.
func (m *medium) turn(p cluster.Proc, bytes int) func(cluster.Proc) error {
	now := p.Now().Seconds()
	m.free = max(m.free, now) + m.overhead + (float64(bytes)+m.header)/m.rate
	end := time.Duration(m.free * 1e9)
	return func(q cluster.Proc) error { return cluster.Sleep(q, end-q.Now()) }
}

// Isend sends after m's turn; to oneself it is free.
func (s *station) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if to == s.Rank() {
		return s.Proc.Isend(to, tag, m)
	}
	wait := s.medium.turn(s.Proc, m.Size())
	return s.Proc.Go("medium", func(q cluster.Proc) error {
		if err := wait(q); err != nil {
			return err
		}
		return cluster.Wait(q, q.Isend(to, tag, m))
	})
}

// Ibcast is one transmission, however many hear it.
func (s *station) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if root != s.Rank() {
		return s.Proc.Ibcast(group, root, tag, m)
	}
	wait := s.medium.turn(s.Proc, m.Size())
	return s.Proc.Go("medium", func(q cluster.Proc) error {
		if err := wait(q); err != nil {
			return err
		}
		return cluster.Wait(q, q.Ibcast(group, root, tag, m))
	})
}

// Go begins a thread at the same medium.
func (s *station) Go(name string, body func(cluster.Proc) error) cluster.Req {
	return s.Proc.Go(name, func(q cluster.Proc) error { return body(s.medium.attach(q)) })
}
