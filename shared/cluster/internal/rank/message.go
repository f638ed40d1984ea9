package rank

import (
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
)

// Network carries the messages of a rank to others. Those that come in it hands
// to the rank by Hand, or by Arrive and Finish.
type Network interface {
	// Send sends m to q.Peer, which may be the rank itself. It is called without
	// the lock and enters t. A body that m gives away is the Network's.
	Send(t *Thread, q *Req, m *cluster.Msg)
	// Broadcast sends m to others, in the same way.
	Broadcast(t *Thread, q *Req, others []int, m *cluster.Msg)
	// Recycle may keep the buffers of p, of which nobody has need any more, and p itself if
	// it is whole. It is called with the lock.
	Recycle(p *Packet)
}

// Packet is a message that arrives at a rank or has arrived.
type Packet struct {
	Key      match.Key
	Meta     [4]int64
	Size     int    // of the body, in bytes
	Declared bool   // no body comes
	Whole    bool   // all of it is here
	Body     []byte // the body in a buffer of its own, which the receive may keep
	Parts    []Part // pieces that came before there was a buffer for the body
	Recv     *Req   // the receive that it is for, once there is one

	// For a Network whose messages come in pieces: without a body too one is whole only when that says it.
	Got int // bytes so far
}

// Part is a piece of a body.
type Part struct {
	Off int
	B   []byte
}

// Room returns where p's body goes in the receive's own buffer; nil if that is
// too small or nobody receives p yet.
func (p *Packet) Room() []byte {
	if p.Recv == nil || p.Recv.Into.Body == nil || cap(p.Recv.Into.Body) < p.Size {
		return nil
	}
	return p.Recv.Into.Body[:p.Size]
}

// fill makes the receive's message p, which is whole. No lock is needed: until
// the receive is done its message belongs to the runtime.
func (p *Packet) fill() {
	q := p.Recv
	m, room := q.Into, p.Room()
	m.From, m.Tag, m.Meta, m.Declared = p.Key.From, p.Key.Tag, p.Meta, 0
	switch {
	case p.Declared:
		m.Body, m.Declared = nil, p.Size
		return
	case room != nil:
		m.Body = room
		copy(room, p.Body)
	case p.Body != nil:
		m.Body, p.Body = p.Body, nil
	default:
		m.Body = make([]byte, p.Size)
	}
	for _, x := range p.Parts {
		copy(m.Body[x.Off:], x.B)
	}
}

// Hand hands r a whole message: m, but with body in place of m's own, for good.
// The caller holds the lock.
func (r *Rank) Hand(key match.Key, m *cluster.Msg, body []byte) {
	p := Packet{Key: key, Meta: m.Meta, Size: m.Size(), Declared: m.Body == nil, Whole: true, Body: body}
	if q, ok := r.box.Take(key); ok {
		p.Recv, q.Peer = q, key.From
		p.fill()
		q.Complete(nil)
		return
	}
	kept := p // on the heap, p is not
	r.box.Keep(key, &kept)
}

// Arrive gives p its place among r's messages, and the receive that takes it if
// there is one already. The caller holds the lock.
func (r *Rank) Arrive(p *Packet) {
	if q, ok := r.box.Deliver(p.Key, p); ok {
		q.bound, p.Recv = true, q
	}
}

// brief is how many bytes are copied with the lock: to give it up takes longer.
const brief = 4 << 10

// Finish ends the receive of p, which has become whole. The caller holds the lock;
// Finish gives it up while it copies much.
func (r *Rank) Finish(p *Packet) {
	q := p.Recv
	q.Peer = p.Key.From // with the lock: who waits for the receive is asked for whom
	if p.Size <= brief {
		p.fill()
	} else {
		r.core.Mu.Unlock()
		p.fill()
		r.core.Mu.Lock()
	}
	r.net.Recycle(p)
	q.Complete(nil)
}

// Receive posts q, to be completed once a message that key accepts has filled
// q.Into. The caller holds the lock.
func (r *Rank) Receive(q *Req, key match.Key) {
	q.order = r.posts
	r.posts++
	p, ok := r.box.Post(key, q)
	if !ok {
		if r.Told(key.From) {
			r.box.Cancel(q)
			q.Complete(&cluster.LostError{Rank: key.From})
		}
		return
	}
	r.bind(q, p)
}

// bind gives q the message that it matches.
func (r *Rank) bind(q *Req, p *Packet) {
	q.bound, p.Recv = true, q
	if p.Whole { // else whoever reads it ends the receive
		r.Finish(p)
	}
}

// Count adds to r's traffic one transmission of m, in a number of frames. The caller
// holds the lock.
func (r *Rank) Count(m *cluster.Msg, frames int) {
	r.sent.Messages++
	r.sent.Bytes += int64(m.Size())
	r.sent.Header += int64(frames) * cluster.HeaderBytes
}
