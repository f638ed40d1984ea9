package virtual

import (
	"fmt"
	"slices"
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
	t.checkMessage("send", to, tag, m)
	q.peer, q.tag = to, tag
	t.send(q, []*rank{&e.ranks[to]}, m, false)
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
	t.checkMessage("receive", max(from, 0), tag, into)
	if from < 0 && from != cluster.Any {
		panic(fmt.Sprintf("cluster: rank %d: receive from rank %d", t.rank.id, from))
	}
	t.receive(q, from, tag, into, false)
	return q
}

func (t *thread) receive(q *req, from int, tag cluster.Tag, into *cluster.Msg, bcast bool) {
	q.peer, q.tag, q.into = from, tag, into
	if p, ok := t.rank.box.Post(match.Key{From: from, Tag: tag, Bcast: bcast}, q); ok {
		t.e.accept(q, p)
	}
}

func (t *thread) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	e := t.e
	q := e.newReq(t.rank, kindBcast)
	if err := t.enter(); err != nil {
		return e.failed(q, err)
	}
	t.checkMessage("broadcast", root, tag, m)
	if !slices.Contains(group, t.rank.id) || !slices.Contains(group, root) {
		panic(fmt.Sprintf("cluster: rank %d: broadcast from rank %d to %v: both must be members", t.rank.id, root, group))
	}
	q.peer, q.tag = root, tag
	if t.rank.id != root {
		t.receive(q, root, tag, m, true)
		return q
	}
	to := make([]*rank, 0, len(group)-1)
	for _, member := range group {
		t.checkMessage("broadcast", member, tag, m)
		if member != root {
			to = append(to, &e.ranks[member])
		}
	}
	t.send(q, to, m, true)
	return q
}

// recvSpan is the time a message held the receiver's NIC.
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
