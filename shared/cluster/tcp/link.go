package tcp

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/rank"
)

// peer is another rank and the data connection to it.
type peer struct {
	n       *node
	rank    int
	job     uint32
	link    *link          // nil: not yet, or over another fabric
	count   int64          // messages queued
	arrived int64          // messages complete
	lost    bool           // this rank was told so: its connection is closed
	users   sync.WaitGroup // reader and writer of its link

	announced int64        // messages whose first piece has come
	open      *rank.Packet // the last of them, if other pieces are to come
	due       int          // bytes of those
}

// link is a data connection: whole frames, in order.
type link struct {
	n      *node
	p      *peer
	conn   *steady
	direct *direct // below conn; nil: a goroutine of its own alone reads, and another writes
	base   int64   // what the kernel had counted before this end wrote anything; −1: it does not count
	extra  int64   // bytes that this end wrote before messages

	in reading

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []frame
	rest   net.Buffers // of out: what the kernel would not take at once
	left   atomic.Bool // there is a rest
	busy   bool        // somebody writes, or there is a rest
	at     bool        // somebody writes it at this moment, without waiting
	behind bool        // the writer waits until that one is through
	wrote  time.Time   // when the rest last became less
	closed bool
	out    writing // of whoever is busy
}

// reading is the frame that is being read. Of a direct connection the lock guards it.
type reading struct {
	sync.Mutex
	r     *bufio.Reader
	frame int64 // frames read
	open  bool  // the header is read
	h     cluster.Header
	now   *rank.Packet // the message that it belongs to; nil: none
	dst   []byte       // where its piece goes
	at    int          // bytes of that read
	sum   uint32       // of those
	since time.Time    // nothing has come since, of a direct connection in the midst of a frame
	over  bool         // of a direct connection: no more is read
	ended bool         // a receive has ended
}

// writing holds one batch and the memory to write it.
type writing struct {
	batch   []frame
	headers []byte
	bufs    net.Buffers
}

// frame is a piece that waits to be written.
type frame struct {
	h    cluster.Header
	body []byte
	req  *rank.Req // that waits for it; nil: nobody
}

// readBuffer holds headers and small bodies; large ones pass it by.
const readBuffer = 8 << 10

func newLink(n *node, p *peer, conn net.Conn) *link {
	l := &link{n: n, p: p, conn: newSteady(conn, n.cfg.Timeout), direct: newDirect(conn)}
	l.cond = sync.NewCond(&l.mu)
	var from io.Reader = l.conn
	if l.direct != nil {
		from = l.direct
	}
	l.in.r = bufio.NewReaderSize(from, readBuffer)
	return l
}

// push queues a message in pieces of at most chunk bytes and returns how many.
func (p *peer) push(h cluster.Header, body []byte, q *rank.Req, chunk int) int {
	if len(body) <= p.n.eager {
		q = nil
	}
	number := p.count
	p.count++
	h.Piece = min(len(body), chunk)
	p.n.fabric.push(p, frame{h, body[:h.Piece], q})
	frames := 1
	h.Flags |= cluster.FlagMore
	for off := h.Piece; off < len(body); off += h.Piece {
		h.Piece = min(len(body)-off, chunk)
		h.Meta = [4]int64{number, int64(off)}
		p.n.fabric.push(p, frame{h, body[off : off+h.Piece], q})
		frames++
	}
	return frames
}

// connections are the fabric of data connections: links.
type connections struct{ n *node }

func (c connections) meet(ctx context.Context) (net.Listener, error) { return c.n.introduce(ctx) }

func (c connections) join(ln net.Listener) error {
	c.n.keep(ln)
	return c.n.mesh(ln)
}

func (connections) push(p *peer, f frame) { p.link.push(f) }

func (connections) flush(p *peer) { p.link.flush() }

func (c connections) acknowledged() int64 { return c.n.kernel() }

// Close ends the link's reader and writer.
func (l *link) Close() error {
	l.mu.Lock()
	l.closed = true
	l.cond.Broadcast()
	l.mu.Unlock() // who is in the midst of a system call, for which Close waits, wants it
	return l.conn.Close()
}

func (l *link) push(f frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, f)
}

// Bounds of what one system call writes.
const (
	batchFrames = 64
	batchBytes  = 256 << 10
)

// take makes whoever calls it the one that writes, with as many frames as one
// system call should write: one large one, or small ones together. The caller
// holds the link's lock.
func (l *link) take() {
	l.busy = true
	w := &l.out
	k, bytes := 0, 0
	for k < len(l.queue) && k < batchFrames && (k == 0 || bytes+len(l.queue[k].body) <= batchBytes) {
		bytes += len(l.queue[k].body)
		k++
	}
	w.batch = append(w.batch[:0], l.queue[:k]...)
	clear(l.queue[:k])
	if k == len(l.queue) {
		l.queue = l.queue[:0]
	} else {
		l.queue = l.queue[k:]
	}
}

// seal makes the batch's bytes.
func (w *writing) seal() {
	if cap(w.headers) == 0 {
		w.headers = make([]byte, 0, batchFrames*cluster.HeaderBytes)
	}
	w.headers, w.bufs = w.headers[:0], w.bufs[:0]
	for i := range w.batch {
		f := &w.batch[i]
		f.h.CRC = cluster.Checksum(0, f.body) // just before the kernel reads it
		at := len(w.headers)
		w.headers = f.h.Append(w.headers)
		w.bufs = append(w.bufs, w.headers[at:])
		if len(f.body) > 0 {
			w.bufs = append(w.bufs, f.body)
		}
	}
}

// write writes the link's frames, except those that flush and poll wrote, until it is closed.
func (l *link) write() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for !l.closed && (l.busy && l.rest == nil || !l.busy && len(l.queue) == 0) {
			l.cond.Wait()
		}
		if l.closed {
			return
		}
		var err error
		if l.direct != nil {
			l.mu.Unlock()
			err = l.drain()
			l.mu.Lock()
		} else {
			err = l.writeAll()
		}
		if err != nil {
			l.mu.Unlock()
			l.n.blame(l.p.rank, err)
			l.mu.Lock()
			return
		}
	}
}

// writeAll writes the rest, or a batch. The caller holds the lock, which writeAll gives up meanwhile.
func (l *link) writeAll() error {
	rest := l.rest
	if l.rest = nil; rest == nil {
		l.take()
	}
	l.mu.Unlock()
	if rest == nil {
		l.out.seal()
		rest = l.out.bufs
	}
	err := l.conn.writeAll(&rest)
	if err == nil {
		l.n.written(l.out.batch)
	}
	l.mu.Lock()
	l.busy = err != nil
	return err
}

// flush writes what is queued in the caller's own time, as far as the kernel
// takes it at once and nobody else writes: nobody needs to be woken for a small
// message, and what was just computed is in this core's cache. The rest is the
// writer's, and of whoever polls.
func (l *link) flush() { _, _, _ = l.put(false) } // an error is the writer's

// put is flush. It reports whether anything moved and whether there is more. The writer waits for its turn: a write
// that the kernel has cut short may have had its room since, and the writer is told of room once.
func (l *link) put(turn bool) (moved, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for turn && l.at && !l.closed {
		l.behind = true
		l.cond.Wait()
	}
	if turn {
		l.behind = false
	}
	if l.closed || l.rest == nil && (l.busy || len(l.queue) == 0) {
		return false, l.busy || len(l.queue) > 0, nil // whoever is busy comes to it
	}
	for full := false; !full && err == nil && !l.closed && (l.rest != nil || len(l.queue) > 0); full = l.busy {
		rest := l.rest
		if rest == nil {
			l.take()
		}
		fresh := rest == nil
		l.rest, l.at = nil, true
		l.mu.Unlock()
		if fresh {
			l.out.seal()
			rest = l.out.bufs
		}
		n := 0
		if l.direct != nil {
			rest, n, err = l.direct.write(rest)
		}
		if rest == nil {
			l.n.written(l.out.batch)
		}
		l.mu.Lock()
		l.rest, l.at, l.busy = rest, false, rest != nil
		if moved = moved || n > 0; rest != nil && (fresh || n > 0) {
			l.wrote = time.Now()
		}
	}
	l.left.Store(l.busy)
	if more = l.busy || len(l.queue) > 0; more || l.behind || l.closed {
		l.cond.Signal()
	}
	return moved, more, err
}

// written completes the sends whose last piece the kernel has taken.
func (n *node) written(batch []frame) {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	for i := range batch {
		if q := batch[i].req; q != nil {
			q.Left--
			n.settle(q)
		}
	}
	if n.pending -= len(batch); n.pending == 0 {
		n.cond.Broadcast()
	}
}
