package tcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
	"gradsync/shared/race"
)

// patience is for how many milliseconds nothing may move before a test says that it hangs.
const patience = 60_000

// linked returns two nodes with a data connection, of which nobody but the test reads and writes.
func linked(t *testing.T) (a, b *node) {
	ln := sure(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	one := sure(net.Dial("tcp", ln.Addr().String()))(t)
	other := sure(ln.Accept())(t)
	joined := func(r int, conn net.Conn) *node {
		t.Cleanup(func() { conn.Close() })
		cfg := sure(Config{Rank: r, Size: 2, Rendezvous: "127.0.0.1:1", Timeout: time.Hour}.checked())(t)
		n := newNode(cfg, 1, nil)
		t.Cleanup(n.cancel)
		n.ctl = newWire(streamOf(nil), &cfg)
		p := &peer{n: n, rank: 1 - r, job: jobHash("")}
		n.peers[1-r], p.link = p, newLink(n, p, conn)
		return n
	}
	return joined(0, one), joined(1, other)
}

// expect receives into m from the other rank.
func (n *node) expect(m *cluster.Msg) *rank.Req {
	q := n.self.NewReq(rank.Receiving)
	q.Into = m
	n.Mu.Lock()
	defer n.Mu.Unlock()
	n.self.Receive(q, match.Key{From: 1 - n.cfg.Rank, Tag: 7})
	return q
}

// dispatch sends body to the other rank.
func (n *node) dispatch(body []byte) *rank.Req {
	q := n.self.NewReq(rank.Sending)
	q.Tag = 7
	n.Mu.Lock()
	n.post(q, 1-n.cfg.Rank, &cluster.Msg{Body: body}, body, 0)
	n.settle(q)
	n.Mu.Unlock()
	n.fabric.flush(n.peers[1-n.cfg.Rank])
	return q
}

// overfill sends b more than the kernel takes at once, whatever this machine's sockets hold.
func (n *node) overfill(t *testing.T, b *node) {
	t.Helper()
	out, in := n.peers[1].link, b.peers[0].link.conn.Conn.(*net.TCPConn)
	must(t, errors.Join(out.conn.Conn.(*net.TCPConn).SetWriteBuffer(1<<20), in.SetReadBuffer(1<<20)))
	n.dispatch(make([]byte, 64<<20))
	if !out.left.Load() {
		t.Fatal("the kernel took 64 MiB")
	}
}

// Polls alone move messages of any size, in both directions at once, however little the kernel takes at a time.
func TestPollsMoveEverything(t *testing.T) {
	for _, size := range []int{0, 1, 500, eager, eager + 1, 1 << 20, race.Less(24<<20, 6<<20)} {
		a, b := linked(t)
		var in [2]cluster.Msg
		var reqs []*rank.Req
		for i, n := range []*node{a, b} {
			reqs = append(reqs, n.expect(&in[i]), n.dispatch(bytes.Repeat([]byte{byte(i + 1), 3, 5}, size)))
		}
		done := func() bool {
			for _, q := range reqs {
				if !q.Done() {
					return false
				}
			}
			return true
		}
		for idle := 0; !done(); idle++ {
			if moved := a.poll([]int{1}); b.poll([]int{0}) || moved {
				idle = 0
			} else if time.Sleep(time.Millisecond); idle > patience {
				t.Fatalf("%d bytes: nothing moves any more", size)
			}
		}
		for i := range in {
			if !bytes.Equal(in[i].Body, bytes.Repeat([]byte{byte(2 - i), 3, 5}, size)) {
				t.Errorf("%d bytes: rank %d has others", size, i)
			}
		}
		if a.pending != 0 || b.peers[0].link.left.Load() {
			t.Errorf("%d bytes: %d frames are to be written", size, a.pending)
		}
	}
}

// A short message allocates the requests of its send and its receive, and nothing else, whether it comes before its receive or
// after, but for a body too small to be kept: both nodes are one goroutine's, and nothing is collected meanwhile.
func TestAShortMessageAllocatesItsRequestsAlone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, size := range []int{0, 100, 1 << 10, 4 << 10} {
		for _, early := range []bool{false, true} {
			a, b := linked(t)
			in, body := cluster.Msg{Body: make([]byte, size)}, make([]byte, size)
			until := func(done func() bool) {
				for idle := 0; !done(); idle++ {
					if b.poll([]int{0}) {
						idle = 0
					} else if time.Sleep(time.Millisecond); idle > 20000 {
						t.Fatalf("%d bytes: nothing moves any more", size)
					}
				}
			}
			arrived := func() bool { return b.peers[0].arrived > 0 }
			want := 2.0
			if early && 0 < size && size < leastKept {
				want++
			}
			if made := testing.AllocsPerRun(100, func() {
				b.peers[0].arrived = 0
				if early {
					a.dispatch(body)
					until(arrived)
				}
				q := b.expect(&in)
				if !early {
					a.dispatch(body)
				}
				until(q.Done)
			}); made != want {
				t.Errorf("%d bytes, early %v: %v allocations a message, want %v", size, early, made, want)
			}
		}
	}
}

// A frame that is not as it was sent ends its connection, and one of those who read it says so.
func TestAPollFindsACorruptFrame(t *testing.T) {
	a, b := linked(t)
	h := cluster.Header{Job: jobHash(""), From: 0, Tag: 7, Size: 3, Piece: 3, CRC: 1}
	if _, err := a.peers[1].link.conn.Write(append(h.Append(nil), 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	for range patience {
		if b.poll([]int{0}); len(b.ctl.queue) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	b.poll([]int{0})
	b.peers[0].link.read()
	if len(b.ctl.queue) != 1 || !bytes.Contains(b.ctl.queue[0], []byte("checksum")) {
		t.Errorf("%d complaints: %s", len(b.ctl.queue), b.ctl.queue)
	}
}

// A poll that ends a receive leaves the next message where it is: its own receive may be about to be posted.
func TestAPollEndsWithAReceive(t *testing.T) {
	for _, size := range []int{100, 300 << 10} {
		a, b := linked(t)
		first, room := cluster.Msg{}, make([]byte, size)
		q := b.expect(&first)
		a.dispatch(bytes.Repeat([]byte{1}, size))
		a.dispatch(bytes.Repeat([]byte{2}, size))
		until := func(q *rank.Req) {
			t.Helper()
			for idle := 0; !q.Done(); idle++ {
				if moved := a.poll([]int{1}); b.poll([]int{0}) || moved {
					idle = 0
				} else if time.Sleep(time.Millisecond); idle > patience {
					t.Fatalf("%d bytes: nothing comes", size)
				}
			}
		}
		until(q)
		l := b.peers[0].link
		if n := l.in.r.Buffered(); n > 0 {
			t.Errorf("%d bytes: %d bytes were read and left, and nobody is woken for them", size, n)
		}
		if size < l.in.r.Size() {
			continue // both were read at once
		}
		if got := b.peers[0].announced; got != 1 {
			t.Errorf("%d bytes: %d messages have begun, want 1", size, got)
		}
		second := cluster.Msg{Body: room}
		until(b.expect(&second))
		if &second.Body[0] != &room[0] || second.Body[size-1] != 2 || len(b.free) > 0 {
			t.Errorf("%d bytes: the second message is elsewhere, or went through other memory", size)
		}
	}
}

// The time-out is for a frame that has begun, and counts from the last byte, whoever read it.
func TestSilence(t *testing.T) {
	a, b := linked(t)
	l := b.peers[0].link
	check := func(what string, since time.Duration, silent bool) {
		t.Helper()
		l.in.since = time.Now().Add(-since)
		if got := l.silent(); got != silent {
			t.Errorf("%s, %v: silent %v", what, since, got)
		}
	}
	check("no frame", 2*time.Hour, false)
	h := cluster.Header{Job: jobHash(""), From: 0, Tag: 7, Size: 3, Piece: 3}
	for i, part := range [][]byte{h.Append(nil)[:10], h.Append(nil)[10:], {1}} {
		if _, err := a.peers[1].link.conn.Write(part); err != nil {
			t.Fatal(err)
		}
		for idle := 0; !b.poll([]int{0}); idle++ {
			if time.Sleep(time.Millisecond); idle > patience {
				t.Fatal("nothing comes")
			}
		}
		if time.Since(l.in.since) > 30*time.Minute {
			t.Error("what came does not count")
		}
		check(fmt.Sprint("part ", i), 30*time.Minute, false)
		check(fmt.Sprint("part ", i), 2*time.Hour, true)
	}
}

// A connection on which nothing can be written is stuck once the time-out has passed since something was.
func TestStuck(t *testing.T) {
	a, b := linked(t)
	l := a.peers[1].link
	a.overfill(t, b)
	if time.Since(l.wrote) > 30*time.Minute {
		t.Fatalf("what the kernel took does not count: %v", l.wrote)
	}
	if l.stuck() {
		t.Error("stuck at once")
	}
	l.wrote = time.Now().Add(-2 * time.Hour)
	if !l.stuck() {
		t.Error("not stuck after twice the time-out")
	}
	l.busy = false
	if l.stuck() {
		t.Error("stuck with nothing to write")
	}
}

// The kernel has room again before a poll knows that its write was cut short: the writer, who is told of that once, waits for
// the poll and goes on.
func TestAWriterGoesOnAfterAPoll(t *testing.T) {
	a, b := linked(t)
	l, other := a.peers[1].link, b.peers[0].link.conn
	a.overfill(t, b)
	drained := make(chan error, 1)
	writev := l.direct.writev
	l.direct.writev = func(fd uintptr) {
		writev(fd) // cut short
		l.direct.writev = writev
		go func() { _, _ = io.Copy(io.Discard, other.Conn) }()
		go func() { drained <- l.drain() }()
		for i, waits := 0, false; !waits && i < patience; i++ { // the writer finds somebody at it
			time.Sleep(time.Millisecond)
			l.mu.Lock()
			waits = l.behind
			l.mu.Unlock()
		}
	}
	l.poll()
	select {
	case err := <-drained:
		if err != nil || l.left.Load() || len(l.queue) > 0 {
			t.Errorf("%v, %d pieces are left", err, len(l.queue))
		}
	case <-time.After(time.Minute):
		t.Fatal("the writer sleeps on")
	}
}
