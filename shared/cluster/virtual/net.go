package virtual

import (
	"math/bits"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// packet is one message on its way to one receiver.
type packet struct {
	id       int32 // its place in engine.packets
	tag      cluster.Tag
	bcast    bool
	notice   bool // no message: it tells to that from is lost
	from, to *rank
	out, in  *port // that it leaves and enters by
	sent     int64 // the last byte has left the sender's NIC
	began    int64 // the receiver's NIC took the first byte; −1: not yet
	declared int
	meta     [4]int64
	body     []byte // the engine's own: a copy, or given away; nil if only declared
}

// bytes returns the body's bytes on the wire.
func (p *packet) bytes() int {
	if p.body == nil {
		return p.declared
	}
	return len(p.body)
}

func (p *packet) key() match.Key { return match.Key{From: p.from.id, Tag: p.tag, Bcast: p.bcast} }

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
		p.from, p.to, p.tag, p.bcast, p.notice = from, dst, tag, bcast, false
		p.meta, p.declared = m.Meta, m.Declared
		switch {
		case m.Body == nil:
		case m.Given && !bcast:
			p.body = m.Body
		default:
			p.body = append(e.buffers.get(len(m.Body)), m.Body...)
		}
		if dst == from { // free
			p.began, p.sent = e.now, e.now
			e.events.push(event{at: e.now, seq: e.nextSeq(), who: ^p.id})
			continue
		}
		near := from.beside(dst)
		p.out, p.in = from.port(near && (!once || from.besideAll(to))), dst.port(near)
		if begin < 0 || !once {
			start, sent = e.leave(from, p.out, size)
			from.sent.Messages++
			from.sent.Bytes += int64(m.Size())
			from.sent.Header += int64(e.header)
			if begin < 0 {
				begin = start
			}
		}
		p.began, p.sent = -1, sent
		// Only when the first byte arrives does the receiver's NIC give it a slot.
		at := e.after(start, p.out.overhead+p.out.latency+p.in.latency)
		e.events.push(event{at: at, seq: e.nextSeq(), who: ^p.id})
	}
	return begin, sent
}

// advance moves a packet on: first byte at the receiver, or complete. It returns the thread whose turn has come by that.
func (e *engine) advance(p *packet) *thread {
	if len(e.lost) > 0 && e.drops(p) {
		return nil
	}
	if p.began >= 0 {
		return e.deliver(p)
	}
	var end int64
	p.began, end = e.enter(p.to, p.in, e.header+p.bytes())
	// The last byte cannot arrive before it was sent: a slow sender does not
	// hold a fast receiver's NIC, but its message is no earlier for that.
	last := e.after(p.sent, p.out.latency+p.in.latency+p.in.overhead)
	e.events.push(event{at: max(end, last), seq: e.nextSeq(), who: ^p.id})
	return nil
}

// deliver hands a complete message to the oldest receive that matches.
func (e *engine) deliver(p *packet) *thread {
	q, ok := p.to.box.Deliver(p.key(), p)
	if !ok {
		return nil
	}
	e.accept(q, p)
	return e.completeNow(q)
}

// accept moves p into receive q.
func (e *engine) accept(q *req, p *packet) {
	m := q.into
	m.From, m.Tag, m.Meta, m.Declared = p.from.id, p.tag, p.meta, 0
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
	q.peer = int32(p.from.id)
	if e.cfg.Trace {
		e.received(q, p)
	}
	e.freePacket(p)
}

func (e *engine) freePacket(p *packet) {
	p.body = nil
	e.free = append(e.free, p)
}

// newPacket returns a packet whose fields but id and body are anything.
func (e *engine) newPacket() *packet {
	if len(e.free) == 0 {
		slab := make([]packet, slabSize/2)
		for i := range slab {
			slab[i].id = int32(len(e.packets))
			e.packets = append(e.packets, &slab[i])
			e.free = append(e.free, &slab[i])
		}
	}
	last := len(e.free) - 1
	p := e.free[last]
	e.free = e.free[:last]
	return p
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
