package dasp_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// elastic trains four workers by a method on a runtime that goes on without the ranks that crash.
func elastic(t *testing.T, name string, seed uint64, pushes int64, crash map[int]time.Duration) (*dasp.Log, *cluster.Trace, error) {
	rt := faults.On(virtual.New(gpus(1, 3, 2, 1), virtual.Config{Seed: seed, WithServer: true, Elastic: true, Notice: 3 * time.Millisecond}),
		func(rank int) faults.Host { return faults.Host{Crash: crash[rank]} })
	job := training(t, name, rivals.Defaults(4), pushes, nil)
	logs, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.Run(p, job(p.Rank())) })
	if err != nil {
		return nil, nil, err
	}
	return logs[0], trace, nil
}

// TestALostWorkerLeavesAtOnce: under every method, without a lease, one to three of four workers are lost at random
// instants, while they compute, wait or are answered; the others reach the number of gradients, each used once.
func TestALostWorkerLeavesAtOnce(t *testing.T) {
	seeds := race.Less(uint64(20), 4)
	if os.Getenv("GRADSYNC_LONG") != "" {
		seeds = 1000
	}
	for _, name := range rivals.Names() {
		for seed := range seeds {
			r, crash := cluster.Stream(seed, 0, "", "crash"), map[int]time.Duration{}
			for _, w := range r.Perm(4)[:1+r.IntN(3)] {
				crash[w+1] = time.Duration(1 + r.Int64N(int64(150*time.Millisecond)))
			}
			l, trace, err := elastic(t, name, seed, 60, crash)
			if err != nil {
				t.Fatalf("%s, seed %d, lost %v: %v", name, seed, crash, err)
			}
			checkLog(t, l)
			if used := l.Updates[len(l.Updates)-1].Pushes; used < 60 {
				t.Errorf("%s, seed %d: %d gradients were used", name, seed, used)
			}
			for _, w := range l.Lost {
				if !slices.Contains(trace.Lost, w+1) {
					t.Errorf("%s, seed %d: the server left out worker %d, lost are ranks %v", name, seed, w, trace.Lost)
				}
			}
			for _, p := range l.Pushes {
				if at := crash[p.Worker+1]; at > 0 && p.Received > at+4*time.Millisecond {
					t.Errorf("%s, seed %d: worker %d pushed at %v, lost at %v", name, seed, p.Worker, p.Received, at)
				}
			}
		}
	}
}

// TestABarrierOfTheLiving: after its second worker is lost each of BSP's updates is the mean over the three others.
func TestABarrierOfTheLiving(t *testing.T) {
	l, _, err := elastic(t, "bsp", 1, 60, map[int]time.Duration{2: 45 * time.Millisecond})
	must(t, err)
	four, three := 0, 0
	for _, u := range l.Updates {
		switch {
		case len(u.Workers) == 4 && u.Weight == 0.25 && three == 0:
			four++
		case slices.Equal(u.Workers, []int{0, 2, 3}) && u.Weight == 1.0/3:
			three++
		default:
			t.Errorf("update %+v", u)
		}
	}
	if four == 0 || three == 0 || !slices.Equal(l.Lost, []int{1}) {
		t.Errorf("%d updates of four workers, %d of three, lost %v", four, three, l.Lost)
	}
}

// TestWithoutTheServer: nobody else has the weights, and all workers lost are nobody to wait for.
func TestWithoutTheServer(t *testing.T) {
	for _, name := range rivals.Names() {
		_, _, err := elastic(t, name, 1, 60, map[int]time.Duration{0: 40 * time.Millisecond})
		if err == nil || !errors.Is(err, cluster.ErrLost) || !strings.Contains(err.Error(), "the server, rank 0, is lost") {
			t.Errorf("%s: %v", name, err)
		}
		all := map[int]time.Duration{}
		for w := range 4 {
			all[w+1] = time.Duration(40+w) * time.Millisecond
		}
		if _, _, err = elastic(t, name, 1, 60, all); err == nil || !strings.Contains(err.Error(), "all 4 workers have left") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
