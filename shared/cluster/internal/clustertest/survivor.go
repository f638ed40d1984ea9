package clustertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gradsync/shared/cluster"
)

// survivor returns p's side of an elastic run.
func survivor(p cluster.Proc) cluster.Survivor {
	s, ok := p.(cluster.Survivor)
	if !ok {
		panic(fmt.Sprintf("%T of an elastic runtime is no Survivor", p))
	}
	return s
}

// toldOf waits until p was told of n losses and returns the living.
func toldOf(p cluster.Proc, n int) ([]int, error) {
	s := survivor(p)
	for {
		alive := s.Alive()
		if len(alive) <= p.Size()-n {
			return alive, nil
		}
		if err := cluster.Wait(p, s.Lost()); err != nil {
			return nil, err
		}
	}
}

// is returns an error unless err is the LostError of a rank.
func is(err error, rank int) error {
	var lost *cluster.LostError
	if !errors.As(err, &lost) || lost.Rank != rank || !errors.Is(err, cluster.ErrLost) {
		return fmt.Errorf("got %v, want the LostError of rank %d", err, rank)
	}
	return nil
}

func (s suite) lost(out cluster.Outcome, ranks ...int) {
	s.Helper()
	if !slices.Equal(out.Trace.Lost, ranks) {
		s.Errorf("the outcome names %v as lost, want %v", out.Trace.Lost, ranks)
	}
}

func toldInOneOrder(s suite) {
	const n = 6
	orders := make([][]int, n)
	out := s.ok(n, func(p cluster.Proc) error {
		if p.Rank() >= 2 && p.Rank() < 5 { // 2, 3 and 4 crash, in an order that nobody fixes
			if p.Rank() == 2 {
				_ = cluster.Sleep(p, time.Millisecond)
			}
			return cluster.ErrCrashed
		}
		sv := survivor(p)
		alive := sv.Alive()
		if len(alive) > n || !slices.IsSorted(alive) || !slices.Contains(alive, p.Rank()) {
			return fmt.Errorf("alive are %v", alive)
		}
		for len(alive) > 3 {
			before := alive
			if err := cluster.Wait(p, sv.Lost()); err != nil {
				return err
			}
			if alive = sv.Alive(); len(alive) >= len(before) {
				return fmt.Errorf("Lost was done, alive are %v as before %v", alive, before)
			}
		}
		if !slices.Equal(alive, []int{0, 1, 5}) {
			return fmt.Errorf("alive are %v", alive)
		}
		orders[p.Rank()] = alive
		return nil
	})
	if got := slices.Sorted(slices.Values(out.Trace.Lost)); !slices.Equal(got, []int{2, 3, 4}) || orders[0] == nil || orders[1] == nil || orders[5] == nil {
		s.Errorf("lost %v, the survivors saw %v", out.Trace.Lost, orders)
	}
}

func lostUntilAlive(s suite) {
	out := s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return cluster.ErrCrashed
		}
		sv := survivor(p)
		var m cluster.Msg
		never := p.Irecv(0, 9, &m)
		alarm := sv.Lost()
		if i, err := p.WaitAny(0, never, alarm); i != 1 || err != nil || !alarm.Done() || alarm.Err() != nil {
			return fmt.Errorf("WaitAny: %d, %v; done %v", i, err, alarm.Done())
		}
		if again := sv.Lost(); !again.Done() {
			return errors.New("Lost is not done although Alive was not asked")
		}
		if alive := sv.Alive(); !slices.Equal(alive, []int{0}) {
			return fmt.Errorf("alive are %v", alive)
		}
		after := sv.Lost()
		if i, err := p.WaitAny(p.Now()+time.Millisecond, after); i != -1 || !errors.Is(err, cluster.ErrDeadline) {
			return fmt.Errorf("Lost after Alive: %d, %v, want its deadline", i, err)
		}
		if !alarm.Done() {
			return errors.New("a request of Lost that was done is no more")
		}
		// Each Proc has its own list.
		if err := cluster.Wait(p, p.Go("other", func(q cluster.Proc) error {
			if !survivor(q).Lost().Done() {
				return errors.New("another thread's Lost is not done, though it never asked Alive")
			}
			return nil
		})); err != nil {
			return err
		}
		return cluster.Wait(p, p.Isend(0, 9, &cluster.Msg{}), never)
	})
	s.lost(out, 1)
}

func receiveFromLost(s suite) {
	out := s.ok(3, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			if err := cluster.Wait(p, p.Irecv(0, 3, &cluster.Msg{})); err != nil {
				return err
			}
			return fmt.Errorf("the host burns: %w", cluster.ErrCrashed)
		}
		var before, after, other cluster.Msg
		r, o := p.Irecv(1, 1, &before), p.Irecv(2-p.Rank(), 4, &other)
		if p.Rank() == 0 {
			if err := cluster.Wait(p, p.Isend(1, 3, &cluster.Msg{})); err != nil {
				return err
			}
		}
		if err := is(cluster.Wait(p, r), 1); err != nil {
			return fmt.Errorf("posted before: %w", err)
		}
		if err := is(cluster.Wait(p, p.Irecv(1, 1, &after)), 1); err != nil {
			return fmt.Errorf("posted after: %w", err)
		}
		p.Cancel(r) // harmless
		return cluster.Wait(p, p.Isend(2-p.Rank(), 4, &cluster.Msg{}), o)
	})
	s.lost(out, 1)
}

func arrivedBeforeLoss(s suite) {
	const n = 5
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			var reqs []cluster.Req
			for i := range n {
				reqs = append(reqs, p.Isend(0, 1, &cluster.Msg{Body: body(i, 3000*i)}))
			}
			// Rank 0 answers the last one, so all are there.
			if err := cluster.Wait(p, append(reqs, p.Isend(0, 2, &cluster.Msg{}), p.Irecv(0, 2, &cluster.Msg{}))...); err != nil {
				return err
			}
			return cluster.ErrCrashed
		}
		if err := cluster.Wait(p, p.Irecv(1, 2, &cluster.Msg{})); err != nil {
			return err
		}
		if err := cluster.Wait(p, p.Isend(1, 2, &cluster.Msg{})); err != nil {
			return err
		}
		if _, err := toldOf(p, 1); err != nil {
			return err
		}
		for i := range n {
			var m cluster.Msg
			from := 1 - 2*(i%2) // every second time Any
			if err := cluster.Wait(p, p.Irecv(from, 1, &m)); err != nil {
				return fmt.Errorf("message %d, which had arrived: %w", i, err)
			}
			if err := same(m.Body, body(i, 3000*i)); err != nil {
				return err
			}
		}
		return is(cluster.Wait(p, p.Irecv(1, 1, &cluster.Msg{})), 1)
	})
}

func sendToLost(s suite) {
	const size = 8 << 20 // more than sockets hold
	out := s.ok(3, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return cluster.ErrCrashed
		}
		early := p.Isend(1, 1, &cluster.Msg{Body: make([]byte, size), Given: true}) // to one that may be lost already
		if _, err := toldOf(p, 1); err != nil {
			return err
		}
		late := &cluster.Msg{Body: body(0, size)}
		given := &cluster.Msg{Body: body(0, 100), Given: true}
		if err := cluster.Wait(p, early, p.Isend(1, 1, late), p.Isend(1, 1, given)); err != nil {
			return err
		}
		if given.Body != nil {
			return errors.New("a body that was given away is still in its message")
		}
		var m cluster.Msg // and to the living as always
		r := p.Irecv(2-p.Rank(), 5, &m)
		if err := cluster.Wait(p, p.Isend(2-p.Rank(), 5, &cluster.Msg{Body: body(p.Rank(), 1000)}), r); err != nil {
			return err
		}
		return same(m.Body, body(2-p.Rank(), 1000))
	})
	s.lost(out, 1)
}

func anyOfTheLiving(s suite) {
	s.ok(3, func(p cluster.Proc) error {
		switch p.Rank() {
		case 1:
			return cluster.ErrCrashed
		case 2:
			if _, err := toldOf(p, 1); err != nil {
				return err
			}
			return errors.Join(cluster.Sleep(p, 2*time.Millisecond), cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Declared: 5})))
		}
		var m cluster.Msg
		r := p.Irecv(cluster.Any, 1, &m)
		if _, err := toldOf(p, 1); err != nil {
			return err
		}
		if err := cluster.Wait(p, r); err != nil || m.From != 2 || m.Size() != 5 {
			return fmt.Errorf("%d bytes of rank %d, %v", m.Size(), m.From, err)
		}
		return nil
	})
}

func broadcastOfTheLiving(s suite) {
	group := []int{0, 1, 2, 3}
	s.ok(4, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return errors.Join(cluster.Sleep(p, time.Millisecond), cluster.ErrCrashed)
		}
		var m cluster.Msg
		if err := is(cluster.Wait(p, p.Ibcast(group, 1, 1, &m)), 1); err != nil {
			return fmt.Errorf("posted before: %w", err)
		}
		if err := is(cluster.Wait(p, p.Ibcast(group, 1, 2, &m)), 1); err != nil {
			return fmt.Errorf("posted after: %w", err)
		}
		if p.Rank() == 3 {
			m.Body = body(3, 200)
		}
		if err := cluster.Wait(p, p.Ibcast(group, 3, 3, &m)); err != nil {
			return err
		}
		return same(m.Body, body(3, 200))
	})
}

func crashInThread(s suite) {
	seen := make([]error, 6)
	out := s.ok(3, func(p cluster.Proc) error {
		if p.Rank() != 2 {
			if p.Rank() == 0 { // nobody's crash
				p.Go("fine", func(q cluster.Proc) error { return cluster.Sleep(q, time.Millisecond) })
			}
			alive, err := toldOf(p, 1)
			if err == nil && !slices.Equal(alive, []int{0, 1}) {
				err = fmt.Errorf("alive are %v", alive)
			}
			return err
		}
		var m cluster.Msg
		p.Go("waits", func(q cluster.Proc) error {
			seen[0] = cluster.Wait(q, q.Irecv(0, 2, &m))
			return errors.New("an error of a lost rank")
		})
		p.Go("burns", func(q cluster.Proc) error {
			_ = cluster.Sleep(q, time.Millisecond)
			panic(cluster.ErrCrashed)
		})
		_, seen[1] = p.WaitAny(p.Now() + time.Hour)
		seen[2] = cluster.Wait(p, p.Isend(0, 1, &m))
		seen[3] = p.Irecv(0, 2, &m).Err()
		seen[4] = p.Start(nil, work)[0].Err()
		seen[5] = survivor(p).Lost().Err()
		return errors.New("another error of a lost rank")
	})
	for i, err := range seen {
		if !errors.Is(err, cluster.ErrCrashed) {
			s.Errorf("call %d of the lost rank: %v, want ErrCrashed", i, err)
		}
	}
	s.lost(out, 2)
}

func deadlockOfTheLiving(s suite) {
	_, err := s.run(3, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return cluster.ErrCrashed
		}
		if _, err := toldOf(p, 1); err != nil {
			return err
		}
		if p.Rank() == 0 {
			return cluster.Wait(p, p.Irecv(cluster.Any, 7, &cluster.Msg{}))
		}
		return cluster.Wait(p, survivor(p).Lost())
	})
	var d *cluster.DeadlockError
	if !errors.As(err, &d) {
		s.Fatalf("run returned %v, want a deadlock", err)
	}
	want := []cluster.Waiter{{Rank: 0, Op: "recv", Peer: cluster.Any, Tag: 7}, {Rank: 2, Op: "lost", Peer: -1}}
	if !slices.Equal(d.Waiters, want) || !strings.Contains(err.Error(), "rank 2: lost") {
		s.Errorf("%v: waiters %+v, want %+v", err, d.Waiters, want)
	}
}

func outcomeOfTheLiving(s suite) {
	rt := s.make(3, 1)
	results, trace, err := cluster.Run(s.Context(), rt, func(p cluster.Proc) (int, error) {
		if p.Rank() == 2 {
			p.Start(func(func(int)) error { return errors.New("a computation nobody waited for") }, work)
			return 7, cluster.ErrCrashed
		}
		_, err := toldOf(p, 1)
		return 10 + p.Rank(), err
	})
	if err != nil || !slices.Equal(results, []int{10, 11, 0}) || !slices.Equal(trace.Lost, []int{2}) {
		s.Errorf("results %v, %v, trace %+v", results, err, trace)
	}
	if out := s.ok(2, func(p cluster.Proc) error { return cluster.Sleep(p, time.Millisecond) }); out.Trace.Lost != nil {
		s.Errorf("an undisturbed run lost %v", out.Trace.Lost)
	}
}

func allButOne(s suite) {
	rt := s.make(4, 1)
	results, trace, err := cluster.Run(s.Context(), rt, func(p cluster.Proc) (string, error) {
		for k := range 4 { // 0, 1 and 3, one after the other
			if k == 2 {
				continue
			}
			if p.Rank() == k {
				return "", cluster.ErrCrashed
			}
			if err := is(cluster.Wait(p, p.Irecv(k, 1, &cluster.Msg{})), k); err != nil {
				return "", err
			}
		}
		return "alone", nil
	})
	if err != nil || !slices.Equal(results, []string{"", "", "alone", ""}) || !slices.Equal(trace.Lost, []int{0, 1, 3}) {
		s.Errorf("results %q, %v, trace %+v", results, err, trace)
	}
}

func allLost(s suite) {
	_, err := s.run(2, func(p cluster.Proc) error { return cluster.ErrCrashed })
	var a *cluster.AbortError
	if !errors.As(err, &a) || a.Op != "lost" || !strings.Contains(err.Error(), "every rank") {
		s.Errorf("run returned %v, want that every rank is lost", err)
	}
}
