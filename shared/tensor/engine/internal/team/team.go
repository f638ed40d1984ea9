// Package team splits an engine's work over threads without allocating: what
// starts a thread is made once and kept.
package team

import (
	"slices"
	"sync/atomic"
)

// Task is a piece of work whose parts lo ≤ i < hi are independent; S is one
// thread's memory.
//
// Source: ours: threads split outputs, never a sum
type Task[S any] interface {
	Part(s *S, lo, hi int)
}

// Team is the threads of one tensor.Call. The zero value is ready; it serves one
// goroutine at a time.
//
// A run deals every thread as many parts; a thread that is through takes half of what another
// has left, so that neither a thread that starts late nor a processor that others use
// holds up the rest. A thread without parts looks out for the next run for some
// 20 µs, longer than most take to come, and ends.
//
// Source: Blumofe & Leiserson, Scheduling multithreaded computations by work stealing, 1999
type Team[S any] struct {
	members atomic.Pointer[[]*member[S]]
	task    Task[S]
	threads atomic.Int32  // of the run: members from there on take nothing
	run     atomic.Uint32 // its number
	open    atomic.Int32  // its parts that are not done
	asleep  atomic.Bool   // whoever does the last part wakes the caller
	wake    chan struct{}
}

// member is a thread of a team; the caller is the first.
type member[S any] struct {
	scratch S
	parts   atomic.Uint64 // lo<<32 | hi: what it has left
	alive   atomic.Bool
	start   func()
	_       [64]byte // the next one's parts are in another line of the cache
}

// glances is how often a thread looks for work before it sleeps or ends: 20 µs on a processor of 2023.
const glances = 32_000

// Run does n parts on that number of threads at most, the caller's among them.
func (t *Team[S]) Run(threads int, task Task[S], n int) {
	threads = max(1, min(threads, n))
	members := t.grow(threads)
	if threads == 1 {
		task.Part(&members[0].scratch, 0, n)
		return
	}
	t.task = task
	t.open.Store(int32(n))
	t.threads.Store(int32(threads))
	for i, m := range members[:threads] {
		m.parts.Store(uint64(n*i/threads)<<32 | uint64(n*(i+1)/threads))
	}
	t.run.Add(1)
	for _, m := range members[1:threads] {
		if m.alive.CompareAndSwap(false, true) {
			go m.start()
		}
	}
	t.work(0)
	t.wait()
	t.task = nil
}

// wait returns when all parts are done.
func (t *Team[S]) wait() {
	for range glances {
		if t.open.Load() == 0 {
			return
		}
	}
	for t.open.Load() != 0 { // who did a former run's last part may wake this one
		t.asleep.Store(true)
		if t.open.Load() == 0 && t.asleep.CompareAndSwap(true, false) {
			return
		}
		<-t.wake
	}
}

// work does parts while there are any.
func (t *Team[S]) work(i int) {
	m := (*t.members.Load())[i]
	for lo, hi := t.take(i); lo < hi; lo, hi = t.take(i) {
		t.task.Part(&m.scratch, lo, hi)
		if t.open.Add(int32(lo-hi)) == 0 && t.asleep.CompareAndSwap(true, false) {
			t.wake <- struct{}{}
		}
	}
}

// take returns parts for a member: a quarter of its own from the front, and where it has none half of another's from the back.
func (t *Team[S]) take(i int) (lo, hi int) {
	threads := int(t.threads.Load()) // before the members: a run adds them first
	members := *t.members.Load()
	if i >= threads {
		return 0, 0
	}
	for k := range threads {
		from := &members[(i+k)%threads].parts
		for {
			had := from.Load()
			lo, hi := int(had>>32), int(uint32(had))
			if lo >= hi {
				break
			}
			left := uint64(hi)
			if k == 0 {
				hi = lo + (hi-lo+3)/4
				left |= uint64(hi) << 32
			} else {
				lo, left = lo+(hi-lo)/2, had&^uint64(1<<32-1)|uint64(lo+(hi-lo)/2)
			}
			if from.CompareAndSwap(had, left) {
				return lo, hi
			}
		}
	}
	return 0, 0
}

// help works on run after run until none comes for a while.
func (t *Team[S]) help(m *member[S], i int) {
	for {
		run := t.run.Load()
		t.work(i)
		if t.comes(run) {
			continue
		}
		m.alive.Store(false)
		if t.run.Load() == run || !m.alive.CompareAndSwap(false, true) {
			return
		}
	}
}

// comes waits a while for the run after that one.
func (t *Team[S]) comes(run uint32) bool {
	for range glances {
		if t.run.Load() != run {
			return true
		}
	}
	return false
}

// grow returns the members, n at least.
func (t *Team[S]) grow(n int) []*member[S] {
	had := t.members.Load()
	if had != nil && len(*had) >= n {
		return *had
	}
	var members []*member[S]
	if had != nil {
		members = slices.Clone(*had)
	} else {
		t.wake = make(chan struct{}, 1)
	}
	for i := len(members); i < n; i++ {
		m := new(member[S])
		m.start = func() { t.help(m, i) }
		members = append(members, m)
	}
	t.members.Store(&members)
	return members
}

// Resize returns a slice of length n, reusing the buffer when it is large
// enough; the contents are unspecified.
//
// Source: ours: scratch that grows to what is needed and stays
func Resize[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	*buf = (*buf)[:n]
	return *buf
}
