package codedsgd

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// onSwitch changes a crossing's seconds on the switch alone.
func onSwitch(c crossing, seconds map[exchange]float64) crossing {
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
func TestSwitchWords(t *testing.T) {
	cs := []crossing{at(4, [4]float64{9, 4, 5, 6}, [4]float64{}), onSwitch(at(6, [4]float64{9, 4, 5, 6}, [4]float64{}), map[exchange]float64{coded(3): 3})}
	if got := switchNote(cs); !strings.Contains(got, "time: 25.0 % on 6 nodes (r = 3) (mean over all numbers of nodes 0.0 %)") || !strings.Contains(got, "In no other") {
		t.Error(got)
	}
	if got := switchNote(cs[:1]); !strings.Contains(got, "saves nothing of SSGD Multicast's time on any number of nodes (mean over all -25.0 %)") {
		t.Error(got)
	}
	cs = append(cs, at(8, [4]float64{9, 4, 3, 6}, [4]float64{}))
	if got := switchNote(cs); strings.Contains(got, "In no other") || !strings.Contains(got, "25.0 % on 8 nodes (r = 2)") {
		t.Error(got)
	}
	verdictIs(t, judgeFaster(cs), claims.Differs, "25.0 % on 6 nodes (r = 3)", "our reading")
	verdictIs(t, judgeSSGD("C01", cs, nil), claims.Differs, "25.0 % on 6 nodes (r = 3)")
	if c := judgeLess(cs); strings.Contains(c.Why, "switch") {
		t.Errorf("C20 is of bytes: %s", c.Why)
	}
}

// On 2 nodes SSGD Unicast, which is r = 1, takes 3 s and r = 2 takes 4 of Multicast's 2;
// on 4 nodes 9, and r = 3 the 1 of Multicast's 4.
func TestOptimalNote(t *testing.T) {
	cs := []crossing{at(2, [4]float64{3, 2, 4}, [4]float64{}), at(4, [4]float64{9, 4, 5, 1}, [4]float64{})}
	nodes, mean := uncodedFaster(cs, judged)
	if words(nodes) != "2" || math.Abs(mean-12.5) > 1e-9 { // (−50 + 75)/2
		t.Errorf("faster on %v, mean %g", nodes, mean)
	}
	if got := optimalNote(cs); !strings.Contains(got, "faster on 2 nodes") || !strings.Contains(got, "saves 12.5 %") {
		t.Error(got)
	}
	if got := optimalNote(cs[1:]); !strings.Contains(got, "faster on no number of nodes") {
		t.Error(got)
	}
}

func TestEarlyNote(t *testing.T) {
	c := raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	if got := c.earlyNote(); got != "" {
		t.Errorf("no number of nodes is small: %s", got)
	}
	// 2 nodes in place of 4: alone on 10 nodes CSSGD takes 5 s per update of 4, half of
	// ASGD's 10.
	c.on[0].Nodes = 2
	got := c.earlyNote()
	for _, w := range []string{"passed after 15.0 updates on 2 nodes:", "takes 25.0 % more than SSGD Multicast's time", "saves 50.0 % of ASGD's"} {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in %q", w, got)
		}
	}
	verdictIs(t, judgeSSGD("C01", c.on, nil), claims.SameSign, "over 4 nodes and more alone the mean is -25.0 %")
	verdictIs(t, judgeASGD("C02", c), claims.SameSign, "over 4 nodes and more alone 50.0 %")
}

// Times to the target from 2 to 10 nodes: CSSGD 30 to 75 s, ASGD 60 to 150.
func TestGrowth(t *testing.T) {
	c := raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	c.rate, c.stale = []float64{640, 3200}, []float64{3, 8.5}
	// 60 s · 640 samples/s in batches of 640; 150 · 3200 in batches of 1600.
	for _, w := range []string{"from 4 to 10 nodes", "staleness goes from 3 to 8.5 versions", "from 60 to 300 updates", "synchronous: 15 to 15", "target from 60 to 150 s", "CSSGD's from 30 to 75 s"} {
		if got := c.growth(); !strings.Contains(got, w) {
			t.Errorf("%q is not in %q", w, got)
		}
	}
}

// C12 is of both networks: quick trains the CNN's ASGD 3 times, paper both 10 times.
func TestJudgeRuns(t *testing.T) {
	verdictIs(t, judgeRuns("quick", []uint64{0, 1, 2}), claims.Differs, "DNN 10, CNN 3")
	verdictIs(t, judgeRuns("paper", []uint64{0, 1, 2}), claims.Equal, "DNN 10, CNN 10")
}

func TestWholeRunSaysWhatItClips(t *testing.T) {
	w := wholeRun{nodes: 8, updates: 240, equal: true}
	if got := w.clips(); !strings.Contains(got, "by rounding") {
		t.Error(got)
	}
	w.whole.Clipped, w.micro.Clipped = 72140, 3290
	if got := w.clips(); !strings.Contains(got, "not to the last bit") || !strings.Contains(got, "72140 elements (seed 0, 8 nodes, 240 updates); of micro-blocks 3290") {
		t.Error(got)
	}
	if w.equal = false; strings.Contains(w.clips(), "3290") {
		t.Error("trainings of other lengths are compared")
	}
	largest := largest{whole: w}
	if got := largest.first(ethernet); !strings.Contains(got, "72140") {
		t.Error(got)
	}
	if got := largest.first(switched); strings.Contains(got, "72140") {
		t.Errorf("micro-blocks: %s", got)
	}
}
