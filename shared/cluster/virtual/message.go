package virtual

import (
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

func (t *thread) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	e := t.e
	if err := t.enter(); err != nil {
		return e.failed(e.newReq(t.rank, kindSend), err)
	}
	match.CheckMessage("send", t.rank.id, t.Size(), to, tag, m)
	var q *op
	if t.rank.heardOf(to) {
		q = e.newSend(t.rank, kindSend, to, tag, e.now) // and is dropped
	} else {
		peers := [1]*rank{&e.ranks[to]}
		q = t.send(kindSend, to, tag, peers[:], m)
	}
	if m.Given {
		m.Body = nil
	}
	return q
}

// send posts m, which is done when the last byte has left.
func (t *thread) send(k kind, peer int, tag cluster.Tag, to []*rank, m *cluster.Msg) *op {
	begin, sent := t.e.post(t.rank, to, tag, m, k == kindBcast)
	q := t.e.newSend(t.rank, k, peer, tag, sent)
	if t.e.cfg.Trace && begin >= 0 {
		t.span(cluster.SpanSend, kindNames[k], peer, tag, m.Size(), begin, sent)
	}
	return q
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
	q.peer, q.tag, q.into = int32(from), int32(tag), into
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
	if err := t.enter(); err != nil {
		return e.failed(e.newReq(t.rank, kindBcast), err)
	}
	match.CheckGroup(t.rank.id, t.Size(), group, root, tag, m)
	if t.rank.id != root {
		q := e.newReq(t.rank, kindBcast)
		t.receive(q, root, tag, m, true)
		return q
	}
	var to []*rank
	for _, member := range match.Others(group, root) {
		if !t.rank.heardOf(member) {
			to = append(to, &e.ranks[member])
		}
	}
	return t.send(kindBcast, root, tag, to, m)
}

// received records the time that a message held the receiver's NIC.
//
//go:noinline
func (e *engine) received(q *req, p *packet) {
	e.spans = append(e.spans, cluster.Span{
		Rank: q.rank.id, Kind: cluster.SpanRecv, Name: kindNames[q.kind], Peer: p.from.id, Tag: p.tag,
		Bytes: p.bytes(), From: time.Duration(p.began / perNano), To: time.Duration(e.now / perNano),
	})
}
