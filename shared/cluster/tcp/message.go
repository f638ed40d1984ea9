package tcp

import (
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// eager is the largest body that a send copies, so that it is done at once. A
// larger one is written from the caller's buffer.
const eager = 16 << 10

// whole is the largest body allocated on the word of its header. A larger one
// grows with what arrives.
const whole = 64 << 20

// packet is a message that arrives. One without a body too is whole only when its
// reader says it.
type packet struct {
	rank.Packet
	got int // bytes so far
}

// Send implements rank.Network.
func (n *node) Send(t *rank.Thread, q *rank.Req, m *cluster.Msg) {
	to, body := q.Peer, m.Body
	if to == n.cfg.Rank || len(body) <= eager {
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
		settle(q)
	}
	n.Mu.Unlock()
	if to != n.cfg.Rank {
		n.peers[to].flush()
	}
}

// Broadcast implements rank.Network.
func (n *node) Broadcast(t *rank.Thread, q *rank.Req, others []int, m *cluster.Msg) {
	body := m.Body
	if len(body) <= eager {
		body = slices.Clone(body)
	}
	err := t.Enter()
	if err != nil {
		q.Complete(err)
	} else {
		for _, member := range others {
			n.post(q, member, m, body, cluster.FlagBcast)
		}
		settle(q)
	}
	n.Mu.Unlock()
	for _, member := range others {
		n.peers[member].flush()
	}
}

// settle completes a send of which nothing is left to be written from the
// caller's buffer.
func settle(q *rank.Req) {
	if q.Left == 0 {
		q.Complete(nil)
	}
}

// Recycle implements rank.Network.
func (n *node) Recycle(p *rank.Packet) {
	n.recycle(p.Body)
	for _, x := range p.Parts {
		n.recycle(x.B)
	}
	p.Body, p.Parts = nil, nil
}

// recycle keeps b for a piece. The caller holds the lock.
func (n *node) recycle(b []byte) {
	if cap(b) == n.chunk && len(n.free) < 32 {
		n.free = append(n.free, b)
	}
}

// place returns where size bytes at off of p go. The caller holds the lock.
func (n *node) place(p *packet, off, size int) []byte {
	if room := p.Room(); room != nil {
		return room[off : off+size]
	}
	if p.Recv != nil && p.Body == nil && p.Size <= whole {
		p.Body = make([]byte, p.Size)
	}
	if p.Body != nil {
		return p.Body[off : off+size]
	}
	var b []byte
	switch last := len(n.free) - 1; {
	case size > n.chunk || size <= n.chunk/2:
		b = make([]byte, size)
	case last >= 0 && cap(n.free[last]) >= size:
		b, n.free = n.free[last][:size], n.free[:last]
	default:
		b = make([]byte, size, n.chunk)
	}
	if size == p.Size {
		p.Body = b
	} else {
		p.Parts = append(p.Parts, rank.Part{Off: off, B: b})
	}
	return b
}

// post queues m, whose body is body, for a peer. The caller holds the lock.
func (n *node) post(q *rank.Req, to int, m *cluster.Msg, body []byte, flags uint8) {
	h := cluster.Header{Job: n.peers[to].job, Flags: flags, From: n.cfg.Rank, Tag: q.Tag, Size: m.Size(), Meta: m.Meta}
	if m.Body == nil {
		h.Flags |= cluster.FlagDeclared
		body = nil
	}
	frames := n.peers[to].push(h, body, q, n.chunk)
	n.pending += frames
	if len(body) > eager {
		q.Left += frames
	}
	n.self.Count(m, frames)
}
