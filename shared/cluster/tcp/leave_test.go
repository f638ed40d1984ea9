package tcp_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// errTold is why the contexts of these tests end.
var errTold = errors.New("terminated")

// told runs body on every config at once, each with a context of its own that the body may end.
func told(cfgs []tcp.Config, body func(p cluster.Proc, ctx context.Context, end []context.CancelCauseFunc) ([]byte, error)) ([]cluster.Outcome, []error) {
	outs, errs := make([]cluster.Outcome, len(cfgs)), make([]error, len(cfgs))
	ctxs, end := make([]context.Context, len(cfgs)), make([]context.CancelCauseFunc, len(cfgs))
	for i := range cfgs {
		ctxs[i], end[i] = context.WithCancelCause(context.Background())
	}
	var group sync.WaitGroup
	for i, cfg := range cfgs {
		group.Go(func() {
			defer end[i](nil)
			outs[i], errs[i] = tcp.New(cfg).Run(ctxs[i], func(p cluster.Proc) ([]byte, error) { return body(p, ctxs[i], end) })
		})
	}
	group.Wait()
	return outs, errs
}

// wantLeft checks that err says that a rank left the run because it was told to end.
func wantLeft(t *testing.T, err error, rank int) {
	t.Helper()
	var a *cluster.AbortError
	if !errors.As(err, &a) || a.Rank != rank || !strings.HasSuffix(err.Error(), "failed: left the run: terminated") {
		t.Errorf("rank %d: %v, want that it left", rank, err)
	}
}

// A rank whose context ends is lost as if its process had died, whichever it is, also if its body says first that it was
// told to end; the others go on to the end without it. It says itself that it left.
func TestARankThatIsToldToEndLeaves(t *testing.T) {
	for _, by := range []string{"the context", "the body"} {
		for _, victim := range []int{0, 1} {
			cfgs, s := elastic(t, 3, 1, never)
			_, errs := told(cfgs, func(p cluster.Proc, ctx context.Context, end []context.CancelCauseFunc) ([]byte, error) {
				if p.Rank() != victim {
					return meets(p, 1)
				}
				end[victim](errTold)
				if by == "the body" {
					return nil, ctx.Err()
				}
				return meets(p, 1)
			})
			for rank, err := range errs {
				if rank == victim {
					wantLeft(t, err, victim)
				} else if err != nil {
					t.Errorf("%s of rank %d: rank %d: %v", by, victim, rank, err)
				}
			}
			if <-s.done; s.err != nil || !slices.Equal(s.lost, []int{victim}) || s.watched.Lost[0].Cause != "left the run: terminated" {
				t.Errorf("%s of rank %d: the rendezvous says %v, %+v", by, victim, s.err, s.watched.Lost)
			}
		}
	}
}

// Where a rank has the rendezvous, another may leave. The run ends, and does not hang, when that rank itself is told to
// end; all the others name it.
func TestTheRendezvousDoesNotLeave(t *testing.T) {
	cfgs := job(t, 3)
	for i := range cfgs {
		cfgs[i].Elastic, cfgs[i].Host = true, i == 0
	}
	_, errs := told(cfgs, func(p cluster.Proc, _ context.Context, end []context.CancelCauseFunc) ([]byte, error) {
		if p.Rank() == 2 {
			end[2](errTold)
		}
		if _, err := meets(p, 1); err != nil || p.Rank() == 1 {
			return nil, err
		}
		end[0](errTold)
		return nil, cluster.Wait(p, p.Irecv(1, 5, &cluster.Msg{}))
	})
	wantLeft(t, errs[2], 2)
	for rank, err := range errs[:2] {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Rank != 0 || !strings.HasSuffix(err.Error(), "failed: context: terminated") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// A rank that is told to end before all have begun ends the run, which names it.
func TestNobodyLeavesBeforeTheBegin(t *testing.T) {
	cfgs, s := elastic(t, 2, 0, never)
	var end context.CancelCauseFunc
	cfgs[1] = cfgs[1].WithFaults(func(_ int, conn net.Conn) net.Conn {
		end(errTold)
		<-s.done
		return conn
	})
	errs := make([]error, 2)
	var group sync.WaitGroup
	for i, cfg := range cfgs {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		end = cancel // of rank 1, at last
		group.Go(func() { _, errs[i] = tcp.New(cfg).Run(ctx, nothing) })
	}
	group.Wait()
	wantAll(t, append(errs, s.err), "rank 1 (127.0.0.1:", "failed: context: terminated")
}

// Ctrl-C tells whoever serves the rendezvous and all ranks at once: the run ends, and loses nobody before.
func TestAllAreToldToEnd(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	cfgs := make([]tcp.Config, 3)
	for i := range cfgs {
		cfgs[i] = tcp.Config{Rank: i, Size: 3, Job: "all", Rendezvous: ln.Addr().String(), Timeout: never, Chunk: 64 << 10, Elastic: true}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	var v tcp.Verdict
	ended := make(chan error, 1)
	go func() {
		var err error
		v, err = tcp.Rendezvous(ctx, cfgs[0], ln, tcp.Events{})
		ended <- err
	}()
	_, errs := told(cfgs, func(p cluster.Proc, _ context.Context, end []context.CancelCauseFunc) ([]byte, error) {
		if p.Rank() == 0 {
			cancel(errTold)
			for _, f := range end {
				f(errTold)
			}
		}
		return meets(p, 99)
	})
	wantAll(t, append(errs, <-ended), "the process of the rendezvous gave up: terminated")
	if len(v.Lost) > 0 {
		t.Errorf("lost %v", v.Lost)
	}
}
