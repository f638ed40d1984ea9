package faults_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

const ms = time.Millisecond

// none is a host without faults.
func none(int) faults.Host { return faults.Host{} }

func onVirtual(n int, seed uint64) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, clustertest.Host, nil), virtual.Config{Seed: seed, Trace: true})
}

func onLocal(n int, seed uint64) cluster.Runtime {
	return local.New(cluster.Uniform(n, clustertest.Host, nil), local.Config{Seed: seed, Trace: true, Emulate: true})
}

func onTCP(n int, _ uint64) cluster.Runtime { return tcp.Loopback(n, tcp.Config{Timeout: time.Minute}) }

// runtimes are all kinds.
var runtimes = []struct {
	name string
	make clustertest.Make
}{{"virtual", onVirtual}, {"local", onLocal}, {"tcp", onTCP}}

// TestConformance: a wrapper of Proc is a Proc, sentence by sentence.
func TestConformance(t *testing.T) {
	for _, rt := range runtimes[:2] {
		t.Run(rt.name, func(t *testing.T) {
			clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime { return faults.On(rt.make(n, seed), none) })
		})
	}
}

// TestACrashedRankIsSilent: on every runtime, rank 1 sends every 5 ms until it crashes, in a thread of its own too; rank 0
// hears what it sent until then and nothing of later, and the run ends well. On a machine that keeps rank 1 from sending
// anything the crash comes later and later.
func TestACrashedRankIsSilent(t *testing.T) {
	for _, rt := range runtimes {
		t.Run(rt.name, func(t *testing.T) {
			heard := untilCrash(t, rt.make, 52*ms)
			for crash := 520 * ms; (heard[0] == 0 || heard[1] == 0) && crash < time.Minute; crash *= 10 {
				heard = untilCrash(t, rt.make, crash)
			}
			if heard[0] == 0 || heard[1] == 0 || rt.name == "virtual" && heard != [2]int{10, 10} {
				t.Errorf("heard %v of each thread, in virtual time want 10", heard)
			}
		})
	}
}

// untilCrash returns how often rank 0 heard each thread of rank 1, which crashes.
func untilCrash(t *testing.T, make clustertest.Make, crash time.Duration) [2]int {
	t.Helper()
	crashing := faults.On(make(2, 1), func(rank int) faults.Host { return faults.Host{Crash: time.Duration(rank) * crash} })
	heard, _, err := cluster.Run(t.Context(), crashing, func(p cluster.Proc) ([2]int, error) {
		if p.Rank() == 0 {
			return listen(p, crash)
		}
		talk := func(tag cluster.Tag) func(cluster.Proc) error {
			return func(p cluster.Proc) error {
				for {
					if err := cluster.Sleep(p, 5*ms); err != nil {
						return err
					}
					slept := p.Now() // what is sent after the crash says so
					if err := cluster.Wait(p, p.Isend(0, tag, &cluster.Msg{Meta: [4]int64{int64(slept)}})); err != nil {
						return err
					}
				}
			}
		}
		p.Go("twin", talk(2))
		return [2]int{99, 99}, talk(1)(p)
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range heard[0] {
		if most := int(crash / (5 * ms)); n > most {
			t.Errorf("thread %d was heard %d times, want at most %d", k, n, most)
		}
	}
	if heard[1] != [2]int{} {
		t.Errorf("the crashed rank left %v", heard[1])
	}
	return heard[0]
}

// listen counts what comes by tags 1 and 2 until the crash, and then until nothing has come for 250 ms.
func listen(p cluster.Proc, crash time.Duration) (n [2]int, err error) {
	var m [2]cluster.Msg
	reqs := []cluster.Req{p.Irecv(1, 1, &m[0]), p.Irecv(1, 2, &m[1])}
	for {
		i, err := p.WaitAny(max(p.Now(), crash)+250*ms, reqs...)
		if errors.Is(err, cluster.ErrDeadline) {
			p.Cancel(reqs[0])
			p.Cancel(reqs[1])
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if sent := time.Duration(m[i].Meta[0]); sent >= crash {
			return n, fmt.Errorf("rank 1 crashes at %v and sends at %v", crash, sent)
		}
		n[i]++
		reqs[i] = p.Irecv(1, cluster.Tag(i+1), &m[i])
	}
}

// TestAPausedHostDoesNothing: on every runtime, what begins in a pause begins after it, and a wait that ends in one
// returns after it; two pauses that overlap are one.
func TestAPausedHostDoesNothing(t *testing.T) {
	pauses := []faults.Window{{From: 35 * ms, To: 60 * ms}, {From: 20 * ms, To: 40 * ms}, {From: 90 * ms, To: 120 * ms}}
	for _, rt := range runtimes {
		t.Run(rt.name, func(t *testing.T) {
			paused := faults.On(rt.make(1, 1), func(int) faults.Host { return faults.Host{Pauses: pauses} })
			at, _, err := cluster.Run(t.Context(), paused, func(p cluster.Proc) (at []time.Duration, err error) {
				for _, until := range []time.Duration{10, 30, 80, 200} {
					if _, err = p.WaitAny(until * ms); !errors.Is(err, cluster.ErrDeadline) {
						return nil, fmt.Errorf("wait: %w", err)
					}
					at = append(at, p.Now())
				}
				return at, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []time.Duration{10 * ms, 60 * ms, 80 * ms, 200 * ms} {
				if got := at[0][i]; got < want-ms || rt.name == "virtual" && got != want {
					t.Errorf("wait %d ended at %v, want %v", i, got, want)
				}
			}
		})
	}
}

// TestASlowHostComputesLonger: in virtual time exactly, and no longer than it is slow; on a clock that emulates at least.
func TestASlowHostComputesLonger(t *testing.T) {
	for _, x := range []struct {
		make clustertest.Make
		slow faults.Window
		want []time.Duration
	}{{onVirtual, faults.Window{From: 5 * ms, To: 20 * ms}, []time.Duration{10 * ms, 25 * ms, 10 * ms}},
		{onLocal, faults.Window{To: time.Hour}, []time.Duration{25 * ms, 25 * ms, 25 * ms}}} {
		slow := func(int) faults.Host { return faults.Host{Slow: []faults.Slowness{{Window: x.slow, Factor: 2.5}}} }
		took, _, err := cluster.Run(t.Context(), faults.On(x.make(1, 1), slow), func(p cluster.Proc) (took []time.Duration, err error) {
			for range x.want {
				from := p.Now()
				if err := cluster.Compute(p, cluster.Work{FLOP: 4e6, Fixed: 6 * ms}, nil); err != nil {
					return nil, err
				}
				took = append(took, p.Now()-from)
			}
			return took, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		exact := x.slow.From > 0
		for i, want := range x.want {
			if got := took[0][i]; got < want-ms || exact && got != want {
				t.Errorf("slow %v: computation %d took %v, want %v", x.slow, i, got, want)
			}
		}
	}
}

// TestOthersErrorsPass: a rank that waits for a crashed one is in deadlock by name, and a panic is no crash.
func TestOthersErrorsPass(t *testing.T) {
	crashing := faults.On(onVirtual(2, 1), func(rank int) faults.Host { return faults.Host{Crash: time.Duration(rank) * ms} })
	_, _, err := cluster.Run(t.Context(), crashing, func(p cluster.Proc) (int, error) {
		return 0, cluster.Wait(p, p.Irecv(1-p.Rank(), 7, &cluster.Msg{}))
	})
	var dead *cluster.DeadlockError
	if !errors.As(err, &dead) || len(dead.Waiters) != 1 || dead.Waiters[0] != (cluster.Waiter{Op: "recv", Peer: 1, Tag: 7}) {
		t.Errorf("%v, want rank 0's wait for rank 1", err)
	}
	_, _, err = cluster.Run(t.Context(), faults.On(onVirtual(1, 1), none), func(cluster.Proc) (int, error) { panic("mine") })
	if err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("%v, want the panic", err)
	}
}

func elasticVirtual(n int, seed uint64) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, clustertest.Host, nil), virtual.Config{Seed: seed, Trace: true, Elastic: true})
}

// TestElasticConformance: what a Proc has beside the contract is found in its wrapper, in all threads, and keeps its own.
func TestElasticConformance(t *testing.T) {
	clustertest.Survival(t, func(n int, seed uint64) cluster.Runtime { return faults.On(elasticVirtual(n, seed), none) })
	clustertest.Survival(t, func(n int, seed uint64) cluster.Runtime {
		return faults.On(local.New(cluster.Uniform(n, clustertest.Host, nil), local.Config{Seed: seed, Trace: true, Elastic: true}), none)
	})
	_, _, err := cluster.Run(t.Context(), faults.On(onVirtual(1, 1), none), func(p cluster.Proc) (int, error) {
		if _, has := p.(cluster.Survivor); has {
			return 0, errors.New("found where it is not")
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestACrashIsALossOnAnElasticRun: rank 1 crashes at 5 ms, in a pause that began before; the others are told at that
// instant, and the run ends well.
func TestACrashIsALossOnAnElasticRun(t *testing.T) {
	host := func(rank int) faults.Host {
		if rank != 1 {
			return faults.Host{}
		}
		return faults.Host{Crash: 5 * ms, Pauses: []faults.Window{{From: ms, To: 9 * ms}}}
	}
	told, trace, err := cluster.Run(t.Context(), faults.On(elasticVirtual(3, 1), host), func(p cluster.Proc) (string, error) {
		s, ok := p.(cluster.Survivor)
		if !ok {
			return "", errors.New("no survivor")
		}
		err := cluster.Wait(p, p.Irecv(1, 1, &cluster.Msg{}))
		return fmt.Sprint(p.Now(), s.Alive(), err), nil
	})
	want := "5ms [0 2] cluster: rank 1 is lost"
	if err != nil || told[0] != want || told[1] != "" || told[2] != want || fmt.Sprint(trace.Lost) != "[1]" {
		t.Errorf("%q, lost %v, %v", told, trace.Lost, err)
	}
}

// TestScheduleIsOfSeedAndRank: the same for ever, by a sum over many; within the mix's bounds; another by each.
func TestScheduleIsOfSeedAndRank(t *testing.T) {
	m := faults.Mix{Within: 600 * ms, Crash: 0.25, Pause: 0.4, Longest: 300 * ms, Late: 0.1, Slow: 0.3, Factor: 2.5}
	if got, want := m.Draw(1, 2).String(), "pause 373.783ms–376.735ms, ×2 410.026ms–756.174ms"; got != want {
		t.Errorf("seed 1, rank 2: %s, want %s", got, want)
	}
	seen := map[string]int{}
	var crashes, pauses, late, slow int
	for seed := range uint64(500) {
		for rank := range 4 {
			h := m.Draw(seed, rank)
			if h.String() != m.Draw(seed, rank).String() {
				t.Fatal("two draws differ")
			}
			seen[h.String()]++
			if h.Crash > 0 {
				crashes++
			}
			pauses += len(h.Pauses)
			for _, w := range h.Pauses {
				if w.From == 0 {
					late++
				}
				if w.From < 0 || w.From >= m.Within || w.To <= w.From || w.To > w.From+m.Longest {
					t.Errorf("pause %+v", w)
				}
			}
			for _, s := range h.Slow {
				slow++
				if s.Factor < 1 || s.Factor > m.Factor || s.To <= s.From {
					t.Errorf("slowness %+v", s)
				}
			}
			if h.None() != (h.String() == "no fault") {
				t.Errorf("None of %s", h)
			}
		}
	}
	if crashes < 450 || crashes > 550 || pauses < 1400 || pauses > 1670 || late < 150 || late > 250 || slow < 530 || slow > 670 || len(seen) < 1300 {
		t.Errorf("of 2,000 ranks %d crash, %d pauses, %d at the start, %d are slow, %d differ", crashes, pauses, late, slow, len(seen))
	}
	if quiet := (faults.Mix{Within: ms}).Draw(3, 1); !quiet.None() {
		t.Errorf("a mix of nothing: %v", quiet)
	}
}
