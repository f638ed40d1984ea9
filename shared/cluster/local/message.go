package local

import (
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

func (t *thread) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	match.CheckMessage("send", t.rank.id, t.Size(), to, tag, m)
	q := t.w.newReq(t.rank, "send")
	q.peer, q.tag = to, tag
	body := slices.Clone(m.Body) // outside the lock
	err := t.enter()
	defer t.w.mu.Unlock()
	if err == nil {
		t.deliver(to, body, tag, m, false)
		if to != t.rank.id {
			t.count(m)
		}
	}
	t.w.complete(q, err)
	return q
}

// deliver hands a message to rank `to` under the lock.
func (t *thread) deliver(to int, body []byte, tag cluster.Tag, m *cluster.Msg, bcast bool) {
	p := &packet{from: t.rank.id, meta: m.Meta, body: body, declared: m.Declared}
	p.key = match.Key{From: t.rank.id, Tag: tag, Bcast: bcast}
	if q, ok := t.w.ranks[to].box.Deliver(p.key, p); ok {
		t.w.accept(q, p)
	}
}

// count adds one transmission to what the rank sent.
func (t *thread) count(m *cluster.Msg) {
	t.rank.sent.Messages++
	t.rank.sent.Bytes += int64(m.Size())
	t.rank.sent.Header += cluster.HeaderBytes
}

// accept ends receive q with p.
func (w *world) accept(q *req, p *packet) {
	m := q.into
	m.From, m.Tag, m.Meta, m.Declared = p.from, p.key.Tag, p.meta, 0
	switch {
	case p.body == nil:
		m.Body, m.Declared = nil, p.declared
	case m.Body != nil && cap(m.Body) >= len(p.body):
		m.Body = append(m.Body[:0], p.body...)
	default:
		m.Body = p.body
	}
	q.peer = p.from
	w.complete(q, nil)
}

func (t *thread) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	if from != cluster.Any {
		match.CheckMessage("receive", t.rank.id, t.Size(), from, tag, into)
	} else {
		match.CheckMessage("receive", t.rank.id, t.Size(), 0, tag, into)
	}
	q := t.w.newReq(t.rank, "recv")
	err := t.enter()
	defer t.w.mu.Unlock()
	if err != nil {
		t.w.complete(q, err)
		return q
	}
	t.receive(q, from, tag, into, false)
	return q
}

func (t *thread) receive(q *req, from int, tag cluster.Tag, into *cluster.Msg, bcast bool) {
	q.peer, q.tag, q.into = from, tag, into
	if p, ok := t.rank.box.Post(match.Key{From: from, Tag: tag, Bcast: bcast}, q); ok {
		t.w.accept(q, p)
	}
}

func (t *thread) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	match.CheckGroup(t.rank.id, t.Size(), group, root, tag, m)
	q := t.w.newReq(t.rank, "bcast")
	q.peer, q.tag = root, tag
	err := t.enter()
	defer t.w.mu.Unlock()
	if err != nil {
		t.w.complete(q, err)
		return q
	}
	if t.rank.id != root {
		t.receive(q, root, tag, m, true)
		return q
	}
	for i, member := range match.Others(group, root) {
		t.deliver(member, slices.Clone(m.Body), tag, m, true)
		if i == 0 || !t.w.multicast {
			t.count(m)
		}
	}
	t.w.complete(q, nil)
	return q
}
