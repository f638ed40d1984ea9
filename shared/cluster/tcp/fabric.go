package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/rank"
)

// Fabric carries frames between the processes of a job where that is not TCP, as MPI does. A process has one for all
// its runs. It waits for no receiver, whatever is sent, and it ends the process if it fails.
//
// Source: ours: frames in, frames out
type Fabric interface {
	// Host names the machine of this process in errors.
	Host() string
	// Join hands the frames of job that come, or came before, to take, one after the other, those of a sender in the
	// order of their Sends, but that control frames may overtake the others. take returns where the frame's piece goes,
	// nil: nowhere, and what is to be called, if not nil, once it is there: for a piece of at most Inline bytes before any
	// other frame is taken.
	Join(job uint32, take func(h cluster.Header) (piece []byte, landed func()))
	// Leave drops the frames of job from now on.
	Leave(job uint32)
	// Send sends a frame; sent is called, perhaps before Send returns, once body is the sender's again. nil: nobody asks.
	Send(to int, h *cluster.Header, body []byte, sent func())
}

// Inline is the size of a piece that goes with its header.
const Inline = 4 << 10

// Over returns a runtime whose Run is rank cfg.Rank's part of a run of cfg.Size processes, as New does, over fabric in
// place of TCP. Rank 0 has the rendezvous. Of cfg it ignores Rendezvous, Host and Listen; the run
// cannot be elastic, and no kernel counts its bytes.
//
// Source: ours: one code for matching, cancelling, waiting, deadlock and verdicts
func Over(cfg Config, fabric Fabric) cluster.Runtime {
	cfg.Rendezvous, cfg.Host, cfg.Listen = "rank:0", cfg.Rank == 0, ""
	if cfg.Chunk == 0 {
		cfg.Chunk = lentChunk
	}
	c, err := cfg.checked()
	if cfg.Certs != "" {
		err = errors.New("tcp: certificates are of connections of our own: want none over another fabric")
	}
	if cfg.Elastic && err == nil {
		err = errors.New("tcp: only connections of our own survive the loss of a rank: want no Elastic over another fabric")
	}
	return &processes{cfg: c, err: err, over: fabric}
}

// lentChunk is the largest piece over another fabric, which has pieces of its own: large, and yet several are under way.
const lentChunk = 4 << 20

// across runs this process's rank over another fabric.
func (r *processes) across(ctx context.Context, run int, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	n := newNode(r.cfg, run, nil)
	l := &lent{n: n, Fabric: r.over, job: jobHash(fmt.Sprint(r.cfg.Job, "/", run)), queues: make([]queue, r.cfg.Size), streams: map[int]*controlStream{}}
	n.fabric = l
	var ln net.Listener
	if r.cfg.Host {
		l.hall = &hall{conns: make(chan net.Conn, r.cfg.Size)}
		ln = l.hall
	}
	l.Join(l.job, l.take)
	out, err := n.process(ctx, ln, body)
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.group.Wait() // every stream has been closed
	l.Leave(l.job)
	return out, err
}

// lent is the fabric of a node over a Fabric.
type lent struct {
	n *node
	Fabric
	job    uint32
	queues []queue // by rank
	hall   *hall   // of the rendezvous, if it is here
	group  sync.WaitGroup

	mu      sync.Mutex
	ended   bool                   // no more of them begin
	streams map[int]*controlStream // control connections, by the other end's rank

	// Guarded by the node's lock:
	landing int  // pieces on their way into the memory of messages
	late    bool // the run has ended, and who is still on the way is not waited for
}

// queue holds frames on their way to a rank.
type queue struct {
	frames []frame // guarded by the node's lock
	sends  sync.Mutex
}

// meet introduces this rank to the rendezvous. No listener is needed, so the one it returns is closed.
func (l *lent) meet(ctx context.Context) (net.Listener, error) {
	n := l.n
	conn := l.dial()
	n.ctl = newWire(conn, &n.cfg)
	n.ctl.conn.limit = n.cfg.Join
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	_, err := n.present(l.Host())
	n.ctl.conn.limit = n.cfg.Timeout
	if stop() && err == nil {
		return &hall{closed: true}, nil
	}
	_ = conn.Close()
	a := &cluster.AbortError{Rank: n.cfg.Rank, Addr: n.cfg.name(n.cfg.Rank, l.Host()), Op: "rendezvous", Err: err}
	if cause := context.Cause(ctx); cause != nil {
		a.Rank, a.Op, a.Err = -1, "context", cause
	}
	return nil, a
}

// join makes the peers: whoever has begun can be reached.
func (l *lent) join(net.Listener) error {
	n := l.n
	n.Mu.Lock()
	for r := range n.peers {
		if r != n.cfg.Rank {
			n.peers[r] = &peer{n: n, rank: r, job: l.job}
		}
	}
	n.Mu.Unlock()
	n.keep(l)
	return nil
}

func (l *lent) push(p *peer, f frame) {
	q := &l.queues[p.rank]
	q.frames = append(q.frames, f)
}

// flush sends what is queued for p, in order whoever else does.
func (l *lent) flush(p *peer) {
	n, q := l.n, &l.queues[p.rank]
	q.sends.Lock()
	defer q.sends.Unlock()
	n.Mu.Lock()
	batch := q.frames
	q.frames = nil
	if n.stopping {
		n.pending -= len(batch)
		n.cond.Broadcast()
		batch = nil
	}
	n.Mu.Unlock()
	for i := range batch {
		f := &batch[i]
		f.h.CRC = cluster.Checksum(0, f.body)
		l.Send(p.rank, &f.h, f.body, func() { n.written(batch[i : i+1]) })
	}
}

func (*lent) acknowledged() int64 { return -1 }

// Close waits until nothing is on its way from or into the memory of messages. What does not come
// soon does not come: its sender is gone, and so will this process be.
func (l *lent) Close() error {
	n := l.n
	timer := time.AfterFunc(n.cfg.Timeout/4, func() {
		n.Mu.Lock()
		defer n.Mu.Unlock()
		l.late = true
		n.cond.Broadcast()
	})
	defer timer.Stop()
	n.Mu.Lock()
	defer n.Mu.Unlock()
	for (n.pending > 0 || l.landing > 0) && !l.late {
		n.cond.Wait()
	}
	l.late = true
	return nil
}

// take is told of a frame of this run.
func (l *lent) take(h cluster.Header) (piece []byte, landed func()) {
	n := l.n
	if h.From == n.cfg.Rank || h.From >= n.cfg.Size || h.Piece > maxChunk {
		return nil, nil // no rank of this run sends that
	}
	if h.Flags&cluster.FlagControl != 0 {
		b := make([]byte, h.Piece)
		return b, func() { l.hear(h, b) }
	}
	n.Mu.Lock()
	p := n.peers[h.From]
	if p == nil || n.stopping {
		n.Mu.Unlock()
		return nil, nil
	}
	m, dst := p.announce(h)
	if m != nil {
		l.landing++
	}
	n.Mu.Unlock()
	if m == nil {
		n.blame(h.From, fmt.Errorf("%w: a piece of message %d is out of order", cluster.ErrHeader, p.announced))
		return nil, nil
	}
	return dst, func() { l.landed(p, h, m, dst) }
}

// landed checks a piece that is where it belongs.
func (l *lent) landed(p *peer, h cluster.Header, m *rank.Packet, dst []byte) {
	n := l.n
	sum := cluster.Checksum(0, dst)
	n.read.Add(int64(len(dst)))
	if sum != h.CRC {
		n.blame(h.From, fmt.Errorf("%w: frame of %d bytes: checksum %#x, want %#x", errFrame, len(dst), sum, h.CRC))
	}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	if sum == h.CRC && !l.late {
		p.landed(h, m)
	}
	if l.landing--; l.landing == 0 && n.stopping {
		n.cond.Broadcast()
	}
}

// hall is the listener of the rendezvous: streams that begin.
type hall struct {
	mu     sync.Mutex
	closed bool
	conns  chan net.Conn // room for every rank
}

func (h *hall) Accept() (net.Conn, error) {
	c, ok := <-h.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// enter hands c to Accept, or closes it if nobody accepts any more.
func (h *hall) enter(c net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		_ = c.Close()
		return
	}
	h.conns <- c
}

func (h *hall) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	close(h.conns)
	for c := range h.conns {
		_ = c.Close()
	}
	return nil
}

// Addr returns who listens.
func (*hall) Addr() net.Addr { return place(0) }

// place names a rank as the end of a stream.
type place int

// Network implements net.Addr.
func (place) Network() string  { return "fabric" }
func (p place) String() string { return fmt.Sprint("rank ", int(p)) }

// controlStream is a control connection over frames: this end's of a pipe is the connection, what comes out of the other end
// goes in frames to the other rank, and what comes from there goes into it.
type controlStream struct {
	net.Conn // the end of the node or the rendezvous
	far      net.Conn
	to       int

	mu    sync.Mutex
	cond  *sync.Cond
	words [][]byte // that have come
	over  bool     // no more are taken
}

// streamPiece is how many bytes of a control connection go in one frame.
const streamPiece = Inline

// RemoteAddr implements net.Conn.
func (s *controlStream) RemoteAddr() net.Addr { return place(s.to) }

// dial opens the control connection to the rendezvous.
func (l *lent) dial() net.Conn {
	if l.hall == nil {
		return l.stream(0)
	}
	near, far := net.Pipe()
	l.hall.enter(&controlStream{Conn: far})
	return near
}

// stream returns the control connection with a rank, and begins it if it is not there.
func (l *lent) stream(to int) *controlStream {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streams[to]
	if s != nil || l.ended {
		return s
	}
	s = &controlStream{to: to}
	s.cond = sync.NewCond(&s.mu)
	s.Conn, s.far = net.Pipe()
	l.streams[to] = s
	if l.hall != nil {
		l.hall.enter(s)
	}
	l.group.Add(2)
	go l.speak(s)
	go func() {
		defer l.group.Done()
		s.listen()
	}()
	return s
}

// speak sends what is written to s, and at its end an empty frame.
func (l *lent) speak(s *controlStream) {
	defer l.group.Done()
	for {
		b := make([]byte, streamPiece)
		k, err := s.far.Read(b)
		if err != nil {
			k = 0
		}
		h := cluster.Header{Job: l.job, Flags: cluster.FlagControl, From: l.n.cfg.Rank, Tag: kindWords, Size: k, Piece: k, CRC: cluster.Checksum(0, b[:k])}
		l.Send(s.to, &h, b[:k], nil)
		if err != nil {
			s.put(nil)
			return
		}
	}
}

// listen writes to s what has come, and closes it at its end.
func (s *controlStream) listen() {
	defer s.far.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.words) == 0 && !s.over {
			s.cond.Wait()
		}
		if len(s.words) == 0 {
			return
		}
		b := s.words[0]
		s.words = s.words[1:]
		s.mu.Unlock()
		_, err := s.far.Write(b)
		s.mu.Lock()
		if err != nil {
			s.over, s.words = true, nil
		}
	}
}

// put hands s what has come; nothing: its end.
func (s *controlStream) put(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if s.over = len(b) == 0; !s.over {
		s.words = append(s.words, b)
	}
	s.cond.Signal()
}

// hear takes a frame of a control connection.
func (l *lent) hear(h cluster.Header, b []byte) {
	if l.hall == nil && h.From != 0 || h.Tag != kindWords || cluster.Checksum(0, b) != h.CRC {
		b = nil // whoever sends that is not listened to any more
	}
	if s := l.stream(h.From); s != nil {
		s.put(b)
	}
}
