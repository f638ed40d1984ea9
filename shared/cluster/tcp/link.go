package tcp

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"

	"gradsync/shared/cluster"
)

// peer is another rank and the data connections to it.
type peer struct {
	n       *node
	rank    int
	job     uint32
	links   []*link
	next    int   // link of the next later piece
	count   int64 // messages queued
	arrived int64 // messages complete

	announced int64             // messages whose first piece has come
	arriving  map[int64]*packet // those of several pieces, by number
}

// link is one data connection: whole frames, in order.
type link struct {
	n       *node
	p       *peer
	index   int
	conn    *steady
	r       *bufio.Reader
	extra   atomic.Int64 // bytes of control frames that this end wrote
	base    int64        // what the kernel had counted before them
	frame   int64        // frames read
	scratch []byte       // of the probe

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []frame
	closed bool
}

// frame is a piece that waits to be written.
type frame struct {
	h    cluster.Header
	body []byte
	req  *req // that waits for it; nil: nobody
}

// readBuffer holds headers and small bodies; large ones pass it by.
const readBuffer = 8 << 10

func newLink(n *node, p *peer, index int, conn net.Conn) *link {
	s := &steady{Conn: conn, limit: n.cfg.Timeout, armed: true} // by the handshake
	l := &link{n: n, p: p, index: index, conn: s, r: bufio.NewReaderSize(s, readBuffer)}
	l.cond = sync.NewCond(&l.mu)
	return l
}

// push queues a message in pieces of at most chunk bytes and returns how many.
// First pieces go over the first connection, so their order there is the order
// of messages; later pieces take turns.
func (p *peer) push(h cluster.Header, body []byte, q *req, chunk int) int {
	if len(body) <= eager {
		q = nil
	}
	number := p.count
	p.count++
	h.Piece = min(len(body), chunk)
	p.links[0].push(frame{h, body[:h.Piece], q})
	frames := 1
	h.Flags |= cluster.FlagMore
	for off := h.Piece; off < len(body); off += h.Piece {
		h.Piece = min(len(body)-off, chunk)
		h.Meta = [4]int64{number, int64(off)}
		p.next = (p.next + 1) % len(p.links)
		p.links[p.next].push(frame{h, body[off : off+h.Piece], q})
		frames++
	}
	return frames
}

// Close ends the link's reader and writer.
func (l *link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.cond.Broadcast()
	return l.conn.Close()
}

func (l *link) push(f frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, f)
	if len(l.queue) == 1 {
		l.cond.Signal()
	}
}

// Bounds of what one system call writes.
const (
	batchFrames = 64
	batchBytes  = 256 << 10
)

// take waits for frames and appends as many as one system call should write:
// one large one, or small ones together. It returns none once the link closes.
func (l *link) take(batch []frame) []frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.closed {
		l.cond.Wait()
	}
	if l.closed {
		return nil
	}
	k, bytes := 0, 0
	for k < len(l.queue) && k < batchFrames && (k == 0 || bytes+len(l.queue[k].body) <= batchBytes) {
		bytes += len(l.queue[k].body)
		k++
	}
	batch = append(batch, l.queue[:k]...)
	clear(l.queue[:k])
	if l.queue = l.queue[k:]; len(l.queue) == 0 {
		l.queue = nil
	}
	return batch
}

// write is the link's writer.
func (l *link) write() {
	var batch []frame
	var bufs net.Buffers
	headers := make([]byte, 0, batchFrames*cluster.HeaderBytes)
	for {
		if batch = l.take(batch[:0]); len(batch) == 0 {
			return
		}
		headers, bufs = headers[:0], bufs[:0]
		for i := range batch {
			f := &batch[i]
			f.h.CRC = cluster.Checksum(0, f.body) // just before the kernel reads it
			at := len(headers)
			headers = f.h.Append(headers)
			bufs = append(bufs, headers[at:])
			if len(f.body) > 0 {
				bufs = append(bufs, f.body)
			}
		}
		rest := bufs
		if err := l.conn.writeAll(&rest); err != nil {
			l.n.blame(l.p.rank, err)
			return
		}
		l.n.written(batch)
		clear(batch)
	}
}

// written completes the sends whose last piece the kernel has taken.
func (n *node) written(batch []frame) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range batch {
		if q := batch[i].req; q != nil {
			q.frames--
			n.settle(q)
		}
	}
	if n.pending -= len(batch); n.pending == 0 {
		n.cond.Broadcast()
	}
}
