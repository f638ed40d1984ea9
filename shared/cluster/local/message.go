package local

import (
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// endpoint is one rank's end of the messages: a rank.Network.
type endpoint struct {
	w      *world
	id     int
	box    match.Box[*rank.Req, *packet]
	sent   cluster.Traffic
	result []byte
}

// packet is a message that has arrived.
type packet struct {
	key      match.Key
	meta     [4]int64
	body     []byte
	declared int
}

// Send implements rank.Network.
func (e *endpoint) Send(t *rank.Thread, q *rank.Req, m *cluster.Msg) {
	body := slices.Clone(m.Body) // outside the lock
	err := t.Enter()
	defer e.w.Mu.Unlock()
	if err == nil {
		e.deliver(q, q.Peer, body, m, false)
		if q.Peer != e.id {
			e.count(m)
		}
	}
	q.Complete(err)
}

// Broadcast implements rank.Network.
func (e *endpoint) Broadcast(t *rank.Thread, q *rank.Req, others []int, m *cluster.Msg) {
	err := t.Enter()
	defer e.w.Mu.Unlock()
	if err == nil {
		for i, member := range others {
			e.deliver(q, member, slices.Clone(m.Body), m, true)
			if i == 0 || !e.w.multicast {
				e.count(m)
			}
		}
	}
	q.Complete(err)
}

// deliver hands q's message to rank to. The caller holds the lock.
func (e *endpoint) deliver(q *rank.Req, to int, body []byte, m *cluster.Msg, bcast bool) {
	p := &packet{key: match.Key{From: e.id, Tag: q.Tag, Bcast: bcast}, meta: m.Meta, body: body, declared: m.Declared}
	if r, ok := e.w.ends[to].box.Deliver(p.key, p); ok {
		accept(r, p)
	}
}

// count adds one transmission to the rank's traffic.
func (e *endpoint) count(m *cluster.Msg) {
	e.sent.Messages++
	e.sent.Bytes += int64(m.Size())
	e.sent.Header += cluster.HeaderBytes
}

// Receive implements rank.Network.
func (e *endpoint) Receive(q *rank.Req, key match.Key) {
	if p, ok := e.box.Post(key, q); ok {
		accept(q, p)
	}
}

// Withdraw implements rank.Network.
func (e *endpoint) Withdraw(q *rank.Req) bool { return e.box.Cancel(q) }

// accept ends receive q with p. The caller holds the lock.
func accept(q *rank.Req, p *packet) {
	m := q.Into
	m.From, m.Tag, m.Meta, m.Declared = p.key.From, p.key.Tag, p.meta, 0
	switch {
	case p.body == nil:
		m.Body, m.Declared = nil, p.declared
	case m.Body != nil && cap(m.Body) >= len(p.body):
		m.Body = append(m.Body[:0], p.body...)
	default:
		m.Body = p.body
	}
	q.Peer = p.key.From
	q.Complete(nil)
}
