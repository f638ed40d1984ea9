package codedsgd

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

func verdictIs(t *testing.T, c result.Claim, want string, words ...string) {
	t.Helper()
	if c.Verdict != want {
		t.Errorf("%s: %s, want %s: %v, %s", c.ID, c.Verdict, want, c.Measured, c.Why)
	}
	for _, w := range words {
		if text, _ := c.Measured.(string); !strings.Contains(text+c.Why, w) {
			t.Errorf("%s does not say %q: %v, %s", c.ID, w, c.Measured, c.Why)
		}
	}
}

func TestJudgeOrders(t *testing.T) {
	good := []crossing{at(2, [4]float64{8, 8, 4}, [4]float64{2, 2, 0}), at(4, [4]float64{9, 7, 5, 4}, [4]float64{12, 4, 3, 2})}
	verdictIs(t, judgeFaster(good), claims.SameSign, "6 of 6")
	verdictIs(t, judgeLess(good), claims.SameSign, "3 of 3 comparisons, 1 of these with r = n", "r = 2 saves 62.5 % of SSGD Multicast's, r = 3 saves 50.0 %")
	verdictIs(t, judgeMulticast(good), claims.SameSign, "on more than 2 nodes; on 2 both are one", "no two ways", "to the letter")
	verdictIs(t, judgeMulticast(good[1:]), claims.SameSign)
	if c := judgeMulticast(good[1:]); strings.Contains(c.Why, "letter") || c.Measured != "multicast is sooner" {
		t.Errorf("C35 without 2 nodes: %v, %s", c.Measured, c.Why)
	}
	bad := []crossing{good[0], at(4, [4]float64{9, 4.5, 5, 4}, [4]float64{12, 4, 4, 2})} // r = 2 is not ahead of multicast, and equal bytes are not fewer
	verdictIs(t, judgeFaster(bad), claims.Differs, "5 of 6", "lower than SSGD Multicast with r = 2 on 2 nodes and r = 3 on 4 nodes")
	verdictIs(t, judgeLess(bad), claims.Differs, "2 of 3", "r = 2 on 2 nodes and r = 3 on 4 nodes")
	verdictIs(t, judgeMulticast([]crossing{good[0], at(4, [4]float64{7, 7, 1, 1}, [4]float64{})}), claims.Differs)
	verdictIs(t, judgeMulticast([]crossing{at(2, [4]float64{7, 8, 1}, [4]float64{})}), claims.Differs)
}

func TestJudgeMatters(t *testing.T) {
	much, little := []crossing{at(4, [4]float64{10, 8, 5, 4}, [4]float64{})}, []crossing{at(4, [4]float64{10, 8, 9, 8}, [4]float64{})}
	verdictIs(t, judgeMatters(much, little), claims.SameSign, "CNN 15.0 %, DNN 55.0 %", "on 4 nodes")
	verdictIs(t, judgeMatters(little, much), claims.Differs)
	loss, less := []crossing{at(4, [4]float64{10, 8, 12, 13}, [4]float64{})}, []crossing{at(4, [4]float64{10, 8, 11, 11}, [4]float64{})}
	verdictIs(t, judgeMatters(less, loss), claims.SameSign, "on the mean neither saves anything")
	verdictIs(t, judgeMatters(much, loss), claims.SameSign, "the CNN saves nothing")
	verdictIs(t, judgeMatters(loss, much), claims.Differs, "the DNN saves nothing")
	if c := judgeMatters(much, little); strings.Contains(c.Measured.(string), "nothing") {
		t.Errorf("C31: %v", c.Measured)
	}
	if x := meanReduction(much, multicast); math.Abs(x-43.75) > 1e-9 { // (37.5 + 50)/2
		t.Errorf("of multicast %g %%", x)
	}
}

// Two nodes at best 1 s per batch with r = 2; eight with 2 s (r = 2) or 1.5 s (r = 3):
// eight nodes make 4·1/1.5 = 2.67 times the samples per second.
func TestJudgeScaling(t *testing.T) {
	few := at(2, [4]float64{9, 9, 1}, [4]float64{})
	cs := []crossing{few, at(8, [4]float64{9, 9, 2, 1.5}, [4]float64{})}
	verdictIs(t, judgeScaling(cs, dnn, []float64{100, 350}, "beside"), claims.SameSign, "ASGD 3.50 times", "CSSGD 2.67 times", "r = 3 takes 0.75 times", "no alternative", "; beside")
	verdictIs(t, judgeScaling(cs, dnn, []float64{100, 361}, "beside"), claims.Differs)
	linear := []crossing{few, at(8, [4]float64{9, 9, 1.2, 1.1}, [4]float64{})}
	verdictIs(t, judgeScaling(linear, dnn, []float64{100, 200}, "beside"), claims.Differs, "CSSGD 3.64 times")
	useless := []crossing{few, at(8, [4]float64{9, 9, 2, 2.1}, [4]float64{})}
	verdictIs(t, judgeScaling(useless, dnn, []float64{100, 200}, "beside"), claims.Differs)
}

func TestJudgeFinals(t *testing.T) {
	ok := finals{Title: "DNN", Serial: []float64{0.9, 0.92}, SSGD: []float64{0.9, 0.901}, ASGD: []float64{0.95, 0.9}}
	verdictIs(t, judgeFinals([]finals{ok, ok}), claims.SameSign, "SSGD and CSSGD: -0.95 points", "ASGD: +1.50 points")
	low := ok
	low.ASGD = []float64{0.899, 0.899} // 1.1 points below
	verdictIs(t, judgeFinals([]finals{ok, low}), claims.Differs, "1.10 points below")
	if c := judgeFinals([]finals{ok}); strings.Contains(c.Why, "times the updates: ") || !strings.Contains(c.Why, changed) {
		t.Errorf("C30: %s", c.Why)
	}
	long := ok
	long.Times, long.Longer = 2, []float64{0.93, 0.93}
	verdictIs(t, judgeFinals([]finals{long, ok}), claims.SameSign, "in 2 times the updates: DNN, SSGD and CSSGD: -2.95 points; DNN, ASGD: -0.50 points; the serial")
	low = ok
	low.SSGD = []float64{0.8, 0.9}
	verdictIs(t, judgeFinals([]finals{low, ok}), claims.Differs)
}

func TestJudgeLevel(t *testing.T) {
	verdictIs(t, judgeLevel("C07", choice{Picked: 80, Best: 0.9}, 3, nil), claims.Within, "90.0 %")
	verdictIs(t, judgeLevel("C07", choice{Picked: 84, Levels: []rung{{Percent: 84}, {Percent: 85}}}, 3, nil), claims.Within, "lowest candidate")
	if c := judgeLevel("C07", choice{Picked: 85, Levels: []rung{{Percent: 84}, {Percent: 85}}}, 3, nil); strings.Contains(c.Why, "lowest candidate") {
		t.Error(c.Why)
	}
	verdictIs(t, judgeLevel("C07", choice{Picked: 82}, 3, []string{"data"}), claims.SameSign)
	verdictIs(t, judgeLevel("C07", choice{Picked: 84, Levels: []rung{{Percent: 84}, {Percent: 85}}}, 3, nil), claims.Within, "lowest candidate")
	if c := judgeLevel("C07", choice{Picked: 85, Levels: []rung{{Percent: 84}, {Percent: 85}}}, 3, nil); strings.Contains(c.Why, "lowest candidate") {
		t.Error(c.Why)
	}
	verdictIs(t, judgeLevel("C07", choice{Picked: 82}, 3, []string{"data: other in place of MNIST"}), claims.SameSign, "neither confirms nor refutes")
	if c := judgeLevel("C07", choice{Picked: 82}, 3, []string{"up to 8 nodes, not 10"}); strings.Contains(c.Why, "refutes") {
		t.Errorf("C07 on the paper's data: %s", c.Why)
	}
	verdictIs(t, judgeLevel("C08", choice{Picked: 74}, 3, nil), claims.Differs)
	verdictIs(t, judgeLevel("C08", choice{Picked: 60, Below: true}, 3, nil), claims.Differs, "highest that all reach")
	verdictIs(t, judgeLevel("C08", choice{}, 3, nil), claims.NotRun)
}

// raced is a course of two seeds and four runs of ASGD on two node counts.
func raced(ends ...[]float64) course {
	c := course{largest: largest{plan: schooling{Net: dnn, Nodes: []int{4, 10}, Target: 0.82, Updates: 99}, seeds: []uint64{0, 1},
		ssgd: []trajectory{{}, {}}, asgd: make([]trajectory, 4)}}
	c.on = []crossing{at(4, [4]float64{9, 4, 5, 2}, [4]float64{}), at(10, [4]float64{9, 4, 6, 5}, [4]float64{})}
	c.updates = [][]float64{{10, 20}, {10, 20}}
	c.ends = ends
	return c
}

func TestJudgeSavings(t *testing.T) {
	c := raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	// CSSGD: 20 and 40 s on 4 nodes, 50 and 100 s on 10: halves of ASGD's throughout.
	x, ci := 0.0, (*[2]float64)(nil)
	if ours, base, nodes := c.pairs(judged); len(nodes) == 2 {
		x, ci = reductionOver(ours, base)
	}
	if math.Abs(x-50) > 1e-9 || ci == nil {
		t.Errorf("of ASGD %g %% (%v), want 50", x, ci)
	}
	verdictIs(t, judgeASGD("C02", c), claims.SameSign, "4, 10 nodes")
	verdictIs(t, judgeASGD("C02", raced([]float64{27, 55, 28, 54}, []float64{68, 137, 69, 136})), claims.Within)
	verdictIs(t, judgeASGD("C06", raced([]float64{10, 20, 10, 20}, []float64{30, 40, 30, 40})), claims.Differs, "other side of the null")
	missed := raced([]float64{40, 80, 40, 80}, []float64{100, math.NaN(), 100, 200})
	verdictIs(t, judgeASGD("C02", missed), claims.SameSign, "on 1 other node counts a run misses the target")
	verdictIs(t, judgeASGD("C02", raced([]float64{math.NaN(), 1, 1, 1}, []float64{1, 1, 1, math.NaN()})), claims.NotRun)
	// Against SSGD Multicast: 50 % and −25 %.
	verdictIs(t, judgeSSGD("C01", c.on, nil), claims.SameSign, "4 nodes 50.0 (r = 3), 10 nodes -25.0 (r = 3)", "deterministic")
	if got := judgeSSGD("C01", c.on, nil).Measured; got != 12.5 {
		t.Errorf("C01: %v %%, want 12.5", got)
	}
	verdictIs(t, judgeSSGD("C04", []crossing{at(4, [4]float64{9, 4, 5, 6}, [4]float64{})}, nil), claims.Differs)
}

func TestDiffers(t *testing.T) {
	c := raced(nil, nil)
	if d := c.differs(); len(d) != 0 {
		t.Errorf("the paper's own: %v", d)
	}
	c.plan.Width, c.plan.Target, c.plan.Nodes, c.target = 0.125, 0, []int{2, 8}, 0.75
	c.ssgd[0].Data = &result.Data{Name: "fashion-mnist"}
	d := strings.Join(c.differs(), "; ")
	for _, w := range []string{"fashion-mnist in place of MNIST", "1/8 of the width", "up to 8 nodes", "target 75 %"} {
		if !strings.Contains(d, w) {
			t.Errorf("%q lacks %q", d, w)
		}
	}
}
