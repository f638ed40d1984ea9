package rank_test

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// A thread that waits polls: what only a poll brings arrives, and it polls the peers of all that it waits for.
func TestWaitingThreadsPoll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	b := newBench(3, rank.Config{})
	polls, end := 0, make(chan struct{})
	var asked []int
	b.Poll = func(peers []int) bool {
		if polls++; polls < 5 {
			return true // something moves, as the pieces of a long message
		}
		asked = slices.Clone(peers)
		b.Mu.Lock()
		defer b.Mu.Unlock()
		b.ranks[0].Hand(match.Key{From: 2, Tag: 7}, &cluster.Msg{Body: []byte{42}}, []byte{42})
		return true
	}
	ok(t)(b.run(func(p cluster.Proc) error {
		var one, two cluster.Msg
		first, second := p.Irecv(1, 7, &one), p.Irecv(2, 7, &two)
		defer close(end)
		i, err := p.WaitAny(0, first, nil, second)
		if err != nil || i != 2 || two.Body[0] != 42 {
			t.Errorf("request %d, %v, body %v", i, err, two.Body)
		}
		p.Cancel(first)

		return nil
	}, func(cluster.Proc) error {
		<-end // else all would wait for what cannot come
		return nil
	}))
	if polls != 5 || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("%d polls, of peers %v", polls, asked)
	}
}

// Nobody polls who sleeps until an instant, or whose processor another thread of the process wants.
func TestWhoDoesNotPoll(t *testing.T) { within(t, whoDoesNotPoll) }

func whoDoesNotPoll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := newBench(2, rank.Config{})
	b.Poll = func([]int) bool {
		t.Error("polled")
		return false
	}
	ok(t)(b.run(func(p cluster.Proc) error {
		return cluster.Sleep(p, 10*time.Millisecond)
	}))
	b = newBench(2, rank.Config{})
	b.Poll = func([]int) bool {
		t.Error("polled while another thread could run")
		return false
	}
	ok(t)(b.run(func(p cluster.Proc) error {
		return cluster.Wait(p, p.Go("other", func(cluster.Proc) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		}))
	}))
}

// Polls come to an end: at the deadline, and where nothing moves the thread sleeps until it is woken.
func TestPollsEnd(t *testing.T) { within(t, pollsEnd) }

func pollsEnd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	b := newBench(2, rank.Config{})
	polls := 0
	b.Poll = func([]int) bool { // something always moves, and it is never the message; the first time it is long
		if polls++; polls == 1 {
			time.Sleep(99 * time.Millisecond)
		}
		time.Sleep(time.Millisecond)
		return true
	}
	ok(t)(b.run(func(p cluster.Proc) error {
		var m cluster.Msg
		r := p.Irecv(1, 7, &m)
		until := p.Now() + 120*time.Millisecond
		// The poll that sees that the time is over is the first after it.
		if i, err := p.WaitAny(until, r); i != -1 || !errors.Is(err, cluster.ErrDeadline) || p.Now() != until+time.Millisecond {
			t.Errorf("%d, %v after %v", i, err, p.Now())
		}
		p.Cancel(r)
		return nil
	}))
	b = newBench(2, rank.Config{})
	var many atomic.Int64
	const each = 10 * time.Microsecond
	b.Poll = func([]int) bool {
		many.Add(1)
		time.Sleep(each)
		return false
	}
	ok(t)(b.run(func(p cluster.Proc) error {
		var m cluster.Msg
		return cluster.Wait(p, p.Irecv(1, 7, &m))
	}, func(p cluster.Proc) error {
		if err := cluster.Sleep(p, time.Second); err != nil {
			return err
		}
		if n := many.Load(); n < 5 || n > 20 {
			t.Errorf("%d polls of %v within a second, want those of 100 µs", n, each)
		}
		return send(p, 0, 7, 1)
	}))
}
