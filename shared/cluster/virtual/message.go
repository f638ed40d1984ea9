package virtual

import (
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

func (t *thread) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	e := t.e
	q := e.newReq(t.rank, kindSend)
	if err := t.enter(); err != nil {
		return e.failed(q, err)
	}
	match.CheckMessage("send", t.rank.id, t.Size(), to, tag, m)
	q.peer, q.tag = to, tag
	if t.rank.heardOf(to) {
		e.finishAt(q, e.now) // and is dropped
	} else {
		t.send(q, []*rank{&e.ranks[to]}, m, false)
	}
	if m.Given {
		m.Body = nil
	}
	return q
}

// send posts m and lets q complete when the last byte has left.
func (t *thread) send(q *req, to []*rank, m *cluster.Msg, bcast bool) {
	begin, sent := t.e.post(t.rank, to, q.tag, m, bcast)
	t.e.finishAt(q, sent)
	if t.e.cfg.Trace && begin >= 0 {
		t.span(cluster.SpanSend, kindNames[q.kind], q.peer, q.tag, m.Size(), begin, sent)
	}
}

func (t *thread) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	q := t.e.newReq(t.rank, kindRecv)
	if err := t.enter(); err != nil {
		return t.e.failed(q, err)
	}
	peer := from
	if from == cluster.Any {
		peer = t.rank.id
	}
	match.CheckMessage("receive", t.rank.id, t.Size(), peer, tag, into)
	t.receive(q, from, tag, into, false)
	return q
}

func (t *thread) receive(q *req, from int, tag cluster.Tag, into *cluster.Msg, bcast bool) {
	q.peer, q.tag, q.into = from, tag, into
	if p, ok := t.rank.box.Post(match.Key{From: from, Tag: tag, Bcast: bcast}, q); ok {
		t.e.accept(q, p)
		t.e.complete(q)
	} else if t.rank.heardOf(from) {
		t.rank.box.Cancel(q)
		t.e.failed(q, &cluster.LostError{Rank: from})
	}
}

func (t *thread) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	e := t.e
	q := e.newReq(t.rank, kindBcast)
	if err := t.enter(); err != nil {
		return e.failed(q, err)
	}
	match.CheckGroup(t.rank.id, t.Size(), group, root, tag, m)
	q.peer, q.tag = root, tag
	if t.rank.id != root {
		t.receive(q, root, tag, m, true)
		return q
	}
	var to []*rank
	for _, member := range match.Others(group, root) {
		if !t.rank.heardOf(member) {
			to = append(to, &e.ranks[member])
		}
	}
	t.send(q, to, m, true)
	return q
}

// recvSpan returns the time a message held the receiver's NIC.
func recvSpan(q *req, p *packet, now int64) cluster.Span {
	size := p.declared
	if p.body != nil {
		size = len(p.body)
	}
	return cluster.Span{
		Rank: q.rank.id, Kind: cluster.SpanRecv, Name: kindNames[q.kind], Peer: p.from.id, Tag: p.key.Tag,
		Bytes: size, From: time.Duration(p.began / perNano), To: time.Duration(now / perNano),
	}
}
