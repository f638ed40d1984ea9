package clustertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gradsync/shared/cluster"
)

var work = cluster.Work{Fixed: time.Millisecond}

func startFIFO(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		var order []int // only f's touch it, in order
		add := func(i int) []cluster.Req {
			return p.Start(func(done func(int)) error { order = append(order, i); done(0); return nil }, work)
		}
		reqs := add(0)
		other := p.Go("other", func(q cluster.Proc) error {
			return cluster.Compute(q, work, func() error { order = append(order, 2); return nil })
		})
		reqs = append(reqs, add(1)...)
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		if err := cluster.Wait(p, other); err != nil {
			return err
		}
		if err := cluster.Wait(p, add(3)...); err != nil {
			return err
		}
		at := func(v int) int { return slices.Index(order, v) }
		if len(order) != 4 || at(0) > at(1) || at(3) != 3 || at(2) < 0 {
			return fmt.Errorf("order %v", order)
		}
		return nil
	})
}

func stageAfterDone(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		var reached atomic.Int32
		reqs := p.Start(func(done func(int)) error {
			for i := range 3 {
				time.Sleep(time.Millisecond)
				reached.Store(int32(i + 1))
				done(i)
			}
			return nil
		}, work, work, work)
		for i, r := range reqs {
			if err := cluster.Wait(p, r); err != nil {
				return err
			}
			if got := reached.Load(); got < int32(i+1) {
				return fmt.Errorf("stage %d complete, f has reached %d", i, got)
			}
			if !r.Done() || r.Err() != nil {
				return fmt.Errorf("stage %d: Done %v, Err %v after Wait", i, r.Done(), r.Err())
			}
		}
		return nil
	})
}

func offProcess(s suite) {
	s.ok(1, func(p cluster.Proc) error {
		gate := make(chan struct{})
		reqs := p.Start(func(done func(int)) error {
			<-gate // opened by the process, which therefore is not held up
			done(0)
			return nil
		}, work)
		close(gate)
		return cluster.Wait(p, reqs...)
	})
}

func fUsesProc(s suite) {
	_, err := s.run(1, func(p cluster.Proc) error {
		left := make(chan struct{})
		reqs := p.Start(func(done func(int)) error {
			defer close(left)
			p.Now() // while the Proc's own thread is not waiting for anything
			done(0)
			return nil
		}, work)
		<-left
		return cluster.Wait(p, reqs...)
	})
	wantPanic(s, err, "used by another thread")
}

func earlyReturn(s suite) {
	boom := errors.New("boom")
	s.ok(2, func(p cluster.Proc) error {
		reqs := p.Start(func(done func(int)) error { done(1); return boom }, work, work, work)
		for i, want := range []error{boom, nil, boom} {
			if err := cluster.Wait(p, reqs[i]); !errors.Is(err, want) {
				return fmt.Errorf("stage %d: %v, want %v", i, err, want)
			}
		}
		return nil
	})
}

func openStages(s suite) {
	s.ok(1, func(p cluster.Proc) error {
		reqs := p.Start(func(done func(int)) error { done(0); return nil }, work, work)
		if err := cluster.Wait(p, reqs[0]); err != nil {
			return err
		}
		if err := cluster.Wait(p, reqs[1]); err == nil || !strings.Contains(err.Error(), "1 of 2 stages open") {
			return fmt.Errorf("open stage: %v", err)
		}
		return nil
	})
}

func doneOnce(s suite) {
	for _, stages := range [][]int{{0, 0}, {2}, {-1}} {
		_, err := s.run(1, func(p cluster.Proc) error {
			return cluster.Wait(p, p.Start(func(done func(int)) error {
				for _, i := range stages {
					done(i)
				}
				return nil
			}, work, work)...)
		})
		wantPanic(s, err, "of a computation of 2 stages, each once")
	}
}

func timingOnly(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		reqs := p.Start(nil, work, work)
		if len(reqs) != 2 {
			return fmt.Errorf("%d requests for 2 stages", len(reqs))
		}
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		return cluster.Compute(p, work, nil)
	})
}

func panicInF(s suite) {
	_, err := s.run(2, func(p cluster.Proc) error {
		if p.Rank() == 0 {
			return cluster.Compute(p, work, func() error { panicHere("in f"); return nil })
		}
		return nil
	})
	wantPanic(s, err, "panicHere")
}

func unseenF(s suite) {
	boom := errors.New("boom")
	_, err := s.run(2, func(p cluster.Proc) error {
		p.Start(func(func(int)) error { return boom }, work)
		return nil
	})
	if !s.is(err, boom) {
		s.Fatalf("run returned %v, want %v", err, boom)
	}
}

// panicHere panics under a name to look for in a stack.
func panicHere(what string) { panic(what) }

// wantPanic checks that err is a panic whose text and stack contain part.
func wantPanic(s suite, err error, part string) {
	s.Helper()
	var p *cluster.PanicError
	if !errors.As(err, &p) || !strings.Contains(err.Error(), part) || len(p.Stack) == 0 {
		s.Fatalf("run returned %v, want a panic that mentions %q", err, part)
	}
}
