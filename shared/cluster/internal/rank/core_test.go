package rank_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/rank"
)

// A rank has one device: computations of all its threads run in order of Start, each
// stage ends when its modelled time is over, and other ranks' devices do not wait for it.
func TestDevice(t *testing.T) {
	within(t, func(t *testing.T) {
		seconds := func(s float64) cluster.Work { return cluster.Work{FLOP: 1000 * s} }
		body := func(p cluster.Proc) error {
			running := 0
			f := func(done func(int)) error {
				if running++; running != 1 {
					t.Error("two computations of one device at once")
				}
				done(1)
				time.Sleep(time.Second)
				done(0)
				running--
				return nil
			}
			reqs := p.Start(f, seconds(2), seconds(3)) // done backwards: stage 1 at its time, 5 s, stage 0 a second later
			other := p.Go("other", func(q cluster.Proc) error { return cluster.Wait(q, q.Start(f, seconds(1), seconds(1))...) })
			if err := cluster.Sleep(p, time.Second); err != nil {
				return err
			}
			reqs = append(append(reqs, other), p.Start(nil, seconds(1))...)
			var ends []time.Duration
			var order []int
			for range reqs {
				i, err := p.WaitAny(0, reqs...)
				if err != nil {
					return err
				}
				ends, order, reqs[i] = append(ends, p.Now()/time.Second), append(order, i), nil
			}
			if want := []time.Duration{5, 6, 9, 10}; !slices.Equal(ends, want) || !slices.Equal(order, []int{1, 0, 2, 3}) {
				t.Errorf("rank %d: requests %v ended at seconds %v, want %v", p.Rank(), order, ends, want)
			}
			return nil
		}
		ok(t)(newBench(2, rank.Config{Emulate: true}).run(body, body))
	})
}

// A run that has failed wakes an emulated computation, and begins no other.
func TestAFailureEndsTheDevice(t *testing.T) {
	within(t, func(t *testing.T) {
		b := newBench(2, rank.Config{Emulate: true})
		reason := errors.New("enough")
		_, err := b.run(func(p cluster.Proc) error {
			return errors.Join(cluster.Sleep(p, time.Second), reason)
		}, func(p cluster.Proc) error {
			reqs := p.Start(nil, cluster.Work{Fixed: time.Hour})
			reqs = append(reqs, p.Start(func(func(int)) error { t.Error("a computation began after the failure"); return nil }, cluster.Work{})...)
			if err := cluster.Wait(p, reqs...); !errors.Is(err, reason) {
				t.Errorf("the other rank's wait: %v", err)
			}
			return nil
		})
		if now := b.Now(); !errors.Is(err, reason) || now != time.Second {
			t.Errorf("%v after %v", err, now)
		}
	})
}

// Outcome has what this Core's ranks left and counted, spans in order of their start, and how long the last body took.
func TestOutcome(t *testing.T) {
	within(t, func(t *testing.T) {
		for _, trace := range []bool{false, true} {
			b := newBench(3, rank.Config{Trace: trace, Emulate: true})
			begin := b.Now()
			out := ok(t)(b.run(func(p cluster.Proc) error { // rank 2 is another Core's
				b.Mu.Lock()
				b.ranks[0].Count(&cluster.Msg{Declared: 100}, 3)
				b.ranks[0].Count(&cluster.Msg{Body: make([]byte, 5), Declared: 7}, 1)
				b.Mu.Unlock()
				return cluster.Wait(p, p.Start(nil, cluster.Work{FLOP: 2000})...)
			}, func(p cluster.Proc) error {
				return errors.Join(cluster.Sleep(p, time.Second), send(p, 0, 7, 1))
			}))
			if begin != 0 || out.Elapsed != 2*time.Second || len(out.Results) != 3 || out.Trace.Ranks != 3 || out.Trace.Kernel != nil {
				t.Errorf("trace %v: %v, %+v", trace, out.Elapsed, out)
			}
			if string(out.Results[0]) != "\x0a" || string(out.Results[1]) != "\x0b" || out.Results[2] != nil {
				t.Errorf("trace %v: results %v", trace, out.Results)
			}
			h := int64(cluster.HeaderBytes)
			if want := []cluster.Traffic{{Messages: 2, Bytes: 105, Header: 4 * h}, {Messages: 1, Bytes: 1, Header: h}, {}}; !slices.Equal(out.Trace.Sent, want) {
				t.Errorf("trace %v: traffic %+v, want %+v", trace, out.Trace.Sent, want)
			}
			want := []cluster.Span{
				{Rank: 0, Kind: cluster.SpanCompute, Peer: -1, To: 2 * time.Second},
				{Rank: 0, Kind: cluster.SpanWait, Peer: -1, To: 2 * time.Second},
				{Rank: 1, Kind: cluster.SpanWait, Peer: -1, To: time.Second},
			}
			if !trace {
				want = nil
			}
			got := slices.Clone(out.Trace.Spans)
			slices.SortFunc(got, func(a, b cluster.Span) int { return 10*(a.Rank-b.Rank) + int(a.Kind) - int(b.Kind) }) // all begin at 0
			if !slices.Equal(got, want) || !slices.IsSortedFunc(out.Trace.Spans, func(a, b cluster.Span) int { return a.Rank - b.Rank }) {
				t.Errorf("trace %v: spans %+v, want %+v", trace, out.Trace.Spans, want)
			}
		}
	})
}

// The first failure is the run's: who, where and why. What is left beside it stays.
func TestFailures(t *testing.T) {
	reason, later := errors.New("the reason"), errors.New("later")
	for name, c := range map[string]struct {
		body func(cluster.Proc) error
		op   string
		err  string
	}{
		"body":  {func(cluster.Proc) error { return reason }, "body", "the reason"},
		"panic": {func(cluster.Proc) error { panic("trouble") }, "panic", "core_test.go"}, // its stack
		"thread": {func(p cluster.Proc) error {
			p.Go("t", func(cluster.Proc) error { panic(reason) })
			return cluster.Sleep(p, time.Hour)
		}, "panic", "the reason"},
	} {
		within(t, func(t *testing.T) {
			b := newBench(2, rank.Config{})
			out, err := b.run(func(p cluster.Proc) error {
				if _, err := receive(p); err != nil {
					return err
				}
				var m cluster.Msg
				err := cluster.Wait(p, p.Irecv(1, 7, &m))
				var a *cluster.AbortError
				if again := cluster.Wait(p, p.Isend(1, 7, &m)); !errors.As(err, &a) || again != err {
					t.Errorf("%s: the other rank's calls: %v, then %v", name, err, again)
				}
				return later
			}, func(p cluster.Proc) error {
				return errors.Join(cluster.Sleep(p, time.Second), c.body(p))
			})
			var a *cluster.AbortError
			if !errors.As(err, &a) || a.Rank != 1 || a.Op != c.op || !strings.Contains(err.Error(), c.err) || b.Now() != time.Second {
				t.Errorf("%s: %+v after %v", name, err, b.Now())
			}
			b.Mu.Lock()
			b.Stop(&cluster.AbortError{Rank: 0, Op: "context", Err: later})
			b.Mu.Unlock()
			if _, again := b.Outcome(); again != err {
				t.Errorf("%s: a later failure made it %v", name, again)
			}
			if len(out.Results) != 2 || out.Results[1] == nil && name == "body" {
				t.Errorf("%s: results %v", name, out.Results)
			}
		})
	}
}

// An error of a computation or thread that nobody waited for is not lost; one that was returned to somebody is theirs.
func TestUnseen(t *testing.T) {
	reason := errors.New("the reason")
	compute := func(p cluster.Proc) cluster.Req {
		return p.Start(func(func(int)) error { return reason }, cluster.Work{})[0]
	}
	thread := func(p cluster.Proc) cluster.Req {
		return p.Go("aside", func(cluster.Proc) error { return reason })
	}
	for name, c := range map[string]struct {
		start func(cluster.Proc) cluster.Req
		see   func(cluster.Proc, cluster.Req)
		op    string
	}{
		"computation":              {compute, func(cluster.Proc, cluster.Req) {}, "computation"},
		"thread":                   {thread, func(cluster.Proc, cluster.Req) {}, "thread aside"},
		"computation, by WaitAny":  {compute, func(p cluster.Proc, q cluster.Req) { _ = cluster.Wait(p, q) }, ""},
		"thread, by WaitAny":       {thread, func(p cluster.Proc, q cluster.Req) { _ = cluster.Wait(p, q) }, ""},
		"computation, by Err":      {compute, func(_ cluster.Proc, q cluster.Req) { _ = q.Err() }, ""},
		"computation, Done is not": {compute, func(_ cluster.Proc, q cluster.Req) { q.Done() }, "computation"},
	} {
		within(t, func(t *testing.T) {
			b := newBench(2, rank.Config{})
			ok(t)(b.run(func(cluster.Proc) error { return nil }, func(p cluster.Proc) error {
				q := c.start(p)
				err := cluster.Sleep(p, time.Second)
				c.see(p, q)
				return err
			}))
			r, op, err := b.Unseen()
			if seen := c.op == ""; op != c.op || seen != (err == nil) || !seen && (r != 1 || !errors.Is(err, reason)) {
				t.Errorf("%s: rank %d, %q, %v, want %q", name, r, op, err, c.op)
			}
		})
	}
}

// Requests belong to their rank, a Proc to its thread, and only receives are cancelled.
func TestMistakesPanic(t *testing.T) {
	for want, mistake := range map[string]func(p cluster.Proc, of1 cluster.Req) error{
		"not its own": func(p cluster.Proc, of1 cluster.Req) error { return cluster.Wait(p, of1) },
		"cancels a compute; only receives": func(p cluster.Proc, _ cluster.Req) error {
			p.Cancel(p.Start(nil, cluster.Work{})[0])
			return nil
		},
		"used by another thread": func(p cluster.Proc, _ cluster.Req) error {
			return cluster.Wait(p, p.Go("t", func(cluster.Proc) error { p.Now(); return nil }))
		},
		"peer 2 of 2 ranks": func(p cluster.Proc, _ cluster.Req) error { p.Isend(2, 1, &cluster.Msg{}); return nil },
	} {
		within(t, func(t *testing.T) {
			var of1 cluster.Req
			_, err := newBench(2, rank.Config{}).run(func(p cluster.Proc) error {
				return errors.Join(cluster.Sleep(p, time.Second), mistake(p, of1))
			}, func(p cluster.Proc) error {
				var m cluster.Msg
				of1 = p.Irecv(0, 7, &m)
				return cluster.Sleep(p, time.Hour)
			})
			var v *cluster.PanicError
			if !errors.As(err, &v) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want a panic about %q", err, want)
			}
		})
	}
}
