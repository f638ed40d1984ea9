package tcp

import (
	"errors"
	"fmt"
	"io"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

var errStopped = errors.New("tcp: the run has ended")

// read takes the link's frames until the connection ends.
func (l *link) read() {
	var err error
	if l.direct != nil {
		err = l.follow()
	}
	for err == nil {
		if err = l.await(); err == nil {
			err = l.next()
		}
	}
	if !errors.Is(err, errStopped) {
		l.n.blame(l.p.rank, err)
	}
}

// await blocks until a frame begins, however long that takes.
func (l *link) await() error {
	if l.in.open || l.in.r.Buffered() > 0 {
		return nil
	}
	l.conn.whenever = true
	_, err := l.in.r.Peek(1)
	l.conn.whenever = false
	return err
}

// next reads a frame, or goes on with one.
func (l *link) next() error {
	in := &l.in
	if in.open {
		return l.body()
	}
	head, err := in.r.Peek(cluster.HeaderBytes)
	if err != nil {
		if len(head) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	h, err := cluster.ParseHeader(head)
	if err != nil {
		return fmt.Errorf("frame %d: %w", in.frame, err)
	}
	if err = l.begin(h); err != nil {
		return err
	}
	_, _ = in.r.Discard(cluster.HeaderBytes)
	in.frame++
	return l.body()
}

// begin finds the place of a frame's piece.
func (l *link) begin(h cluster.Header) (err error) {
	in, n := &l.in, l.n
	switch {
	case h.Flags&cluster.FlagControl != 0:
		err = fmt.Errorf("%w: control frame %d on a data connection", errFrame, h.Tag)
	case h.Job != l.p.job || h.From != l.p.rank:
		err = fmt.Errorf("%w: frame %d is of job %#x, rank %d; want %#x, rank %d",
			cluster.ErrHeader, in.frame, h.Job, h.From, l.p.job, l.p.rank)
	case h.Piece > maxChunk:
		err = fmt.Errorf("%w: frame %d of %d bytes, want at most %d", cluster.ErrHeader, in.frame, h.Piece, maxChunk)
	default:
		n.Mu.Lock()
		defer n.Mu.Unlock()
		if in.now, in.dst = l.p.announce(h); in.now == nil {
			err = fmt.Errorf("%w: frame %d, a piece of message %d, is out of order", cluster.ErrHeader, in.frame, l.p.announced)
		}
	}
	in.open, in.h, in.at, in.sum = err == nil, h, 0, 0
	return err
}

// announce takes a frame's header and returns the message that it belongs to, with
// the place of its piece; nil if that is not the next piece of its sender. From its first
// piece on a message has its place among the others of its sender. The caller holds
// the lock.
func (p *peer) announce(h cluster.Header) (m *rank.Packet, dst []byte) {
	off := 0
	if m = p.open; m != nil {
		off = m.Size - p.due
		if h.Flags&cluster.FlagMore == 0 || h.Meta[0] != p.announced-1 || h.Meta[1] != int64(off) || h.Size != m.Size {
			return nil, nil
		}
		p.due -= h.Piece
	} else {
		if h.Flags&cluster.FlagMore != 0 {
			return nil, nil
		}
		m = p.n.packet()
		m.Key, m.Meta = match.Key{From: h.From, Tag: h.Tag, Bcast: h.Flags&cluster.FlagBcast != 0}, h.Meta
		m.Size, m.Declared = h.Size, h.Flags&cluster.FlagDeclared != 0
		p.announced++
		p.n.self.Arrive(m)
		if p.due = h.Size - h.Piece; m.Declared {
			p.due = 0
		}
	}
	if p.open = m; p.due == 0 {
		p.open = nil
	}
	if h.Piece > 0 {
		dst = p.n.place(m, off, h.Piece)
	}
	return m, dst
}

// landed notes that the piece of h is where announce said, completes the message
// with its last one, and reports whether that ended a receive. The caller holds the lock.
func (p *peer) landed(h cluster.Header, m *rank.Packet) (ended bool) {
	m.Got += h.Piece
	m.Whole = m.Declared || m.Got == m.Size
	if !m.Whole {
		return false
	}
	if ended = m.Recv != nil; ended {
		p.n.self.Finish(m)
	}
	p.arrived++
	return ended
}

// body reads the frame's piece, or goes on with it, and checks it.
func (l *link) body() error {
	in, n := &l.in, l.n
	for in.at < len(in.dst) {
		k, err := in.r.Read(in.dst[in.at:])
		in.sum = cluster.Checksum(in.sum, in.dst[in.at:in.at+k]) // while it is in the cache
		in.at += k
		n.read.Add(int64(k))
		if err != nil && in.at < len(in.dst) {
			return err
		}
	}
	in.open = false
	if in.sum != in.h.CRC {
		return fmt.Errorf("%w: frame %d of %d bytes: checksum %#x, want %#x", errFrame, in.frame-1, len(in.dst), in.sum, in.h.CRC)
	}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	m := in.now
	in.now, in.dst = nil, nil
	in.ended = l.p.landed(in.h, m)
	return nil
}
