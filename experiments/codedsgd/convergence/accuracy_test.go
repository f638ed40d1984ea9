package convergence

import (
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/train"
)

// A long curve keeps every k-th point and its last, a short one all.
func TestSparseCurves(t *testing.T) {
	for n, want := range map[int][]int64{ // first, second and last update, and how many
		60:   {1, 2, 60, 60},
		61:   {2, 4, 61, 31},
		120:  {2, 4, 120, 60},
		1200: {20, 40, 1200, 60},
	} {
		var curve []train.Point
		for i := range n {
			curve = append(curve, train.Point{Updates: int64(i + 1)})
		}
		s := sparse(curve)
		if len(s) != int(want[3]) || s[0].Updates != want[0] || s[1].Updates != want[1] || s[len(s)-1].Updates != want[2] {
			t.Errorf("%d points: %d, the first %d and %d, the last %d; want %v", n, len(s), s[0].Updates, s[1].Updates, s[len(s)-1].Updates, want)
		}
	}
}

func TestJudgeFinals(t *testing.T) {
	net := func(alone int64) *finals {
		return &finals{w: &largest{plan: plan{Net: setup.DNN, Alone: alone, Updates: 5}}, Serial: kit.Sample{0.9, 0.92}, SSGD: kit.Sample{0.8905, 0.9105},
			ASGD: kit.Sample{0.915, 0.935}, Longer: kit.Sample{0.93, 0.93}}
	}
	ok := net(1)
	kittest.JudgedAs(t, judgeFinals([]*finals{ok, ok}), claims.Holds, "C30-found.points", 0.95, "C30-longer", nil,
		"C30-changed", true, "C30.gaps", []map[string]any{
			{"method": "synchronous", "model": "mlp", "points": -0.95}, {"method": "asgd", "model": "mlp", "points": 1.5},
			{"method": "synchronous", "model": "mlp", "points": -0.95}, {"method": "asgd", "model": "mlp", "points": 1.5}})
	if ok.within() != "all" {
		t.Errorf("within: %s", ok.within())
	}
	low := net(1)
	low.ASGD = kit.Sample{0.889, 0.909} // 1.1 points below
	kittest.JudgedAs(t, judgeFinals([]*finals{ok, low}), claims.Differs, "C30-found.points", 1.1)
	if low.within() != "synchronous" {
		t.Errorf("within: %s", low.within())
	}
	kittest.JudgedAs(t, judgeFinals([]*finals{net(2), ok}), claims.Holds, "C30-longer.gaps", []map[string]any{
		{"method": "synchronous", "model": "mlp", "points": -2.95, "times": 2}, {"method": "asgd", "model": "mlp", "points": -0.5, "times": 2}})
	open := net(1)
	open.SSGD = kit.Sample{0.9, 0.901} // the same mean, with an interval over the margin
	kittest.JudgedAs(t, judgeFinals([]*finals{ok, open}), claims.Undecided, "C30-found.points", 0.95)
	if open.within() != "open" {
		t.Errorf("the page says %q of a network whose interval reaches over the bound", open.within())
	}
	open = net(1)
	open.ASGD = kit.Sample{0.93, 0.931, 0.929} // unlike the seeds of the serial training
	kittest.JudgedAs(t, judgeFinals([]*finals{open}), claims.Undecided)
	open.Serial = kit.Sample{0.9100, 0.9101}
	if ci := apart(open.ASGD, open.Serial); ci == nil || ci[0] < 1.5 || ci[1] > 2.5 {
		t.Errorf("the interval of unpaired runs is %v", ci)
	}
	low.SSGD = kit.Sample{0.8, 0.82}
	kittest.JudgedAs(t, judgeFinals([]*finals{low, ok}), claims.Differs)
	if low.within() != "none" {
		t.Errorf("within: %s", low.within())
	}
}
