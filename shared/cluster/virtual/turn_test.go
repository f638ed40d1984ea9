package virtual_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// A body that leaves by runtime.Goexit, as a failing test's does, takes Run's goroutine along, and
// no thread stays behind: each runs what it deferred.
func TestGoexitOfABodyEndsTheRun(t *testing.T) {
	const ranks = 5
	for who := range ranks {
		unwound, returned, ended := make([]int, ranks), false, make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = virtual.New(cluster.Uniform(ranks, reference, nil), virtual.Config{}).Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
				defer func() { unwound[p.Rank()]++ }()
				left, right := (p.Rank()+ranks-1)%ranks, (p.Rank()+1)%ranks
				for step := range 9 {
					if p.Rank() == who && step == 7 {
						runtime.Goexit()
					}
					var in cluster.Msg
					if err := cluster.Wait(p, p.Irecv(left, 1, &in), p.Isend(right, 1, &cluster.Msg{Declared: 100 * p.Rank()})); err != nil {
						return nil, err
					}
				}
				return nil, nil
			})
			returned = true
		}()
		<-ended
		if returned || !slices.Equal(unwound, []int{1, 1, 1, 1, 1}) {
			t.Errorf("Goexit of rank %d: Run returned: %v; ranks ended %v times", who, returned, unwound)
		}
	}
}

// A message that no clock reaches is nobody's panic but Run's: it is found when its first byte arrives.
func TestAnEventBeyondTheClockPanicsInRun(t *testing.T) {
	p := cluster.Uniform(3, reference, nil)
	p.Workers[1].Overhead = 40 * 24 * time.Hour
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "under 53 days") {
			t.Errorf("Run panicked with %v", err)
		}
	}()
	_, err := virtual.New(p, virtual.Config{}).Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		var in cluster.Msg
		switch p.Rank() {
		case 0:
			return nil, cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{}), p.Isend(1, 1, &cluster.Msg{}))
		case 1:
			return nil, cluster.Wait(p, p.Irecv(0, 1, &in), p.Irecv(0, 1, &in))
		}
		return nil, cluster.Wait(p, p.Irecv(1, 1, &in))
	})
	t.Errorf("Run returned %v", err)
}

// A message costs a fraction of an allocation: its requests, cut from slabs. Ranks take turns, and the collector is at rest.
func TestAMessageAllocatesLittle(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	mallocs := func(steps int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must(t, ring8(t, steps))
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	few := mallocs(100)
	if each := (mallocs(5100) - few) / (8 * 5000); each > 0.25 {
		t.Errorf("%.2f allocations a message, want at most a quarter", each)
	}
}

// ring8 passes 64 KiB timing-only messages around a ring of 8 ranks, one per rank and step.
func ring8(t *testing.T, steps int) error {
	host := cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	rt := virtual.New(cluster.Uniform(8, host, nil), virtual.Config{})
	_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		var in, sent cluster.Msg
		sent.Declared = 64 << 10
		for range steps {
			r := p.Irecv((p.Rank()+7)%8, 1, &in)
			if err := cluster.Wait(p, r, p.Isend((p.Rank()+1)%8, 1, &sent)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	return err
}
