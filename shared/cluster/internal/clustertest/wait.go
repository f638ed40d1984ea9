package clustertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

func now(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		begin := p.Now()
		if begin < 0 || begin > limit {
			return fmt.Errorf("at the start Now is %v", begin)
		}
		if err := cluster.Sleep(p, 3*time.Millisecond); err != nil {
			return err
		}
		if d := p.Now() - begin; d < 3*time.Millisecond {
			return fmt.Errorf("Sleep(3ms) took %v", d)
		}
		return nil
	})
}

func firstCompleted(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 { // sends the second first, and the first on demand
			var m cluster.Msg
			return errors.Join(cluster.Wait(p, p.Isend(0, 2, &cluster.Msg{})),
				cluster.Wait(p, p.Irecv(0, 3, &m)), cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{})))
		}
		var a, b cluster.Msg
		reqs := []cluster.Req{p.Irecv(1, 1, &a), p.Irecv(1, 2, &b)}
		if i, err := p.WaitAny(0, reqs...); i != 1 || err != nil {
			return fmt.Errorf("WaitAny: %d, %v, want 1", i, err)
		}
		if reqs[0].Done() || reqs[0].Err() != nil {
			return fmt.Errorf("request 0: Done %v, Err %v", reqs[0].Done(), reqs[0].Err())
		}
		if err := cluster.Wait(p, p.Isend(1, 3, &cluster.Msg{}), reqs[0]); err != nil {
			return err
		}
		// Both are done: the one completed first is first, whatever its place.
		if i, err := p.WaitAny(0, reqs...); i != 1 || err != nil {
			return fmt.Errorf("WaitAny of two completed: %d, %v, want 1", i, err)
		}
		return nil
	})
}

func deadline(s suite) {
	s.ok(1, func(p cluster.Proc) error {
		var m cluster.Msg
		r := p.Irecv(0, 1, &m)
		until := p.Now() + 2*time.Millisecond
		for range 2 { // the second time it has passed already
			if i, err := p.WaitAny(until, r); i != -1 || !errors.Is(err, cluster.ErrDeadline) {
				return fmt.Errorf("WaitAny: %d, %v, want -1 and ErrDeadline", i, err)
			}
			if p.Now() < until {
				return fmt.Errorf("expired at %v, before %v", p.Now(), until)
			}
		}
		if err := cluster.Wait(p, p.Isend(0, 1, &m), r); err != nil {
			return err
		}
		// A request that is done wins over a deadline that has passed.
		if i, err := p.WaitAny(until, r); i != 0 || err != nil {
			return fmt.Errorf("WaitAny of a completed request: %d, %v", i, err)
		}
		return nil
	})
}

func cancel(s suite) {
	s.ok(1, func(p cluster.Proc) error {
		var a, b cluster.Msg
		first, second := p.Irecv(0, 1, &a), p.Irecv(0, 1, &b)
		p.Cancel(first)
		if err := cluster.Wait(p, first); !errors.Is(err, cluster.ErrCancelled) {
			return fmt.Errorf("cancelled receive: %v", err)
		}
		if err := cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Declared: 8}), second); err != nil {
			return err
		}
		p.Cancel(second)
		if second.Err() != nil || b.Size() != 8 || a.Size() != 0 {
			return fmt.Errorf("second receive: %v, %d bytes; cancelled one: %d bytes", second.Err(), b.Size(), a.Size())
		}
		return nil
	})
}

func cancelSend(s suite) {
	_, err := s.run(1, func(p cluster.Proc) error {
		p.Cancel(p.Isend(0, 1, &cluster.Msg{}))
		return nil
	})
	wantPanic(s, err, "only receives")
}

func manyWaiters(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return errors.Join(cluster.Sleep(p, 5*time.Millisecond), cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{})))
		}
		var m cluster.Msg
		r := p.Irecv(1, 1, &m)
		var threads []cluster.Req
		for range 5 {
			threads = append(threads, p.Go("waiter", func(q cluster.Proc) error { return cluster.Wait(q, r) }))
		}
		return cluster.Wait(p, threads...)
	})
}

func staleTimers(s suite) {
	out := s.ok(2, func(p cluster.Proc) error {
		var m cluster.Msg
		r := p.Irecv(1-p.Rank(), 1, &m)
		if err := cluster.Wait(p, p.Isend(1-p.Rank(), 1, &cluster.Msg{})); err != nil {
			return err
		}
		_, err := p.WaitAny(p.Now()+time.Hour, r)
		return err
	})
	if out.Elapsed >= limit {
		s.Errorf("run took %v: it waited for a timer nobody needs", out.Elapsed)
	}
}

func elapsed(s suite) {
	out := s.ok(3, func(p cluster.Proc) error { return cluster.Sleep(p, time.Duration(p.Rank())*5*time.Millisecond) })
	if out.Elapsed < 10*time.Millisecond || out.Elapsed > limit {
		s.Errorf("run took %v, its last body returned after 10 ms", out.Elapsed)
	}
}

func cancelled(s suite) {
	cause := errors.New("enough")
	ctx, stop := context.WithCancelCause(s.Context())
	_, err := s.make(3, 1).Run(ctx, func(p cluster.Proc) ([]byte, error) {
		if p.Rank() == 0 {
			stop(cause)
		}
		for { // never in deadlock: only the context can end this
			if err := cluster.Sleep(p, time.Millisecond); err != nil {
				return nil, err
			}
		}
	})
	var a *cluster.AbortError
	if !errors.As(err, &a) || a.Op != "context" || !s.is(err, cause) {
		s.Fatalf("run returned %v, want an AbortError of the context's cause", err)
	}
	// Also while ranks wait for a computation.
	ctx, stop = context.WithCancelCause(s.Context())
	_, err = s.make(2, 1).Run(ctx, func(p cluster.Proc) ([]byte, error) {
		left := make(chan struct{}) // it lasts until the rank waits for it no more
		defer close(left)
		return nil, cluster.Compute(p, work, func() error {
			stop(cause)
			<-left
			return nil
		})
	})
	if !errors.As(err, &a) || a.Op != "context" || !s.is(err, cause) {
		s.Fatalf("run with a computation returned %v, want an AbortError of the context's cause", err)
	}
}
