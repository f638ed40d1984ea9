package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/tcp"
)

// never is the time-out where nobody is silent and all ranks come: a loaded machine
// does not reach it, and whatever is noticed sooner was not noticed by waiting.
const never = time.Minute

// short is a time-out in a bubble, of whose clock each rank looks every 5 ms whether it is idle.
const short = 100 * time.Millisecond

// lastPort is the last that was tried.
var lastPort atomic.Int32

// freePort returns an address that nobody listens at, and that it returns once. Where all of 127.0.0.0/8 is this machine,
// as on Linux, its host is this process's own, so that no other process takes the port between the look and the use;
// elsewhere ports begin where this process's number says, below those that systems give to outgoing connections.
func freePort(t *testing.T) string {
	t.Helper()
	pid := os.Getpid()
	own := fmt.Sprintf("127.%d.%d.%d:", 128|pid>>16&127, pid>>8&255, pid&255)
	for range 1000 {
		port := 15_000 + (pid*64+int(lastPort.Add(1)))%17_000
		for _, host := range []string{own, "127.0.0.1:"} {
			if ln, err := net.Listen("tcp", fmt.Sprint(host, port)); err == nil {
				defer ln.Close()
				return ln.Addr().String()
			}
		}
	}
	t.Fatal("no free port")
	return ""
}

// job returns the configurations of n ranks as separate runtimes; rank 1, where there is one, runs the rendezvous.
func job(t *testing.T, n int) []tcp.Config { return jobAt(freePort(t), n) }

func jobAt(at string, n int) []tcp.Config {
	cfgs := make([]tcp.Config, n)
	for i := range cfgs {
		cfgs[i] = tcp.Config{Rank: i, Size: n, Job: "faults", Rendezvous: at, Host: i == min(1, n-1), Timeout: never, Chunk: 64 << 10}
	}
	return cfgs
}

// jobInMemory is job on the network in memory: in a bubble, where nobody's time is over because a machine is slow.
func jobInMemory(n int) []tcp.Config {
	cfgs := jobAt(tcp.AddressInMemory(), n)
	for i := range cfgs {
		cfgs[i] = cfgs[i].Sleeping()
	}
	return cfgs
}

// each runs body on every config at once.
func each(cfgs []tcp.Config, body func(cluster.Proc) ([]byte, error)) ([]cluster.Outcome, []error) {
	outs, errs := make([]cluster.Outcome, len(cfgs)), make([]error, len(cfgs))
	var group sync.WaitGroup
	for i := range cfgs {
		group.Add(1)
		go func() {
			defer group.Done()
			outs[i], errs[i] = tcp.New(cfgs[i]).Run(context.Background(), body)
		}()
	}
	group.Wait()
	return outs, errs
}

// rings exchanges gradients until something fails.
func rings(p cluster.Proc) ([]byte, error) {
	x := make([]float32, 50_000)
	for {
		if err := collective.RingAllReduce(p, 3, x); err != nil {
			return nil, err
		}
	}
}

// wantLost checks that err names a rank and its address.
func wantLost(t *testing.T, who string, err error, rank int, ops ...string) {
	t.Helper()
	var a *cluster.AbortError
	var lost *tcp.RankLost
	if !errors.As(err, &a) || !errors.As(err, &lost) || a.Rank != rank || lost.Rank != rank ||
		!strings.HasPrefix(lost.Addr, "127.") || !strings.Contains(err.Error(), lost.Addr) || !strings.Contains(strings.Join(ops, " "), a.Op) {
		t.Errorf("%s: %v, want rank %d (%v) and its address", who, err, rank, ops)
	}
}

// Results, traffic and the kernel's counts of all ranks are at rank 0; another rank has its own.
func TestProcessesGatherAtRankZero(t *testing.T) {
	cfgs := job(t, 3)
	outs, errs := each(cfgs, func(p cluster.Proc) ([]byte, error) {
		return []byte(fmt.Sprint("result ", p.Rank())), collective.RingAllReduce(p, 3, make([]float32, 999))
	})
	for rank, out := range outs {
		if errs[rank] != nil {
			t.Fatal(errs[rank])
		}
		for i := range outs {
			want := ""
			if rank == 0 || i == rank {
				want = fmt.Sprint("result ", i)
			}
			if string(out.Results[i]) != want || (out.Trace.Sent[i].Messages == 4) != (want != "") {
				t.Errorf("rank %d has result %q and traffic %+v of rank %d", rank, out.Results[i], out.Trace.Sent[i], i)
			}
		}
	}
	// cluster.Run decodes what there is.
	type result struct{ Rank int }
	var group sync.WaitGroup
	for rank, cfg := range job(t, 2) {
		group.Add(1)
		go func() {
			defer group.Done()
			got, _, err := cluster.Run(context.Background(), tcp.New(cfg), func(p cluster.Proc) (result, error) { return result{7 + p.Rank()}, nil })
			if err != nil || len(got) != 2 || got[rank].Rank != 7+rank || rank == 0 && got[1].Rank != 8 || rank == 1 && got[0].Rank != 0 {
				t.Errorf("rank %d: %v, %v", rank, got, err)
			}
		}()
	}
	group.Wait()
}

// One runtime runs several times; the runs of one job do not mix.
func TestRunAgain(t *testing.T) {
	cfgs := job(t, 3)
	var group sync.WaitGroup
	for _, cfg := range cfgs {
		group.Add(1)
		go func() {
			defer group.Done()
			rt := tcp.New(cfg)
			for k := range 3 {
				out, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
					return []byte{byte(k)}, collective.RingAllReduce(p, 3, make([]float32, 99))
				})
				if err != nil || out.Results[cfg.Rank][0] != byte(k) {
					t.Errorf("rank %d run %d: %v", cfg.Rank, k, err)
				}
			}
		}()
	}
	group.Wait()
}

// A failing body ends the run of every process, with its rank and its words.
func TestABodysFailureReachesAll(t *testing.T) {
	_, errs := each(job(t, 3), func(p cluster.Proc) ([]byte, error) {
		switch p.Rank() {
		case 2:
			return nil, errors.New("boom")
		case 1:
			return nil, cluster.Compute(p, cluster.Work{}, func() error { time.Sleep(50 * time.Millisecond); return nil })
		}
		return rings(p)
	})
	for rank, err := range errs {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Rank != 2 || a.Op != "body" || !strings.Contains(err.Error(), "boom") || !strings.HasPrefix(a.Addr, "127.") {
			t.Errorf("rank %d: %v, want boom of rank 2", rank, err)
		}
	}
}

// A deadlock of processes lists who waits for what, at every process.
func TestProcessesInDeadlock(t *testing.T) {
	_, errs := each(job(t, 3), func(p cluster.Proc) ([]byte, error) {
		var m cluster.Msg
		if p.Rank() == 2 {
			return nil, nil
		}
		return nil, cluster.Wait(p, p.Irecv(2, cluster.Tag(20+p.Rank()), &m))
	})
	for rank, err := range errs {
		var d *cluster.DeadlockError
		if !errors.As(err, &d) || fmt.Sprint(d.Waiters) != "[rank 0: recv from rank 2 tag 20 rank 1: recv from rank 2 tag 21]" {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// Whoever computes for longer than the time-out is not lost.
func TestComputingIsNotSilence(t *testing.T) {
	tcp.WithoutWaiting(t, func(t *testing.T) {
		cfgs, begin := jobInMemory(2), time.Now()
		for i := range cfgs {
			cfgs[i].Timeout = short
		}
		_, errs := each(cfgs, func(p cluster.Proc) ([]byte, error) {
			var m cluster.Msg
			if p.Rank() == 1 {
				time.Sleep(3 * short)
				return nil, cluster.Wait(p, p.Isend(0, 1, &m))
			}
			return nil, cluster.Wait(p, p.Irecv(1, 1, &m))
		})
		if err := errors.Join(errs...); err != nil || time.Since(begin) < 3*short {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// bad is a data connection with a fault.
type bad struct {
	net.Conn
	write func(n int) (swallow bool, err error) // n: bytes written before
	flip  int                                   // the byte of the stream that changes; 0: none

	mu sync.Mutex
	n  int
}

func (b *bad) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.n
	b.n += len(p)
	if b.write != nil {
		if swallow, err := b.write(at); swallow || err != nil {
			return len(p), err
		}
	}
	if b.flip >= at && b.flip < b.n && b.flip > 0 {
		p = append([]byte(nil), p...)
		p[b.flip-at] ^= 4
	}
	return b.Conn.Write(p)
}

// faulty gives rank's connection to peer a fault.
func faulty(cfgs []tcp.Config, rank, peer int, b *bad) {
	cfgs[rank] = cfgs[rank].WithFaults(func(p int, conn net.Conn) net.Conn {
		if p != peer {
			return conn
		}
		b.Conn = conn
		return b
	})
}

// A flipped bit is noticed by its receiver, in the header or in the body, and every rank is told whose frame it was.
func TestACorruptFrameIsRefused(t *testing.T) {
	for _, flip := range []int{64*5 + 10, 64 << 10, 1000_003} {
		cfgs := job(t, 3)
		faulty(cfgs, 2, 0, &bad{flip: flip})
		_, errs := each(cfgs, rings)
		for rank, err := range errs {
			wantLost(t, fmt.Sprintf("byte %d: rank %d", flip, rank), err, 2, "corrupt")
			if !strings.Contains(err.Error(), "frame ") {
				t.Errorf("%v does not say which frame", err)
			}
		}
	}
}

// A connection that breaks is noticed by its end: nobody says that a time-out passed.
func TestABrokenConnectionIsNoticed(t *testing.T) {
	cfgs := job(t, 4)
	b := &bad{}
	b.write = func(n int) (bool, error) {
		if n > 1<<20 {
			_ = b.Conn.Close()
		}
		return false, nil
	}
	faulty(cfgs, 2, 3, b)
	_, errs := each(cfgs, rings)
	for rank, err := range errs {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Op != "lost" || a.Rank != 2 && a.Rank != 3 {
			t.Errorf("rank %d: %v", rank, err)
		}
		if fmt.Sprint(err) != fmt.Sprint(errs[0]) {
			t.Errorf("rank %d was told %v, rank 0 %v", rank, err, errs[0])
		}
	}
}

// A connection that swallows messages while everybody is alive: whole messages,
// so that nobody waits in the middle of one, and half of one.
func TestASilentConnectionIsNoticed(t *testing.T) {
	for _, after := range []int{1 << 20, 0} {
		tcp.WithoutWaiting(t, func(t *testing.T) {
			cfgs := jobInMemory(3)
			for i := range cfgs {
				cfgs[i].Timeout = short
			}
			faulty(cfgs, 0, 2, &bad{write: func(n int) (bool, error) { return n >= after, nil }})
			begin := time.Now()
			_, errs := each(cfgs, silenced)
			for rank, err := range errs {
				var a *cluster.AbortError
				if !errors.As(err, &a) || a.Op != "silent" || a.Rank != 0 && a.Rank != 2 || fmt.Sprint(err) != fmt.Sprint(errs[0]) {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
			if d := time.Since(begin); d < short*7/8 || d > short*5/4 {
				t.Errorf("after %d bytes: noticed after %v, want %v", after, d, short)
			}
		})
	}
}

// silenced exchanges messages between ranks 0 and 2 until something fails.
func silenced(p cluster.Proc) ([]byte, error) {
	for {
		var m cluster.Msg
		if p.Rank() == 0 {
			if err := cluster.Wait(p, p.Isend(2, 1, &cluster.Msg{Body: make([]byte, 100_000)})); err != nil {
				return nil, err
			}
		}
		if p.Rank() == 2 {
			if err := cluster.Wait(p, p.Irecv(0, 1, &m)); err != nil {
				return nil, err
			}
		}
		peer := 2 - p.Rank()
		if p.Rank() == 1 {
			return nil, nil
		}
		if err := cluster.Wait(p, p.Irecv(peer, 2, &m), p.Isend(peer, 2, &cluster.Msg{})); err != nil {
			return nil, err
		}
	}
}
