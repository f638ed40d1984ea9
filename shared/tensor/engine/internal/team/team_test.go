package team

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// seen counts how often each part was done.
type seen struct{ parts []int }

func (t *seen) Part(_ *struct{}, lo, hi int) {
	for i := lo; i < hi; i++ {
		t.parts[i]++
	}
}

// TestEveryPartOnce: for all small numbers of threads and parts, every part is
// done exactly once, and after the first run nothing is allocated: on one thread exactly; on several the runtime makes
// goroutines now and then, and keeps them, since the collector is at rest, so that many runs need fewer than there are runs.
func TestEveryPartOnce(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var team Team[struct{}]
	for n := range 12 {
		for threads := -1; threads < 8; threads++ {
			s := &seen{make([]int, n)}
			team.Run(threads, s, n)
			if slices.ContainsFunc(s.parts, func(k int) bool { return k != 1 }) {
				t.Fatalf("%d parts on %d threads: done %v times", n, threads, s.parts)
			}
			rest := func() { // so that the next run starts all threads anew
				for _, m := range *team.members.Load() {
					for n == 11 && m.alive.Load() {
						runtime.Gosched()
					}
				}
			}
			if a := testing.AllocsPerRun(100, func() { team.Run(threads, s, n); rest() }); a != 0 {
				t.Errorf("%d parts on %d threads: %v allocations", n, threads, a)
			}
		}
	}
}

// awaited is a task whose part of number late waits until the seven others are done.
type awaited struct {
	late int
	done atomic.Int32
}

func (a *awaited) Part(_ *struct{}, lo, hi int) {
	for i := lo; i < hi; i++ {
		for i == a.late && a.done.Load() < 7 {
			runtime.Gosched()
		}
		a.done.Add(1)
	}
}

// TestALatePartHoldsUpNothing: while one thread is at the first of its parts, the other does all the rest.
func TestALatePartHoldsUpNothing(t *testing.T) {
	var team Team[struct{}]
	for _, late := range []int{0, 4} {
		a := &awaited{late: late}
		team.Run(2, a, 8)
		if a.done.Load() != 8 {
			t.Fatalf("part %d late: %d of 8 parts done", late, a.done.Load())
		}
	}
}

// drowsy is a task whose last part ends when the caller sleeps, and is the other thread's: the caller, who is
// alone with part 0, stays there until the last is under way.
type drowsy struct {
	team         *Team[struct{}]
	begun, ended atomic.Bool
}

func (d *drowsy) Part(_ *struct{}, lo, hi int) {
	wait := func(b *atomic.Bool) {
		for !b.Load() {
			runtime.Gosched()
		}
	}
	switch {
	case lo == 0:
		d.begun.Store(true)
		wait(&d.ended)
	case hi == 8:
		wait(&d.begun)
		d.ended.Store(true)
		wait(&d.team.asleep)
	default:
		wait(&d.begun)
	}
}

// TestTheCallerIsWoken: a caller whose parts are long done sleeps, and the last part wakes it.
func TestTheCallerIsWoken(t *testing.T) {
	var team Team[struct{}]
	for range 20 {
		d := &drowsy{team: &team}
		team.Run(2, d, 8)
		if open := team.open.Load(); !d.ended.Load() || open != 0 || team.asleep.Load() {
			t.Fatalf("%d parts open, asleep %v", open, team.asleep.Load())
		}
	}
}

// TestTeamsInTurn: runs of changing numbers of threads and parts, each behind the other, on several teams at once, do every part once.
func TestTeamsInTurn(t *testing.T) {
	var all sync.WaitGroup
	for seed := range 3 {
		all.Go(func() {
			var team Team[struct{}]
			for k := range 3000 {
				n := 1 + (k*7+seed)%23
				s := &seen{make([]int, n)}
				team.Run(1+(k*5+seed)%5, s, n)
				if slices.ContainsFunc(s.parts, func(k int) bool { return k != 1 }) {
					t.Errorf("run %d of %d parts: done %v times", k, n, s.parts)
					return
				}
			}
		})
	}
	all.Wait()
}
