package tcp

import (
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
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
	got      int    // bytes so far
	here     bool   // all of it; one without a body too is so only when its reader says it
	recv     *req   // the receive that it is for, once there is one
	dst      []byte // the receive's body, if the pieces went there
	parts    []part // those that arrived before the receive was posted
}

type part struct {
	off int
	b   []byte
}

func (t *thread) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	n := t.n
	match.CheckMessage("send", n.cfg.Rank, n.cfg.Size, to, tag, m)
	q := n.newReq("send")
	q.peer, q.tag = to, tag
	body := m.Body
	if to == n.cfg.Rank || len(body) <= eager {
		body = slices.Clone(body) // outside the lock
	}
	err := t.enter()
	switch {
	case err != nil:
		n.complete(q, err)
	case to == n.cfg.Rank:
		n.deliver(body, tag, m)
		n.complete(q, nil)
	default:
		n.post(q, to, m, body, 0)
		n.settle(q)
	}
	n.mu.Unlock()
	if to != n.cfg.Rank {
		n.peers[to].flush()
	}
	return q
}

// settle completes a send of which nothing is left to be written from the
// caller's buffer.
func (n *node) settle(q *req) {
	if q.frames == 0 {
		n.complete(q, nil)
	}
}

// deliver hands a message of this rank to itself.
func (n *node) deliver(body []byte, tag cluster.Tag, m *cluster.Msg) {
	p := &packet{key: match.Key{From: n.cfg.Rank, Tag: tag}, meta: m.Meta, size: m.Size(), declared: m.Body == nil, here: true}
	if len(body) > 0 {
		p.parts, p.got = []part{{0, body}}, len(body)
	}
	if q, ok := n.box.Deliver(p.key, p); ok {
		q.bound, p.recv = true, q
		n.accept(p)
		n.complete(q, nil)
	}
}

// accept fills the receive's message with p. No lock is needed: until the
// receive is done its message belongs to the runtime.
func (n *node) accept(p *packet) {
	q := p.recv
	m := q.into
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
	q.peer = p.key.From
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
		m := p.recv.into
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

func (t *thread) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	n, peer := t.n, from
	if from == cluster.Any {
		peer = 0
	}
	match.CheckMessage("receive", n.cfg.Rank, n.cfg.Size, peer, tag, into)
	q := n.newReq("recv")
	err := t.enter()
	defer n.mu.Unlock()
	if err != nil {
		n.complete(q, err)
		return q
	}
	n.receive(q, from, tag, into, false)
	return q
}

// receive posts a receive. The caller holds the lock, which is given up while a
// message that is here already is copied.
func (n *node) receive(q *req, from int, tag cluster.Tag, into *cluster.Msg, bcast bool) {
	q.peer, q.tag, q.into = from, tag, into
	p, ok := n.box.Post(match.Key{From: from, Tag: tag, Bcast: bcast}, q)
	if !ok {
		return
	}
	q.bound, p.recv = true, q
	if !p.here {
		return // whoever reads it ends the receive
	}
	n.mu.Unlock()
	n.accept(p)
	n.mu.Lock()
	n.recycle(p)
	n.complete(q, nil)
}

func (t *thread) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	n := t.n
	match.CheckGroup(n.cfg.Rank, n.cfg.Size, group, root, tag, m)
	q := n.newReq("bcast")
	q.peer, q.tag = root, tag
	body := m.Body
	if n.cfg.Rank == root && len(body) <= eager {
		body = slices.Clone(body)
	}
	err := t.enter()
	var others []int
	switch {
	case err != nil:
		n.complete(q, err)
	case n.cfg.Rank != root:
		n.receive(q, root, tag, m, true)
	default:
		others = match.Others(group, root)
		for _, member := range others {
			n.post(q, member, m, body, cluster.FlagBcast)
		}
		n.settle(q)
	}
	n.mu.Unlock()
	for _, member := range others {
		n.peers[member].flush()
	}
	return q
}

// post queues m, whose body is body, for a peer. The caller holds the lock.
func (n *node) post(q *req, to int, m *cluster.Msg, body []byte, flags uint8) {
	h := cluster.Header{Job: n.peers[to].job, Flags: flags, From: n.cfg.Rank, Tag: q.tag, Size: m.Size(), Meta: m.Meta}
	if m.Body == nil {
		h.Flags |= cluster.FlagDeclared
		body = nil
	}
	frames := n.peers[to].push(h, body, q, n.chunk)
	n.pending += frames
	if len(body) > eager {
		q.frames += frames
	}
	n.sent.Messages++
	n.sent.Bytes += int64(h.Size)
	n.sent.Header += int64(frames) * cluster.HeaderBytes
}
