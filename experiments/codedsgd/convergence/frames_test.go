package convergence

import (
	"fmt"
	"testing"

	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// onSwitch changes the seconds on the switch alone.
func onSwitch(c iterations, seconds map[timing.Exchange]float64) iterations {
	other := map[timing.Exchange]timing.Iteration{}
	for x, it := range c.Of[timing.Switched.Key] {
		if s, ok := seconds[x]; ok {
			it.Seconds = s
		}
		other[x] = it
	}
	c.Of[timing.Switched.Key] = other
	return c
}

// By hand: on 4 nodes CSSGD takes 5 s (r = 2) of 4, on 6 nodes on the switch 3 (r = 3) of 4.
func TestWhereCSSGDIsAhead(t *testing.T) {
	cs := []iterations{at(4, [4]float64{9, 4, 5, 6}, [4]float64{}),
		onSwitch(at(6, [4]float64{9, 4, 5, 6}, [4]float64{}), map[timing.Exchange]float64{timing.Coded(3): 3})}
	reason := func(cs []iterations) result.Claim { return result.Claim{Reasons: switchReason(cs)} }
	kittest.JudgedAs(t, reason(cs), "", "switch-ahead.ahead", []map[string]any{{"nodes": 6, "r": 3, "saved": 25}}, "switch-ahead.mean", 0)
	kittest.JudgedAs(t, reason(cs[:1]), "", "switch-none.mean", -25)
	if f := betterFrame(cs); fmt.Sprint(f.Rows[2][f.At("ahead")], f.Rows[3][f.At("ahead")], f.Rows[1][f.At("ahead")]) != "false true false" {
		t.Error(f.Rows)
	}
}

// On 2 nodes r = 1 takes 3 s and r = 2 takes 4 of Multicast's 2; on 4 nodes r = 4 takes half
// a second, r = 3 one of Multicast's 4. The paper draws r = 2 and 3 alone.
func TestOptimalIsOfAllRedundancies(t *testing.T) {
	cs := []iterations{at(2, [4]float64{3, 2, 4}, [4]float64{}), at(4, [4]float64{9, 4, 5, 1}, [4]float64{})}
	cs[0].Of[timing.Judged.Key][timing.Coded(1)] = timing.Iteration{Seconds: 3}
	cs[1].Of[timing.Judged.Key][timing.Coded(4)] = timing.Iteration{Seconds: 0.5}
	kittest.Near(t, "of all", meanSaved(cs, timing.Multicast, timing.Judged), 18.75, 1e-9)                        // (−50 + 87.5)/2
	kittest.Near(t, "drawn", meanSavedAt(cs, timing.Multicast, timing.Judged, drawnR), -12.5, 1e-9)               // (−100 + 75)/2
	kittest.Near(t, "cut evenly", meanSavedAt(cs, timing.Multicast, timing.EvenVariants[0], everyR), -12.5, 1e-9) // has neither
	f := betterFrame(cs)
	if got := fmt.Sprint(f.Rows[0][f.At("r")], f.Rows[0][f.At("drawn_r")], f.Rows[1][f.At("r")], f.Rows[1][f.At("drawn_r")]); got != "1 2 4 3" {
		t.Errorf("best redundancies %s", got)
	}
}

// The results of profile ci hold what they are made of: curves that end where the table of ends says, times that are
// updates times iterations, and no traffic where r = n. All experiments of the room run, on the same trainings.
func TestFigures(t *testing.T) {
	oktest.Slow(t)
	for _, e := range append(Experiments(), ThreeAlgorithms()...) {
		kittest.Ran(t, e, "ci", 0)
	}
	r := kittest.Ran(t, fig4(), "ci", 0)
	f := r.Frame("curves")
	last := f.Rows[len(f.Rows)-1]
	if got, want := last[f.At("micro-medium")], kittest.CellAt(t, r, "ends", "seconds", "setting", "micro-medium", "method", "asgd"); got != want {
		t.Errorf("ASGD's curve ends after %v s, in the table of ends after %v", got, want)
	}
	r = kittest.Ran(t, fig8(), "ci", 0)
	at := []any{"setting", "micro-medium", "nodes", 4, "method", "cssgd-r3"}
	x, u, ms := kittest.CellAt(t, r, "time", "seconds", at...).(float64), kittest.CellAt(t, r, "time", "updates", at...).(float64),
		kittest.CellAt(t, r, "time", "iteration", at...).(float64)
	kittest.Near(t, "seconds to the target", x, u*ms/1e3, 1e-9)
	r = kittest.Ran(t, fig9(), "ci", 0)
	if x := kittest.CellAt(t, r, "traffic", "once", "messages", "micro", "nodes", 2, "method", "cssgd-r2"); x != 0.0 {
		t.Errorf("with r = n %v GB are sent", x)
	}
}
