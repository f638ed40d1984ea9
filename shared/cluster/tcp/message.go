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

// packet is a message that arrives or has arrived.
type packet struct {
	key      match.Key
	meta     [4]int64
	size     int
	declared bool
	got      int       // bytes so far
	here     bool      // all of it; one without a body too is so only when its reader says it
	recv     *rank.Req // the receive that it is for, once there is one
	dst      []byte    // the receive's body, if the pieces went there
	parts    []part    // those that arrived before the receive was posted
}

type part struct {
	off int
	b   []byte
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
		n.deliver(body, q.Tag, m)
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

// deliver hands a message of this rank to itself.
func (n *node) deliver(body []byte, tag cluster.Tag, m *cluster.Msg) {
	p := &packet{key: match.Key{From: n.cfg.Rank, Tag: tag}, meta: m.Meta, size: m.Size(), declared: m.Body == nil, here: true}
	if len(body) > 0 {
		p.parts, p.got = []part{{0, body}}, len(body)
	}
	if q, ok := n.box.Deliver(p.key, p); ok {
		q.Bound, p.recv = true, q
		accept(p)
		q.Complete(nil)
	}
}

// accept fills the receive's message with p. No lock is needed: until the
// receive is done its message belongs to the runtime.
func accept(p *packet) {
	q := p.recv
	m := q.Into
	m.From, m.Tag, m.Meta, m.Declared = p.key.From, p.key.Tag, p.meta, 0
	switch {
	case p.declared:
		m.Body, m.Declared = nil, p.size
	case p.dst != nil:
		m.Body = p.dst
		p.copyTo(m.Body)
	case m.Body != nil && cap(m.Body) >= p.size:
		m.Body = m.Body[:p.size]
		p.copyTo(m.Body)
	case len(p.parts) == 1:
		m.Body, p.parts = p.parts[0].b, nil
	default:
		m.Body = make([]byte, p.size)
		p.copyTo(m.Body)
	}
	q.Peer = p.key.From
}

func (p *packet) copyTo(b []byte) {
	for _, x := range p.parts {
		copy(b[x.off:], x.b)
	}
}

// recycle keeps the buffers of p's parts. The caller holds the lock.
func (n *node) recycle(p *packet) {
	for _, x := range p.parts {
		if cap(x.b) == n.chunk && len(n.free) < 32 {
			n.free = append(n.free, x.b)
		}
	}
	p.parts = nil
}

// place returns where n.size bytes at off of p go. The caller holds the lock.
func (n *node) place(p *packet, off, size int) []byte {
	if p.recv != nil && p.dst == nil {
		m := p.recv.Into
		switch {
		case m.Body != nil && cap(m.Body) >= p.size:
			p.dst = m.Body[:p.size]
		case p.size <= whole:
			p.dst = make([]byte, p.size)
		}
	}
	if p.dst != nil {
		return p.dst[off : off+size]
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
	p.parts = append(p.parts, part{off, b})
	return b
}

// Receive implements rank.Network. It gives up the lock while a message that is
// here already is copied.
func (n *node) Receive(q *rank.Req, key match.Key) {
	p, ok := n.box.Post(key, q)
	if !ok {
		return
	}
	q.Bound, p.recv = true, q
	if !p.here {
		return // whoever reads it ends the receive
	}
	n.Mu.Unlock()
	accept(p)
	n.Mu.Lock()
	n.recycle(p)
	q.Complete(nil)
}

// Withdraw implements rank.Network.
func (n *node) Withdraw(q *rank.Req) bool { return n.box.Cancel(q) }

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
	n.sent.Messages++
	n.sent.Bytes += int64(h.Size)
	n.sent.Header += int64(frames) * cluster.HeaderBytes
}
