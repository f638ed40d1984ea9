package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

func nothing(cluster.Proc) ([]byte, error) { return nil, nil }

// wantAll checks that every error has all the words.
func wantAll(t *testing.T, errs []error, words ...string) {
	t.Helper()
	for i, err := range errs {
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("process %d: %v, want %q", i, err, w)
			}
		}
	}
}

// A process of another job is refused, told no more than that, and named to the
// ranks that wait in vain for the one whose place it has.
func TestAnotherJobIsRefused(t *testing.T) {
	tcp.WithoutWaiting(t, func(t *testing.T) {
		cfgs := jobInMemory(3)
		cfgs[2].Job = "another"
		_, errs := each(cfgs, nothing)
		wantAll(t, errs[:2], `refused rank 2 of job "another" at 127.77.77.77:`, "another job")
		wantAll(t, errs[2:], "refused: another job")
		wantAll(t, errs[:2], "rank 2 of 3 did not come")
		for rank, err := range errs {
			var a *cluster.AbortError
			if !errors.As(err, &a) || a.Rank != 2 || a.Op != "rendezvous" || !strings.HasPrefix(a.Addr, "127.77.77.77:") {
				t.Errorf("rank %d: %v, want rank 2 and its address", rank, err)
			}
		}
	})
}

// Two processes of one rank, or ranks that count differently, can never be complete: all are told at once.
func TestMistakenRanksAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(cfgs []tcp.Config)
		words  []string
	}{
		{"duplicate", func(cfgs []tcp.Config) { cfgs[2].Rank = 0 }, []string{"refused rank 0", "there is a rank 0 at 127.77.77.77:"}},
		{"size", func(cfgs []tcp.Config) { cfgs[2].Size = 4 }, []string{"refused rank 2", "it counts 4 ranks, the job has 3"}},
	} {
		tcp.WithoutWaiting(t, func(t *testing.T) {
			cfgs := jobInMemory(3)
			c.change(cfgs)
			began := time.Now()
			_, errs := each(cfgs, nothing)
			wantAll(t, []error{errs[1]}, c.words...)
			told := 0
			for _, err := range errs {
				if err == nil {
					t.Errorf("%s: a rank ran", c.name)
				} else if strings.Contains(err.Error(), c.words[1]) {
					told++
				}
			}
			late := time.Since(began) >= never // a third rank may come when all is over, and waits in vain
			if told < 2 || told == 3 && late || told == 2 && !late {
				t.Errorf("%s: after %v %d of 3 were told: %v", c.name, time.Since(began), told, errs)
			}
		})
	}
}

// A rank that does not come is named.
func TestAMissingRankIsNamed(t *testing.T) {
	tcp.WithoutWaiting(t, func(t *testing.T) {
		cfgs := jobInMemory(4)
		begin := time.Now()
		_, errs := each(cfgs[:2], nothing)
		wantAll(t, errs, "rank 2, 3 of 4 did not come to 127.77.77.77:")
		// Nobody runs the rendezvous.
		_, errs = each(cfgs[2:], nothing)
		wantAll(t, errs, "no answer at 127.77.77.77:")
		if took := time.Since(begin); took < 2*never || took > 2*never+time.Second {
			t.Errorf("both waited in vain for %v, want twice %v", took, never)
		}
	})
}

// A build of another version is refused with a frame that tells it so; garbage
// and silence are refused, too, and disturb nobody.
func TestStrangersAreRefused(t *testing.T) {
	cfgs := job(t, 2)
	done := make(chan error, 1)
	go func() {
		_, errs := each(cfgs[1:], func(p cluster.Proc) ([]byte, error) {
			var m cluster.Msg
			return nil, cluster.Wait(p, p.Irecv(0, 1, &m))
		})
		done <- errs[0]
	}()
	knock := func(b []byte) net.Conn {
		for {
			conn, err := net.Dial("tcp", cfgs[1].Rendezvous)
			if err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			return conn
		}
	}
	h := cluster.Header{Flags: cluster.FlagControl, Tag: 1}
	old := h.Append(nil)
	old[3]++ // the version
	for _, hello := range [][]byte{old, []byte(strings.Repeat("GET / HTTP/1.1\r\n", 8))} {
		conn := knock(hello)
		var answer [cluster.HeaderBytes]byte
		if _, err := conn.Read(answer[:]); err != nil {
			t.Fatal(err)
		}
		if h, err := cluster.ParseHeader(answer[:]); err != nil || h.Flags != cluster.FlagControl || h.Size == 0 {
			t.Errorf("answer %+v, %v", h, err)
		}
		_ = conn.Close()
	}
	silent := knock(nil)
	defer silent.Close()
	_, errs := each(cfgs[:1], func(p cluster.Proc) ([]byte, error) {
		return nil, cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{}))
	})
	must(t, errors.Join(errs[0], <-done))
}

// A version that differs is named on both sides.
func TestAnotherVersionIsNamed(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		h := cluster.Header{Flags: cluster.FlagControl, Tag: 2}
		b := h.Append(nil)
		b[3]++
		_, _ = conn.Write(b)
		var hello [1024]byte
		_, _ = conn.Read(hello[:])
		_ = conn.Close()
	}()
	rt := tcp.New(tcp.Config{Rank: 0, Size: 2, Rendezvous: ln.Addr().String(), Timeout: never})
	_, err = rt.Run(t.Context(), nothing)
	wantAll(t, []error{err}, "rendezvous at "+ln.Addr().String(), fmt.Sprintf("version %d, want %d", cluster.FrameVersion+1, cluster.FrameVersion))
}

// A context that is cancelled at one process ends all, before and after the ranks have met.
func TestACancelledContextEndsAll(t *testing.T) {
	cfgs := job(t, 3)
	ctx, end := context.WithCancelCause(t.Context())
	done := make(chan []error, 1)
	go func() {
		_, errs := each(cfgs[:2], rings)
		done <- errs
	}()
	_, err := tcp.New(cfgs[2]).Run(ctx, func(p cluster.Proc) ([]byte, error) {
		end(context.DeadlineExceeded) // as if its time were over, once the ranks have met
		return rings(p)
	})
	for i, err := range append(<-done, err) {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Op != "context" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("rank %d: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tcp.New(cfgs[2]).Run(ctx, nothing); !errors.Is(err, context.Canceled) { // nor that nobody answered
		t.Error(err)
	}
}

func TestABadConfigurationIsTheRunsError(t *testing.T) {
	good := tcp.Config{Size: 2, Rendezvous: "127.0.0.1:1"}
	for _, change := range []func(c *tcp.Config){
		func(c *tcp.Config) { c.Size = 0 }, func(c *tcp.Config) { c.Rank = 2 }, func(c *tcp.Config) { c.Rank = -1 },
		func(c *tcp.Config) { c.Chunk = -1 }, func(c *tcp.Config) { c.Timeout = -1 }, func(c *tcp.Config) { c.Timeout = 5 },
		func(c *tcp.Config) { c.Rendezvous = "host" }, func(c *tcp.Config) { c.Rendezvous = "0.0.0.0:7000" },
		func(c *tcp.Config) { c.Rendezvous = ":7000" }, func(c *tcp.Config) { c.Hosts = hosts(3) }, func(c *tcp.Config) { c.Emulate = true },
	} {
		cfg := good
		change(&cfg)
		rt := tcp.New(cfg)
		if _, err := rt.Run(t.Context(), nothing); err == nil || rt.Size() != 0 {
			t.Errorf("%+v: size %d, error %v", cfg, rt.Size(), err)
		}
	}
	if rt := tcp.New(good); rt.Size() != 2 {
		t.Errorf("size %d", rt.Size())
	}
}
