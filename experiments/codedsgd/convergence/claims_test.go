package convergence

import (
	"fmt"
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
)

func TestJudgeOrders(t *testing.T) {
	good := []iterations{at(2, [4]float64{8, 8, 4}, [4]float64{2, 2, 0}), at(4, [4]float64{9, 7, 5, 4}, [4]float64{12, 4, 3, 2})}
	less := func(cs []iterations) result.Claim {
		return judgeLess(networkIterations{setup.CNN.Model, cs[:1]}, networkIterations{setup.DNN.Model, cs[1:]})
	}
	kittest.JudgedAs(t, judgeFaster(good), claims.Holds, "C21-found.below", 6, "C21-found.cases", 6)
	kittest.JudgedAs(t, less(good), claims.Holds, "C20-found.below", 3, "C20-found.idle", 1,
		"mean-change.means", []map[string]any{{"r": 2, "size": 62.5, "than": "less"}, {"r": 3, "size": 50, "than": "less"}})
	kittest.JudgedAs(t, judgeMulticast(good), claims.Holds, "C35-found.sooner", true, "C35-found.two", true)
	kittest.JudgedAs(t, judgeMulticast(good[1:]), claims.Holds, "C35-found.two", false)
	if c := judgeMulticast(good); c.Parts[0].Holds != nil || !*c.Parts[1].Holds {
		t.Errorf("two nodes are no case: %+v", c.Parts)
	}
	bad := []iterations{good[0], at(4, [4]float64{9, 4.5, 5, 4}, [4]float64{12, 4, 4, 2})} // r = 2 is not ahead of multicast, and equal bytes are not fewer
	kittest.JudgedAs(t, judgeFaster(bad), claims.Differs, "C21-found.below", 5,
		"lower-than.lower", []map[string]any{{"nodes": []int{2}, "r": 2}, {"nodes": []int{4}, "r": 3}})
	kittest.JudgedAs(t, less(bad), claims.Differs, "C20-found.below", 2)
	kittest.JudgedAs(t, judgeMulticast([]iterations{good[0], at(4, [4]float64{7, 7, 1, 1}, [4]float64{})}), claims.Differs)
	kittest.JudgedAs(t, judgeMulticast([]iterations{at(2, [4]float64{7, 8, 1}, [4]float64{})}), claims.Differs)
}

func TestJudgeMatters(t *testing.T) {
	much, little := []iterations{at(4, [4]float64{10, 8, 5, 4}, [4]float64{})}, []iterations{at(4, [4]float64{10, 8, 9, 8}, [4]float64{})}
	kittest.JudgedAs(t, judgeMatters(much, little), claims.Holds, "C31-found.cnn", 15, "C31-found.dnn", 55, "C31-found.nothing", "none", "C31.nodes", 4)
	kittest.JudgedAs(t, judgeMatters(little, much), claims.Differs)
	loss, less := []iterations{at(4, [4]float64{10, 8, 12, 13}, [4]float64{})}, []iterations{at(4, [4]float64{10, 8, 11, 11}, [4]float64{})}
	kittest.JudgedAs(t, judgeMatters(less, loss), claims.Holds, "C31-found.nothing", "both")
	kittest.JudgedAs(t, judgeMatters(much, loss), claims.Holds, "C31-found.nothing", "cnn")
	kittest.JudgedAs(t, judgeMatters(loss, much), claims.Differs, "C31-found.nothing", "mlp")
	if x := meanReduction(much, timing.Multicast); math.Abs(x-43.75) > 1e-9 { // (37.5 + 50)/2
		t.Errorf("of multicast %g %%", x)
	}
}

// Two nodes at best 1 s per batch with r = 2; eight with 2 s (r = 2) or 1.5 s (r = 3):
// eight nodes make 4·1/1.5 = 2.67 times the samples per second.
func TestJudgeScaling(t *testing.T) {
	few, spread := at(2, [4]float64{9, 9, 1}, [4]float64{}), 0.0
	judge := func(on iterations, rate ...float64) result.Claim {
		s := raced([]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1})
		s.on, s.rate, s.stale, s.rates = []iterations{few, on}, rate, []float64{1, 2}, nil
		for i, x := range rate { // runs of two seeds in turn
			y := x * (1 + spread*float64(i))
			s.rates = append(s.rates, []float64{0.9 * x, 0.9 * y, 1.1 * x, 1.1 * y})
		}
		return judgeScaling(&s)
	}
	cs := at(8, [4]float64{9, 9, 2, 1.5}, [4]float64{})
	kittest.JudgedAs(t, judge(cs, 100, 350), claims.Holds, "C33-found.asgd", 3.5, "C33-found.cssgd", 8./3, "C33.raised",
		[]map[string]any{{"r": 3, "ratio": 0.75}}, "C33-growth.stale", []float64{1, 2})
	kittest.JudgedAs(t, judge(cs, 100, 361), claims.Differs)
	spread = 0.02 // the seeds' factors are 3.55 and 3.62: their interval holds the bound of 3.6
	c := judge(cs, 100, 355)
	kittest.JudgedAs(t, c, claims.Undecided)
	if p := c.Parts[0]; !p.Undecided || p.CI95 == nil || len(p.Samples) != 2 || math.Abs(p.Samples[1]-3.621) > 1e-9 || len(c.Parts) != 3 {
		t.Errorf("%+v", c.Parts)
	}
	spread = 0
	kittest.JudgedAs(t, judge(at(8, [4]float64{9, 9, 1.2, 1.1}, [4]float64{}), 100, 200), claims.Differs, "C33-found.cssgd", 4/1.1)
	kittest.JudgedAs(t, judge(at(8, [4]float64{9, 9, 2, 2.1}, [4]float64{}), 100, 200), claims.Differs)
}

func TestJudgeLevel(t *testing.T) {
	levels := func(x float64) kit.Sample { return kit.Sample{x, x, x} }
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 80, Best: 0.9}, levels(80), nil), claims.Within, "level-best.percent", 90, "level-lowest", nil)
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 84, Levels: []level{{Percent: 84}, {Percent: 85}}}, levels(84), nil), claims.Within,
		"level-lowest", true)
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 85, Levels: []level{{Percent: 84}, {Percent: 85}}}, levels(85), nil), claims.Within,
		"level-lowest", nil)
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 82}, levels(82), []result.Reason{result.Because("data")}), claims.SameSign, "level-other-data", true)
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 82}, levels(82), []result.Reason{result.Because("fewer-nodes")}), claims.SameSign,
		"level-other-data", nil)
	kittest.JudgedAs(t, judgeLevel("C08", pickedLevel{Picked: 74}, levels(74), nil), claims.Differs)
	kittest.JudgedAs(t, judgeLevel("C08", pickedLevel{Picked: 60, Below: true}, levels(60), nil), claims.Differs, "level-below.points", levelsBelow)
	kittest.JudgedAs(t, judgeLevel("C08", pickedLevel{}, levels(0), nil), claims.NotRun, "level-none", true)
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 82}, kit.Sample{79, 82, 86}, nil), claims.Undecided, "level-by-seed.levels", []float64{79, 82, 86})
	kittest.JudgedAs(t, judgeLevel("C07", pickedLevel{Picked: 82}, kit.Sample{82}, nil), claims.Undecided, "one-seed", true)
}

// Each seed's level is the rule's of that seed's curves, with ASGD's runs dealt to seeds in turn.
func TestPickedBySeed(t *testing.T) {
	a, b := curveOf(70, 75, 80, 85, 86), curveOf(60, 66, 71, 76, 77)
	w := largest{seeds: []uint64{0, 1}, ssgd: []trajectory{{Curve: a}, {Curve: b}}, top: at(4, [4]float64{9, 4, 5, 2}, [4]float64{}),
		asgd: []trajectory{{Curve: clocked(a, 3)}, {Curve: clocked(b, 3)}, {Curve: clocked(a, 4)}, {Curve: clocked(b, 4)}}}
	if x := w.pickedBySeed(); len(x) != 2 || x[0] < 76 || x[0] > 86 || x[1] < 67 || x[1] > 77 || x[0]-x[1] < 5 {
		t.Errorf("levels %v", x)
	}
}

// raced holds two seeds and four runs of ASGD on two node counts.
func raced(ends ...[]float64) byNodes {
	s := byNodes{largest: largest{plan: plan{Net: setup.DNN, Nodes: []int{4, 10}, Target: 0.82, Updates: 99}, seeds: []uint64{0, 1},
		ssgd: []trajectory{{}, {}}, asgd: make([]trajectory, 4)}}
	s.on = []iterations{at(4, [4]float64{9, 4, 5, 2}, [4]float64{}), at(10, [4]float64{9, 4, 6, 5}, [4]float64{})}
	s.updates = [][]float64{{10, 20}, {10, 20}}
	s.ends, s.rate, s.stale = ends, []float64{1, 1}, []float64{1, 1}
	return s
}

func TestJudgeSavings(t *testing.T) {
	s := raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	// CSSGD: 20 and 40 s on 4 nodes, 50 and 100 s on 10: halves of ASGD's throughout.
	if e, nodes := s.savedOf(alike); len(nodes) != 2 || math.Abs(e.Value-50) > 1e-9 || e.CI == nil || len(e.Samples) != 2 {
		t.Errorf("of ASGD %+v, want 50", e)
	}
	if _, nodes := s.savedOf(race{on: timing.Judged, among: everyR, least: 5}); len(nodes) != 1 {
		t.Errorf("from 5 nodes: %v", nodes)
	}
	asgd := func(id string, ends ...[]float64) result.Claim { s := raced(ends...); return judgeASGD(id, &s) }
	kittest.JudgedAs(t, judgeASGD("C02", &s), claims.SameSign, "asgd-pairs.nodes", []int{4, 10}, "asgd-left", nil, "asgd-one-sum.saved", 50,
		"saved-beside.drawn", 50, "saved-beside.even", 50)
	// Q gradients on 10 nodes are 8 s of the server's link, and ASGD by itself takes 1600 samples at 400 per second,
	// 4 s: cut alike it takes twice as long there. CSSGD: a half and a quarter of ASGD's time.
	s.rate = []float64{1, 400}
	multicast := s.on[1].Of[timing.Judged.Key][timing.Multicast]
	multicast.Bytes = 8 * setup.Platform().Server.Bandwidth
	s.on[1].Of[timing.Judged.Key][timing.Multicast] = multicast
	kittest.JudgedAs(t, judgeASGD("C02", &s), claims.SameSign, "asgd-one-sum.saved", 50)
	if got := judgeASGD("C02", &s).Measured; got != 62.5 {
		t.Errorf("cut alike CSSGD saves %v %%, want 62.5", got)
	}
	// With the server's link as wide as the medium, ten times as wide, they are 0.8 s, less than ASGD takes by itself.
	kittest.JudgedAs(t, judgeASGD("C02", &s), claims.SameSign, "asgd-wide.saved", 50, "asgd-wide.interval", true)
	multicast.Bytes *= 10 // 80 s of the link, 8 of ten: twice ASGD's 4 s; of the link alone twenty times
	s.on[1].Of[timing.Judged.Key][timing.Multicast] = multicast
	kittest.JudgedAs(t, judgeASGD("C02", &s), claims.SameSign, "asgd-wide.saved", 62.5)
	multicast.Bytes /= 10
	s.on[1].Of[timing.Judged.Key][timing.Multicast] = multicast
	// Anybody can recompute it: a seed's mean ratio over numbers of nodes, and their geometric mean.
	f, product := s.pairsFrame(), 1.0
	for k := range s.seeds {
		product *= (f.Rows[k][f.At("over_cut")].(float64) + f.Rows[2+k][f.At("over_cut")].(float64)) / 2
	}
	kittest.Near(t, "recomputed", 100*(1-math.Sqrt(product)), 62.5, 1e-9)
	if len(f.Rows) != 4 || fmt.Sprint(f.Rows[2][f.At("cssgd")], f.Rows[2][f.At("asgd")], f.Rows[2][f.At("cut")]) != "50 100 200" {
		t.Errorf("pairs %v", f.Rows)
	}
	if _, _, asgd, cut, _ := s.times(1, timing.Ethernet); cut[0] != asgd[0] {
		t.Errorf("whole gradients are cut: %v, %v", asgd, cut)
	}
	s = raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	kittest.JudgedAs(t, asgd("C02", []float64{27, 55, 28, 54}, []float64{68, 137, 69, 136}), claims.Within)
	kittest.JudgedAs(t, asgd("C06", []float64{10, 20, 10, 20}, []float64{25, 50, 25, 50}), claims.Differs, "other-side.null", 0)
	kittest.JudgedAs(t, asgd("C06", []float64{10, 20, 10, 20}, []float64{30, 40, 30, 40}), claims.Undecided, "ci-contains-null.null", 0)
	kittest.JudgedAs(t, asgd("C02", []float64{40, 80, 40, 80}, []float64{100, math.NaN(), 100, 200}), claims.SameSign, "asgd-left.n", 1)
	kittest.JudgedAs(t, asgd("C02", []float64{math.NaN(), 1, 1, 1}, []float64{1, 1, 1, math.NaN()}), claims.NotRun, "asgd-none", true)
	// Against SSGD Multicast: 50 % and −25 %.
	kittest.JudgedAs(t, judgeSSGD("C01", setup.DNN, s.on, nil), claims.SameSign, "deterministic", true, "saved-by-nodes.nodes",
		[]map[string]any{{"idle": false, "nodes": 4, "r": 3, "saved": 50}, {"idle": false, "nodes": 10, "r": 3, "saved": -25}})
	if got := judgeSSGD("C01", setup.DNN, s.on, nil).Measured; got != 12.5 {
		t.Errorf("C01: %v %%, want 12.5", got)
	}
	kittest.JudgedAs(t, judgeSSGD("C04", setup.CNN, []iterations{at(4, [4]float64{9, 4, 5, 6}, [4]float64{})}, nil), claims.Differs)
	s.on[0] = at(2, [4]float64{9, 4, 2}, [4]float64{})
	kittest.JudgedAs(t, judgeSSGD("C01", setup.DNN, s.on, nil), claims.SameSign, "saved-late.saved", -25)
	kittest.JudgedAs(t, judgeASGD("C02", &s), claims.SameSign, "saved-late.saved", 50)
}

func TestDiffers(t *testing.T) {
	s := raced(nil, nil)
	if d := s.differs(true); len(d) != 0 {
		t.Errorf("the paper's own: %v", d)
	}
	s.plan.Width, s.plan.Target, s.plan.Nodes, s.target = 0.125, 0, []int{2, 8}, 0.75
	s.ssgd[0].Data = &result.Data{Name: "fashion-mnist"}
	kittest.JudgedAs(t, result.Claim{Differs: s.differs(true)}, "", "data.used", "fashion-mnist", "width.by", 8, "fewer-nodes.nodes", 8,
		"rule-target.percent", 75)
	if d := s.differs(false); len(d) != 3 {
		t.Errorf("where the level is judged: %v", d)
	}
}

// Times to the target from 4 to 10 nodes: CSSGD 30 to 75 s, ASGD 60 to 150. 60 s at 640
// samples/s in batches of 640 are 60 updates; 150 s at 3200 in batches of 1600 are 300.
func TestGrowth(t *testing.T) {
	s := raced([]float64{40, 80, 40, 80}, []float64{100, 200, 100, 200})
	s.rate, s.stale = []float64{640, 3200}, []float64{3, 8.5}
	kittest.JudgedAs(t, result.Claim{Reasons: []result.Reason{s.growth()}}, "", "C33-growth.stale", []float64{3, 8.5}, "C33-growth.pushes", []float64{60, 300},
		"C33-growth.updates", []float64{15, 15}, "C33-growth.asgd", []float64{60, 150}, "C33-growth.cssgd", []float64{30, 75})
	s.ends[1] = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if x := s.growth().Args["asgd"].([]any); x[1] != nil {
		t.Errorf("a target that no run reaches is reached after %v s", x[1])
	}
}

// C12 is of both networks: quick trains the CNN's ASGD 3 times, paper both 10 times.
func TestJudgeRuns(t *testing.T) {
	kittest.JudgedAs(t, judgeRuns("quick", []uint64{0, 1, 2}), claims.NotRun, "C12.dnn", 10, "C12.cnn", 3)
	kittest.JudgedAs(t, judgeRuns("paper", []uint64{0, 1, 2}), claims.Input, "C12.dnn", 10, "C12.cnn", 10)
}
