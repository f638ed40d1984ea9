package tcp_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/tcp"
)

// wire is a Fabric of one rank of this process. As MPI's it hands in frames on one goroutine, small pieces with their
// headers; larger ones land, and are their senders' again, in any order.
type wire struct {
	rank int
	all  []*wire
	mu   sync.Mutex
	cond *sync.Cond
	jobs map[uint32]func(h cluster.Header) ([]byte, func())
	left map[uint32]bool
	come []frame // in order; those of jobs that nobody has joined wait here
	end  bool
}

type frame struct {
	h    cluster.Header
	body []byte
	sent func()
}

// wires returns the fabrics of n ranks, which end with the test.
func wires(t *testing.T, n int) []*wire {
	all := make([]*wire, n)
	var group sync.WaitGroup
	for r := range all {
		all[r] = &wire{rank: r, all: all, jobs: map[uint32]func(h cluster.Header) ([]byte, func()){}, left: map[uint32]bool{}}
		all[r].cond = sync.NewCond(&all[r].mu)
		group.Go(all[r].run)
	}
	t.Cleanup(func() {
		for _, w := range all {
			w.change(func() { w.end = true })
		}
		group.Wait()
	})
	return all
}

func (w *wire) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	w.cond.Signal()
}

func (w *wire) Host() string { return fmt.Sprint("host", w.rank) }

func (w *wire) Join(job uint32, take func(h cluster.Header) ([]byte, func())) {
	w.change(func() { w.jobs[job] = take })
}

func (w *wire) Leave(job uint32) { w.change(func() { delete(w.jobs, job); w.left[job] = true }) }

func (w *wire) Send(to int, h *cluster.Header, body []byte, sent func()) {
	f := frame{*h, body, sent}
	if len(body) <= tcp.Inline {
		f.body, f.sent = slices.Clone(body), nil
		if sent != nil {
			defer sent()
		}
	}
	w.all[to].change(func() { w.all[to].come = append(w.all[to].come, f) })
}

// next returns the first frame whose job has been joined, or left: then nobody takes it.
func (w *wire) next() (f frame, take func(h cluster.Header) ([]byte, func()), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.end {
		if i := slices.IndexFunc(w.come, func(f frame) bool { return w.jobs[f.h.Job] != nil || w.left[f.h.Job] }); i >= 0 {
			f = w.come[i]
			w.come = slices.Delete(w.come, i, i+1)
			return f, w.jobs[f.h.Job], true
		}
		w.cond.Wait()
	}
	return f, nil, false
}

func (w *wire) run() {
	var moving sync.WaitGroup
	defer moving.Wait()
	for f, take, ok := w.next(); ok; f, take, ok = w.next() {
		var piece []byte
		var landed func()
		if take != nil {
			piece, landed = take(f.h)
		}
		land := func() {
			copy(piece, f.body)
			if landed != nil {
				landed()
			}
			if f.sent != nil {
				f.sent()
			}
		}
		if len(f.body) <= tcp.Inline {
			land()
		} else {
			moving.Go(land)
		}
	}
}

// The runtime keeps the contract over another fabric, with ranks that know of each other by frames alone.
func TestFabricKeepsTheContract(t *testing.T) {
	all := wires(t, 4)
	var ranks sync.WaitGroup
	for r, w := range all {
		ranks.Go(func() {
			t.Run(fmt.Sprint("rank ", r), func(t *testing.T) {
				passed := clustertest.Apart(t, r, func(job string, n int, seed uint64) cluster.Runtime {
					return tcp.Over(tcp.Config{Rank: r, Size: n, Job: job, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 14}, w)
				})
				if r == 0 && passed != clustertest.Sentences() {
					t.Errorf("%d sentences passed, want %d", passed, clustertest.Sentences())
				}
			})
		})
	}
	ranks.Wait()
}

// A verdict that comes before a rank has joined the others ends its run.
func TestFabricJoinsAnEndedRun(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tcp.JoinEnded(tcp.Config{Size: 2, Job: "ended"}, wires(t, 1)[0])
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for its own lock")
	}
}
