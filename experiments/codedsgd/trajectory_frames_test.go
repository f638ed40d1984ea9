package codedsgd

import (
	"fmt"
	"testing"

	"gradsync/experiments/result"
)

// onSwitch changes a timing's seconds on the switch alone.
func onSwitch(c timing, seconds map[exchange]float64) timing {
	other := map[exchange]iteration{}
	for x, it := range c.Of[switched.Key] {
		if s, ok := seconds[x]; ok {
			it.Seconds = s
		}
		other[x] = it
	}
	c.Of[switched.Key] = other
	return c
}

// By hand: on 4 nodes CSSGD takes 5 s (r = 2) of 4, on 6 nodes on the switch 3 (r = 3)
// of 4.
func TestWhereCSSGDIsAhead(t *testing.T) {
	cs := []timing{at(4, [4]float64{9, 4, 5, 6}, [4]float64{}), onSwitch(at(6, [4]float64{9, 4, 5, 6}, [4]float64{}), map[exchange]float64{coded(3): 3})}
	reason := func(cs []timing) result.Claim { return result.Claim{Reasons: switchReason(cs)} }
	judgedAs(t, reason(cs), "", "switch-ahead.ahead", []args{{"nodes": 6, "r": 3, "saved": 25}}, "switch-ahead.mean", 0)
	judgedAs(t, reason(cs[:1]), "", "switch-none.mean", -25)
	if f := betterFrame(cs); fmt.Sprint(f.Rows[2][f.At("ahead")], f.Rows[3][f.At("ahead")], f.Rows[1][f.At("ahead")]) != "false true false" {
		t.Error(f.Rows)
	}
}

// On 2 nodes SSGD Unicast, which is r = 1, takes 3 s and r = 2 takes 4 of Multicast's 2;
// on 4 nodes 9, and r = 3 the 1 of Multicast's 4.
func TestUncodedSaves(t *testing.T) {
	cs := []timing{at(2, [4]float64{3, 2, 4}, [4]float64{}), at(4, [4]float64{9, 4, 5, 1}, [4]float64{})}
	near(t, "mean", uncodedSaves(cs, judged), 12.5, 1e-9) // (−50 + 75)/2
}

// The results of profile ci hold what they are made of: curves that end where the table of
// ends says, times that are updates times iterations, and no traffic where r = n.
func TestFigures(t *testing.T) {
	r := ran(t, fig4(), "ci", 0)
	f := r.Frame("curves")
	last := f.Rows[len(f.Rows)-1]
	if got, want := last[f.At("micro-medium")], cellOf(t, r, "ends", "seconds", "setting", "micro-medium", "method", "asgd"); got != want {
		t.Errorf("ASGD's curve ends after %v s, in the table of ends after %v", got, want)
	}
	r = ran(t, fig8(), "ci", 0)
	at := []any{"setting", "micro-medium", "nodes", 4, "method", "cssgd-r3"}
	x, u, ms := cellOf(t, r, "time", "seconds", at...).(float64), cellOf(t, r, "time", "updates", at...).(float64),
		cellOf(t, r, "time", "iteration", at...).(float64)
	near(t, "seconds to the target", x, u*ms/1e3, 1e-9)
	r = ran(t, fig9(), "ci", 0)
	if x := cellOf(t, r, "traffic", "once", "messages", "micro", "nodes", 2, "method", "cssgd-r2"); x != 0.0 {
		t.Errorf("with r = n %v GB are sent", x)
	}
	for _, e := range []string{"fig5", "fig6", "fig7", "fig10", "fig11", "fig14", "fig15"} {
		for _, x := range Experiments() {
			if x.ID == "codedsgd/"+e {
				ran(t, x, "ci", 0)
			}
		}
	}
}
