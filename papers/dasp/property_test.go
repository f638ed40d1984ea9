package dasp_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// drawSpeeds draws a cluster: a base time per worker, 1 to 9 ms, and 0 to 40 %
// jitter per iteration, from the schedule alone (no global randomness).
func drawSpeeds(t *rapid.T, n int) func(int, int64) time.Duration {
	base := rapid.SliceOfN(rapid.IntRange(1000, 9000), n, n).Draw(t, "base µs")
	jitter := rapid.SliceOfN(rapid.IntRange(0, 400), 16, 16).Draw(t, "jitter ‰")
	return func(w int, step int64) time.Duration {
		j := jitter[(int(step)*7+w*3)%len(jitter)]
		return time.Duration(base[w] * (1000 + j)) // µs·(1+j/1000), in ns
	}
}

// drawFaults draws up to three workers' departures and returns, never of everybody at once: worker 0 stays.
func drawFaults(t *rapid.T, n int) (faults []dasp.Event) {
	var at time.Duration
	for range rapid.IntRange(0, 3).Draw(t, "faults") {
		if n == 1 {
			return nil
		}
		w := rapid.IntRange(1, n-1).Draw(t, "who")
		at += time.Duration(rapid.IntRange(1, 30).Draw(t, "when ms")) * time.Millisecond
		faults = append(faults, dasp.Event{Kind: dasp.EventLeave, Worker: w, At: at})
		if rapid.Bool().Draw(t, "returns") {
			at += time.Duration(rapid.IntRange(1, 30).Draw(t, "back ms")) * time.Millisecond
			faults = append(faults, dasp.Event{Kind: dasp.EventJoin, Worker: w, At: at})
		}
	}
	return faults
}

// drawOptions draws the parameters of every method for n workers.
func drawOptions(t *rapid.T, n int) rivals.Options {
	o := rivals.Defaults(n)
	o.Smin = rapid.Int64Range(0, 8).Draw(t, "Smin")
	o.Smax = o.Smin + rapid.Int64Range(1, 12).Draw(t, "Smax-Smin")
	o.Alpha = float64(rapid.IntRange(0, 4).Draw(t, "4α")) / 4
	o.Wait = rapid.SampledFrom(dasp.WaitForms()).Draw(t, "wait").String()
	o.Staleness = rapid.Int64Range(0, 6).Draw(t, "s")
	o.Lower = rapid.Int64Range(0, 4).Draw(t, "s_L")
	o.Upper = o.Lower + rapid.Int64Range(0, 8).Draw(t, "s_U-s_L")
	o.Backup = rapid.IntRange(0, n-1).Draw(t, "m")
	return o
}

// drawSwitches draws DASP's switches too.
func drawSwitches(t *rapid.T, o rivals.Options) rivals.Options {
	o.Gap = rapid.SampledFrom([]string{"pre", "post"}).Draw(t, "gap")
	o.FSS = rapid.SampledFrom([]string{"recheck", "literal"}).Draw(t, "fss")
	o.Arrivals = rapid.SampledFrom([]string{"apart", "join"}).Draw(t, "arrivals")
	o.QISWeight = rapid.SampledFrom([]string{"1/N", "1"}).Draw(t, "qis weight")
	o.GroupWeight = rapid.SampledFrom([]string{"1/K", "1/N"}).Draw(t, "group weight")
	return o
}

// drawn checks f for numbers of workers and options.
func drawn(t *testing.T, f func(t *rapid.T, n int, o rivals.Options)) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "N")
		f(t, n, drawOptions(t, n))
	})
}

func mustPolicy(t rapid.TB, name string, o rivals.Options) dasp.Policy {
	p, err := rivals.New(name, o)
	must(t, err)
	return p
}

// TestEveryPolicyKeepsItsPromises: over random clusters, faults and switches no policy deadlocks, versions never go
// back, and each gradient is used or dropped exactly once (world checks the last two at every action).
func TestEveryPolicyKeepsItsPromises(t *testing.T) {
	for _, name := range rivals.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 8).Draw(t, "N")
				o := drawSwitches(t, drawOptions(t, n))
				s := newWorld(mustPolicy(t, name, o), n, drawSpeeds(t, n))
				s.faults = drawFaults(t, n)
				must(t, s.run(200))
				if s.pushes != s.used+s.dropped+s.waits() {
					t.Fatalf("%d pushes, but %d used, %d dropped, %d held", s.pushes, s.used, s.dropped, s.waits())
				}
			})
		})
	}
}

// TestSSPBound: nobody is answered more than s clocks ahead of the slowest.
func TestSSPBound(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) { checkClockBound(t, "ssp", o, o.Staleness, n) })
}

// TestDSSPGrantsStayUnderUpperBound: repeated grants never let a worker be
// answered more than s_U clocks ahead, whatever the straggler.
func TestDSSPGrantsStayUnderUpperBound(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) { checkClockBound(t, "dssp", o, o.Upper, n) })
}

func checkClockBound(t *rapid.T, name string, o rivals.Options, bound int64, n int) {
	s := newWorld(mustPolicy(t, name, o), n, drawSpeeds(t, n))
	s.onReply = func(_ dasp.Action, w int) {
		// begin has already started the next iteration, so the number of completed ones is step − 1.
		slow := s.step[w] - 1
		for v := range n {
			done := s.step[v] - 1
			if s.asks[v] {
				done++
			}
			slow = min(slow, done)
		}
		if gap := s.step[w] - 1 - slow; gap > bound {
			t.Fatalf("worker %d answered %d clocks ahead, bound %d", w, gap, bound)
		}
	}
	must(t, s.run(300))
}

// TestDASPBounds: in the default reading v_n − min(v) ≤ Smax right after every WSS and FSS answer, and v_new − min(v) ≤
// Smax + N − 2 at every instant (see the proof at New; for N = 1 the spread is at most 1).
func TestDASPBounds(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) {
		s := newWorld(mustPolicy(t, "dasp", o), n, drawSpeeds(t, n))
		s.faults = drawFaults(t, n)
		var group []int // answered in this event, with the group
		s.onReply = func(a dasp.Action, w int) {
			if a.State != dasp.QIS {
				group = append(group, w)
			}
		}
		s.onEvent = func() {
			for _, w := range group {
				if gap := s.held[w] - s.oldest(); gap > o.Smax {
					t.Fatalf("worker %d answered %d versions ahead, Smax %d", w, gap, o.Smax)
				}
			}
			group = group[:0]
			if spread := s.version - s.oldest(); spread > max(o.Smax+int64(n)-2, 1) {
				t.Fatalf("spread %d, want at most Smax + N − 2 = %d", spread, o.Smax+int64(n)-2)
			}
		}
		must(t, s.run(400))
	})
}

// TestQISIsNeverDelayed: the answer to a QIS gradient comes in the event of its
// push, in every reading but "join" (TestSwitches shows it delayed there).
func TestQISIsNeverDelayed(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) {
		o = drawSwitches(t, o)
		o.Arrivals = "apart"
		s := newWorld(mustPolicy(t, "dasp", o), n, drawSpeeds(t, n))
		s.onReply = func(a dasp.Action, w int) {
			if a.State == dasp.QIS && s.since[w] != s.now {
				t.Fatalf("worker %d in QIS waited %v", w, s.now-s.since[w])
			}
		}
		must(t, s.run(300))
	})
}

// TestQISStaysWithinSmin: no QIS answer has a tested gap past Smin, and with the
// post-update gap no QIS answer hands out a version past it either.
func TestQISStaysWithinSmin(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) {
		o = drawSwitches(t, o)
		o.Arrivals = "apart"
		s := newWorld(mustPolicy(t, "dasp", o), n, drawSpeeds(t, n))
		s.onReply = func(a dasp.Action, w int) {
			if a.State != dasp.QIS {
				return
			}
			if ahead := s.held[w] - s.oldest(); a.Gap > o.Smin || o.Gap == "post" && ahead > o.Smin && n > 1 {
				t.Fatalf("%s-update gap: worker %d in QIS, gap %d, handed out %d ahead, Smin %d", o.Gap, w, a.Gap, ahead, o.Smin)
			}
		}
		must(t, s.run(300))
	})
}

// TestSSP0ReleasesAtBSPsInstants: the instants of all answers agree.
func TestSSP0ReleasesAtBSPsInstants(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) {
		o.Staleness = 0
		speeds := drawSpeeds(t, n)
		if bsp, ssp := answers(t, "bsp", o, n, speeds), answers(t, "ssp", o, n, speeds); bsp != ssp {
			t.Fatalf("answers differ:\nbsp %s\nssp %s", bsp, ssp)
		}
	})
}

// answers lists who was answered when, in 40 rounds.
func answers(t *rapid.T, name string, o rivals.Options, n int, speeds func(int, int64) time.Duration) (list string) {
	s := newWorld(mustPolicy(t, name, o), n, speeds)
	s.onReply = func(_ dasp.Action, w int) { list += fmt.Sprintf("%d@%v ", w, s.now) }
	must(t, s.run(int64(40*n)))
	return list
}

// TestLimits: SSP without a bound is ASP, GSSP with groups of one is SSP and
// with one group ASP, backup without backup workers is BSP: action by action.
func TestLimits(t *testing.T) {
	drawn(t, func(t *rapid.T, n int, o rivals.Options) {
		speeds, faults := drawSpeeds(t, n), drawFaults(t, n)
		free := o
		free.Staleness = rivals.Unbounded
		single, whole, none := o, o, o
		single.Groups, whole.Groups, none.Backup = nil, [][]int{nil}, 0
		for w := range n {
			single.Groups = append(single.Groups, []int{w})
			whole.Groups[0] = append(whole.Groups[0], w)
		}
		same(t, "asp", o, "ssp", free, n, speeds, faults)
		same(t, "ssp", o, "gssp", single, n, speeds, faults)
		same(t, "asp", o, "gssp", whole, n, speeds, faults)
		same(t, "bsp", o, "backup", none, n, speeds, faults)
	})
}

// same fails unless two policies take the same actions at the same instants.
func same(t *rapid.T, a string, ao rivals.Options, b string, bo rivals.Options, n int,
	speeds func(int, int64) time.Duration, faults []dasp.Event) {
	var logs [2]string
	for i, p := range []dasp.Policy{mustPolicy(t, a, ao), mustPolicy(t, b, bo)} {
		s := newWorld(p, n, speeds)
		s.faults = faults
		s.onApply = func(x dasp.Action) { logs[i] += fmt.Sprintf("apply %v·%g@%v ", x.Workers, x.Weight, s.now) }
		s.onReply = func(x dasp.Action, w int) { logs[i] += fmt.Sprintf("reply %d %v@%v ", w, x.State, s.now) }
		must(t, s.run(150))
	}
	if logs[0] != logs[1] {
		t.Fatalf("%s and %s differ:\n%s\n%s", a, b, logs[0], logs[1])
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
