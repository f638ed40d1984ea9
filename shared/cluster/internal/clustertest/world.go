package clustertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gradsync/shared/cluster"
)

func rankAndSize(s suite) {
	rt := s.make(3, 1)
	if rt.Size() != 3 {
		s.Fatalf("runtime has %d ranks, want 3", rt.Size())
	}
	ranks, _, err := cluster.Run(s.Context(), rt, func(p cluster.Proc) ([2]int, error) { return [2]int{p.Rank(), p.Size()}, nil })
	for i := range ranks {
		if s.leads() && ranks[i] != [2]int{i, 3} {
			s.Errorf("rank %d says %v", i, ranks[i])
		}
	}
	if err != nil || len(ranks) != 3 {
		s.Fatalf("%v, %d results", err, len(ranks))
	}
}

// streams draws from stream "a" in two ways: alone, and between draws of
// another stream; on ranks, threads and seeds.
func streams(s suite) {
	draw := func(seed uint64, other bool) [][]uint64 {
		out, _, err := cluster.Run(s.Context(), s.make(2, seed), func(p cluster.Proc) ([]uint64, error) {
			var v []uint64
			body := func(p cluster.Proc) error {
				for range 2 {
					if other {
						p.Rand("b").Uint64()
					}
					v = append(v, p.Rand("a").Uint64())
				}
				return nil
			}
			if err := body(p); err != nil {
				return nil, err
			}
			for range 2 { // two threads of one name have streams of their own
				if err := cluster.Wait(p, p.Go("t", body)); err != nil {
					return nil, err
				}
			}
			return v, nil
		})
		if err != nil {
			s.Fatal(err)
		}
		return out
	}
	alone, among, others := draw(1, false), draw(1, true), draw(2, false)
	if !s.leads() {
		return
	}
	if fmt.Sprint(alone) != fmt.Sprint(among) {
		s.Error("drawing from stream b changed stream a")
	}
	distinct := map[uint64]bool{}
	for _, v := range append(alone, others...) {
		for _, u := range v {
			distinct[u] = true
		}
	}
	if len(distinct) != 2*2*6 {
		s.Errorf("%d different numbers of 24: seeds, ranks or threads share a stream", len(distinct))
	}
	if want := cluster.Stream(1, 1, "", "a").Uint64(); alone[1][0] != want {
		s.Errorf("rank 1 drew %d, cluster.Stream gives %d", alone[1][0], want)
	}
}

func goThread(s suite) {
	boom := errors.New("boom")
	s.ok(2, func(p cluster.Proc) error {
		var m cluster.Msg
		r := p.Go("receiver", func(q cluster.Proc) error {
			if q.Rank() != p.Rank() || q.Size() != 2 || q == p {
				return fmt.Errorf("thread's Proc: rank %d of %d", q.Rank(), q.Size())
			}
			return cluster.Wait(q, q.Irecv(1-q.Rank(), 1, &m))
		})
		if err := cluster.Wait(p, p.Isend(1-p.Rank(), 1, &cluster.Msg{Declared: 3}), r); err != nil || m.Size() != 3 {
			return fmt.Errorf("thread: %v, received %d bytes", err, m.Size())
		}
		if err := cluster.Wait(p, p.Go("failing", func(cluster.Proc) error { return boom })); err != boom {
			return fmt.Errorf("thread's error: %v, want %v", err, boom)
		}
		return nil
	})
}

func unseenThread(s suite) {
	boom := errors.New("boom")
	_, err := s.run(2, func(p cluster.Proc) error {
		p.Go("lost", func(cluster.Proc) error { return boom })
		return nil
	})
	if !s.is(err, boom) || !strings.Contains(err.Error(), "lost") {
		s.Fatalf("run returned %v, want the error of thread lost", err)
	}
}

func deadlock(s suite) {
	_, err := s.run(3, func(p cluster.Proc) error {
		var m cluster.Msg
		switch p.Rank() {
		case 0:
			return cluster.Wait(p, p.Go("listener", func(q cluster.Proc) error { return cluster.Wait(q, q.Irecv(2, 17, &m)) }))
		case 1:
			return cluster.Wait(p, p.Irecv(cluster.Any, 18, &m))
		}
		return nil
	})
	var d *cluster.DeadlockError
	if !errors.As(err, &d) || len(d.Waiters) != 3 {
		s.Fatalf("run returned %v, want a deadlock of 3 waiters", err)
	}
	for i, want := range []cluster.Waiter{
		{Rank: 0, Op: "thread", Peer: -1},
		{Rank: 0, Thread: "listener", Op: "recv", Peer: 2, Tag: 17},
		{Rank: 1, Op: "recv", Peer: cluster.Any, Tag: 18},
	} {
		if d.Waiters[i] != want {
			s.Errorf("waiter %d: %+v, want %+v", i, d.Waiters[i], want)
		}
	}
	if text := d.Error(); !strings.Contains(text, "rank 0 thread listener: recv from rank 2 tag 17") {
		s.Errorf("text %q does not say who waits for what", text)
	}
}

func abort(s suite) {
	boom := errors.New("boom")
	seen := make([][]error, 3) // by rank, each its own
	_, err := s.run(3, func(p cluster.Proc) error {
		var m cluster.Msg
		if p.Rank() == 1 {
			if err := cluster.Sleep(p, time.Millisecond); err != nil {
				return err
			}
			return boom
		}
		waited := cluster.Wait(p, p.Irecv(1, 1, &m)) // woken by the failure
		_, after := p.WaitAny(p.Now() + time.Hour)
		seen[p.Rank()] = []error{waited, after,
			cluster.Wait(p, p.Isend(0, 1, &m)), p.Irecv(0, 2, &m).Err(), p.Start(nil, work)[0].Err(),
			p.Ibcast([]int{p.Rank()}, p.Rank(), 1, &m).Err(), p.Go("late", func(cluster.Proc) error { return nil }).Err()}
		return nil
	})
	check := func(who string, err error) {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Rank != 1 || a.Addr != "host1" || a.Op != "body" || !s.is(err, boom) {
			s.Errorf("%s: %v, want AbortError of rank 1 (host1) by boom", who, err)
		}
	}
	check("run", err)
	for _, rank := range []int{0, 2} {
		if s.apart && rank != s.rank {
			continue
		}
		if len(seen[rank]) != 7 {
			s.Fatalf("rank %d did not come to its end", rank)
		}
		for i, err := range seen[rank] {
			check(fmt.Sprintf("rank %d, call %d", rank, i), err)
		}
	}
}

func panics(s suite) {
	_, err := s.run(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			panicHere("in body")
		}
		var m cluster.Msg
		return cluster.Wait(p, p.Irecv(1, 1, &m))
	})
	wantPanic(s, err, "panicHere")
	if a := new(cluster.AbortError); !errors.As(err, &a) || a.Rank != 1 || a.Op != "panic" {
		s.Errorf("%v, want an AbortError of rank 1", err)
	}
	_, err = s.run(2, func(p cluster.Proc) error {
		return cluster.Wait(p, p.Go("t", func(cluster.Proc) error { panicHere("in thread"); return nil }))
	})
	wantPanic(s, err, "panicHere")
}

func foreign(s suite) {
	_, err := s.run(1, func(p cluster.Proc) error {
		return cluster.Wait(p, p.Go("thief", func(cluster.Proc) error { p.Now(); return nil }))
	})
	wantPanic(s, err, "used by another thread")
}

func tags(s suite) {
	for _, tag := range []cluster.Tag{-1, cluster.MaxTag} {
		_, err := s.run(1, func(p cluster.Proc) error { p.Isend(0, tag, &cluster.Msg{}); return nil })
		wantPanic(s, err, "want 0 ≤ tag <")
	}
	s.ok(1, func(p cluster.Proc) error {
		var m cluster.Msg
		return cluster.Wait(p, p.Isend(0, cluster.MaxTag-1, &cluster.Msg{}), p.Irecv(0, cluster.MaxTag-1, &m))
	})
	_, err := s.run(1, func(p cluster.Proc) error { p.Isend(1, 0, &cluster.Msg{}); return nil })
	wantPanic(s, err, "peer 1 of 1 ranks")
}

func results(s suite) {
	type result struct {
		Rank int
		Odd  *int
	}
	got, trace, err := cluster.Run(context.Background(), s.make(4, 1), func(p cluster.Proc) (result, error) {
		r := result{Rank: p.Rank()}
		if p.Rank()%2 == 1 {
			r.Odd = &r.Rank
		}
		return r, cluster.Sleep(p, time.Duration(4-p.Rank())*time.Millisecond) // rank 3 is first
	})
	if err != nil || trace == nil || len(got) != 4 {
		s.Fatalf("%v, trace %v, %d results", err, trace, len(got))
	}
	for i, r := range got {
		if s.leads() && (r.Rank != i || (r.Odd != nil) != (i%2 == 1)) {
			s.Errorf("result %d is %+v", i, r)
		}
	}
	none, _, err := cluster.Run(context.Background(), s.make(2, 1), func(cluster.Proc) (struct{}, error) { return struct{}{}, nil })
	if err != nil || len(none) != 2 {
		s.Errorf("results without content: %v, %v", none, err)
	}
}

// slow is a wrapper of Proc that does something of its own at every send.
type slow struct{ cluster.Proc }

func (w slow) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	_ = cluster.Sleep(w.Proc, time.Microsecond)
	return w.Proc.Isend(to, tag+1000, m)
}

func (w slow) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	return w.Proc.Irecv(from, tag+1000, into)
}

func wrapper(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		w := slow{p}
		var m cluster.Msg
		r := w.Irecv(1-p.Rank(), 1, &m)
		if err := cluster.Wait(w, w.Isend(1-p.Rank(), 1, &cluster.Msg{Body: body(p.Rank(), 5)}), r); err != nil {
			return err
		}
		return same(m.Body, body(1-p.Rank(), 5))
	})
}
