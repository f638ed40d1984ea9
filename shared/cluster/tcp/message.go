package tcp

import (
	"math/bits"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// eager is the largest body that a send copies, so that it is done at once, where another goroutine writes it. All others, and
// all bodies that the sender's own thread writes as long as the kernel takes them, are written from the caller's buffer.
const eager = 16 << 10

// whole is the largest body allocated on the word of its header. A larger one
// grows with what arrives.
const whole = 64 << 20

// Send implements rank.Network.
func (n *node) Send(t *rank.Thread, q *rank.Req, m *cluster.Msg) {
	to, body := q.Peer, m.Body
	if !m.Given && (to == n.cfg.Rank || len(body) <= n.eager) {
		body = slices.Clone(body) // outside the lock
	}
	err := t.Enter()
	switch {
	case err != nil:
		q.Complete(err)
	case to == n.cfg.Rank:
		n.self.Hand(match.Key{From: to, Tag: q.Tag}, m, body)
		q.Complete(nil)
	default:
		n.post(q, to, m, body, 0)
		if m.Given && q.Left > 0 {
			q.Body = body
		}
		n.settle(q)
	}
	n.Mu.Unlock()
	if to != n.cfg.Rank {
		n.fabric.flush(n.peers[to])
	}
}

// Broadcast implements rank.Network.
func (n *node) Broadcast(t *rank.Thread, q *rank.Req, others []int, m *cluster.Msg) {
	body := m.Body
	if len(body) <= n.eager {
		body = slices.Clone(body)
	}
	err := t.Enter()
	if err != nil {
		q.Complete(err)
	} else {
		for _, member := range others {
			n.post(q, member, m, body, cluster.FlagBcast)
		}
		n.settle(q)
	}
	n.Mu.Unlock()
	for _, member := range others {
		n.fabric.flush(n.peers[member])
	}
}

// settle completes a send of which nothing is left to be written from the
// caller's buffer, which is kept if it was given away. The caller holds the lock.
func (n *node) settle(q *rank.Req) {
	if q.Left > 0 {
		return
	}
	n.keepBody(q.Body)
	q.Body = nil
	q.Complete(nil)
}

// keepBody keeps the memory of a large body for one that arrives: as many as there
// are ranks, for a server has a body under way to each. The caller holds the lock.
func (n *node) keepBody(b []byte) {
	if cap(b) > max(eager, n.cfg.Chunk) && len(n.bodies) < n.cfg.Size {
		n.bodies = append(n.bodies, b)
	}
}

// keptBody returns kept memory for a body, nil if there is none of about that size.
// The caller holds the lock.
func (n *node) keptBody(size int) []byte {
	for i, b := range n.bodies {
		if size <= cap(b) && cap(b)/2 <= size {
			n.bodies = slices.Delete(n.bodies, i, i+1)
			return b[:size]
		}
	}
	return nil
}

// Recycle implements rank.Network.
func (n *node) Recycle(p *rank.Packet) {
	n.recycle(p.Body)
	n.keepBody(p.Body)
	for _, x := range p.Parts {
		n.recycle(x.B)
	}
	p.Body, p.Parts = nil, nil
	if p.Whole && len(n.spare) < mostKept {
		*p = rank.Packet{}
		n.spare = append(n.spare, p)
	}
}

// Bounds of what is kept for pieces: the least, which are not worth it below, and how many of them, and of packets.
const (
	leastKept = 512
	mostKept  = 32
)

// recycle keeps b for a piece, in place of what was kept longest if that is enough. The caller holds the lock.
func (n *node) recycle(b []byte) {
	if cap(b) < leastKept || cap(b) > n.cfg.Chunk {
		return
	}
	if len(n.free) == mostKept {
		n.free = slices.Delete(n.free, 0, 1)
	}
	n.free = append(n.free, b)
}

// packet returns an empty packet. The caller holds the lock.
func (n *node) packet() *rank.Packet {
	last := len(n.spare) - 1
	if last < 0 {
		return &rank.Packet{}
	}
	m := n.spare[last]
	n.spare = n.spare[:last]
	return m
}

// buffer returns memory for a piece that comes before its receive: kept, of less than four times its size, or new. The caller
// holds the lock.
func (n *node) buffer(size int) []byte {
	if size < leastKept || size > n.cfg.Chunk {
		return make([]byte, size)
	}
	for i := len(n.free) - 1; i >= 0; i-- {
		if b := n.free[i]; size <= cap(b) && cap(b)/4 < size {
			n.free = slices.Delete(n.free, i, i+1)
			return b[:size]
		}
	}
	return make([]byte, size, min(1<<bits.Len(uint(size-1)), n.cfg.Chunk))
}

// place returns where size bytes at off of p go. The caller holds the lock.
func (n *node) place(p *rank.Packet, off, size int) []byte {
	if room := p.Room(); room != nil && p.Body == nil {
		return room[off : off+size]
	}
	if p.Body == nil {
		p.Body = n.keptBody(p.Size)
	}
	if p.Body == nil && p.Recv != nil && p.Size <= whole {
		p.Body = make([]byte, p.Size)
	}
	if p.Body != nil {
		return p.Body[off : off+size]
	}
	b := n.buffer(size)
	if size == p.Size {
		p.Body = b
	} else {
		p.Parts = append(p.Parts, rank.Part{Off: off, B: b})
	}
	return b
}

// post queues m, whose body is body, for a peer, unless that is lost. The caller holds the lock.
func (n *node) post(q *rank.Req, to int, m *cluster.Msg, body []byte, flags uint8) {
	if n.peers[to].lost {
		return
	}
	h := cluster.Header{Job: n.peers[to].job, Flags: flags, From: n.cfg.Rank, Tag: q.Tag, Size: m.Size(), Meta: m.Meta}
	if m.Body == nil {
		h.Flags |= cluster.FlagDeclared
		body = nil
	}
	frames := n.peers[to].push(h, body, q, n.cfg.Chunk)
	n.pending += frames
	if len(body) > n.eager {
		q.Left += frames
	}
	n.self.Count(m, frames)
}
