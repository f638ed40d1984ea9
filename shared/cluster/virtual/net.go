package virtual

import (
	"math/bits"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// packet is one message on its way to one receiver.
type packet struct {
	from, to *rank
	out, in  *port // that it leaves and enters by
	key      match.Key
	meta     [4]int64
	body     []byte // the engine's own: a copy, or given away; nil if only declared
	declared int
	size     int   // bytes on the wire, header included
	sent     int64 // the last byte has left the sender's NIC
	began    int64 // the receiver's NIC took the first byte; −1: not yet
	notice   bool  // no message: it tells to that from is lost
}

// post takes m off the sender's hands: it claims the egress and returns when
// the first byte leaves (−1: never) and the last has left. A copy goes to
// every receiver, or the body itself if it is given away; a native multicast is
// one transmission for all.
func (e *engine) post(from *rank, to []*rank, tag cluster.Tag, m *cluster.Msg, bcast bool) (begin, sent int64) {
	begin, sent = -1, e.now
	size := e.header + m.Size()
	var start int64 // of the present transmission
	once := bcast && e.multicast
	for _, dst := range to {
		p := e.newPacket()
		p.from, p.to, p.meta, p.declared, p.size = from, dst, m.Meta, m.Declared, size
		p.key = match.Key{From: from.id, Tag: tag, Bcast: bcast}
		switch {
		case m.Body == nil:
		case m.Given && !bcast:
			p.body = m.Body
		default:
			p.body = append(e.buffers.get(len(m.Body)), m.Body...)
		}
		if dst == from { // free
			p.began, p.sent = e.now, e.now
			e.events.push(event{at: e.now, seq: e.nextSeq(), p: p})
			continue
		}
		p.out, p.in = from.toward(dst), dst.toward(from)
		if once {
			p.out = from.towardAll(to)
		}
		if begin < 0 || !once {
			start, sent = e.leave(p.out, size)
			from.sent.Messages++
			from.sent.Bytes += int64(m.Size())
			from.sent.Header += int64(e.header)
			if begin < 0 {
				begin = start
			}
		}
		p.began, p.sent = -1, sent
		e.firstByte(p, start)
	}
	return begin, sent
}

// firstByte schedules the arrival of p's first byte, whose transmission began
// at an instant. Only then does the receiver's NIC give it a slot.
func (e *engine) firstByte(p *packet, begin int64) {
	at := e.later(begin, (p.out.overhead + p.out.latency + p.in.latency).Seconds())
	e.events.push(event{at: at, seq: e.nextSeq(), p: p})
}

// advance moves a packet on: first byte at the receiver, or complete.
func (e *engine) advance(p *packet) {
	if len(e.lost) > 0 && e.drops(p) {
		return
	}
	if p.began >= 0 {
		e.deliver(p)
		return
	}
	var end int64
	p.began, end = e.enter(p.in, p.size)
	// The last byte cannot arrive before it was sent: a slow sender does not
	// hold a fast receiver's NIC, but its message is no earlier for that.
	last := e.later(p.sent, (p.out.latency + p.in.latency + p.in.overhead).Seconds())
	e.events.push(event{at: max(end, last), seq: e.nextSeq(), p: p})
}

// deliver hands a complete message to the oldest receive that matches.
func (e *engine) deliver(p *packet) {
	if q, ok := p.to.box.Deliver(p.key, p); ok {
		e.accept(q, p)
		e.completeNow(q)
	}
}

// accept moves p into receive q.
func (e *engine) accept(q *req, p *packet) {
	m := q.into
	m.From, m.Tag, m.Meta, m.Declared = p.from.id, p.key.Tag, p.meta, 0
	switch {
	case p.body == nil:
		m.Body, m.Declared = nil, p.declared
	case cap(m.Body) >= len(p.body):
		m.Body = append(m.Body[:0], p.body...)
		e.buffers.put(p.body)
	default:
		m.Body = p.body // it is ours to give
	}
	if m.Body == nil && p.body != nil {
		m.Body = []byte{} // an empty body is not a declared one
	}
	q.peer = p.from.id
	if e.cfg.Trace {
		e.spans = append(e.spans, recvSpan(q, p, e.now))
	}
	e.freePacket(p)
}

func (e *engine) freePacket(p *packet) {
	*p = packet{}
	e.packets = append(e.packets, p)
}

func (e *engine) newPacket() *packet {
	if n := len(e.packets); n > 0 {
		p := e.packets[n-1]
		e.packets = e.packets[:n-1]
		return p
	}
	return &packet{}
}

// buffers keeps free bodies by size class, powers of two.
type buffers [48][][]byte

func (b *buffers) get(n int) []byte {
	c := bits.Len(uint(max(n, 1) - 1))
	if k := len(b[c]); k > 0 {
		buf := b[c][k-1]
		b[c] = b[c][:k-1]
		return buf[:0]
	}
	return make([]byte, 0, 1<<c)
}

func (b *buffers) put(buf []byte) {
	if c := bits.Len(uint(max(cap(buf), 1) - 1)); cap(buf) == 1<<c {
		b[c] = append(b[c], buf)
	}
}
