package tcp_test

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// tardy counts what is written, and takes its time for it.
type tardy struct {
	net.Conn
	written *atomic.Int64
	pause   time.Duration
}

func (c tardy) Write(b []byte) (int, error) {
	time.Sleep(c.pause)
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
}

// The probe ends with the first volley that is slow, and the trace counts all that it sent.
func TestTheProbeEndsEarlyOnASlowLink(t *testing.T) {
	var written atomic.Int64
	cfg := tcp.Config{Timeout: never}.WithFaults(func(peer int, conn net.Conn) net.Conn { return tardy{conn, &written, 2 * time.Millisecond} })
	rt := tcp.Loopback(2, cfg)
	out, err := rt.Run(t.Context(), func(cluster.Proc) ([]byte, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if n := written.Load(); n < 4<<20 || n > 5<<20 {
		t.Errorf("%d bytes on a slow link, want one volley of 4 MiB", n)
	}
	if out.Trace.Probe != written.Load() {
		t.Errorf("the trace counts %d bytes, %d were sent", out.Trace.Probe, written.Load())
	}
	if chunk := rt.(*tcp.Runtime).Chunk(); chunk != 1<<20 {
		t.Errorf("chunk %d, want the default", chunk)
	}
}

// With the chunk set there is no probe, and with one rank nobody to try.
func TestNoProbeIsCounted(t *testing.T) {
	for _, rt := range []cluster.Runtime{tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 64 << 10}), tcp.Loopback(1, tcp.Config{Timeout: never})} {
		if out, err := rt.Run(t.Context(), func(cluster.Proc) ([]byte, error) { return nil, nil }); err != nil || out.Trace.Probe != 0 {
			t.Errorf("%v, %+v", err, out.Trace)
		}
	}
}
