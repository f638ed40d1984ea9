package tcp

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gradsync/shared/cluster"
)

// steady is a connection on which a read or write fails once nothing has moved
// for a time; slow progress is no failure. Deadlines are set anew only when they
// are a sixty-fourth of that time old, and stand so much later.
type steady struct {
	net.Conn
	limit    time.Duration
	whenever bool // the next read may take as long as it likes
	read     time.Time
	wrote    time.Time    // when the deadlines were set
	over     *tls.Conn    // TLS above this connection; nil: in the clear
	few      []byte       // what seal gathers
	sent     atomic.Int64 // bytes written below TLS, or about to be
}

func (s *steady) Read(b []byte) (int, error) {
	if s.over != nil {
		return s.over.Read(b)
	}
	return s.pull(b)
}

// pull reads from the connection itself.
func (s *steady) pull(b []byte) (int, error) {
	for {
		if err := s.armRead(); err != nil {
			return 0, err
		}
		n, err := s.Conn.Read(b)
		if n == 0 && s.whenever && errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		return n, err
	}
}

// armRead sets the deadline of reads.
func (s *steady) armRead() error {
	now := time.Now()
	if now.Sub(s.read) <= s.limit/64 {
		return nil
	}
	s.read = now
	return s.SetReadDeadline(now.Add(s.limit + s.limit/64))
}

// writeAll writes bufs and consumes them.
func (s *steady) writeAll(bufs *net.Buffers) error {
	if s.over != nil {
		return s.seal(bufs)
	}
	for {
		if err := s.arm(); err != nil {
			return err
		}
		n, err := bufs.WriteTo(s.Conn)
		if n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		return err
	}
}

// arm sets the deadline of writes.
func (s *steady) arm() error {
	now := time.Now()
	if now.Sub(s.wrote) <= s.limit/64 {
		return nil
	}
	s.wrote = now
	return s.SetWriteDeadline(now.Add(s.limit + s.limit/64))
}

// wire is one control connection. Frames are queued, so nobody waits for a peer
// that does not read; in pauses it sends signs of life.
type wire struct {
	conn *steady
	r    *bufio.Reader
	job  uint32
	from int
	beat time.Duration

	mu     sync.Mutex
	queue  [][]byte
	closed bool // no more frames are taken; the writer ends when queue is empty
	wake   chan struct{}
	ended  chan struct{} // the writer has
}

func newWire(conn net.Conn, cfg *Config) *wire {
	s := newSteady(conn, cfg.Timeout)
	return &wire{conn: s, r: bufio.NewReader(s), job: jobHash(cfg.Job), from: cfg.Rank, beat: cfg.beat(),
		wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// send queues a control frame.
func (w *wire) send(kind cluster.Tag, v any, raw ...[]byte) error {
	b, err := control(nil, w.job, w.from, kind, v, raw...)
	if err == nil {
		w.pass(b)
	}
	return err
}

// pass queues a whole frame.
func (w *wire) pass(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.queue = append(w.queue, b)
		w.poke()
	}
}

// finish lets the writer end once what is queued has been written.
func (w *wire) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.poke()
}

func (w *wire) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// write sends the queue. After an error it drops the rest: the reader of the same
// connection reports the peer.
func (w *wire) write() {
	defer close(w.ended)
	timer := time.NewTicker(w.beat)
	defer timer.Stop()
	for {
		w.mu.Lock()
		queue, closed := w.queue, w.closed
		w.queue = nil
		w.mu.Unlock()
		if len(queue) > 0 {
			bufs := net.Buffers(queue)
			if err := w.conn.writeAll(&bufs); err != nil {
				return
			}
			continue
		}
		if closed {
			return
		}
		select {
		case <-w.wake:
		case <-timer.C:
			if err := w.send(kindBeat, nil); err != nil {
				return
			}
		}
	}
}

// read returns the next frame that is no sign of life.
func (w *wire) read(limit int) (cluster.Header, []byte, error) {
	for {
		h, body, err := readControl(w.r, limit)
		if err != nil || h.Tag != kindBeat {
			return h, body, err
		}
	}
}

// isSilent reports whether err is a time-out.
func isSilent(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
