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
	for {
		if err := l.next(); err != nil {
			if !errors.Is(err, errStopped) {
				l.n.blame(l.p.rank, err)
			}
			return
		}
	}
}

// next reads one frame, however long it takes to begin.
func (l *link) next() error {
	if err := l.await(); err != nil {
		return err
	}
	if _, err := io.ReadFull(l.r, l.head[:]); err != nil {
		return err
	}
	h, err := cluster.ParseHeader(l.head[:])
	if err != nil {
		return fmt.Errorf("frame %d: %w", l.frame, err)
	}
	l.frame++
	if h.Flags&cluster.FlagControl != 0 {
		return l.measure(h)
	}
	if h.Job != l.p.job || h.From != l.p.rank {
		return fmt.Errorf("%w: frame %d is of job %#x, rank %d; want %#x, rank %d",
			cluster.ErrHeader, l.frame-1, h.Job, h.From, l.p.job, l.p.rank)
	}
	if h.Piece > maxChunk {
		return fmt.Errorf("%w: frame %d of %d bytes, want at most %d", cluster.ErrHeader, l.frame-1, h.Piece, maxChunk)
	}
	if h.Flags&cluster.FlagMore != 0 {
		return l.more(h)
	}
	return l.first(h)
}

// await blocks until a frame begins.
func (l *link) await() error {
	if l.r.Buffered() > 0 {
		return nil
	}
	l.conn.whenever = true
	_, err := l.r.Peek(1)
	l.conn.whenever = false
	return err
}

// first reads a message's first piece.
func (l *link) first(h cluster.Header) error {
	n := l.n
	n.Mu.Lock()
	p, dst := l.p.announce(h)
	l.now = p
	if len(l.p.links) > 1 {
		n.cond.Broadcast()
	}
	n.Mu.Unlock()
	return l.body(h, p, dst)
}

// more reads a later piece of a message.
func (l *link) more(h cluster.Header) error {
	n, number := l.n, h.Meta[0]
	n.Mu.Lock()
	for number >= l.p.announced && l.index > 0 && !n.stopping && !l.p.lost {
		n.cond.Wait() // its first piece is on its way on another connection
	}
	if n.stopping || l.p.lost {
		n.Mu.Unlock()
		return errStopped
	}
	p, dst := l.p.announce(h)
	if p == nil {
		n.Mu.Unlock()
		return fmt.Errorf("%w: frame %d continues message %d, which is not open", cluster.ErrHeader, l.frame-1, number)
	}
	l.now = p
	n.Mu.Unlock()
	return l.body(h, p, dst)
}

// announce takes a frame's header and returns the message that it belongs to, with
// the place of its piece; nil if it continues none that is open. From its first
// piece on a message has its place among the others of its sender. The caller holds
// the lock.
func (p *peer) announce(h cluster.Header) (m *packet, dst []byte) {
	if h.Flags&cluster.FlagMore != 0 {
		m = p.arriving[h.Meta[0]]
		if m == nil || m.Size != h.Size || h.Piece > m.Size-m.got {
			return nil, nil
		}
		return m, p.n.place(m, int(h.Meta[1]), h.Piece)
	}
	m = &packet{Packet: rank.Packet{Key: match.Key{From: h.From, Tag: h.Tag, Bcast: h.Flags&cluster.FlagBcast != 0}, Meta: h.Meta,
		Size: h.Size, Declared: h.Flags&cluster.FlagDeclared != 0}}
	if !m.Declared && h.Piece < h.Size {
		m.number = p.announced
		p.arriving[m.number] = m
	}
	p.announced++
	p.n.self.Arrive(&m.Packet)
	if h.Piece > 0 {
		dst = p.n.place(m, 0, h.Piece)
	}
	return m, dst
}

// landed notes that the piece of h is where announce said, and completes the message
// with its last one. The caller holds the lock.
func (p *peer) landed(h cluster.Header, m *packet) {
	m.got += h.Piece
	m.Whole = m.Declared || m.got == m.Size
	if !m.Whole {
		return
	}
	if h.Piece < h.Size && !m.Declared {
		delete(p.arriving, m.number)
	}
	if m.Recv != nil {
		p.n.self.Finish(&m.Packet)
	}
	p.arrived++
}

// body reads a piece into dst and checks it.
func (l *link) body(h cluster.Header, p *packet, dst []byte) error {
	var sum uint32
	for at := 0; at < len(dst); {
		k, err := l.r.Read(dst[at:])
		sum = cluster.Checksum(sum, dst[at:at+k]) // while it is in the cache
		at += k
		l.n.read.Add(int64(k))
		if err != nil && at < len(dst) {
			return err
		}
	}
	if sum != h.CRC {
		return fmt.Errorf("%w: frame %d of %d bytes: checksum %#x, want %#x", errFrame, l.frame-1, len(dst), sum, h.CRC)
	}
	n := l.n
	n.Mu.Lock()
	defer n.Mu.Unlock()
	l.now = nil
	l.p.landed(h, p)
	return nil
}
