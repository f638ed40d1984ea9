package tcp

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gradsync/shared/cluster"
)

// secret is the name of the tests' job.
const secret = "secret-of-41001"

// listenHere returns a listener on 127.0.0.1.
func listenHere(t *testing.T) net.Listener {
	t.Helper()
	ln := sure(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// secretJob returns the checked configuration of rank 0 of the tests' job at ln.
func secretJob(t *testing.T, ln net.Listener, size int, timeout time.Duration) Config {
	t.Helper()
	cfg, err := Config{Size: size, Job: secret, Rendezvous: ln.Addr().String(), Host: true, Timeout: timeout, Join: time.Minute, Chunk: 1 << 20}.checked()
	must(t, err)
	return cfg
}

// waiting runs a rendezvous that waits for ranks until the test ends.
func waiting(t *testing.T, cfg Config, ln net.Listener) {
	c, ended := newCoordinator(&cfg, 1, ln), make(chan struct{})
	go func() {
		defer close(ended)
		c.serve(func() {})
	}()
	t.Cleanup(func() {
		close(c.quit)
		<-ended
	})
}

// dialled opens a connection as a stranger would.
func dialled(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	conn := sure(net.Dial("tcp", ln.Addr().String()))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// sentence writes one control frame of the job "x".
func sentence(t *testing.T, conn net.Conn, kind cluster.Tag, v any) {
	t.Helper()
	b, err := control(nil, jobHash("x"), 0, kind, v)
	if err == nil {
		_, err = conn.Write(b)
	}
	must(t, err)
}

// A stranger hears that this is another job: not its name, nor the hash of it that
// frames carry, neither at the rendezvous nor where data connections come in.
func TestARefusalTellsNothing(t *testing.T) {
	wantBare := func(where string, conn net.Conn) {
		t.Helper()
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		h, body, err := readControl(conn, maxText)
		var r refusal
		if err == nil {
			_, err = decode(h, body, &r)
		}
		if err != nil || h.Tag != kindRefuse || h.Job == jobHash(secret) || r != (refusal{Reason: "another job"}) {
			t.Errorf("%s: %v, %+v of job %#x, want another job and nothing else", where, err, r, h.Job)
		}
	}
	ln := listenHere(t)
	cfg := secretJob(t, ln, 2, time.Minute)
	waiting(t, cfg, ln)
	conn := dialled(t, ln)
	sentence(t, conn, kindHello, hello{Job: "x", Run: 1, Size: 2})
	wantBare("rendezvous", conn)
	garbage := dialled(t, ln)
	if _, err := garbage.Write([]byte(strings.Repeat("GET / HTTP/1.1\r\n", 8))); err != nil {
		t.Fatal(err)
	}
	_ = garbage.SetReadDeadline(time.Now().Add(time.Minute))
	if h, _, err := readControl(garbage, maxText); err != nil || h.Job == jobHash(secret) {
		t.Errorf("who sent no frame is answered by one of job %#x, %v", h.Job, err)
	}

	data := listenHere(t)
	n := newNode(cfg, 1, nil)
	in := dialled(t, data)
	sentence(t, in, kindJoin, join{Job: "x", Run: 1, From: 1})
	taken := sure(data.Accept())(t)
	defer taken.Close()
	if _, err := n.greet(taken); err == nil {
		t.Error("a data connection of another job was taken")
	}
	wantBare("data", in)
}

// deaf is a listener that has no connection for any Accept but the last but one, and notes when each was called; at the
// last it is closed.
type deaf struct {
	net.Listener
	calls []time.Time
	last  int
}

func (l *deaf) Accept() (net.Conn, error) {
	if l.calls = append(l.calls, time.Now()); len(l.calls) == l.last {
		return nil, net.ErrClosed
	}
	if len(l.calls) == l.last-1 {
		return &knock{}, nil
	}
	return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
}

// Errors of Accept that go on are waited out in pauses that double from 5 ms to a second and grow no longer, so that
// who comes after hours without a file descriptor waits a second, and is heard.
func TestPausesAfterErrorsOfAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ms := []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000}
		l, heard := &deaf{last: len(ms) + 2}, 0
		acceptAll(l, nil, func(net.Conn) { heard++ })
		if heard != 1 {
			t.Errorf("%d connections after the errors", heard)
		}
		for i, want := range ms {
			if got := l.calls[i+1].Sub(l.calls[i]); got != want*time.Millisecond {
				t.Errorf("pause %d: %v, want %v", i, got, want*time.Millisecond)
			}
		}
	})
}

// knock is a connection that counts how often it was closed.
type knock struct {
	net.Conn
	closed int
}

func (k *knock) Close() error {
	k.closed++
	return nil
}

// At the door of a small job are 256, at that of a job of more ranks all of them: where the ranks of a large job come
// at once, none has to make room for another.
func TestADoorHasRoomForAllRanks(t *testing.T) {
	for ranks, room := range map[int]int{2: 256, 256: 256, 257: 257, 300: 300} {
		d := door{ranks: ranks}
		all := make([]*knock, room+1)
		for i := range all {
			all[i] = &knock{}
			if i == room && all[0].closed > 0 {
				t.Errorf("%d ranks: one of %d had to make room", ranks, room)
			}
			if !d.enter(all[i]) {
				t.Errorf("%d ranks: connection %d is not taken in", ranks, i)
			}
		}
		for i, k := range all {
			if here := d.leave(k); here != (i > 0) || k.closed != 1-min(i, 1) {
				t.Errorf("%d ranks, %d connections: number %d is there %v, closed %d times", ranks, len(all), i, here, k.closed)
			}
		}
	}
}

// drip writes zeros one by one until the other end has hung up, and returns how long that took, and whether it did within limit.
func drip(conn net.Conn, limit time.Duration) (took time.Duration, ended bool) {
	begin := time.Now()
	_ = conn.SetWriteDeadline(begin.Add(limit))
	for {
		_, err := conn.Write([]byte{0})
		if took = time.Since(begin); err != nil || took >= limit {
			return took, err != nil && took < limit
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Who introduces himself byte by byte has one time-out for all of it, and who was
// refused and goes on talking keeps no job from ending.
func TestDrippingStrangersAreLeft(t *testing.T) {
	const timeout, late = 205 * time.Millisecond, 3 * time.Second
	WithoutWaiting(t, func(t *testing.T) {
		ln := sure(listenInMemory(inMemory))(t)
		cfg := secretJob(t, ln, 2, timeout)
		waiting(t, cfg, ln)
		conn := called(t, ln)
		h := cluster.Header{Flags: cluster.FlagControl, Tag: kindHello, Size: 1000, Piece: 1000}
		if _, err := conn.Write(h.Append(nil)); err != nil {
			t.Fatal(err)
		}
		if took, ended := drip(conn, late); !ended || took < timeout || took > timeout+10*time.Millisecond {
			t.Errorf("an introduction went on for %v with a time-out of %v", took, timeout)
		}
		conn = called(t, ln)
		sentence(t, conn, kindHello, hello{Job: "x"})
		if _, _, err := readControl(conn, maxText); err != nil {
			t.Fatal(err)
		}
		if took, ended := drip(conn, late); !ended || took > timeout {
			t.Errorf("who was refused went on for %v with a time-out of %v", took, timeout)
		}
	})
}

// called is dialled in memory.
func called(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	conn := sure(dialInMemory(ln.Addr().String()))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Of silent strangers a listener keeps the last 256, and the rank gets in.
func TestAtMost256GreetingsAreOpen(t *testing.T) {
	const more = 20
	ln := listenHere(t)
	cfg := secretJob(t, ln, 1, time.Hour)
	done := make(chan error, 1)
	strangers := make([]net.Conn, 256+more)
	for i := range strangers {
		strangers[i] = dialled(t, ln)
	}
	hold := make(chan struct{})
	go func() {
		_, err := newNode(cfg, 1, nil).process(t.Context(), ln, func(cluster.Proc) ([]byte, error) {
			<-hold
			return nil, nil
		})
		done <- err
	}()
	for i, conn := range strangers[:more] {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("stranger %d is still there: %v", i, err)
		}
	}
	_ = strangers[more+1].SetReadDeadline(time.Now().Add(20 * time.Millisecond)) // the rank may have taken one place
	if _, err := strangers[more+1].Read(make([]byte, 1)); !isSilent(err) {
		t.Errorf("a stranger within the bound: %v", err)
	}
	close(hold)
	must(t, <-done)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sure[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}
