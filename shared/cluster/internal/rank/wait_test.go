package rank_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/rank"
)

// A wait with a deadline ends then, not before and not later, or when its request
// completes, which wins over a deadline that has passed.
func TestDeadline(t *testing.T) {
	within(t, func(t *testing.T) {
		out := ok(t)(newBench(2, rank.Config{}).run(func(p cluster.Proc) error {
			var m cluster.Msg
			r := p.Irecv(1, 7, &m)
			for range 2 { // the second time it has passed already
				if i, err := p.WaitAny(2*time.Second, r, nil); i != -1 || !errors.Is(err, cluster.ErrDeadline) || p.Now() != 2*time.Second {
					t.Errorf("after %v: %d, %v, want -1 and ErrDeadline after 2s", p.Now(), i, err)
				}
			}
			for _, until := range []time.Duration{time.Hour, time.Second} {
				if i, err := p.WaitAny(until, nil, r); i != 1 || err != nil || p.Now() != 5*time.Second {
					t.Errorf("after %v: %d, %v, want the message after 5s", p.Now(), i, err)
				}
			}
			return nil
		}, func(p cluster.Proc) error {
			return errors.Join(cluster.Sleep(p, 5*time.Second), send(p, 0, 7, 1))
		}))
		if out.Elapsed != 5*time.Second {
			t.Errorf("the run lasted %v: it waited for a deadline that nobody needs", out.Elapsed)
		}
	})
}

// Of several requests that are done WaitAny returns the one that completed first, and all
// threads that wait for one request wake with it.
func TestWaitingForTheFirst(t *testing.T) {
	within(t, func(t *testing.T) {
		ok(t)(newBench(1, rank.Config{}).run(func(p cluster.Proc) error {
			sleep := func(d time.Duration) cluster.Req {
				return p.Go("sleep", func(q cluster.Proc) error { return cluster.Sleep(q, d) })
			}
			reqs := []cluster.Req{sleep(3 * time.Second), sleep(time.Second), sleep(2 * time.Second)}
			var waiters []cluster.Req
			for range 3 {
				waiters = append(waiters, p.Go("waiter", func(q cluster.Proc) error {
					err := cluster.Wait(q, reqs[1])
					if now := q.Now(); now != time.Second {
						t.Errorf("a waiter woke after %v", now)
					}
					return err
				}))
			}
			err := errors.Join(cluster.Wait(p, waiters...), cluster.Sleep(p, 5*time.Second))
			for _, want := range []int{1, 2, 0} {
				i, e := p.WaitAny(0, reqs...)
				if err = errors.Join(err, e); i != want {
					t.Errorf("WaitAny of requests that are done: %d, want %d", i, want)
				}
				reqs[max(i, 0)] = nil
			}
			return err
		}))
	})
}

// Ranks that all wait for each other are in deadlock, and the list says who waits for
// what. Nobody is while a deadline is still to come or a computation runs.
func TestDeadlock(t *testing.T) {
	within(t, func(t *testing.T) {
		b := newBench(2, rank.Config{Emulate: true})
		idle := false
		out, err := b.run(func(p cluster.Proc) error {
			inner := p.Go("inner", func(q cluster.Proc) error {
				var m cluster.Msg
				_, err := q.WaitAny(0, q.Irecv(cluster.Any, 7, &m), q.Irecv(1, 8, &m))
				return err
			})
			return cluster.Wait(p, inner)
		}, func(p cluster.Proc) error {
			late := p.Go("late", func(q cluster.Proc) error { return cluster.Sleep(q, 2*time.Second) })
			if err := cluster.Wait(p, append(p.Start(nil, cluster.Work{FLOP: 3000}), late)...); err != nil {
				return err
			}
			b.Mu.Lock()
			idle = b.stalls > 0 || b.Idle()
			b.Mu.Unlock()
			return cluster.Wait(p, p.Ibcast([]int{0, 1}, 0, 9, &cluster.Msg{}))
		})
		var d *cluster.DeadlockError
		if !errors.As(err, &d) || idle || b.stalls != 1 || out.Elapsed != 2*time.Second {
			t.Fatalf("%v, idle before %v, %d stalls, last return after %v", err, idle, b.stalls, out.Elapsed)
		}
		want := []cluster.Waiter{
			{Rank: 0, Op: "thread", Peer: -1},
			{Rank: 1, Op: "bcast", Peer: 0, Tag: 9},
			{Rank: 0, Thread: "inner", Op: "recv", Peer: cluster.Any, Tag: 7},
			{Rank: 0, Thread: "inner", Op: "recv", Peer: 1, Tag: 8},
		}
		if !slices.Equal(d.Waiters, want) {
			t.Errorf("waiters %+v, want %+v", d.Waiters, want)
		}
		if now := b.Now(); now != 3*time.Second {
			t.Errorf("the deadlock was noticed after %v, not when the computation had ended", now)
		}
	})
}

// A rank without any deadline that waits for nothing is listed as sleeping.
func TestWaitingForNothing(t *testing.T) {
	within(t, func(t *testing.T) {
		_, err := newBench(1, rank.Config{}).run(func(p cluster.Proc) error {
			_, err := p.WaitAny(0, nil)
			return err
		})
		var d *cluster.DeadlockError
		if want := (cluster.Waiter{Op: "sleep", Peer: -1}); !errors.As(err, &d) || len(d.Waiters) != 1 || d.Waiters[0] != want {
			t.Errorf("%v, want the waiter %+v", err, want)
		}
	})
}
