package versions

import (
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// pushed is one line of a hand-made log: worker, version computed on, instant
// of arrival, of the answer (0: none before the end) and whether others delayed
// it.
type pushed struct {
	worker           int
	pulled           int64
	received, answer int // ms
	held             bool
}

// sspLog makes the log of a method that applies every gradient 1 ms after it
// came.
func sspLog(workers int, lines []pushed) *dasp.Log {
	l := &dasp.Log{Workers: workers}
	for i, p := range lines {
		at := time.Duration(p.received) * time.Millisecond
		state := dasp.QIS
		if p.held || p.answer == 0 {
			state = 0
		}
		l.Pushes = append(l.Pushes, dasp.Push{Worker: p.worker, Pulled: p.pulled, Applied: int64(i + 1), Received: at,
			Replied: time.Duration(p.answer) * time.Millisecond, State: state, Abandoned: p.answer == 0})
		l.Updates = append(l.Updates, dasp.Update{Version: int64(i + 1), At: at + time.Millisecond})
		l.End = at + time.Millisecond
	}
	return l
}

// byHand is SSP with s = 1 and three workers, worked out on paper. Beside each
// push: v before it, v_new, and what Smin = 1 and Smax = 2 make of it.
var byHand = []pushed{
	{0, 0, 10, 11, false},  // 0 0 0, 0: oldest
	{1, 0, 12, 13, false},  // 1 0 0, 1: oldest
	{1, 2, 20, 31, true},   // 1 2 0, 2: 2 > Smin, 3 − 0 > Smax; clocks 1 2 0: waits
	{0, 1, 22, 31, true},   // 1 2 0, 3: 1 ≤ Smin, 4 − 0 > Smax; clocks 2 2 0: waits
	{2, 0, 30, 31, false},  // 1 2 0, 4: oldest; releases both
	{2, 5, 40, 41, false},  // 5 5 5, 5
	{0, 5, 41, 42, false},  // 5 5 6, 6: oldest
	{0, 7, 45, 51, true},   // 7 5 6, 7: 2 > Smin, 8 − 5 > Smax; clocks 4 2 2: waits
	{1, 5, 46, 47, false},  // 7 5 6, 8: oldest
	{2, 6, 50, 51, false},  // 7 9 6, 9: oldest; releases worker 0
	{1, 9, 52, 53, false},  // 10 9 10, 10: oldest
	{2, 10, 54, 55, false}, // 10 11 10, 11: oldest
	{1, 11, 55, 56, false}, // 10 11 12, 12: 1 ≤ Smin, 13 − 10 > Smax; clocks 4 5 4
	{2, 12, 56, 57, false}, // 10 13 12, 13: 2 > Smin, 14 − 10 > Smax; clocks 4 5 5
	{1, 13, 58, 0, false},  // 10 13 14: waits until the end: not counted
}

func handOptions(s int64) rivals.Options {
	o := rivals.Defaults(3)
	o.Smin, o.Smax, o.Staleness = 1, 2, s
	return o
}

func TestCensusByHand(t *testing.T) {
	c := oktest.Must(countPushes(sspLog(3, byHand), retrace.PolicyOf("ssp", handOptions(1)), handOptions(1)))(t)
	if want := [tests][2][2]int{{{10, 1}, {1, 2}}, {{9, 2}, {0, 3}}}; c.Count != want {
		t.Errorf("counts %v, want %v", c.Count, want)
	}
	// 31 − 21 and 31 − 23 ms, 51 − 46 ms: 10, 8 and 5; the 8 is in vain by Smin.
	for test, want := range [tests][2]float64{{0.008, 0.015}, {0, 0.023}} {
		for a := range want {
			if math.Abs(c.Seconds[test][a]-want[a]) > 1e-12 {
				t.Errorf("test %d, ahead %d: %g s waited, want %g", test, a, c.Seconds[test][a], want[a])
			}
		}
	}
	if want := 3 * 0.059; math.Abs(c.Length-want) > 1e-12 {
		t.Errorf("%g worker-seconds, want %g", c.Length, want)
	}
	if waits, all := c.waited(); waits != 3 || all != 14 {
		t.Errorf("%d of %d waited, want 3 of 14", waits, all)
	}
	if x := vainShare([]census{c}, bySmin).Value; math.Abs(x-100./3) > 1e-13 {
		t.Errorf("share in vain by Smin %g, want a third", x)
	}
	// The slowest worker has 4 pushes at the two that are ahead and not delayed, and
	// at most 2 at the three waits.
	for s, want := range map[int64][tests][2]int{1: {{0, 1}, {0, 2}}, 3: {{0, 2}, {0, 3}}, 4: {{1, 2}, {2, 3}}} {
		c, err := countPushes(sspLog(3, byHand), retrace.PolicyOf("ssp", handOptions(1)), handOptions(s))
		if err != nil || c.Early != want {
			t.Errorf("head start of %d pushes: %v (%v), want %v", s, c.Early, err, want)
		}
	}
	all := pool([]census{c, c})
	if all.Count[bySmax] != [2][2]int{{18, 4}, {0, 6}} || math.Abs(all.Length-2*c.Length) > 1e-12 ||
		all.Early != [tests][2]int{{0, 2}, {0, 4}} || math.Abs(all.Seconds[bySmin][0]-0.016) > 1e-12 {
		t.Errorf("two pooled: %+v", all)
	}
}

// A log that is not its policy's run is refused.
func TestRetraceRefusesAnotherRun(t *testing.T) {
	for what, change := range map[string]func(*dasp.Log){
		"is of version": func(l *dasp.Log) { l.Pushes[5].Pulled = 4 },
		"was answered":  func(l *dasp.Log) { l.Pushes[2].State = dasp.QIS },
	} {
		l := sspLog(3, byHand)
		change(l)
		err := retrace.Log(l, retrace.PolicyOf("ssp", handOptions(1)), dasp.DurationCompute, func(retrace.Sight) {}, nil)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one with %q", err, what)
		}
	}
	if err := retrace.Log(sspLog(3, byHand), retrace.PolicyOf("ssp", handOptions(2)), dasp.DurationCompute, func(retrace.Sight) {}, nil); err == nil {
		t.Error("the log of s = 1 passes for one of s = 2")
	}
}

func TestFollowByHand(t *testing.T) {
	s := oktest.Must(follow(sspLog(3, byHand), retrace.PolicyOf("ssp", handOptions(1)), 1, 2))(t)
	// Worker 1 after each push, until everybody has pushed twice (push 6).
	for i, want := range [][2]int64{{0, 0}, {1, 2}, {2, 2}, {2, 2}, {1, 0}, {0, 0}} {
		if s.Clock[i] != want[0] || s.Version[i] != want[1] {
			t.Errorf("after push %d: gaps %d and %d, want %v", i, s.Clock[i], s.Version[i], want)
		}
	}
	if len(s.Ms) != 6 || s.Ms[5] != 40 {
		t.Errorf("instants %v, want six, the last at 40 ms", s.Ms)
	}
}

// With s without bound nobody waits. With s = 0 every round of six is answered
// at its last push: five sixths wait, nobody ever ahead of anybody.
func TestCensusAtTheEnds(t *testing.T) {
	for _, cluster := range clusters {
		for s, wantWaits := range map[int64]float64{rivals.Unbounded: 0, 0: 5. / 6} {
			cfg := setup.Timing(setup.Load(cluster), "ssp", "lenet5", 3)
			cfg.Options.Staleness = s
			c := oktest.Must(newCensus(timed(t, cfg), *cfg.Options))(t)
			waits, all := c.waited()
			if all < 290 || float64(waits) != wantWaits*float64(all) {
				t.Errorf("%s, s = %d: %d of %d waited, want the share %g", cluster, s, waits, all, wantWaits)
			}
			if s == 0 && (c.Count[bySmin] != [2][2]int{{all - waits, 0}, {waits, 0}} || c.Count[bySmax] != c.Count[bySmin]) {
				t.Errorf("%s, s = 0: counts %v: somebody is ahead in lock-step", cluster, c.Count)
			}
			if waits == 0 && c.Seconds != [tests][2]float64{} {
				t.Errorf("%s: nobody waited %v s", cluster, c.Seconds)
			}
		}
	}
}

// The census agrees with what the server itself counted, and every wait lasts.
func TestCensusAgreesWithTheServer(t *testing.T) {
	for _, method := range clockMethods {
		for _, cluster := range []string{setup.Heterogeneous, setup.Straggler} {
			cfg := setup.Timing(setup.Load(cluster), method, "resnet18", 1)
			o := timed(t, cfg)
			c := oktest.Must(newCensus(o, *cfg.Options))(t)
			waits, all := c.waited()
			held := o.StateShare["held"]
			if int64(all) != o.Answered || waits == 0 || math.Abs(float64(waits)/float64(all)-held) > 1e-12 || math.Abs(c.Own.Waited-held) > 1e-12 {
				t.Errorf("%s, %s: %d of %d waited, the server says %g of %d", method, cluster, waits, all, o.StateShare["held"], o.Answered)
			}
			for _, p := range o.Log.Pushes {
				if !p.Abandoned && (p.Replied > o.Log.Updates[p.Applied-1].At) != (p.State == 0) {
					t.Fatalf("%s: %+v: held %t, answered %v after its update", method, p, p.State == 0, p.Replied-o.Log.Updates[p.Applied-1].At)
				}
			}
		}
	}
}

// timed makes a short timing-only run with its log.
func timed(t *testing.T, cfg train.Config) *train.Outcome {
	t.Helper()
	cfg.Engine, cfg.MaxPushes, cfg.Warmup = "portable", 300, 0
	return oktest.Must(train.Run(t.Context(), cfg))(t)
}
